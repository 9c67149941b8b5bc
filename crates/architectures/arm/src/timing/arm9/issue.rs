//! What instructions take in the execute stage, and what they leave to be waited for.

use super::{Arm9, Arm9Core, Present};
use crate::timing::scoreboard::Scoreboard;
use socscope_isa::{CycleClass, Operands, Sort};

impl Arm9 {
    /// Cycles that the instruction takes in the execute stage.
    pub(super) fn issued(&self) -> u64 {
        let Present {
            class,
            operands,
            multiplier,
            refills,
            ..
        } = &self.now;
        let is_later = self.core == Arm9Core::EjS;
        let own = match class {
            CycleClass::Data => match operands.sort {
                Sort::WritesStatus => 3,
                Sort::ReadsStatus if is_later => 2,
                _ => 1,
            },
            CycleClass::DataShiftByRegister | CycleClass::Swap | CycleClass::MultiplyHalfLong => 2,
            CycleClass::Load | CycleClass::Store => 1 + u64::from(is_later && operands.is_shifted),
            CycleClass::LoadMultiple if *refills => u64::from(operands.accesses),
            CycleClass::LoadMultiple | CycleClass::StoreMultiple => {
                u64::from(operands.accesses).max(2)
            }
            CycleClass::Multiply | CycleClass::MultiplyAccumulate if !is_later => 2 + multiplier,
            CycleClass::MultiplyLong | CycleClass::MultiplyAccumulateLong if !is_later => {
                3 + multiplier
            }
            CycleClass::Multiply | CycleClass::MultiplyAccumulate if operands.sets_flags => 4,
            CycleClass::Multiply | CycleClass::MultiplyAccumulate => 2,
            CycleClass::MultiplyLong | CycleClass::MultiplyAccumulateLong
                if operands.sets_flags =>
            {
                5
            }
            CycleClass::MultiplyLong | CycleClass::MultiplyAccumulateLong => 3,
            _ => 1,
        };
        own + if *refills { self.refilled() } else { 0 }
    }

    /// Cycles more of an instruction that writes the program counter.
    fn refilled(&self) -> u64 {
        let Operands {
            sort, is_shifted, ..
        } = self.now.operands;
        match self.now.class {
            CycleClass::Load | CycleClass::LoadMultiple => 4,
            CycleClass::Data if self.core == Arm9Core::EjS => {
                2 + u64::from(sort != Sort::Arithmetic || is_shifted)
            }
            _ => 2,
        }
    }

    /// What the next instructions wait for, after so many cycles.
    pub(super) fn left_behind(&self, cycles: u64) -> Scoreboard {
        let Present {
            class, operands, ..
        } = &self.now;
        let mut board = self.scoreboard.after(cycles);
        if self.now.refills {
            return Scoreboard::default();
        }
        if *class == CycleClass::NotExecuted {
            return board;
        }
        board.replace(operands.given);
        let is_later = self.core == Arm9Core::EjS;
        match class {
            CycleClass::Load | CycleClass::Swap if operands.is_narrow => {
                board.rotated |= operands.loaded;
            }
            CycleClass::Load | CycleClass::Swap => board.loaded |= operands.loaded,
            // One register takes two cycles: the word has arrived.
            CycleClass::LoadMultiple if operands.accesses > 1 => {
                board.loaded |= operands.loaded.checked_ilog2().map_or(0, |last| 1 << last);
            }
            // A coprocessor answered.
            CycleClass::Undefined => board.loaded |= operands.given,
            CycleClass::Multiply
            | CycleClass::MultiplyAccumulate
            | CycleClass::MultiplyLong
            | CycleClass::MultiplyAccumulateLong
                if is_later && !operands.sets_flags =>
            {
                board.multiplied |= operands.given;
            }
            CycleClass::MultiplyHalf | CycleClass::MultiplyHalfLong => {
                board.multiplied |= operands.given;
            }
            CycleClass::Saturate => board.saturated |= operands.given,
            _ => {}
        }
        board
    }
}
