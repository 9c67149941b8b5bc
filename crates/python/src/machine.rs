//! `socscope._core.Machine`.

use crate::errors;
use crate::history::{Along, RunError, run_in_past, world};
use crate::seat::{Group, Seat};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use socscope_host::{LastWord, Progress, SessionEnd, SessionStop};
use socscope_machine::{CoreCycles, CoresAt, Engine, Input, Machine, Stop, Until};
use socscope_time::Instant;
use std::collections::BTreeSet;

/// Why a run returned.
#[pyclass(frozen, get_all, module = "socscope._core")]
pub(crate) struct StopReason {
    kind: &'static str,
    detail: String,
    cycle: u64,
    time_ps: u64,
}

/// A machine built from a device tree.
#[pyclass(name = "Machine", module = "socscope._core")]
pub(crate) struct PyMachine {
    pub(crate) seat: Seat,
}

impl PyMachine {
    pub(crate) fn with<R>(&self, action: impl FnOnce(&Machine) -> R) -> R {
        action(&self.seat.lock().machines[self.seat.index])
    }

    pub(crate) fn with_mut<R>(&self, action: impl FnOnce(&mut Machine) -> R) -> R {
        action(&mut self.seat.lock().machines[self.seat.index])
    }
}

#[pymethods]
impl PyMachine {
    #[new]
    #[pyo3(signature = (dtb, name, overrides = Vec::new()))]
    fn new(dtb: &[u8], name: &str, overrides: Vec<(String, String)>) -> PyResult<PyMachine> {
        let overrides: Vec<String> = overrides
            .into_iter()
            .map(|(target, value)| format!("{target}={value}"))
            .collect();
        let machine = Machine::new(dtb, name, &overrides).map_err(errors::platform)?;
        Ok(PyMachine {
            seat: Seat::alone(machine),
        })
    }

    fn load_elf(&self, image: &[u8], path: &str) -> PyResult<()> {
        self.with_mut(|machine| machine.load_elf(image, path))
            .map_err(errors::image)
    }

    fn load_image(&self, core: u16, image: Vec<u8>, path: String) -> PyResult<()> {
        let input = Input::Image {
            core,
            name: path,
            bytes: image,
        };
        self.with_mut(|machine| machine.apply(input))
            .map_err(|error| errors::ImageError::new_err(error.to_string()))
    }

    /// The images of cores behind the first: core, name of the file, and its bytes.
    #[getter]
    fn other_images<'py>(&self, py: Python<'py>) -> Vec<(u16, String, Bound<'py, PyBytes>)> {
        self.with(|machine| {
            let inputs = machine.inputs();
            let images = (0..inputs.len()).filter_map(|number| match &inputs.get(number)?.input {
                Input::Image { core, name, bytes } => {
                    Some((*core, name.clone(), PyBytes::new(py, bytes)))
                }
                _ => None,
            });
            images.collect()
        })
    }

    /// Of each core its model, the machine number of its images, and its clock.
    #[getter]
    fn cores(&self) -> Vec<(&'static str, u16, u64)> {
        self.with(|machine| {
            let of = |number| {
                let core = machine.core(number);
                let hz = machine.clock_of(number).hz();
                (core.model_name(), core.images().elf_machine, hz)
            };
            (0..machine.cores()).map(of).collect()
        })
    }

    #[pyo3(signature = (until_ps = None, until_address = None, until_linked = None, until_cores = vec![], until_output = None, until_mark = None, until_last_word = None, on_progress = None))]
    #[expect(clippy::too_many_arguments, reason = "the conditions of a run")]
    fn run(
        &mut self,
        py: Python<'_>,
        until_ps: Option<u64>,
        until_address: Option<u32>,
        until_linked: Option<u32>,
        until_cores: Vec<u16>,
        until_output: Option<(String, Vec<u8>)>,
        until_mark: Option<u8>,
        until_last_word: Option<(String, Vec<Vec<u8>>)>,
        on_progress: Option<Py<PyAny>>,
    ) -> PyResult<StopReason> {
        let end = SessionEnd {
            until: Until {
                time: until_ps.map_or(Instant::FOREVER, Instant),
                addresses: until_address.into_iter().collect::<BTreeSet<u32>>(),
                cores: only(until_address.iter(), &until_cores),
                linked: until_linked.into_iter().collect(),
                linked_cores: only(until_linked.iter(), &until_cores),
                mark: until_mark,
            },
            output: until_output,
            last_word: until_last_word.map(|(port, words)| LastWord { port, words }),
        };
        let mut raised = None;
        let mut progress = |cycle: u64, time: Instant| {
            let outcome = Python::attach(|py| {
                py.check_signals()?;
                on_progress.as_ref().map_or(Ok(()), |callback| {
                    callback.call1(py, (cycle, time.0)).map(|_| ())
                })
            });
            match outcome {
                Ok(()) => Progress::GoOn,
                Err(error) => {
                    raised = Some(error);
                    Progress::Stop
                }
            }
        };
        let seat = &self.seat;
        let stop = py.detach(|| run_group(&mut seat.lock(), seat.index, &end, &mut progress));
        if let Some(error) = raised {
            return Err(error);
        }
        if stop.is_err() {
            // A wait that a signal ended is Python's to tell.
            py.check_signals()?;
        }
        let stop = stop?;
        if let SessionStop::Machine(Stop::Failed(failure)) = &stop {
            return Err(crate::device::raise_failure(py, failure.to_string()));
        }
        let (kind, detail) = describe(stop);
        Ok(self.with(|machine| StopReason {
            kind,
            detail,
            cycle: machine.cycle(),
            time_ps: machine.now().0,
        }))
    }

    /// Executes one instruction or takes one exception. The profile, when it is on, sees it.
    fn step(&mut self) -> PyResult<()> {
        let mut group = self.seat.lock();
        let Group {
            machines,
            profiles,
            lock_step,
            history,
            ..
        } = &mut *group;
        let observer = &mut profiles[self.seat.index];
        match history {
            None => machines[self.seat.index].step(observer),
            Some(history) => {
                let mut world = world(machines, lock_step, self.seat.index);
                let arrival = history.step(&mut world, observer);
                arrival.map_err(errors::history)?;
            }
        }
        Ok(())
    }

    /// `interpreted` or `translated`.
    #[getter]
    fn engine(&self) -> &'static str {
        match self.with(Machine::engine) {
            Engine::Interpreted => "interpreted",
            Engine::Translated => "translated",
        }
    }

    #[setter]
    fn set_engine(&self, engine: &str) -> PyResult<()> {
        let engine = match engine {
            "interpreted" => Engine::Interpreted,
            "translated" => Engine::Translated,
            other => {
                return Err(PyValueError::new_err(format!(
                    "engine {other:?}: interpreted or translated"
                )));
            }
        };
        self.with_mut(|machine| machine.set_engine(engine));
        Ok(())
    }

    #[getter]
    fn clock_hz(&self) -> u64 {
        self.with(|machine| machine.clock().hz())
    }

    #[getter]
    fn cycle(&self) -> u64 {
        self.with(Machine::cycle)
    }

    #[getter]
    fn time_ps(&self) -> u64 {
        self.with(Machine::now).0
    }

    fn core_cycles<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let cores: Vec<_> = self.with(|machine| {
            let cores = 0..machine.cores();
            cores.map(|core| machine.core_cycles(core)).collect()
        });
        let column = |cycles: fn(&CoreCycles) -> u64| cores.iter().map(cycles).collect::<Vec<_>>();
        let columns = PyDict::new(py);
        columns.set_item("executing", column(|core| core.executing))?;
        columns.set_item("asleep", column(|core| core.asleep))?;
        columns.set_item("bus_held", column(|core| core.bus_held))?;
        Ok(columns)
    }
}

