//! The observer that looks for breakpoints and watchpoints.
//!
//! Breakpoints cost nothing between their hits. With a watchpoint a run is interpreted: it costs what the interpreter does, whose speed
//! `benches/speed.py` measures. A history costs about 1.1 times the plain run: `benches/probes.py`.

use super::conditions::{Accessor, Conditions, Hit};
use socscope_core::{Core, ExecutionState, Observer, Transfer, Translation};
use socscope_device::TraceEvent;
use socscope_machine::{AnyCore, Input, Machine, MachineObserver, Mark, Moves};
use socscope_memory::{AddressSpace, Direction, Region, RegionIndex, Width};
use socscope_time::Instant;
use std::collections::BTreeSet;

/// Vector numbers of exceptions that are a step of their own.
const PREFETCH_ABORT: u8 = 3;
const INTERRUPTS: [u8; 2] = [6, 7];

/// A place in a run, counted: the first place at a cycle, and steps of the core behind it; of a machine with several cores, whose cycles
/// interleave, all steps since the search began, at whatever cycle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Counted {
    pub cycle: u64,
    pub steps: u64,
}

/// A hit, and where it was.
pub(super) struct Found {
    pub place: Counted,
    /// Whether a step begins there, or the core was in the middle of its sleep.
    pub step_is_whole: bool,
    pub hit: Hit,
}

/// Looks for hits of conditions, with another observer behind it that is told everything.
///
/// Forwards it ends the run behind an access that is watched; breakpoints are the run's own (`Conditions::until`).
pub struct Watcher<'a> {
    conditions: &'a Conditions,
    inner: &'a mut dyn MachineObserver,
    /// Notes the last hit of all conditions instead of stopping at the first watchpoint.
    scanning: bool,
    /// Ends the run behind the first step of the core.
    one_step: bool,
    /// An instruction was executed, or an exception was taken.
    stepped: bool,
    own_steps: OwnSteps,
    /// The machine has several cores: only steps are counted.
    several_cores: bool,
    /// The core whose turn it is.
    core: u16,
    now: Counted,
    /// Where the core fell asleep, while it sleeps: its next step begins there.
    asleep_since: Option<Counted>,
    /// Whether that was before the search began.
    slept_before: bool,
    /// Where the step in progress, or the last one, began.
    step: Counted,
    /// Whether it began there: not when the core slept before the search began.
    step_is_whole: bool,
    hit: Option<Found>,
}

impl<'a> Watcher<'a> {
    /// For a run forwards.
    pub fn new(conditions: &'a Conditions, inner: &'a mut dyn MachineObserver) -> Watcher<'a> {
        Watcher {
            conditions,
            inner,
            scanning: false,
            one_step: false,
            stepped: false,
            own_steps: OwnSteps::default(),
            several_cores: false,
            core: 0,
            now: Counted::default(),
            asleep_since: None,
            slept_before: false,
            step: Counted::default(),
            step_is_whole: false,
            hit: None,
        }
    }

    /// For a run of one step.
    pub(super) fn one_step(
        conditions: &'a Conditions,
        inner: &'a mut dyn MachineObserver,
    ) -> Watcher<'a> {
        Watcher {
            one_step: true,
            ..Watcher::new(conditions, inner)
        }
    }

    /// For a run that looks for the last hit.
    pub(super) fn scanning(
        machine: &Machine,
        conditions: &'a Conditions,
        inner: &'a mut dyn MachineObserver,
    ) -> Watcher<'a> {
        let now = Counted {
            cycle: machine.cycle(),
            steps: 0,
        };
        Watcher {
            scanning: true,
            several_cores: machine.cores() > 1,
            now,
            slept_before: machine.all_stopped(),
            step: now,
            ..Watcher::new(conditions, inner)
        }
    }

    /// The watchpoint that was met.
    pub fn hit(&self) -> Option<&Hit> {
        self.hit.as_ref().map(|found| &found.hit)
    }

    /// Where the last hit was, and what.
    pub(super) fn last(self) -> Option<Found> {
        self.hit
    }

    /// A step of the core begins.
    fn begin(&mut self) {
        self.step = self.asleep_since.take().unwrap_or(self.now);
        self.step_is_whole = !std::mem::take(&mut self.slept_before);
        self.now.steps += 1;
    }

    /// Where the last step began.
    pub(super) fn last_step(&self) -> Option<Counted> {
        self.step_is_whole.then_some(self.step)
    }

    fn pass(&mut self, cycles: u64) {
        if cycles > 0 && !self.several_cores {
            self.now = Counted {
                cycle: self.now.cycle + cycles,
                steps: 0,
            };
        }
    }

    fn access(
        &mut self,
        place: Counted,
        by: Accessor,
        address: u32,
        width: Width,
        direction: Direction,
    ) {
        let mut watchpoints = self.conditions.watchpoints.iter();
        if !self.scanning && self.hit.is_some() {
            return;
        }
        if let Some(watchpoint) = watchpoints.find(|one| one.sees(address, width, direction)) {
            let hit = Hit::Watchpoint {
                watchpoint: *watchpoint,
                address,
                width,
                direction,
                by,
            };
            self.found(place, hit);
        }
    }

    fn breakpoint(&mut self, address: u32) {
        if self.scanning && self.conditions.breaks(self.core, address) {
            self.found(self.step, Hit::Breakpoint { address });
        }
    }

    fn found(&mut self, place: Counted, hit: Hit) {
        self.hit = Some(Found {
            place,
            step_is_whole: self.step_is_whole || place != self.step,
            hit,
        });
    }
}

