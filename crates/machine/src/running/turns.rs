//! Cores of one machine run one after the other: each has its turn, up to a cycle that depends on nothing but the state of the machine.
//! What ends a run (a time limit, a breakpoint, an observer) only interrupts the turn, so two runs are one longer run.

use crate::machine::Machine;
use crate::running::observer::MachineObserver;
use crate::running::processor::Processor;
use serde::{Deserialize, Serialize};
use socscope_memory::Viewer;
use socscope_time::{Clock, Instant};

/// Up to where the core runs whose turn it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Turn {
    /// Number of the core.
    pub core: u16,
    /// The cycle at which the turn ends.
    pub end: u64,
}

impl Machine {
    /// The core that executes the next instruction, unless all are stopped.
    pub fn turn(&self) -> usize {
        usize::from(self.bus.turn)
    }

    /// The clock of a core; the last one's for numbers behind it.
    pub fn clock_of(&self, core: usize) -> Clock {
        self.clocks[core.min(self.clocks.len() - 1)]
    }

    /// When a cycle of a core begins.
    pub fn time_at(&self, core: u16, cycle: u64) -> Instant {
        self.clock_of(usize::from(core)).instant_of(cycle)
    }

    /// How far a core is.
    pub(crate) fn time_of(&self, core: usize) -> Instant {
        self.clocks[core].instant_of(self.processors[core].cycle)
    }

    /// The first cycle of a core that begins at a time or later.
    pub(crate) fn cycle_from(&self, core: usize, time: Instant) -> u64 {
        match time {
            Instant::FOREVER => u64::MAX,
            _ => self.clocks[core].first_cycle_from(time),
        }
    }

    /// When a sleeping core wakes by itself.
    pub(crate) fn wake_time(&self, core: usize) -> Instant {
        match self.wakes_at(core) {
            u64::MAX => Instant::FOREVER,
            cycle => self.clocks[core].instant_of(cycle),
        }
    }

    /// The turn as it is saved: one that an input between two runs has broken is over, and where it would have ended means nothing.
    pub(crate) fn saved_turn(&self) -> Turn {
        let end = match self.bus.turn_broken {
            true => self.turn_end.min(self.current().cycle),
            false => self.turn_end,
        };
        Turn {
            core: self.bus.turn,
            end,
        }
    }

    /// The processor whose turn it is.
    pub(crate) fn current(&self) -> &Processor {
        &self.processors[self.turn()]
    }

    pub(crate) fn awake(&self, core: usize) -> bool {
        self.bus.signals[core].awake()
    }

    /// Whether a core's clock runs and it may execute instructions.
    pub(crate) fn any_awake(&self) -> bool {
        (0..self.processors.len()).any(|core| self.awake(core))
    }

    /// How far the last of the awake cores is; time passes by itself for the others.
    pub(crate) fn catch_up(&mut self) {
        if let [only] = &self.processors[..] {
            self.cycle = only.cycle;
            return;
        }
        self.release();
        let awake = (0..self.processors.len()).filter(|&core| self.awake(core));
        let least = awake.map(|core| self.time_of(core)).min();
        if let Some(least) = least {
            self.let_pass(least);
        }
        self.note_reached();
    }

    /// Notes how far all cores are.
    pub(crate) fn note_reached(&mut self) {
        let times = (0..self.processors.len()).map(|core| self.time_of(core));
        self.reached = times.min().unwrap_or(self.reached);
        self.cycle = self.bus.core_clock.cycles_at(self.reached);
    }

    /// Time has passed for cores that are let go up to the core that did it: not only to where a run looked at them last.
    fn release(&mut self) {
        let now = self.time_of(self.turn());
        for core in 0..self.processors.len() {
            if std::mem::take(&mut self.bus.signals[core].released) {
                self.let_pass_core(core, now);
            }
        }
    }

    /// Carries out what has happened to other cores than the one that did it, or to all of them: between two instructions nothing is left.
    pub(crate) fn reach_cores(&mut self) {
        self.release();
        let map = self.bus.space.map();
        for address in self.bus.written.drain(..) {
            let region = map.find(address);
            for (core, processor) in (0..).zip(&mut self.processors) {
                // A core that has something of its own there was not meant.
                if map.find_for(Viewer::Core(core), address) == region {
                    processor.state.written_by_others(address);
                }
            }
        }
    }

    /// Time passes for the cores that are not awake.
    pub(crate) fn let_pass(&mut self, time: Instant) {
        for core in 0..self.processors.len() {
            if !self.awake(core) {
                self.let_pass_core(core, time);
            }
        }
    }

