//! Which registers the next instructions of an ARM9 may have to wait for.

use serde::{Deserialize, Serialize};
use socscope_isa::{Operands, RegisterSet};

/// Registers whose values the instructions before have not made yet, by what may still wait for them. What an instruction gives is here at its end; its
/// successor begins in the same cycle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Scoreboard {
    /// Loaded, or moved from a coprocessor: any use waits one cycle.
    pub loaded: RegisterSet,
    /// Loaded, and still to be rotated: any use waits two cycles.
    pub rotated: RegisterSet,
    /// Products: any use but that of an addend waits one cycle.
    pub multiplied: RegisterSet,
    /// Saturated sums: what is computed with waits one cycle, what is stored or an addend does not.
    pub saturated: RegisterSet,
}

impl Scoreboard {
    /// Cycles that an instruction waits before its first one.
    pub fn wait(&self, operands: &Operands) -> u64 {
        let [first, second] = operands.stored;
        let [computed, used] = [operands.needed, operands.needed | first];
        let any = used | operands.accumulated;
        // The second word is stored a cycle after the first one.
        let late = any & self.loaded | second & self.rotated;
        if any & self.rotated != 0 {
            2
        } else {
            u64::from(late | used & self.multiplied | computed & self.saturated != 0)
        }
    }

    /// So many cycles later, without those in which the whole pipeline waits for memory.
    pub fn after(&self, cycles: u64) -> Scoreboard {
        match cycles {
            0 => *self,
            1 => Scoreboard {
                loaded: self.rotated,
                ..Scoreboard::default()
            },
            _ => Scoreboard::default(),
        }
    }

    /// Registers that have a new value, which nothing waits for.
    pub fn replace(&mut self, given: RegisterSet) {
        self.loaded &= !given;
        self.rotated &= !given;
        self.multiplied &= !given;
        self.saturated &= !given;
    }
}
