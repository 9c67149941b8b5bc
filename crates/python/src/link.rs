//! Machines on one time.

use crate::errors;
use crate::machine::PyMachine;
use crate::seat::Group;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use socscope_machine::{Machine, QUANTUM_PS};

/// Connects two ports; the machines then share one time.
#[pyfunction]
#[pyo3(signature = (first, first_port, second, second_port, quantum_ps = None))]
pub(crate) fn link(
    first: &Bound<'_, PyMachine>,
    first_port: &str,
    second: &Bound<'_, PyMachine>,
    second_port: &str,
    quantum_ps: Option<u64>,
) -> PyResult<()> {
    let (one, two) = (first.borrow().seat.clone(), second.borrow().seat.clone());
    if first.is(second) {
        return Err(PyValueError::new_err(
            "a machine cannot be linked to itself: use two machines",
        ));
    }
    let same_time =
        one.lock().machines[one.index].cycle() == two.lock().machines[two.index].cycle();
    if !same_time {
        return Err(PyValueError::new_err(
            "the machines are at different times: link them before they run",
        ));
    }
    let Some(joined) = two.join(&one) else {
        return Err(PyValueError::new_err(
            "both machines are linked to others already: link them in a chain",
        ));
    };
    {
        let mut group = one.lock();
        let Group {
            machines,
            lock_step,
            ..
        } = &mut *group;
        let mut all: Vec<&mut Machine> = machines.iter_mut().collect();
        lock_step.quantum_ps = quantum_ps.unwrap_or(QUANTUM_PS);
        lock_step
            .connect(
                &mut all,
                (one.index, first_port),
                (joined.index, second_port),
            )
            .map_err(errors::platform)?;
    }
    second.borrow_mut().seat = joined;
    Ok(())
}
