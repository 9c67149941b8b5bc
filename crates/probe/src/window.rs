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
    /// The same where code of several images lies at one address, or cores run the same image.
    OnCores {
        /// Address that starts counting, and the cores that do it there.
        first: (u32, CoreSet),
        /// Address that ends it, and the cores that do it there.
        last: (u32, CoreSet),
    },
}

/// Cores of a machine, by their numbers from 0 to 63.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CoreSet(u64);

impl CoreSet {
    /// All that there are.
    pub const ALL: CoreSet = CoreSet(u64::MAX);

    /// Those with these numbers; without any, all. `None` where a number is too large.
    pub fn of(numbers: &[u32]) -> Option<CoreSet> {
        if numbers.is_empty() {
            return Some(CoreSet::ALL);
        }
        let mut bits = numbers.iter().map(|&number| 1_u64.checked_shl(number));
        let all = bits.try_fold(0, |all, bit| Some(all | bit?));
        all.map(CoreSet)
    }

    /// Whether a core is one of them.
    pub fn has(self, core: usize) -> bool {
        core < 64 && self.0 >> core & 1 == 1
    }
}

impl Window {
    /// Where it begins and where it ends, with the cores that do it there, if it does so at addresses.
    pub(crate) fn ends(self) -> Option<[(u32, CoreSet); 2]> {
        match self {
            Window::Addresses { first, last } => {
                Some([(first, CoreSet::ALL), (last, CoreSet::ALL)])
            }
            Window::OnCores { first, last } => Some([first, last]),
            Window::All | Window::Commands | Window::Marks { .. } => None,
        }
    }
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
