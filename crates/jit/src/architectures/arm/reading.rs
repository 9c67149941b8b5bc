//! The semantics of instructions with values of the compiler, as far as they are this architecture's own.

use super::Regions;
use super::adapter::{Arm, Flavour, OF_PROGRAMS};
use super::flags::Kind;
use super::services::Preparation;
use crate::code::{Expression, Flag, Word};
use crate::frame::Emitter;
use socscope_arm::{Alignment, ArmSemantics, CoreModel, InstructionSet, Mode, Named, Operation};
use socscope_isa::StaticCycleModel;
use socscope_memory::Direction;

impl<R: Regions, M: StaticCycleModel> Emitter<'_, Arm<R>, M> {
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

impl<R: Regions, M: StaticCycleModel> ArmSemantics for Emitter<'_, Arm<R>, M> {
    fn model(&self) -> CoreModel {
        self.facts.model
    }

    fn instruction_set(&self) -> InstructionSet {
        self.facts.flavour.set
    }

    fn register(&mut self, index: u32) -> Word {
        self.register_word(slot(index))
    }

    fn set_register(&mut self, index: u32, value: Word) {
        self.write_word(slot(index), value);
    }

    fn user_register(&mut self, index: u32) -> Word {
        match self.banked(index) {
            Some(place) => Word::Value(self.code.load_word(place)),
            None => self.register_word(slot(index)),
        }
    }

    fn set_user_register(&mut self, index: u32, value: Word) {
        match self.banked(index) {
            Some(place) => self.code.store_word(value, place),
            None => self.write_word(slot(index), value),
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
        let flavour = self.facts.flavour;
        self.branch_to_flavour(
            target,
            InstructionSet::ALL.map(|set| Flavour { set, ..flavour }),
        );
    }

    fn return_from_exception(&mut self, target: Word) {
        self.return_to_interrupted(target);
    }

    fn saturate(&mut self, saturated: Flag) {
        self.remember_saturation(saturated);
    }
    fn greater_equal(&mut self) -> Word {
        self.greater_equal_word()
    }
    fn set_greater_equal(&mut self, value: Word) {
        self.write_greater_equal(value);
    }
    // What is off alignment is left to the interpreter.
    fn is_unaligned(&mut self) -> Flag {
        Flag::Constant(false)
    }
    fn is_aligned(&mut self, address: Word, alignment: Alignment) -> Flag {
        if matches!(alignment, Alignment::Pair | Alignment::Bytes(8)) {
            self.demand_double_word(address);
        }
        Flag::Constant(true)
    }
    fn mark_exclusive(&mut self, address: Word) {
        self.prepare(Preparation::Mark as u8, address);
    }
    fn take_exclusive(&mut self, address: Word) -> Flag {
        self.prepare_conditional(Preparation::Take as u8, address)
    }
    fn clear_exclusive(&mut self) {
        self.prepare(Preparation::Clear as u8, Word::Constant(0));
    }
    fn stack_of(&mut self, _mode: Mode) -> Word {
        self.beyond_word()
    }
    fn set_stack_of(&mut self, _mode: Mode, _value: Word) {
        self.beyond();
    }
    fn return_with(&mut self, _target: Word, _status: Word) {
        self.beyond();
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

    fn set_unprivileged(&mut self, on: bool) {
        if on && self.facts.flavour.state.translated {
            self.other_table = Some(OF_PROGRAMS);
        }
    }

    fn read_system_control(&mut self, named: Named) -> Word {
        match named {
            Named::Constant(value) => Word::Constant(value),
            Named::Kept(register, _) => self.read_kept(register),
            Named::Lines | Named::Operation(_) => self.beyond_word(),
        }
    }

    fn write_system_control(&mut self, named: Named, value: Word) {
        match named {
            Named::Operation(Operation::Nothing) => {}
            Named::Operation(Operation::Line(operation)) => {
                self.require_predicate();
                if self.facts.flavour.state.translated {
                    self.demand_no_process(value);
                }
                let bus = self.touch(value, Direction::Read);
                self.note_line(operation, bus);
            }
            _ => self.beyond(),
        }
    }

    fn privileged(&mut self) -> Flag {
        if self.facts.model.has_system_control() {
            return Flag::Constant(!self.facts.flavour.state.user);
        }
        self.require_privilege();
        Flag::Constant(true)
    }

    fn multiplier(&mut self, operand: Word, signed: bool) {
        self.multiplied(operand, signed);
    }
}

/// The program counter, which no instruction reads or writes so, has no slot.
fn slot(index: u32) -> u32 {
    (index & 15).min(14)
}
