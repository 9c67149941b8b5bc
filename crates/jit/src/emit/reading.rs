//! The semantics of instructions with values of the compiler: the third reading.

use super::Emitter;
use super::word::{Expression, Flag, Kind, Word};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, types};
use socscope_isa::arm::{ArmSemantics, Exception, InstructionSet};
use socscope_isa::{Foreseeable, Semantics, Values};
use socscope_memory::{Direction, Width};

/// How an instruction leaves its sequence.
#[derive(Clone, Copy, Debug)]
pub(super) enum Leaving {
    /// In the same instruction set.
    Branch(Word),
    /// In the instruction set that bit 0 names.
    Exchange(Word),
}

impl<M: Foreseeable> Emitter<'_, M> {
    /// What the reading has no words for; the plan leaves such instructions to the interpreter.
    fn beyond(&mut self) {
        self.failed = true;
    }

    fn set_flag(&mut self, kind: Kind, value: Flag) {
        let value = match self.predicate {
            None => value,
            Some(predicate) => {
                let old = self.flag_of(kind);
                self.express(Expression::Select(predicate, value, old))
            }
        };
        self.write_flag(kind, value);
    }
}

impl<M: Foreseeable> Values for Emitter<'_, M> {
    type Word = Word;
    type Flag = Flag;

    fn word(&mut self, value: u32) -> Word {
        Word::Constant(value)
    }

    fn flag(&mut self, value: bool) -> Flag {
        Flag::Constant(value)
    }

    fn and(&mut self, a: Word, b: Word) -> Word {
        match (a, b) {
            (Word::Constant(a), Word::Constant(b)) => Word::Constant(a & b),
            (_, Word::Constant(0)) | (Word::Constant(0), _) => Word::Constant(0),
            (a, Word::Constant(low)) | (Word::Constant(low), a) if self.is_aligned(a, low) => {
                Word::Constant(0)
            }
            _ => self.binary(a, b, |ins, a, b| ins.band(a, b)),
        }
    }

    fn or(&mut self, a: Word, b: Word) -> Word {
        match (a, b) {
            (Word::Constant(a), Word::Constant(b)) => Word::Constant(a | b),
            (a, Word::Constant(0)) | (Word::Constant(0), a) => a,
            _ => self.binary(a, b, |ins, a, b| ins.bor(a, b)),
        }
    }

    fn xor(&mut self, a: Word, b: Word) -> Word {
        match (a, b) {
            (Word::Constant(a), Word::Constant(b)) => Word::Constant(a ^ b),
            (a, Word::Constant(0)) | (Word::Constant(0), a) => a,
            _ => self.binary(a, b, |ins, a, b| ins.bxor(a, b)),
        }
    }

    fn not(&mut self, a: Word) -> Word {
        if let Word::Constant(a) = a {
            return Word::Constant(!a);
        }
        let value = self.value(a);
        let result = self.builder.ins().bnot(value);
        self.complements.push((result, a));
        Word::Value(result)
    }

    fn add(&mut self, a: Word, b: Word) -> Word {
        match (a, b) {
            (Word::Constant(a), Word::Constant(b)) => Word::Constant(a.wrapping_add(b)),
            (a, Word::Constant(0)) | (Word::Constant(0), a) => a,
            (Word::Value(a), Word::Constant(b)) | (Word::Constant(b), Word::Value(a)) => {
                Word::Sum(a, b)
            }
            (Word::Sum(a, c), Word::Constant(b)) | (Word::Constant(b), Word::Sum(a, c)) => {
                match c.wrapping_add(b) {
                    0 => Word::Value(a),
                    sum => Word::Sum(a, sum),
                }
            }
            _ => self.binary(a, b, |ins, a, b| ins.iadd(a, b)),
        }
    }

    fn add_with_carry(&mut self, a: Word, b: Word, carry: Flag) -> (Word, Flag, Flag) {
        match carry {
            Flag::Constant(true) => {
                let subtrahend = self.complement_of(b);
                let difference = self.difference(a, subtrahend);
                let no_borrow = IntCC::UnsignedGreaterThanOrEqual;
                let carry = self.express(Expression::Compare(no_borrow, a, subtrahend));
                let overflow =
                    self.express(Expression::SubtractionOverflow(a, subtrahend, difference));
                (difference, carry, overflow)
            }
            Flag::Constant(false) => {
                let sum = self.add(a, b);
                let carry = self.express(Expression::CarryOut(a, b, sum));
                let overflow = self.express(Expression::AdditionOverflow(a, b, sum));
                (sum, carry, overflow)
            }
            carry => self.long_addition(a, b, carry),
        }
    }

    fn multiply(&mut self, a: Word, b: Word) -> Word {
        match (a, b) {
            (Word::Constant(a), Word::Constant(b)) => Word::Constant(a.wrapping_mul(b)),
            _ => self.binary(a, b, |ins, a, b| ins.imul(a, b)),
        }
    }

    fn multiply_high(&mut self, a: Word, b: Word, signed: bool) -> Word {
        let (a, b) = (self.value(a), self.value(b));
        let extended = |ins: &mut Self, value| {
            if signed {
                ins.builder.ins().sextend(types::I64, value)
            } else {
                ins.builder.ins().uextend(types::I64, value)
            }
        };
        let (a, b) = (extended(self, a), extended(self, b));
        let product = self.builder.ins().imul(a, b);
        let high = self.builder.ins().ushr_imm_u(product, 32);
        Word::Value(self.builder.ins().ireduce(types::I32, high))
    }

    fn shift_left(&mut self, a: Word, amount: Word) -> Word {
        match (a, amount) {
            (Word::Constant(a), Word::Constant(by)) => {
                Word::Constant(a.checked_shl(by).unwrap_or(0))
            }
            (a, Word::Constant(0)) => a,
            (_, Word::Constant(32..)) => Word::Constant(0),
            (a, Word::Constant(by)) => {
                let value = self.value(a);
                Word::Value(self.builder.ins().ishl_imm_u(value, i64::from(by)))
            }
            _ => self.shift_or_zero(a, amount, |ins, a, by| ins.ishl(a, by)),
        }
    }

    fn shift_right(&mut self, a: Word, amount: Word) -> Word {
        match (a, amount) {
            (Word::Constant(a), Word::Constant(by)) => {
                Word::Constant(a.checked_shr(by).unwrap_or(0))
            }
            (a, Word::Constant(0)) => a,
            (_, Word::Constant(32..)) => Word::Constant(0),
            (a, Word::Constant(by)) => {
                let value = self.value(a);
                Word::Value(self.builder.ins().ushr_imm_u(value, i64::from(by)))
            }
            _ => self.shift_or_zero(a, amount, |ins, a, by| ins.ushr(a, by)),
        }
    }

    fn shift_right_signed(&mut self, a: Word, amount: Word) -> Word {
        match (a, amount) {
            (Word::Constant(a), Word::Constant(by)) => {
                Word::Constant((a as i32 >> by.min(31)) as u32)
            }
            (a, Word::Constant(0)) => a,
            (a, Word::Constant(by)) => {
                let value = self.value(a);
                Word::Value(self.builder.ins().sshr_imm_u(value, i64::from(by.min(31))))
            }
            _ => {
                let (value, by) = (self.value(a), self.value(amount));
                let last = self.constant(31);
                let by = self.builder.ins().umin(by, last);
                Word::Value(self.builder.ins().sshr(value, by))
            }
        }
    }

    fn rotate_right(&mut self, a: Word, amount: Word) -> Word {
        match (a, amount) {
            (Word::Constant(a), Word::Constant(by)) => Word::Constant(a.rotate_right(by & 31)),
            (a, Word::Constant(by)) if by & 31 == 0 => a,
            _ => self.binary(a, amount, |ins, a, by| ins.rotr(a, by)),
        }
    }

    fn sign_extend(&mut self, a: Word, width: Width) -> Word {
        let unused = 32 - width.bits();
        match a {
            Word::Constant(a) => Word::Constant(((a << unused) as i32 >> unused) as u32),
            _ if unused == 0 => a,
            _ => {
                let narrow = if width == Width::Byte {
                    types::I8
                } else {
                    types::I16
                };
                let value = self.value(a);
                let low = self.builder.ins().ireduce(narrow, value);
                Word::Value(self.builder.ins().sextend(types::I32, low))
            }
        }
    }

    fn is_zero(&mut self, a: Word) -> Flag {
        match a {
            Word::Constant(a) => Flag::Constant(a == 0),
            _ => self.express(Expression::Zero(a)),
        }
    }

    fn bit(&mut self, a: Word, index: u32) -> Flag {
        match a {
            Word::Constant(a) => Flag::Constant(a >> index & 1 != 0),
            _ => self.express(Expression::Bit(a, index)),
        }
    }

    fn flag_word(&mut self, flag: Flag) -> Word {
        match flag {
            Flag::Constant(flag) => Word::Constant(u32::from(flag)),
            _ => {
                let byte = self.truth(flag);
                Word::Value(self.builder.ins().uextend(types::I32, byte))
            }
        }
    }

    fn flag_not(&mut self, a: Flag) -> Flag {
        match a {
            Flag::Constant(a) => Flag::Constant(!a),
            _ => self.negate(a),
        }
    }

    fn flag_and(&mut self, a: Flag, b: Flag) -> Flag {
        match (a, b) {
            (Flag::Constant(true), other) | (other, Flag::Constant(true)) => other,
            (Flag::Constant(false), _) | (_, Flag::Constant(false)) => Flag::Constant(false),
            _ => self.both(a, b),
        }
    }

    fn flag_or(&mut self, a: Flag, b: Flag) -> Flag {
        match (a, b) {
            (Flag::Constant(false), other) | (other, Flag::Constant(false)) => other,
            (Flag::Constant(true), _) | (_, Flag::Constant(true)) => Flag::Constant(true),
            _ => self.express(Expression::Or(a, b)),
        }
    }

    fn flag_xor(&mut self, a: Flag, b: Flag) -> Flag {
        match (a, b) {
            (Flag::Constant(false), other) | (other, Flag::Constant(false)) => other,
            (Flag::Constant(true), other) | (other, Flag::Constant(true)) => self.flag_not(other),
            _ => self.either(a, b),
        }
    }

    fn select(&mut self, condition: Flag, a: Word, b: Word) -> Word {
        match condition {
            Flag::Constant(true) => a,
            Flag::Constant(false) => b,
            _ => {
                let condition = self.truth(condition);
                let (a, b) = (self.value(a), self.value(b));
                Word::Value(self.builder.ins().select(condition, a, b))
            }
        }
    }

    fn when(&mut self, condition: Flag, body: impl FnOnce(&mut Self)) {
        match condition {
            Flag::Constant(true) => body(self),
            Flag::Constant(false) => {}
            _ => {
                let before = self.predicate;
                let predicate = match before {
                    Some(outer) => self.flag_and(outer, condition),
                    None => condition,
                };
                self.predicate = Some(predicate);
                body(self);
                self.predicate = before;
            }
        }
    }
}

