//! How the machines move: on, step by step, and back.

use crate::debugger::{DebugError, Debugger};
use crate::stops::{BreakKind, touched};
use crate::threads::Thread;
use gdbstub::common::Tid;
use gdbstub::target::ext::breakpoints::WatchKind;
use socscope_checkpoint::history::{Conditions, Hit, Watcher, Watchpoint};
use socscope_machine::{Machine, Stop, Until};
use socscope_time::Instant;
use std::ops::Range;

/// Steps between two looks at the debugger.
const STEPS: u32 = 20_000;

/// What the debugger waits for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum Goal {
    /// Nothing: the machines stand.
    #[default]
    Stay,
    /// To go on.
    Continue,
    /// One instruction, or all of a range.
    Step(Step),
    /// One step of a thread's core back.
    StepBack(Tid),
    /// Back to the last breakpoint or watchpoint.
    RunBack,
}

/// A step under way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Step {
    pub tid: Tid,
    /// Where to go on stepping.
    range: Option<Range<u32>>,
    /// An interrupt came first: the step is made when its handlers have returned to here.
    returns_to: Option<Spot>,
}

impl Step {
    pub fn new(tid: Tid, range: Option<Range<u32>>) -> Step {
        Step {
            tid,
            range,
            returns_to: None,
        }
    }
}

/// Where a core stands in its code: the same spot on another stack is another task's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Spot {
    pc: u32,
    sp: u32,
    status: u32,
}

impl Spot {
    fn of(machine: &Machine, core: usize) -> Spot {
        let core = machine.core(core);
        Spot {
            pc: core.program_counter(),
            sp: core.stack_pointer(),
            status: core.status_word(),
        }
    }

    /// Flags may be changed by nobody but the interrupted code itself; only mode and instruction set tell spots apart.
    fn is(self, other: Spot) -> bool {
        const MODE_AND_SET: u32 = 0x3f;
        (self.pc, self.sp) == (other.pc, other.sp)
            && (self.status ^ other.status) & MODE_AND_SET == 0
    }
}

/// Why the machines stand again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Halt {
    /// The step is made.
    Stepped(Tid),
    /// This core is at a breakpoint.
    Break(BreakKind, usize),
    /// At an access to what is watched.
    Watch(WatchKind, u32, Watchpoint),
    /// The history begins here.
    Begin,
    /// The guest can never leave the place where it is; why.
    Stuck(String),
    /// Nothing will ever wake the core.
    Asleep,
    /// The run's own end.
    End,
    /// It was asked for.
    Interrupted,
}

