//! What reached a machine from outside, and a run once more with it.

use crate::errors;
use crate::machine::PyMachine;
use crate::path::Kept;
use crate::seat::{Group, Seat};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use socscope_core::Unobserved;
use socscope_machine::{Handover, Input, InputLog, Moment, Recorded, Replay, ReplayError, Stop};
use socscope_probe::Path;
use socscope_time::Instant;

/// Simulated time between two looks at signals and progress.
const LOOK_PS: u64 = 20_000_000_000;

/// Cycle, part, settled: see `Moment`.
type Place = (u64, u64, bool);

fn place(moment: Moment) -> Place {
    (moment.cycle, moment.part, moment.settled)
}

fn moment((cycle, part, settled): Place) -> Moment {
    Moment {
        cycle,
        part,
        settled,
    }
}

#[pymethods]
impl PyMachine {
    /// The place between two instructions where the machine stands.
    #[getter]
    fn moment(&self) -> Place {
        self.with(|machine| place(machine.moment()))
    }

    /// A boot loader hands over an initial file system and a command line.
    fn boot(&mut self, initrd: Vec<u8>, append: String) -> PyResult<()> {
        let handover = Handover { initrd, append };
        self.with_mut(|machine| machine.apply(Input::Boot(handover)))
            .map_err(|error| errors::ImageError::new_err(error.to_string()))
    }

    /// What came from outside so far, as columns.
    fn inputs<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let group = self.seat.lock();
        let machine = &group.machines[self.seat.index];
        let all: Vec<&Recorded> = machine.inputs().iter().collect();
        let clock = machine.clock();
        let columns = PyDict::new(py);
        let of = |value: fn(&Recorded) -> u64| all.iter().map(|one| value(one)).collect::<Vec<_>>();
        columns.set_item("cycle", of(|one| one.moment.cycle))?;
        let times: Vec<u64> = all
            .iter()
            .map(|one| clock.instant_of(one.moment.cycle).0)
            .collect();
        columns.set_item("time_ps", times)?;
        columns.set_item("part", of(|one| one.moment.part))?;
        columns.set_item("settled", of(|one| one.moment.settled.into()))?;
        let texts = |value: fn(&Input) -> String| {
            all.iter()
                .map(|one| value(&one.input))
                .collect::<Vec<String>>()
        };
        columns.set_item("kind", texts(|input| input.kind().into()))?;
        let targets = all.iter().map(|one| one.input.target_in(machine));
        columns.set_item("target", targets.collect::<Vec<_>>())?;
        columns.set_item("detail", texts(Input::detail))?;
        let bytes = |value: fn(&Input) -> Vec<u8>| {
            all.iter()
                .map(|one| PyBytes::new(py, &value(&one.input)))
                .collect::<Vec<_>>()
        };
        columns.set_item("bytes", bytes(|input| input.bytes().into()))?;
        columns.set_item("encoded", bytes(Input::encoded))?;
        Ok(columns)
    }
}

/// A run once more, from its inputs alone.
#[pyclass(name = "Replay", module = "socscope._core")]
pub(crate) struct PyReplay {
    pub(crate) seat: Seat,
    pub(crate) replay: Replay,
    pub(crate) path: Path,
    pub(crate) kept: Option<Kept>,
}

#[pymethods]
impl PyReplay {
    #[new]
    fn new(machine: &PyMachine, inputs: Vec<(Place, Vec<u8>)>, end: Place) -> PyResult<PyReplay> {
        let mut log = InputLog::default();
        for (number, (at, encoded)) in inputs.into_iter().enumerate() {
            let input = Input::decoded(&encoded).ok_or_else(|| {
                PyValueError::new_err(format!("input {number} is none that this version knows"))
            })?;
            log.extend([Recorded {
                moment: moment(at),
                input,
            }]);
        }
        let seat = machine.seat.clone();
        let replay = machine.with(|machine| Replay::new(machine, log, moment(end)));
        Ok(PyReplay {
            seat,
            replay,
            path: Path::default(),
            kept: None,
        })
    }

    /// Whether the end is reached and everything has come in.
    #[getter]
    fn done(&self) -> bool {
        self.replay
            .done(&self.seat.lock().machines[self.seat.index])
    }

    /// Goes on to a cycle, or to the end.
    #[pyo3(signature = (cycle = None, on_progress = None))]
    fn advance(
        &mut self,
        py: Python<'_>,
        cycle: Option<u64>,
        on_progress: Option<Py<PyAny>>,
    ) -> PyResult<()> {
        let goal = cycle.unwrap_or(u64::MAX);
        loop {
            let (now, time) = py.detach(|| self.go_on(goal)).map_err(errors::replay)?;
            py.check_signals()?;
            if let Some(callback) = &on_progress {
                callback.call1(py, (now, time.0))?;
            }
            if now >= goal || self.done() {
                return Ok(());
            }
        }
    }
}

impl PyReplay {
    /// A stretch of the way; gives cycle and time.
    fn go_on(&mut self, goal: u64) -> Result<(u64, Instant), ReplayError> {
        let mut group = self.seat.lock();
        let Group {
            machines, profiles, ..
        } = &mut *group;
        let machine = &mut machines[self.seat.index];
        let clock = machine.clock();
        let next = clock.cycles_at(machine.now().after_ps(LOOK_PS)).min(goal);
        let probes = &mut profiles[self.seat.index];
        let stop: Option<Stop> = if probes.is_more_than_profile() {
            self.replay.advance(machine, next, probes)?
        } else if let Some(profile) = probes.get_mut() {
            self.replay.advance(machine, next, profile)?
        } else {
            self.replay.advance(machine, next, &mut Unobserved)?
        };
        if let Some(Stop::Failed(failure)) = stop {
            return Err(ReplayError::Failed(failure));
        }
        Ok((machine.cycle(), machine.now()))
    }
}
