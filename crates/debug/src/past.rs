//! Going back, and on again over what was.

use crate::debugger::{DebugError, Debugger};
use crate::motion::Halt;
use crate::stops::touched;
use gdbstub::common::Tid;
use socscope_checkpoint::history::{Arrival, Conditions, History, HistoryError, Hit, World};
use socscope_machine::{Stop, Until};
use socscope_time::Instant;
use std::ops::ControlFlow;

impl Debugger<'_> {
    /// Whether the machines stand in the past.
    pub(crate) fn in_past(&self) -> bool {
        self.history.as_ref().is_some_and(History::in_past)
    }

    fn with_history<R>(
        &mut self,
        focus: usize,
        act: impl FnOnce(&mut History, &mut World) -> Result<R, HistoryError>,
    ) -> Result<R, DebugError> {
        let mut world = World {
            lock_step: (self.machines.len() > 1).then_some(self.lock_step),
            machines: self.machines,
            focus,
        };
        let history = self
            .history
            .get_or_insert_with(|| History::new(&mut world, self.history_settings));
        let cuts = history.cuts();
        let result = act(history, &mut world);
        if history.cuts() > cuts {
            self.future_is_discarded();
        }
        result.map_err(|error| DebugError::Time(error.to_string()))
    }

    /// Keeps the state if that is due.
    pub(crate) fn note(&mut self) -> Result<(), DebugError> {
        self.with_history(self.focus, |history, world| {
            history.note(world);
            Ok(())
        })
    }

    /// Where a run pauses for the history.
    pub(crate) fn next_note(&mut self) -> Result<Instant, DebugError> {
        self.with_history(self.focus, |history, world| Ok(history.next_note(world)))
    }

    /// When the history begins.
    pub(crate) fn begin(&mut self) -> Result<Instant, DebugError> {
        self.with_history(self.focus, |history, world| Ok(history.begin(world)))
    }

    /// Goes to a time between the beginning of the history and the present.
    pub(crate) fn goto(&mut self, time: Instant) -> Result<(), DebugError> {
        self.time_is_moved();
        self.with_history(self.focus, |history, world| history.goto_time(world, time))
    }

    /// Goes back to the present, as it was left.
    pub(crate) fn return_to_present(&mut self) -> Result<(), DebugError> {
        self.time_is_moved();
        self.with_history(self.focus, |history, world| history.to_present(world))
    }

    /// Goes to the beginning of the history.
    pub(crate) fn start_again(&mut self) -> Result<(), DebugError> {
        let begin = self.begin()?;
        self.goto(begin)?;
        self.past_changes();
        self.with_history(self.focus, |history, _| {
            history.cut();
            Ok(())
        })
    }

    /// What happens next is another course: what the guest said on the way here again was said before.
    pub(crate) fn past_changes(&mut self) {
        if !self.in_past() {
            return;
        }
        for machine in &mut *self.machines {
            let ports: Vec<String> = machine.ports().into_iter().map(str::to_owned).collect();
            for port in ports {
                let _ = machine.take_serial_output(&port);
            }
        }
    }

    pub(crate) fn step_back(
        &mut self,
        tid: Tid,
        interrupted: &mut dyn FnMut() -> bool,
    ) -> Result<Vec<(usize, Halt)>, DebugError> {
        let machine = self.machine_of(tid);
        if self.step_is_made() {
            return Ok(vec![(machine, Halt::Stepped(tid))]);
        }
        self.focus = machine;
        self.time_is_moved();
        let thread = self.numbers.thread(tid);
        let arrival = loop {
            let arrival =
                self.with_history(machine, |history, world| history.reverse_step(world))?;
            // Steps of other cores come first.
            let core = thread.map(|thread| self.core_of(thread));
            let mine = core.is_none_or(|core| core == self.machines[machine].turn());
            if mine || arrival == Arrival::Begin {
                break arrival;
            }
            // A core that sleeps has made its last step long ago.
            if interrupted() {
                return Ok(vec![(machine, Halt::Interrupted)]);
            }
        };
        Ok(vec![match arrival {
            Arrival::Begin => (machine, Halt::Begin),
            _ => (machine, Halt::Stepped(tid)),
        }])
    }

    pub(crate) fn run_back(
        &mut self,
        interrupted: &mut dyn FnMut() -> bool,
    ) -> Result<Vec<(usize, Halt)>, DebugError> {
        let machine = self.focus;
        let conditions = self.conditions(Some(machine));
        self.time_is_moved();
        let arrival = self.with_history(machine, |history, world| {
            history.reverse_continue(world, &conditions, &mut |_| flow(interrupted()))
        })?;
        let halt = match arrival {
            Arrival::Hit { hit, .. } => match touched(&hit) {
                Some(halt) => Some(halt),
                None => self.break_at(machine),
            },
            Arrival::Interrupted => Some(Halt::Interrupted),
            _ => None,
        };
        Ok(vec![(machine, halt.unwrap_or(Halt::Begin))])
    }

    /// Repeats what was, at most up to the present.
    pub(crate) fn run_in_past(
        &mut self,
        time: Instant,
        conditions: &Conditions,
    ) -> Result<Vec<(usize, Stop, Option<Hit>)>, DebugError> {
        let machine = self.focus;
        let mut observer = self.take_observer_of_past(machine);
        let arrival = self.with_history(machine, |history, world| {
            let until = Until::time(time);
            history.run(world, &until, conditions, &mut observer, &mut |_| {
                flow(false)
            })
        });
        self.give_back(machine, observer);
        Ok(match arrival? {
            Arrival::Hit {
                hit: Hit::Breakpoint { address },
                ..
            } => vec![(machine, Stop::Address(address), None)],
            Arrival::Hit { hit, .. } => vec![(machine, Stop::Observer, Some(hit))],
            Arrival::Stop(stop) => vec![(machine, stop, None)],
            _ => vec![],
        })
    }

    pub(crate) fn step_one_in_past(
        &mut self,
        machine: usize,
    ) -> Result<Vec<(usize, Halt)>, DebugError> {
        let mut observer = self.take_observer_of_past(machine);
        let arrival = self.with_history(machine, |history, world| {
            history.repeat_step(world, &mut observer)
        });
        self.give_back(machine, observer);
        arrival.map(|_| vec![])
    }
}

fn flow(ends: bool) -> ControlFlow<()> {
    if ends {
        ControlFlow::Break(())
    } else {
        ControlFlow::Continue(())
    }
}
