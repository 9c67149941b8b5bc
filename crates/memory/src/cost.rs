//! What an access to a region costs, in cycles of the bus clock.

use crate::{Direction, Width};
use serde::{Deserialize, Serialize};

/// Whether an access follows on from the one before it (N and S cycles, and merged I-S cycles).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[repr(u8)]
pub enum Sequence {
    /// The address has nothing to do with the previous one.
    Nonsequential = 0,
    /// The address follows the previous one.
    Sequential = 1,
    /// It follows the previous one of its kind, but the bus did something else in between: a fetch behind an internal cycle.
    AfterInternal = 2,
}

impl Sequence {
    /// All of them, in the order of their numbers.
    pub const ALL: [Sequence; 3] = [
        Sequence::Nonsequential,
        Sequence::Sequential,
        Sequence::AfterInternal,
    ];
}

/// Cycles of every kind of access to one region, wait states and bus width included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AccessCost {
    cycles: [[[u16; 3]; 2]; 3],
    /// Idle cycles that the data bus needs after a read before another region drives it (data float time).
    pub float_cycles: u16,
    /// Which memory of the external bus answers; 0 when it is on the chip and never shares that bus.
    pub external: u8,
    /// A read that follows an external write waits one cycle (early read protocol).
    pub early_read: bool,
}

impl AccessCost {
    /// One cycle for everything.
    pub const SINGLE_CYCLE: AccessCost = AccessCost {
        cycles: [[[1; 3]; 2]; 3],
        float_cycles: 0,
        external: 0,
        early_read: false,
    };

    /// A memory with `bus_bits` (8, 16 or 32) of data bus. Each bus transfer takes one cycle and `nonsequential_wait` or
    /// `sequential_wait` wait states; a wider access takes several transfers, all but the first of them sequential. After an internal
    /// cycle its burst begins anew: see [`AccessCost::continuing_after_internal`].
    pub fn with_wait_states(
        bus_bits: u32,
        nonsequential_wait: u16,
        sequential_wait: u16,
    ) -> AccessCost {
        let mut cost = AccessCost::SINGLE_CYCLE;
        for width in Width::ALL {
            let further_transfers = (width.bits() / bus_bits.max(1)).max(1) as u16 - 1;
            let further = further_transfers * (1 + sequential_wait);
            for direction in [Direction::Read, Direction::Write] {
                for sequence in Sequence::ALL {
                    let wait = match sequence {
                        Sequence::Nonsequential | Sequence::AfterInternal => nonsequential_wait,
                        Sequence::Sequential => sequential_wait,
                    };
                    cost.set(sequence, direction, width, 1 + wait + further);
                }
            }
        }
        cost
    }

    /// The same memory, if it goes on with its burst after an internal cycle: the access then costs what a sequential one does.
    pub fn continuing_after_internal(mut self) -> AccessCost {
        self.cycles[Sequence::AfterInternal as usize] = self.cycles[Sequence::Sequential as usize];
        self
    }

    /// Cycles of one access.
    #[inline]
    pub fn cycles(&self, sequence: Sequence, direction: Direction, width: Width) -> u16 {
        self.cycles[sequence as usize][direction as usize][width as usize]
    }

    /// Changes the cycles of one kind of access.
    pub fn set(&mut self, sequence: Sequence, direction: Direction, width: Width, cycles: u16) {
        self.cycles[sequence as usize][direction as usize][width as usize] = cycles;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_on_a_half_word_bus_is_two_transfers() {
        let cost = AccessCost::with_wait_states(16, 2, 1);
        assert_eq!(
            cost.cycles(Sequence::Nonsequential, Direction::Read, Width::Half),
            3
        );
        assert_eq!(
            cost.cycles(Sequence::Nonsequential, Direction::Read, Width::Word),
            5
        );
        assert_eq!(
            cost.cycles(Sequence::Sequential, Direction::Write, Width::Word),
            4
        );
        assert_eq!(
            AccessCost::with_wait_states(32, 0, 0),
            AccessCost::SINGLE_CYCLE
        );
    }

    #[test]
    fn a_burst_begins_anew_after_an_internal_cycle_unless_the_memory_goes_on_with_it() {
        let after =
            |cost: AccessCost| cost.cycles(Sequence::AfterInternal, Direction::Read, Width::Word);
        let restarts = AccessCost::with_wait_states(16, 2, 1);
        assert_eq!(after(restarts), 5);
        assert_eq!(after(restarts.continuing_after_internal()), 4);
    }
}
