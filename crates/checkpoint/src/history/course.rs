//! What a machine did once and does again: its inputs at their moments.

use super::conditions::Conditions;
use super::error::HistoryError;
use super::place::Place;
use super::watcher::{OwnSteps, Watcher};
use socscope_core::{Observer, Transfer, Unobserved};
use socscope_machine::{InputLog, Machine, MachineObserver, Moment, Stop, Until};
use socscope_memory::{RegionIndex, Width};

/// Ends a run after so many steps, as a [`Watcher`] counts them.
pub(super) struct SoMany {
    left: u64,
    own_steps: OwnSteps,
}

impl SoMany {
    pub fn new(left: u64) -> SoMany {
        SoMany {
            left,
            own_steps: OwnSteps::default(),
        }
    }
}

impl Observer for SoMany {
    fn instruction(&mut self, pc: u32, _width: Width, _region: RegionIndex) {
        self.own_steps.instruction(pc);
        self.left = self.left.saturating_sub(1);
    }

    fn transfer(&mut self, from: u32, _to: u32, kind: Transfer, _stack_pointer: u32) {
        let begins = self.own_steps.begins(from, kind);
        self.left = self.left.saturating_sub(u64::from(begins));
    }

    fn stop(&self) -> bool {
        self.left == 0
    }
}

impl MachineObserver for SoMany {
    socscope_machine::executes_as_any!();
}

/// A machine's course up to the present.
pub(super) struct Course {
    inputs: InputLog,
}

impl Course {
    /// What the machine has been through.
    pub fn of(machine: &Machine) -> Course {
        Course {
            inputs: machine.inputs().clone(),
        }
    }

    /// The next input that a machine on this course will take.
    fn next(&self, machine: &Machine) -> Option<Moment> {
        let next = self.inputs.get(machine.inputs().len());
        next.map(|recorded| recorded.moment)
    }

    /// Applies the next input.
    fn apply<O: MachineObserver>(
        &self,
        machine: &mut Machine,
        observer: &mut O,
    ) -> Result<(), HistoryError> {
        let number = machine.inputs().len();
        if let Some(recorded) = self.inputs.get(number) {
            observer.input(&recorded.input);
            let applied = machine.apply(recorded.input.clone());
            applied.map_err(|reason| HistoryError::Input {
                number,
                cycle: recorded.moment.cycle,
                reason: Box::new(reason),
            })?;
        }
        Ok(())
    }

    /// Applies what was applied where the machine stands, and lets the events of the place pass.
    fn arrive<O: MachineObserver>(
        &self,
        machine: &mut Machine,
        observer: &mut O,
    ) -> Result<(), HistoryError> {
        while self
            .next(machine)
            .is_some_and(|next| Place::from(next) <= Place::of(machine))
        {
            self.apply(machine, observer)?;
        }
        machine.pass(machine.cycle(), observer);
        Ok(())
    }

    /// Repeats the course up to a place, or the first one behind it; past everything that would end a run but an observer.
    pub fn follow<O: MachineObserver>(
        &self,
        machine: &mut Machine,
        place: Place,
        observer: &mut O,
    ) -> Result<Stop, HistoryError> {
        while let Some(next) = self.next(machine) {
            if Place::from(next) > place {
                break;
            }
            let stop = going_on(machine.reach(next, observer)?)?;
            if stop != Stop::Time {
                return Ok(stop);
            }
            self.apply(machine, observer)?;
        }
        let stop = going_on(machine.pass(place.cycle, observer))?;
        while stop == Stop::Time && Place::of(machine) < place {
            machine.step(observer);
        }
        self.arrive(machine, observer)?;
        Ok(stop)
    }

    /// Makes one step of the core, at most to the cycle of `limit`.
    pub fn step(&self, machine: &mut Machine, limit: Place) -> Result<(), HistoryError> {
        self.step_told(machine, limit, &mut Unobserved)
    }

    /// The same, told to an observer.
    pub fn step_told<O: MachineObserver>(
        &self,
        machine: &mut Machine,
        limit: Place,
        observer: &mut O,
    ) -> Result<(), HistoryError> {
        let due = self.next(machine).map_or(u64::MAX, |next| next.cycle);
        let cycle = due.min(limit.cycle);
        if machine.cycle() < cycle {
            let nothing = Conditions::none();
            machine.pass(cycle, &mut Watcher::one_step(&nothing, observer));
        } else {
            machine.step(observer);
        }
        self.arrive(machine, observer)
    }

    /// Runs on as a user does, with all the ends of `until`, at most to `limit`. Gives [`Stop::Time`] there.
    pub fn run<O: MachineObserver>(
        &self,
        machine: &mut Machine,
        limit: Place,
        until: &Until,
        observer: &mut O,
    ) -> Result<Stop, HistoryError> {
        loop {
            let due = self.next(machine).map_or(u64::MAX, |next| next.cycle);
            let cycle = due.min(limit.cycle);
            let time = machine.clock().instant_of(cycle).min(until.time);
            let stop = machine.run(
                &Until {
                    time,
                    ..until.clone()
                },
                observer,
            );
            if stop != Stop::Time {
                return Ok(stop);
            }
            let here = Place::of(machine);
            if machine.now() >= until.time || here >= limit {
                self.arrive(machine, observer)?;
                return Ok(Stop::Time);
            }
            if here.cycle >= cycle && !self.arrives(machine, observer)? {
                machine.step(observer);
                if machine.stands_at(until) {
                    return Ok(Stop::Address(machine.pc()));
                }
            }
        }
    }

    /// Whether the machine stands at the next input, which is then applied. With a core of less than one cycle an instruction, it may
    /// stand before it though the cycle is the same.
    fn arrives<O: MachineObserver>(
        &self,
        machine: &mut Machine,
        observer: &mut O,
    ) -> Result<bool, HistoryError> {
        let before = machine.inputs().len();
        self.arrive(machine, observer)?;
        Ok(machine.inputs().len() > before)
    }
}

/// What a model that fails makes of a replay: nothing behind it can be reached.
fn going_on(stop: Stop) -> Result<Stop, HistoryError> {
    match stop {
        Stop::Failed(failure) => Err(HistoryError::Failed(failure.to_string())),
        stop => Ok(stop),
    }
}
