//! The semantics of instructions with values of the compiler: the third reading.

use super::Emitter;
use super::flags::Kind;
use crate::code::{Expression, Flag, Word, guest_memory, values_of_code, width_type};
use cranelift_codegen::ir::{InstBuilder, types};
use socscope_arm::{ArmSemantics, Exception, InstructionSet};
use socscope_isa::{Semantics, StaticCycleModel, Values};
use socscope_memory::{Direction, Width};

/// How an instruction leaves its sequence.
#[derive(Clone, Copy, Debug)]
pub(super) enum Leaving {
    /// In the same instruction set.
    Branch(Word),
    /// In the instruction set that bit 0 names.
    Exchange(Word),
    /// To the handler of software interrupts.
    SoftwareInterrupt,
    /// With the saved status register restored.
    Return(Word),
}

impl<M: StaticCycleModel> Emitter<'_, M> {
    /// What the reading has no words for; the plan leaves such instructions to the interpreter.
    fn beyond(&mut self) {
        self.failed = true;
    }

    fn set_flag(&mut self, kind: Kind, value: Flag) {
        let value = match self.code.predicate {
            None => value,
            Some(predicate) => {
                let old = self.flag_of(kind);
                self.code.express(Expression::Select(predicate, value, old))
            }
        };
        self.write_flag(kind, value);
    }
}

values_of_code!([M: StaticCycleModel] Emitter<'_, M>);

impl<M: StaticCycleModel> Semantics for Emitter<'_, M> {
    type Exception = Exception;

    fn address(&self) -> u32 {
        self.address
    }

    fn load(&mut self, address: Word, width: Width) -> (Word, Flag) {
        let pointer = self.host_pointer(address, width, Direction::Read);
        let ty = width_type(width);
        let value = self.code.builder.ins().load(ty, guest_memory(), pointer, 0);
        let value = match width {
            Width::Word => value,
            _ => self.code.builder.ins().uextend(types::I32, value),
        };
        (Word::Value(value), Flag::Constant(true))
    }

    fn store(&mut self, address: Word, width: Width, value: Word) -> Flag {
        if self.accesses_left == 1 {
            self.store_single(address, width, value);
        } else {
            let pointer = self.host_pointer(address, width, Direction::Write);
            let value = self.code.value(value);
            self.store_at(pointer, width, value);
        }
        Flag::Constant(true)
    }

    fn branch(&mut self, target: Word) {
        self.leaving = Some(Leaving::Branch(target));
    }

    fn exception(&mut self, exception: Exception) {
        match exception {
            Exception::SoftwareInterrupt if self.changes_mode() => self.raise(),
            _ => self.beyond(),
        }
    }
}

impl<M: StaticCycleModel> ArmSemantics for Emitter<'_, M> {
    fn instruction_set(&self) -> InstructionSet {
        self.set
    }

    fn register(&mut self, index: u32) -> Word {
        self.register_word(index)
    }

    fn set_register(&mut self, index: u32, value: Word) {
        let value = match self.code.predicate {
            None => value,
            Some(predicate) => {
                let old = self.register_word(index);
                self.select(predicate, value, old)
            }
        };
        self.write_register(index, value);
    }

    fn user_register(&mut self, index: u32) -> Word {
        match self.banked(index) {
            Some(place) => Word::Value(self.code.load_word(place)),
            None => self.register_word(index),
        }
    }

    fn set_user_register(&mut self, index: u32, value: Word) {
        match self.banked(index) {
            Some(place) => self.code.store_word(value, place),
            None => self.write_register(index, value),
        }
    }

    fn negative(&mut self) -> Flag {
        self.flag_of(Kind::Negative)
    }
    fn zero(&mut self) -> Flag {
        self.flag_of(Kind::Zero)
    }
    fn carry(&mut self) -> Flag {
        self.flag_of(Kind::Carry)
    }
    fn overflow(&mut self) -> Flag {
        self.flag_of(Kind::Overflow)
    }
    fn set_negative(&mut self, value: Flag) {
        self.set_flag(Kind::Negative, value);
    }
    fn set_zero(&mut self, value: Flag) {
        self.set_flag(Kind::Zero, value);
    }
    fn set_carry(&mut self, value: Flag) {
        self.set_flag(Kind::Carry, value);
    }
    fn set_overflow(&mut self, value: Flag) {
        self.set_flag(Kind::Overflow, value);
    }

    fn branch_exchange(&mut self, target: Word) {
        self.leaving = Some(Leaving::Exchange(target));
    }

    fn return_from_exception(&mut self, target: Word) {
        match self.changes_mode() {
            true => self.return_to_interrupted(target),
            false => self.beyond(),
        }
    }

    fn status(&mut self) -> Word {
        self.status_word()
    }

    fn set_status(&mut self, value: Word, mask: Word) {
        match mask {
            Word::Constant(mask) => self.change_status(value, mask),
            _ => self.beyond(),
        }
    }

    fn saved_status(&mut self) -> Word {
        self.saved_status_word()
    }

    fn set_saved_status(&mut self, value: Word, mask: Word) {
        match mask {
            Word::Constant(mask) => self.change_saved_status(value, mask),
            _ => self.beyond(),
        }
    }

    fn restore_status(&mut self) {
        self.beyond();
    }

    fn privileged(&mut self) -> Flag {
        self.require_privilege();
        Flag::Constant(true)
    }

    fn multiplier(&mut self, operand: Word, signed: bool) {
        self.multiplied(operand, signed);
    }
}