impl Debugger<'_> {
    /// Moves towards the goal, at most to `meeting`. Gives why the machine stands that came to a halt.
    pub(crate) fn advance(
        &mut self,
        meeting: Instant,
        interrupted: &mut dyn FnMut() -> bool,
    ) -> Result<Option<(usize, Halt)>, DebugError> {
        if let Some(halt) = self.next_waiting() {
            return Ok(Some(halt));
        }
        let halts = match std::mem::take(&mut self.goal) {
            Goal::Stay => vec![],
            Goal::Continue => {
                self.goal = Goal::Continue;
                self.go_on(meeting)?
            }
            Goal::Step(step) => self.step_on(step, meeting)?,
            Goal::StepBack(tid) => self.step_back(tid, interrupted)?,
            Goal::RunBack => self.run_back(interrupted)?,
        };
        let mut halts = halts.into_iter();
        let first = halts.next();
        self.waiting.extend(halts);
        if let Some((machine, halt)) = &first {
            self.focus = *machine;
            self.access_is_done = matches!(halt, Halt::Watch(..));
        }
        Ok(first)
    }

    /// The next halt that was not told yet and still holds. While GDB steps one thread alone it wants to hear of no other.
    fn next_waiting(&mut self) -> Option<(usize, Halt)> {
        match self.goal {
            Goal::Continue => {}
            Goal::Step(_) if !self.steps_alone => {}
            Goal::Step(_) | Goal::Stay => return None,
            Goal::StepBack(_) | Goal::RunBack => self.waiting.clear(),
        }
        while let Some((machine, halt)) = self.waiting.pop_front() {
            match halt {
                Halt::Break(_, core) if self.break_of(machine, core).is_none() => {}
                halt => return Some((machine, halt)),
            }
        }
        None
    }

    /// What GDB hears of now; the rest waits.
    fn told(&mut self, machine: usize, halts: Vec<(usize, Halt)>) -> Vec<(usize, Halt)> {
        let told = |at: usize| !self.steps_alone || at == machine;
        let (now, later): (Vec<_>, Vec<_>) = halts.into_iter().partition(|(at, _)| told(*at));
        self.waiting.extend(later);
        now
    }

    /// GDB takes some cores to stop before a watched access, and makes it with a step of its own while nothing is watched. The machine
    /// stands behind the access already: that step is none.
    pub(crate) fn step_is_made(&mut self) -> bool {
        std::mem::take(&mut self.access_is_done) && self.stops.watches_nothing()
    }

    /// What stops a machine, or all of them: in lock step, too, and in the past only one is told of.
    pub(crate) fn conditions(&self, machine: Option<usize>) -> Conditions {
        let alone = (self.machines.len() == 1 || self.in_past()).then_some(self.focus);
        let machine = machine.or(alone);
        let of_cores = machine.map(|machine| self.processes.of_machine(machine));
        self.stops.conditions(of_cores)
    }

    /// The breakpoint at which a core stands.
    fn break_of(&self, machine: usize, core: usize) -> Option<Halt> {
        let process = self.processes.of_machine(machine)[core];
        let pc = self.machines[machine].core(core).program_counter();
        let kind = self.stops.kind_at(process, pc);
        kind.map(|kind| Halt::Break(kind, core))
    }

    /// The breakpoint at which the core stands whose turn it is.
    pub(crate) fn break_at(&self, machine: usize) -> Option<Halt> {
        self.break_of(machine, self.machines[machine].turn())
    }

    fn go_on(&mut self, meeting: Instant) -> Result<Vec<(usize, Halt)>, DebugError> {
        let conditions = self.conditions(None);
        let stops = self.run_all(meeting, &conditions)?;
        Ok(self.halts(stops))
    }

    fn halts(&self, stops: Vec<(usize, Stop, Option<Hit>)>) -> Vec<(usize, Halt)> {
        let mut halts = vec![];
        for (machine, stop, hit) in stops {
            if let Some(halt) = hit.as_ref().and_then(touched) {
                halts.push((machine, halt));
                continue;
            }
            let halt = match stop {
                Stop::Address(_) => self.break_at(machine),
                Stop::Stuck(reason) => Some(Halt::Stuck(reason)),
                Stop::Loop(pc) => Some(Halt::Stuck(format!(
                    "the program has stopped in an endless loop at {pc:#010x}"
                ))),
                Stop::Failed(failure) => Some(Halt::Stuck(failure.to_string())),
                Stop::Asleep => Some(Halt::Asleep),
                Stop::Reset => Some(Halt::Stuck("the guest asked for a reset".into())),
                Stop::Time | Stop::Mark(_) | Stop::Observer => None,
            };
            halts.extend(halt.map(|halt| (machine, halt)));
        }
        let ended = || {
            self.machines
                .iter()
                .all(|machine| machine.now() >= self.end)
        };
        if halts.is_empty() && ended() {
            halts.push((0, Halt::End));
        }
        halts
    }

    fn step_on(
        &mut self,
        mut step: Step,
        meeting: Instant,
    ) -> Result<Vec<(usize, Halt)>, DebugError> {
        let Some(thread) = self.numbers.thread(step.tid) else {
            let first = self.stopped_core(0);
            return Ok(vec![(0, Halt::Stepped(first))]);
        };
        let machine = thread.machine();
        if self.step_is_made() {
            return Ok(vec![(machine, Halt::Stepped(step.tid))]);
        }
        let meeting = meeting.min(self.end);
        for _ in 0..STEPS {
            if self.machines[machine].now() >= meeting {
                break;
            }
            if let Some(spot) = step.returns_to {
                let halts = self.return_to(machine, thread, spot, meeting)?;
                let halts = self.told(machine, halts);
                if !halts.is_empty() {
                    return Ok(halts);
                }
                let here = Spot::of(&self.machines[machine], self.core_of(thread));
                if !spot.is(here) || !self.has_core(thread) {
                    continue;
                }
                step.returns_to = None;
            }
            let core = self.core_of(thread);
            let before = Spot::of(&self.machines[machine], core);
            let stepping = self.machines[machine].turn();
            let mine = self.has_core(thread) && stepping == core;
            self.focus = machine;
            let halts = self.step_one(machine)?;
            let halts = self.told(machine, halts);
            if !halts.is_empty() {
                return Ok(halts);
            }
            let after = &self.machines[machine];
            let pc = after.core(core).program_counter();
            if mine
                && !self.steps_into_interrupts
                && after
                    .core(core)
                    .has_taken_interrupt(before.pc, before.status)
            {
                step.returns_to = Some(before);
                continue;
            }
            // A core whose turn comes at a breakpoint would pass it where the next run begins.
            let at_break = self.break_of(machine, stepping);
            let turn = self.machines[machine].turn();
            let next = (turn != stepping).then(|| self.break_of(machine, turn));
            if let Some(halt) = at_break.or(next.flatten()) {
                return Ok(vec![(machine, halt)]);
            }
            let stays = step.range.as_ref().is_some_and(|range| range.contains(&pc));
            if mine && !stays {
                return Ok(vec![(machine, Halt::Stepped(step.tid))]);
            }
        }
        let ended = self.machines[machine].now() >= self.end;
        self.goal = Goal::Step(step);
        Ok(if ended {
            vec![(machine, Halt::End)]
        } else {
            vec![]
        })
    }

    /// Runs until the interrupted instruction is next, on the same stack.
    fn return_to(
        &mut self,
        machine: usize,
        thread: Thread,
        spot: Spot,
        meeting: Instant,
    ) -> Result<Vec<(usize, Halt)>, DebugError> {
        let mut conditions = self.conditions(None);
        conditions.breakpoints.insert(spot.pc);
        conditions.cores.remove(&spot.pc);
        let stops = self.run_all(meeting, &conditions)?;
        let here = Spot::of(&self.machines[machine], self.core_of(thread));
        if stops.len() == 1 && spot.is(here) && self.has_core(thread) {
            return Ok(vec![]);
        }
        Ok(self.halts(stops))
    }

    /// One step of one core; the others follow it in time.
    fn step_one(&mut self, machine: usize) -> Result<Vec<(usize, Halt)>, DebugError> {
        if self.in_past() {
            return self.step_one_in_past(machine);
        }
        let conditions = self.conditions(None);
        let mut watcher = Watcher::new(&conditions, &mut self.profiles[machine]);
        self.machines[machine].step(&mut watcher);
        let hit = watcher.hit().and_then(touched);
        let mut halts: Vec<(usize, Halt)> = hit.map(|halt| (machine, halt)).into_iter().collect();
        let now = self.machines[machine].now();
        // A machine that waits at a breakpoint is not moved off it while GDB has taken all of them away.
        if self.machines.len() > 1 && !self.steps_alone {
            let stops = self.run_live(now, &conditions);
            halts.extend(self.halts(stops));
        }
        Ok(halts)
    }

    /// Moves all machines, on the way that they took before when they stand in the past.
    fn run_all(
        &mut self,
        meeting: Instant,
        conditions: &Conditions,
    ) -> Result<Vec<(usize, Stop, Option<Hit>)>, DebugError> {
        let until = meeting.min(self.end);
        if self.in_past() {
            return self.run_in_past(until, conditions);
        }
        let until = until.min(self.next_note()?);
        let stops = self.run_live(until, conditions);
        self.note()?;
        Ok(stops)
    }

    fn run_live(
        &mut self,
        time: Instant,
        conditions: &Conditions,
    ) -> Vec<(usize, Stop, Option<Hit>)> {
        let until = conditions.until(Until::time(time));
        let watches = !conditions.watchpoints.is_empty();
        if let ([machine], [profile]) = (&mut *self.machines, &mut *self.profiles) {
            let (stop, hit) = if watches {
                let mut watcher = Watcher::new(conditions, profile);
                let stop = machine.run(&until, &mut watcher);
                (stop, watcher.hit().cloned())
            } else {
                (machine.run(&until, profile), None)
            };
            return match stop {
                Stop::Time => vec![],
                stop => vec![(0, stop, hit)],
            };
        }
        let mut machines: Vec<&mut Machine> = self.machines.iter_mut().collect();
        if !watches {
            let stops = self.lock_step.run_all(&mut machines, self.profiles, &until);
            let plain = |(machine, stop)| (machine, stop, None);
            return stops.into_iter().map(plain).collect();
        }
        let mut watchers: Vec<_> = self
            .profiles
            .iter_mut()
            .map(|profile| Watcher::new(conditions, profile))
            .collect();
        let stops = self.lock_step.run_all(&mut machines, &mut watchers, &until);
        let with_hit = |(machine, stop): (usize, Stop)| {
            let hit = watchers[machine].hit().cloned();
            (machine, stop, hit)
        };
        stops.into_iter().map(with_hit).collect()
    }
}
