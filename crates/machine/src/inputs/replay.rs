//! A run once more: to the exact moment of each input, which is applied there.

use crate::inputs::input::InputError;
use crate::inputs::input_log::{InputLog, Moment};
use crate::machine::Machine;
use crate::running::observer::MachineObserver;
use crate::running::run::{Stop, Until};
use crate::system::failure::Failure;
use crate::system::port::Peer;
use thiserror::Error;

/// A run that does not repeat.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ReplayError {
    /// The moment is between two instructions of the recorded run, but not of this one.
    #[error(
        "the run does not repeat: cycle {wanted} lies between two instructions of the record, this run passes it and stands at cycle {cycle}"
    )]
    Missed {
        /// The cycle of the record.
        wanted: u64,
        /// The cycle of this run.
        cycle: u64,
    },
    /// The model of a device failed.
    #[error("{0}")]
    Failed(Failure),
    /// The machine does not take an input that it took in the record.
    #[error("input {number} at cycle {cycle} cannot be applied: {reason}")]
    Input {
        /// Its number in the log, from 0.
        number: usize,
        /// Its cycle.
        cycle: u64,
        /// Why.
        reason: InputError,
    },
}

impl Machine {
    /// This place of the run.
    pub fn moment(&self) -> Moment {
        Moment {
            cycle: self.cycle,
            part: self.part(),
            settled: self.inputs.settled,
        }
    }

    /// The inputs so far.
    pub fn inputs(&self) -> &InputLog {
        &self.inputs
    }

    /// Runs to a moment that is known to come, past everything that would end a run. Gives [`Stop::Time`], or what an observer made of it.
    pub fn reach<O: MachineObserver>(
        &mut self,
        moment: Moment,
        observer: &mut O,
    ) -> Result<Stop, ReplayError> {
        self.reaching = true;
        let stop = self.reach_it(moment, observer);
        self.reaching = false;
        stop
    }

    fn reach_it<O: MachineObserver>(
        &mut self,
        moment: Moment,
        observer: &mut O,
    ) -> Result<Stop, ReplayError> {
        if self.cycle < moment.cycle || (moment.settled && !self.inputs.settled) {
            let until = Until::time(self.clock().instant_of(moment.cycle));
            let stop = self.run(&until, observer);
            if stop != Stop::Time {
                return Ok(stop);
            }
        }
        while self.cycle == moment.cycle && self.part() < moment.part {
            self.step(observer);
        }
        if (self.cycle, self.part()) == (moment.cycle, moment.part) {
            return Ok(Stop::Time);
        }
        Err(ReplayError::Missed {
            wanted: moment.cycle,
            cycle: self.cycle,
        })
    }
}

/// Repeats a run from a machine's state to an end.
#[derive(Clone, Debug)]
pub struct Replay {
    inputs: InputLog,
    next: usize,
    end: Moment,
}

impl Replay {
    /// From a machine to which the first inputs, as many as it has noted, have been applied already.
    pub fn new(machine: &Machine, inputs: InputLog, end: Moment) -> Replay {
        Replay {
            inputs,
            next: machine.inputs.len(),
            end,
        }
    }

    /// Whether the end is reached and all inputs are applied.
    pub fn done(&self, machine: &Machine) -> bool {
        let now = machine.moment();
        self.next >= self.inputs.len()
            && (now.cycle, now.part) >= (self.end.cycle, self.end.part)
            && (now.settled || !self.end.settled)
    }

    /// Goes on to `cycle`, at most to the end. The machine then stands between two instructions, at `cycle` or right behind it.
    /// Gives what made an observer stop it, if that is so.
    pub fn advance<O: MachineObserver>(
        &mut self,
        machine: &mut Machine,
        cycle: u64,
        observer: &mut O,
    ) -> Result<Option<Stop>, ReplayError> {
        while let Some(recorded) = self.inputs.get(self.next) {
            if recorded.moment.cycle > cycle {
                break;
            }
            let stop = machine.reach(recorded.moment, observer)?;
            if stop != Stop::Time {
                return Ok(Some(stop));
            }
            observer.input(&recorded.input);
            machine
                .apply(recorded.input.clone())
                .map_err(|reason| ReplayError::Input {
                    number: self.next,
                    cycle: recorded.moment.cycle,
                    reason,
                })?;
            self.next += 1;
        }
        let stop = if cycle < self.end.cycle {
            machine.pass(cycle, observer)
        } else {
            machine.reach(self.end, observer)?
        };
        // What goes to another machine went there in the record.
        for port in &mut machine.bus.ports {
            if let Peer::Machine { outgoing } = &mut port.peer {
                outgoing.clear();
            }
        }
        Ok((stop != Stop::Time).then_some(stop))
    }
}

impl Machine {
    /// Runs to the first place between two instructions at `cycle` or behind it and lets its events pass; past everything that would end a
    /// run but an observer.
    pub fn pass<O: MachineObserver>(&mut self, cycle: u64, observer: &mut O) -> Stop {
        if self.cycle >= cycle && self.inputs.settled {
            return Stop::Time;
        }
        self.reaching = true;
        let stop = self.run(&Until::time(self.clock().instant_of(cycle)), observer);
        self.reaching = false;
        stop
    }

    /// Whether no core executes instructions.
    pub fn all_stopped(&self) -> bool {
        !self.any_awake()
    }

    /// What has been executed since all cores had reached the machine's cycle, or since that cycle began.
    fn part(&self) -> u64 {
        let now = self.bus.core_clock.instant_of(self.cycle);
        let parts = self.processors.iter().zip(&self.clocks);
        parts.fold(0, |sum: u64, (processor, clock)| {
            let since = match *clock == self.bus.core_clock {
                true => self.cycle,
                false => clock.cycles_at(now),
            };
            sum.saturating_add(processor.progress(since))
        })
    }
}