    /// Wakes the sleeping cores that something asks to go on; whether there was one.
    pub(crate) fn wake(&mut self) -> bool {
        let mut woken = false;
        for core in 0..self.processors.len() {
            if self.wakes(core) {
                self.bus.signals[core].asleep = false;
                woken = true;
            }
        }
        woken
    }

    /// Whether something asks a core that sleeps to go on.
    pub(crate) fn wakes(&self, core: usize) -> bool {
        let signals = self.bus.signals[core];
        let processor = &self.processors[core];
        signals.asleep
            && (processor.state.is_woken(signals.interrupt_lines())
                || self.wakes_at(core) <= processor.cycle)
    }

    /// The cycle at which a sleeping core wakes by itself.
    pub(crate) fn wakes_at(&self, core: usize) -> u64 {
        match self.bus.signals[core].asleep {
            true => self.processors[core].state.wakes_at(),
            false => u64::MAX,
        }
    }

    /// Gives the turn to the next core when that of the present one is over.
    pub(crate) fn take_turns<O: MachineObserver>(&mut self, observer: &mut O) {
        self.pass_on_edges();
        let broken = std::mem::take(&mut self.bus.turn_broken);
        let count = self.processors.len();
        if count == 1 {
            return;
        }
        let next_event = self.cycle_from(self.turn(), self.bus.events.next_time());
        let current = self.current().cycle;
        if self.awake(self.turn()) && !broken && current < self.turn_end && current < next_event {
            return;
        }
        // Only here: where a run was interrupted must not decide when a core wakes.
        self.wake();
        let awake = (0..count).filter(|&core| self.awake(core));
        let least = awake.min_by_key(|&core| self.time_of(core));
        let Some(least) = least else {
            return;
        };
        self.end_turn();
        let alone = (0..count).all(|core| core == least || !self.awake(core));
        let cycle = self.processors[least].cycle;
        self.turn_end = if alone {
            let sleepers = (0..count).filter(|&core| core != least);
            let wake = sleepers.map(|core| self.wake_time(core)).min();
            let wake = wake.unwrap_or(Instant::FOREVER);
            self.cycle_from(least, wake).max(cycle + 1)
        } else {
            let base = self.bus.core_clock;
            let quantum = base.cycles_at(self.time_of(least)) / self.quantum_cycles;
            self.cycle_from(least, base.instant_of((quantum + 1) * self.quantum_cycles))
        };
        if self.turn() != least {
            self.give_turn(least);
            observer.turn(least as u16);
        }
    }

    /// From now on the bus is this core's.
    pub(crate) fn give_turn(&mut self, core: usize) {
        let state = &self.processors[core].state;
        let (order, exceptions) = (state.images().endianness, state.exceptions());
        self.bus
            .give_turn(core as u16, order, exceptions, self.clocks[core]);
    }

    /// What the core asked of all cores' translation buffers reaches them.
    fn end_turn(&mut self) {
        let turn = self.turn();
        let forgotten = self.processors[turn].state.end_turn();
        for (number, other) in self.processors.iter_mut().enumerate() {
            if number != turn {
                for &address in &forgotten {
                    other.state.forget_translation(address);
                }
            }
        }
    }

    /// Tells cores of resets and machine checks by their lines.
    fn pass_on_edges(&mut self) {
        for (processor, signals) in self.processors.iter_mut().zip(&mut self.bus.signals) {
            if signals.edge() {
                let soft_reset = std::mem::take(&mut signals.soft_reset_pending);
                let machine_check = std::mem::take(&mut signals.machine_check_pending);
                processor.state.take_edges(soft_reset, machine_check);
                signals.given_up &= !soft_reset;
                signals.asleep &= !processor.state.is_woken(signals.interrupt_lines());
            }
        }
    }

    /// Up to which of its cycles the core may run at once, when the run ends at the machine's cycle `limit`.
    pub(crate) fn turn_limit(&self, limit: u64) -> u64 {
        let count = self.processors.len();
        if count == 1 {
            return limit;
        }
        let turn = self.turn();
        let time = self.bus.core_clock.instant_of(limit);
        let behind = |core: usize| core != turn && self.awake(core) && self.time_of(core) < time;
        match (0..count).any(behind) {
            true => self.turn_end,
            false => self.turn_end.min(self.cycle_from(turn, time)),
        }
    }

    /// Whether the core takes an interrupt in place of its next instruction.
    pub(crate) fn interrupt_is_next(&self) -> bool {
        let lines = self.bus.signals[self.turn()].interrupt_lines();
        let processor = self.current();
        processor.state.takes_interrupt(lines, processor.cycle)
    }
}
