//! What can be computed with values of the compiler: constants at once, truth values only where they are used.

use super::Writer;
use super::word::{Expression, Flag, Word};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, types};
use socscope_isa::Values;
use socscope_memory::Width;

impl Values for Writer<'_> {
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
            (a, b) if a == b => a,
            (Word::Value(a), Word::Constant(mask)) if let Some(shifted) = self.shifted(a, mask) => {
                Word::Value(shifted)
            }
            _ => self.binary(a, b, |ins, a, b| ins.band(a, b)),
        }
    }

    fn or(&mut self, a: Word, b: Word) -> Word {
        match (a, b) {
            (Word::Constant(a), Word::Constant(b)) => Word::Constant(a | b),
            (a, Word::Constant(0)) | (Word::Constant(0), a) => a,
            (a, b) if a == b => a,
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
            (a, Word::Constant(by)) => {
                let value = self.value(a);
                let by = by & 31;
                let rotated = self.builder.ins().rotr_imm_u(value, i64::from(by));
                self.rotations.push((rotated, value, by));
                Word::Value(rotated)
            }
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
                let before = self.enter(condition);
                body(self);
                self.predicate = before;
            }
        }
    }
}

/// Gives a reading whose field `code` is a [`Writer`] the values of that.
macro_rules! values_of_code {
    ([$($generics:tt)*] $reading:ty) => {
        impl<$($generics)*> socscope_isa::Values for $reading {
            type Word = $crate::code::Word;
            type Flag = $crate::code::Flag;

            $crate::code::forward! {
                word(value: u32) -> Self::Word;
                flag(value: bool) -> Self::Flag;
                and(a: Self::Word, b: Self::Word) -> Self::Word;
                or(a: Self::Word, b: Self::Word) -> Self::Word;
                xor(a: Self::Word, b: Self::Word) -> Self::Word;
                not(a: Self::Word) -> Self::Word;
                add(a: Self::Word, b: Self::Word) -> Self::Word;
                add_with_carry(a: Self::Word, b: Self::Word, carry: Self::Flag) -> (Self::Word, Self::Flag, Self::Flag);
                multiply(a: Self::Word, b: Self::Word) -> Self::Word;
                multiply_high(a: Self::Word, b: Self::Word, signed: bool) -> Self::Word;
                shift_left(a: Self::Word, amount: Self::Word) -> Self::Word;
                shift_right(a: Self::Word, amount: Self::Word) -> Self::Word;
                shift_right_signed(a: Self::Word, amount: Self::Word) -> Self::Word;
                rotate_right(a: Self::Word, amount: Self::Word) -> Self::Word;
                sign_extend(a: Self::Word, width: socscope_memory::Width) -> Self::Word;
                is_zero(a: Self::Word) -> Self::Flag;
                bit(a: Self::Word, index: u32) -> Self::Flag;
                flag_word(flag: Self::Flag) -> Self::Word;
                flag_not(a: Self::Flag) -> Self::Flag;
                flag_and(a: Self::Flag, b: Self::Flag) -> Self::Flag;
                flag_or(a: Self::Flag, b: Self::Flag) -> Self::Flag;
                flag_xor(a: Self::Flag, b: Self::Flag) -> Self::Flag;
                select(condition: Self::Flag, a: Self::Word, b: Self::Word) -> Self::Word;
            }

            fn when(&mut self, condition: Self::Flag, body: impl FnOnce(&mut Self)) {
                match condition {
                    $crate::code::Flag::Constant(true) => body(self),
                    $crate::code::Flag::Constant(false) => {}
                    _ => {
                        let before = self.code.enter(condition);
                        body(self);
                        self.code.predicate = before;
                    }
                }
            }
        }
    };
}

macro_rules! forward {
    ($($name:ident($($argument:ident: $type:ty),*) -> $result:ty;)*) => {
        $(fn $name(&mut self, $($argument: $type),*) -> $result {
            socscope_isa::Values::$name(&mut self.code, $($argument),*)
        })*
    };
}

pub(crate) use {forward, values_of_code};
