//! The profile of a machine.

use crate::errors;
use crate::machine::PyMachine;
use crate::seat::Group;
use crate::tables;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use socscope_machine::Input;
use socscope_probe::{CoreSet, Functions, Kernel, Profile, Window};

/// First address, the one behind the last, and number of each.
type FunctionList = Vec<(u32, u32, i64)>;

const PROFILE_IS_OFF: &str = "the profile is off: call enable_profile before the run";

/// Cores by their numbers; without any, all.
pub(crate) fn core_set(numbers: &[u32]) -> PyResult<CoreSet> {
    CoreSet::of(numbers)
        .ok_or_else(|| PyValueError::new_err(format!("no machine has the cores {numbers:?}")))
}

#[pymethods]
impl PyMachine {
    /// `kernel` is the distance of a kernel's addresses from physical ones; `own` has the functions in memory that a core alone sees.
    #[pyo3(signature = (functions, window = (String::from("all"), 0, 0), kernel = None, window_cores = (vec![], vec![]), own = vec![]))]
    fn enable_profile(
        &self,
        functions: FunctionList,
        window: (String, u32, u32),
        kernel: Option<u32>,
        window_cores: (Vec<u32>, Vec<u32>),
        own: Vec<(u16, FunctionList)>,
    ) -> PyResult<()> {
        let overlap = |start| {
            PyValueError::new_err(format!(
                "the function at {start:#010x} overlaps the one before it"
            ))
        };
        let mut known = Functions::new(&functions).map_err(overlap)?;
        for (core, list) in own {
            known = known.with_own(core, &list).map_err(overlap)?;
        }
        let functions = known;
        let window = match (window.0.as_str(), window.1, window.2) {
            ("all", _, _) => Window::All,
            ("commands", _, _) => Window::Commands,
            ("marks", first, last) => Window::Marks {
                first: mark(first)?,
                last: mark(last)?,
            },
            ("addresses", first, last) => {
                match (core_set(&window_cores.0)?, core_set(&window_cores.1)?) {
                    (CoreSet::ALL, CoreSet::ALL) => Window::Addresses { first, last },
                    (begin, end) => Window::OnCores {
                        first: (first, begin),
                        last: (last, end),
                    },
                }
            }
            (other, _, _) => {
                return Err(PyValueError::new_err(format!(
                    "window {other:?}: all, commands, marks or addresses"
                )));
            }
        };
        let mut group = self.seat.lock();
        let kernel = kernel.map(Kernel::new);
        let machine = &group.machines[self.seat.index];
        let profile = Profile::of_kernel(machine, functions, window, kernel);
        group.profiles[self.seat.index].set(profile);
        Ok(())
    }

    /// Tells fewer calling contexts apart than usual on each core.
    fn fold_contexts(&self, contexts_max: usize) -> PyResult<()> {
        let mut group = self.seat.lock();
        let Some(profile) = group.profiles[self.seat.index].get_mut() else {
            return Err(PyValueError::new_err(PROFILE_IS_OFF));
        };
        profile.fold_contexts(contexts_max);
        Ok(())
    }

    /// Switches the profile's counting on or off.
    fn count(&self, on: bool) -> PyResult<()> {
        let mut group = self.seat.lock();
        let Group {
            machines, profiles, ..
        } = &mut *group;
        let Some(profile) = profiles[self.seat.index].get_mut() else {
            return Err(PyValueError::new_err(PROFILE_IS_OFF));
        };
        profile.count(on);
        machines[self.seat.index]
            .apply(Input::Count { on })
            .map_err(errors::input)
    }

    fn profile<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let group = self.seat.lock();
        match group.profiles[self.seat.index].get() {
            Some(profile) => tables::tables(py, &group.machines[self.seat.index], profile),
            None => Err(PyValueError::new_err(PROFILE_IS_OFF)),
        }
    }

    fn marks<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        tables::marks(py, &self.seat.lock().machines[self.seat.index])
    }
}

fn mark(number: u32) -> PyResult<u8> {
    u8::try_from(number).map_err(|_| {
        PyValueError::new_err(format!("mark {number}: marks have numbers from 0 to 255"))
    })
}
