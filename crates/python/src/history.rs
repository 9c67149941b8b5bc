//! Time travel.

use crate::errors;
use crate::machine::{PyMachine, only};
use crate::seat::{Group, Seat};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use socscope_checkpoint::history::{
    Accessor, Arrival, Conditions, History, HistoryError, Hit, Settings, Watch, Watchpoint, World,
};
use socscope_core::Unobserved;
use socscope_host::{Companion, HostError, Progress, SessionEnd, SessionStop};
use socscope_machine::{LockStep, Machine, Stop};
use socscope_time::Instant;
use std::ops::ControlFlow;

/// Where a way through time ended.
#[pyclass(frozen, get_all, name = "Place", module = "socscope._core")]
pub(crate) struct PyPlace {
    kind: &'static str,
    address: Option<u32>,
    direction: Option<&'static str>,
    device: Option<String>,
    old: Py<PyBytes>,
    new: Py<PyBytes>,
}

/// Why a run with a history ended without a stop.
pub(crate) enum RunError {
    Host(HostError),
    History(HistoryError),
    OutputInPast,
}

impl From<RunError> for PyErr {
    fn from(error: RunError) -> PyErr {
        match error {
            RunError::Host(error) => errors::serial(error),
            RunError::History(error) => errors::history(error),
            RunError::OutputInPast => PyValueError::new_err(
                "the machine stands in the past, where output was awaited already: go to the present first",
            ),
        }
    }
}

/// Takes a history along on a live run.
pub(crate) struct Along<'a> {
    pub progress: &'a mut dyn FnMut(u64, Instant) -> Progress,
    pub history: Option<&'a mut History>,
    pub lock_step: &'a LockStep,
    pub focus: usize,
}

impl Companion for Along<'_> {
    fn progress(&mut self, cycle: u64, time: Instant) -> Progress {
        (self.progress)(cycle, time)
    }

    fn pause_after(&self, now: Instant) -> Instant {
        let history = self.history.as_ref();
        history.map_or(Instant::FOREVER, |history| history.note_after(now))
    }

    fn met(&mut self, machines: &mut [Machine]) {
        if let Some(history) = &mut self.history {
            history.note(&mut world(machines, self.lock_step, self.focus));
        }
    }
}

/// The machines of a group as a history sees them.
pub(crate) fn world<'a>(
    machines: &'a mut [Machine],
    lock_step: &'a LockStep,
    focus: usize,
) -> World<'a> {
    World {
        machines,
        lock_step: Some(lock_step),
        focus,
    }
}

/// Repeats the past up to the end of a run, or to the present, which is `None`.
pub(crate) fn run_in_past(
    group: &mut Group,
    index: usize,
    end: &SessionEnd,
    progress: &mut dyn FnMut(u64, Instant) -> Progress,
) -> Result<Option<SessionStop>, RunError> {
    let Some(history) = &mut group.history else {
        return Ok(None);
    };
    let mut world = world(&mut group.machines, &group.lock_step, index);
    history.note(&mut world);
    if !history.in_past() {
        return Ok(None);
    }
    if end.output.is_some() {
        return Err(RunError::OutputInPast);
    }
    let clock = world.machine().clock();
    let arrival = history
        .run(
            &mut world,
            &end.until,
            &Conditions::none(),
            &mut Unobserved,
            &mut |time| flow(progress(clock.cycles_at(time), time)),
        )
        .map_err(RunError::History)?;
    Ok(match arrival {
        Arrival::Present | Arrival::Begin | Arrival::Hit { .. } => None,
        Arrival::There => Some(SessionStop::Machine(Stop::Time)),
        Arrival::Stop(stop) => Some(SessionStop::Machine(stop)),
        Arrival::Interrupted => Some(SessionStop::Asked),
    })
}

fn flow(progress: Progress) -> ControlFlow<()> {
    match progress {
        Progress::GoOn => ControlFlow::Continue(()),
        Progress::Stop => ControlFlow::Break(()),
    }
}

impl Seat {
    /// Acts on the group's history.
    fn with_history<R>(
        &self,
        act: impl FnOnce(&mut History, &mut World) -> Result<R, HistoryError>,
    ) -> PyResult<R> {
        let mut group = self.lock();
        let Group {
            machines,
            lock_step,
            history,
            ..
        } = &mut *group;
        let Some(history) = history else {
            return Err(PyValueError::new_err("no history is kept: start one"));
        };
        act(history, &mut world(machines, lock_step, self.index)).map_err(errors::history)
    }
}

#[pymethods]
impl PyMachine {
    fn history_start(&self, py: Python<'_>, interval_ps: u64, budget_bytes: usize) {
        py.detach(|| {
            let mut group = self.seat.lock();
            let Group {
                machines,
                lock_step,
                history,
                ..
            } = &mut *group;
            let settings = Settings {
                interval_ps,
                budget_bytes,
            };
            let mut world = world(machines, lock_step, self.seat.index);
            *history = Some(History::new(&mut world, settings));
        });
    }

