//! Where the cycles of the cores went: a record, and no part of the state.

use crate::machine::Machine;
use crate::running::observer::MachineObserver;
use crate::running::processor::Processor;
use socscope_time::Instant;

/// Where the cycles of a core went since the machine was built or took a state from a file. Forks, and machines that go back to a
/// snapshot, carry on with the counts of that moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CoreCycles {
    /// It executed instructions and took exceptions.
    pub executing: u64,
    /// Its clock was off, or it was held in reset.
    pub asleep: u64,
    /// DMA held the bus.
    pub bus_held: u64,
}

/// The record of one core.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CoreRecord {
    begun: u64,
    asleep: u64,
    bus_held: u64,
    /// What observers were told of the two.
    told: (u64, u64),
}

impl CoreRecord {
    /// Of cores that are about to begin.
    pub fn begin(processors: &[Processor]) -> Vec<CoreRecord> {
        let begin = |processor: &Processor| CoreRecord {
            begun: processor.cycle,
            asleep: 0,
            bus_held: 0,
            told: (0, 0),
        };
        processors.iter().map(begin).collect()
    }
}

impl Machine {
    /// Where the cycles of a core went; the last one for numbers behind it.
    pub fn core_cycles(&self, number: usize) -> CoreCycles {
        let number = number.min(self.processors.len() - 1);
        let CoreRecord {
            begun,
            asleep,
            bus_held,
            ..
        } = self.core_records[number];
        CoreCycles {
            executing: self.processors[number].cycle - begun - asleep - bus_held,
            asleep,
            bus_held,
        }
    }

    /// How far observers know a core to be: without the time in which it has done nothing since one was told last.
    pub fn reported_cycle_of(&self, number: usize) -> u64 {
        let number = number.min(self.processors.len() - 1);
        let CoreRecord {
            asleep,
            bus_held,
            told,
            ..
        } = self.core_records[number];
        self.processors[number].cycle - (asleep - told.0) - (bus_held - told.1)
    }

    /// Tells an observer for how long cores have done nothing since one was told last.
    pub(crate) fn tell_idle<O: MachineObserver>(&mut self, observer: &mut O) {
        for (core, record) in self.core_records.iter_mut().enumerate() {
            let CoreRecord {
                asleep,
                bus_held,
                told,
                ..
            } = *record;
            if asleep > told.0 {
                observer.asleep(core as u16, asleep - told.0);
            }
            if bus_held > told.1 {
                observer.bus_held(core as u16, bus_held - told.1);
            }
            record.told = (asleep, bus_held);
        }
    }

    /// Time passes for a core without its doing, up to a time that may be behind it.
    pub(crate) fn let_pass_core(&mut self, core: usize, time: Instant) {
        let cycle = self.cycle_from(core, time);
        let processor = &mut self.processors[core];
        if processor.cycle < cycle {
            self.core_records[core].asleep += cycle - processor.cycle;
            processor.cycle = cycle;
        }
    }

    /// DMA holds the bus for cycles of the first core's clock: cores that are awake wait. Of the others time passes by itself; but that of a core
    /// without others, asleep or not, is the machine's time.
    pub(crate) fn hold_bus(&mut self, cycles: u64) {
        let alone = self.processors.len() == 1;
        let bus = self.bus.core_clock;
        for core in 0..self.processors.len() {
            if alone || self.awake(core) {
                let processor = &self.processors[core];
                let free = match self.clocks[core] == bus {
                    true => processor.cycle + cycles,
                    false => {
                        let begun = bus.first_cycle_from(self.time_of(core));
                        self.cycle_from(core, bus.instant_of(begun + cycles))
                    }
                };
                self.core_records[core].bus_held += free - processor.cycle;
                self.processors[core].cycle = free;
            }
        }
    }
}
