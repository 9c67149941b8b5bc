//! Machines on one time.

use crate::errors;
use crate::machine::PyMachine;
use crate::seat::{Group, Seat};
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
    // One lock after the other: both may be in the same group.
    let of_first = ready(&one, first_port)?;
    let of_second = ready(&two, second_port)?;
    if of_first != of_second {
        return Err(PyValueError::new_err(
            "the machines are at different times: link them before they run",
        ));
    }
    let (one, two) = if let Some(joined) = two.join(&one) {
        second.borrow_mut().seat = joined.clone();
        (one, joined)
    } else if let Some(joined) = one.join(&two) {
        first.borrow_mut().seat = joined.clone();
        (joined, two)
    } else {
        return Err(PyValueError::new_err(
            "both machines are linked to others already: link them one by one",
        ));
    };
    let mut group = one.lock();
    let Group {
        machines,
        lock_step,
        ..
    } = &mut *group;
    let mut all: Vec<&mut Machine> = machines.iter_mut().collect();
    lock_step
        .connect(&mut all, (one.index, first_port), (two.index, second_port))
        .map_err(errors::platform)?;
    lock_step.quantum_ps = quantum_ps.unwrap_or(QUANTUM_PS);
    Ok(())
}

/// The cycle of a machine that has this port.
fn ready(seat: &Seat, port: &str) -> PyResult<u64> {
    let mut group = seat.lock();
    let machine = &mut group.machines[seat.index];
    machine.sent_since(port, &mut 0).map_err(errors::platform)?;
    Ok(machine.cycle())
}