    /// Begin and present in ps, whether the machine stands in the past, and how often that was changed.
    fn history_span(&self) -> PyResult<(u64, u64, bool, u32)> {
        self.seat.with_history(|history, world| {
            history.note(world);
            let (begin, present) = (history.begin(world).0, history.present(world).0);
            Ok((begin, present, history.in_past(), history.cuts()))
        })
    }

    /// How many states are kept, and roughly their bytes.
    fn history_size(&self) -> PyResult<(usize, usize)> {
        self.seat.with_history(|history, _| Ok(history.size()))
    }

    fn history_goto(&self, py: Python<'_>, time_ps: u64) -> PyResult<()> {
        py.detach(|| {
            self.seat
                .with_history(|history, world| history.goto_time(world, Instant(time_ps)))
        })
    }

    fn history_goto_cycle(&self, py: Python<'_>, cycle: u64) -> PyResult<()> {
        py.detach(|| {
            self.seat
                .with_history(|history, world| history.goto_cycle(world, cycle))
        })
    }

    fn history_present(&self, py: Python<'_>) -> PyResult<()> {
        py.detach(|| {
            self.seat
                .with_history(|history, world| history.to_present(world))
        })
    }

    /// One step of the core back; `False` at the beginning.
    fn history_back(&self, py: Python<'_>) -> PyResult<bool> {
        let arrival = py.detach(|| {
            self.seat
                .with_history(|history, world| history.reverse_step(world))
        })?;
        Ok(arrival != Arrival::Begin)
    }

    #[pyo3(signature = (breakpoints, watchpoints, on_progress = None, cores = vec![]))]
    fn history_back_to(
        &self,
        py: Python<'_>,
        breakpoints: Vec<u32>,
        watchpoints: Vec<(u32, u32, String)>,
        on_progress: Option<Py<PyAny>>,
        cores: Vec<u16>,
    ) -> PyResult<PyPlace> {
        let cores = only(breakpoints.iter(), &cores);
        let conditions = Conditions {
            breakpoints: breakpoints.into_iter().collect(),
            watchpoints: watchpoints
                .into_iter()
                .map(|(address, bytes, kind)| watchpoint(address, bytes, &kind))
                .collect::<PyResult<_>>()?,
            cores,
        };
        let mut raised = None;
        let mut progress = |time: Instant| {
            let outcome = Python::attach(|py| {
                py.check_signals()?;
                on_progress
                    .as_ref()
                    .map_or(Ok(()), |callback| callback.call1(py, (time.0,)).map(|_| ()))
            });
            match outcome {
                Ok(()) => ControlFlow::Continue(()),
                Err(error) => {
                    raised = Some(error);
                    ControlFlow::Break(())
                }
            }
        };
        let arrival = py.detach(|| {
            self.seat.with_history(|history, world| {
                history.reverse_continue(world, &conditions, &mut progress)
            })
        });
        if let Some(error) = raised {
            return Err(error);
        }
        Ok(self.arrived(py, arrival?))
    }
}

impl PyMachine {
    fn arrived(&self, py: Python<'_>, arrival: Arrival) -> PyPlace {
        let mut place = PyPlace {
            kind: "begin",
            address: None,
            direction: None,
            device: None,
            old: PyBytes::new(py, &[]).unbind(),
            new: PyBytes::new(py, &[]).unbind(),
        };
        let Arrival::Hit { hit, old, new } = arrival else {
            return place;
        };
        match hit {
            Hit::Breakpoint { address } => {
                place.kind = "breakpoint";
                place.address = Some(address);
            }
            Hit::Watchpoint {
                address,
                direction,
                by,
                ..
            } => {
                place.kind = "watchpoint";
                place.address = Some(address);
                place.direction = Some(match direction {
                    socscope_memory::Direction::Read => "read",
                    socscope_memory::Direction::Write => "write",
                });
                if let Accessor::Device { index } = by {
                    let name = |machine: &Machine| {
                        let device = machine.devices().nth(usize::from(index));
                        device.map(|device| device.name.to_string())
                    };
                    place.device = self.with(name);
                }
                place.old = PyBytes::new(py, &old).unbind();
                place.new = PyBytes::new(py, &new).unbind();
            }
        }
        place
    }
}

fn watchpoint(address: u32, bytes: u32, kind: &str) -> PyResult<Watchpoint> {
    let watch = match kind {
        "read" => Watch::Read,
        "write" => Watch::Write,
        "access" => Watch::Access,
        other => {
            return Err(PyValueError::new_err(format!(
                "watchpoint {other:?}: read, write or access"
            )));
        }
    };
    Ok(Watchpoint {
        address,
        bytes,
        watch,
    })
}