/// Says which cores addresses are for; without any, all.
pub(crate) fn only<'a>(addresses: impl Iterator<Item = &'a u32>, cores: &[u16]) -> CoresAt {
    let all = || cores.iter().copied().collect();
    addresses
        .filter(|_| !cores.is_empty())
        .map(|&address| (address, all()))
        .collect()
}

fn run_group(
    group: &mut Group,
    index: usize,
    end: &SessionEnd,
    progress: &mut dyn FnMut(u64, Instant) -> Progress,
) -> Result<SessionStop, RunError> {
    if let Some(stop) = run_in_past(group, index, end, progress)? {
        return Ok(stop);
    }
    let Group {
        machines,
        sessions,
        profiles,
        lock_step,
        history,
    } = group;
    let mut along = Along {
        progress,
        history: history.as_mut(),
        lock_step,
        focus: index,
    };
    let stop = if machines.len() > 1 {
        socscope_host::run_together(
            lock_step, machines, sessions, profiles, index, end, &mut along,
        )
    } else {
        let (session, machine) = (&mut sessions[index], &mut machines[index]);
        let probes = &mut profiles[index];
        if probes.is_more_than_profile() {
            session.run(machine, end, probes, &mut along)
        } else if let Some(profile) = probes.get_mut() {
            session.run(machine, end, profile, &mut along)
        } else {
            let nobody = &mut socscope_core::Unobserved;
            session.run(machine, end, nobody, &mut along)
        }
    };
    stop.map_err(RunError::Host)
}

pub(crate) fn describe(stop: SessionStop) -> (&'static str, String) {
    match stop {
        SessionStop::Machine(Stop::Time) => ("time", "the time is over".into()),
        SessionStop::Machine(Stop::Address(address)) => {
            ("address", format!("the core reached {address:#010x}"))
        }
        SessionStop::Machine(Stop::Mark(number)) => ("mark", format!("mark {number} was executed")),
        SessionStop::Machine(Stop::Stuck(reason)) => ("crash", reason),
        SessionStop::Machine(Stop::Loop(pc)) => (
            "loop",
            format!("the program has stopped in an endless loop at {pc:#010x}"),
        ),
        SessionStop::Machine(Stop::Asleep) => (
            "stopped",
            "the core sleeps, and nothing is pending that could wake it".into(),
        ),
        SessionStop::Machine(Stop::Reset) => ("reset", "the guest asked for a reset".into()),
        SessionStop::Machine(Stop::Observer) => ("observer", "a probe asked for it".into()),
        SessionStop::Machine(Stop::Failed(failure)) => ("failed", failure.to_string()),
        SessionStop::Output => ("output", "the awaited output came".into()),
        SessionStop::GaveUp(line) => ("panic", line),
        SessionStop::Closed(reason) => ("closed", reason),
        SessionStop::Asked => ("interrupted", "the run was interrupted".into()),
        SessionStop::Memory(reason) => ("memory", reason),
    }
}
