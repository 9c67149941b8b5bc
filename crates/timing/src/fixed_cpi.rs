//! The same cost for every instruction.

use crate::AccuracyLabel;
use serde::{Deserialize, Serialize};
use socscope_isa::{AheadOfTime, CycleModel, StaticCycleModel};
use socscope_memory::{AccessCost, Direction, RegionIndex, Width};
use thiserror::Error;

/// A ratio that is no cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error(
    "{cycles} cycles for {instructions} instructions is no cost; give two numbers from 1 to 4294967295, for example 19 and 10"
)]
pub struct CpiError {
    /// Numerator that was asked for.
    pub cycles: u32,
    /// Denominator that was asked for.
    pub instructions: u32,
}

/// Charges `cycles` for every `instructions`, exactly: `n` instructions from the start take `floor(n * cycles / instructions)`.
///
/// Wait states and bus widths do not count. An exception entry costs as much as an instruction.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FixedCpi {
    cycles: u32,
    instructions: u32,
    /// What is owed, in cycles divided by `instructions`; always less than one cycle.
    owed: u32,
}

impl FixedCpi {
    /// One cycle an instruction.
    pub const SINGLE_CYCLE: FixedCpi = FixedCpi {
        cycles: 1,
        instructions: 1,
        owed: 0,
    };

    /// A model of `cycles / instructions` cycles for an instruction.
    pub fn new(cycles: u32, instructions: u32) -> Result<FixedCpi, CpiError> {
        if cycles == 0 || instructions == 0 {
            return Err(CpiError {
                cycles,
                instructions,
            });
        }
        Ok(FixedCpi {
            cycles,
            instructions,
            owed: 0,
        })
    }

    /// Whether another model charges the same, and owes no more than it can.
    pub fn same_ratio(&self, other: &FixedCpi) -> bool {
        let ratio = |model: &FixedCpi| (model.cycles, model.instructions);
        ratio(self) == ratio(other) && other.owed < other.instructions
    }

    /// The instructions of the ratio: parts of a cycle that can be owed.
    pub fn instructions(&self) -> u32 {
        self.instructions
    }

    /// What is owed to the instructions since the last whole cycle; grows while instructions take none.
    pub fn owed(&self) -> u32 {
        self.owed
    }

    /// How far the cycles can be trusted.
    pub fn accuracy(&self) -> AccuracyLabel {
        AccuracyLabel {
            model: format!("fixed CPI {}/{}", self.cycles, self.instructions),
            validated_against: "nothing: the ratio is an assumption".into(),
            known_error: "unknown".into(),
            leaves_out: "differences between instructions, wait states, bus widths, where in its instruction an access lies: devices see it in the first \
                         cycle"
                .into(),
        }
    }
}

impl<C> StaticCycleModel<C> for FixedCpi {
    type Ahead = Self;

    fn ahead_of_time(&self) -> AheadOfTime<FixedCpi> {
        AheadOfTime {
            model: FixedCpi {
                cycles: self.cycles,
                instructions: 1,
                owed: 0,
            },
            fractions: u64::from(self.instructions),
            owed: u64::from(self.owed),
        }
    }

    fn take_over(&mut self, _ahead: &FixedCpi, owed: u64) {
        self.owed = owed as u32;
    }

    fn depends_on_regions(&self) -> bool {
        false
    }
}

impl<C> CycleModel<C> for FixedCpi {
    #[inline]
    fn begin(&mut self, _class: C, _: RegionIndex, _fetch: &AccessCost, _width: Width) {}

    /// A ratio says nothing of where in its instruction an access lies, and of no cycle that it is before it: the first one.
    #[inline]
    fn transfers_at(&self, _: RegionIndex, _: &AccessCost, _: Width, _: Direction) -> u64 {
        0
    }

    #[inline]
    fn data(&mut self, _: RegionIndex, _: &AccessCost, _: Width, _: Direction) {}

    #[inline]
    fn multiplier(&mut self, _operand: u32, _signed: bool) {}

    #[inline]
    fn refill(&mut self, _: RegionIndex, _fetch: &AccessCost, _width: Width) {}

    #[inline]
    fn end(&mut self) -> u64 {
        let total = u64::from(self.owed) + u64::from(self.cycles);
        let instructions = u64::from(self.instructions);
        self.owed = (total % instructions) as u32;
        total / instructions
    }
}
