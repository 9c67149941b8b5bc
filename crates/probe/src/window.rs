//! What part of a run is counted.

use serde::{Deserialize, Serialize};

/// When counting is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Window {
    /// From the start to the end of the run.
    All,
    /// What commands switch on and off during the run: [`Profile::count`](crate::Profile::count).
    Commands,
    /// From after each magic instruction `first` to after the next `last`.
    Marks {
        /// Number that starts counting.
        first: u8,
        /// Number that ends it.
        last: u8,
    },
    /// From before each instruction at `first` to before the next one at `last`.
    Addresses {
        /// Address that starts counting.
        first: u32,
        /// Address that ends it.
        last: u32,
    },
}

/// A stretch of time that was counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Span {
    /// First cycle.
    pub start_cycle: u64,
    /// Cycle after the last.
    pub end_cycle: u64,
    /// Instructions executed in it.
    pub instructions: u64,
    /// Cycles in which the core's clock was off.
    pub stopped_cycles: u64,
    /// Cycles in which DMA held the bus.
    pub bus_held_cycles: u64,
}

impl Span {
    /// Adds another one, so that the sums stay exact: the end is then no moment of the run, but as far behind the start as both are long.
    pub(crate) fn fold(&mut self, other: &Span) {
        self.end_cycle += other.end_cycle - other.start_cycle;
        self.instructions += other.instructions;
        self.stopped_cycles += other.stopped_cycles;
        self.bus_held_cycles += other.bus_held_cycles;
    }
}