/// Tells the exceptions that are steps of their own, beside those that instructions are: interrupts, and what could not be fetched. A breakpoint's
/// instruction brings the same exception, but is the step itself.
#[derive(Default)]
pub(super) struct OwnSteps {
    /// The instruction that is executed, before it goes anywhere.
    executing: Option<u32>,
}

impl OwnSteps {
    /// An instruction begins.
    pub fn instruction(&mut self, pc: u32) {
        self.executing = Some(pc);
    }

    /// Whether a transfer of control is such a step.
    pub fn begins(&mut self, from: u32, kind: Transfer) -> bool {
        let executed = self.executing.take();
        match kind {
            Transfer::ExceptionEntry(PREFETCH_ABORT) => executed != Some(from),
            Transfer::ExceptionEntry(number) => INTERRUPTS.contains(&number),
            _ => false,
        }
    }
}

impl Observer for Watcher<'_> {
    fn instruction(&mut self, pc: u32, width: Width, region: RegionIndex) {
        self.inner.instruction(pc, width, region);
        self.own_steps.instruction(pc);
        self.stepped = true;
        self.begin();
        self.breakpoint(pc);
    }

    fn cycles(&mut self, cycles: u64) {
        self.inner.cycles(cycles);
        self.stepped = true;
        self.pass(cycles);
    }

    fn data(
        &mut self,
        pc: u32,
        address: u32,
        width: Width,
        direction: Direction,
        region: RegionIndex,
    ) {
        self.inner.data(pc, address, width, direction, region);
        self.access(self.step, Accessor::Core { pc }, address, width, direction);
    }

    fn unaligned(&mut self, pc: u32, address: u32, width: Width) {
        self.inner.unaligned(pc, address, width);
    }

    fn interrupted(&mut self, number: u8, next: u32, stack_pointer: u32) {
        self.inner.interrupted(number, next, stack_pointer);
    }

    fn transfer(&mut self, from: u32, to: u32, kind: Transfer, stack_pointer: u32) {
        self.inner.transfer(from, to, kind, stack_pointer);
        if self.own_steps.begins(from, kind) {
            self.begin();
            if kind == Transfer::ExceptionEntry(PREFETCH_ABORT) {
                self.breakpoint(from);
            }
        }
    }

    fn special_written(&mut self, number: u32, value: u32) {
        self.inner.special_written(number, value);
    }

    fn execution_state(&mut self, state: ExecutionState) {
        self.inner.execution_state(state);
    }

    fn magic(&mut self, number: u8, argument: u32, cycle: u64) {
        self.inner.magic(number, argument, cycle);
    }

    fn translation(&mut self) -> Translation<'_> {
        // Breakpoints are the run's own: without watchpoints there is nothing to look for.
        let looking = self.scanning || self.one_step || !self.conditions.watchpoints.is_empty();
        match self.inner.translation() {
            same @ (Translation::Nothing | Translation::Exceptions(_)) if !looking => same,
            _ => Translation::Impossible,
        }
    }

    fn stop(&self) -> bool {
        (self.one_step && self.stepped)
            || (!self.scanning && self.hit.is_some())
            || self.inner.stop()
    }

    fn look(&mut self, cycle: u64, core: &dyn Core, space: &AddressSpace) {
        self.inner.look(cycle, core, space);
    }
}

impl MachineObserver for Watcher<'_> {
    socscope_machine::executes_as_any!();

    fn mapped(&mut self, regions: &[Region], moved: &Moves) {
        self.inner.mapped(regions, moved);
    }

    fn wants_traces(&self) -> bool {
        !self.conditions.watchpoints.is_empty() || self.inner.wants_traces()
    }

    fn wants_registers(&self) -> bool {
        self.inner.wants_registers()
    }

    fn addresses(&self) -> Option<&BTreeSet<u32>> {
        self.inner.addresses()
    }

    fn reaches(&mut self, core: u16, cycle: u64, processor: &AnyCore) {
        self.inner.reaches(core, cycle, processor);
    }

    fn trace(&mut self, device: u16, time: Instant, cycle: u64, event: TraceEvent) {
        if let TraceEvent::DmaAccess {
            direction,
            address,
            width,
            ..
        } = event
        {
            // Asleep, every cycle is a place to stand; awake, the transfer hides behind the instruction before it.
            let place = match self.asleep_since.filter(|_| !self.several_cores) {
                Some(since) if cycle > since.cycle + 1 => Counted {
                    cycle: cycle - 1,
                    steps: 0,
                },
                Some(since) => since,
                None => self.step,
            };
            let by = Accessor::Device { index: device };
            self.access(place, by, address, width, direction);
        }
        if self.inner.wants_traces() {
            self.inner.trace(device, time, cycle, event);
        }
    }

    fn stopped(&mut self, cycles: u64) {
        self.inner.stopped(cycles);
        self.asleep_since.get_or_insert(self.now);
        self.pass(cycles);
    }

    fn mark(&mut self, mark: Mark, end: u64) {
        self.inner.mark(mark, end);
    }

    fn turn(&mut self, core: u16) {
        self.core = core;
        self.inner.turn(core);
    }

    fn reset(&mut self, pc: u32) {
        self.inner.reset(pc);
    }

    fn asleep(&mut self, core: u16, cycles: u64) {
        self.inner.asleep(core, cycles);
    }

    fn bus_held(&mut self, core: u16, cycles: u64) {
        self.inner.bus_held(core, cycles);
        self.pass(cycles);
    }

    fn input(&mut self, input: &Input) {
        self.inner.input(input);
    }
}