impl<M: Foreseeable> Semantics for Emitter<'_, M> {
    type Exception = Exception;

    fn address(&self) -> u32 {
        self.address
    }

    fn load(&mut self, address: Word, width: Width) -> (Word, Flag) {
        let pointer = self.host_pointer(address, width, Direction::Read);
        let ty = width_type(width);
        let value = self
            .builder
            .ins()
            .load(ty, Self::guest_memory(), pointer, 0);
        let value = match width {
            Width::Word => value,
            _ => self.builder.ins().uextend(types::I32, value),
        };
        (Word::Value(value), Flag::Constant(true))
    }

    fn store(&mut self, address: Word, width: Width, value: Word) -> Flag {
        if self.accesses_left == 1 {
            self.store_single(address, width, value);
        } else {
            let pointer = self.host_pointer(address, width, Direction::Write);
            let value = self.value(value);
            self.store_at(pointer, width, value);
        }
        Flag::Constant(true)
    }

    fn branch(&mut self, target: Word) {
        self.leaving = Some(Leaving::Branch(target));
    }

    fn exception(&mut self, _exception: Exception) {
        self.beyond();
    }
}

impl<M: Foreseeable> ArmSemantics for Emitter<'_, M> {
    fn instruction_set(&self) -> InstructionSet {
        self.set
    }

    fn register(&mut self, index: u32) -> Word {
        self.register_word(index)
    }

    fn set_register(&mut self, index: u32, value: Word) {
        let value = match self.predicate {
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
            Some(place) => Word::Value(self.load_word(place)),
            None => self.register_word(index),
        }
    }

    fn set_user_register(&mut self, index: u32, value: Word) {
        match self.banked(index) {
            Some(place) => self.store_word(value, place),
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

    fn return_from_exception(&mut self, _target: Word) {
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

    fn privileged(&mut self) -> Flag {
        self.require_privilege();
        Flag::Constant(true)
    }

    fn multiplier(&mut self, operand: Word, signed: bool) {
        self.multiplied(operand, signed);
    }
}

pub(super) fn width_type(width: Width) -> types::Type {
    match width {
        Width::Byte => types::I8,
        Width::Half => types::I16,
        Width::Word => types::I32,
    }
}
