//! The status flags: kept as expressions, brought to the context before anything can leave the translation.

use super::Regions;
use super::adapter::Arm;
use super::state::{CARRY_FROM_OPERANDS, Origin, at};
use crate::code::{Expression, Flag, Word, own_memory};
use crate::frame::Emitter;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, types};
use socscope_isa::StaticCycleModel;

/// The flags of the status register.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    Negative,
    Zero,
    Carry,
    Overflow,
}

/// What is known of the four flags.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Flags {
    /// `None`: only the context has it.
    known: [Option<Flag>; 4],
    /// Flags that the context does not have yet.
    dirty: u8,
    /// C and V in the context are plain.
    settled: bool,
    /// That the mode has r13 and r14 of its own was looked at, by this instruction.
    pub banks_known: bool,
}

impl Flags {
    fn index(kind: Kind) -> usize {
        kind as usize
    }

    fn bit(kind: Kind) -> u8 {
        8 >> kind as u8
    }
}

impl<R: Regions, M: StaticCycleModel> Emitter<'_, Arm<R>, M> {
    /// A flag, fetched from the context when nothing else is known.
    pub(super) fn flag_of(&mut self, kind: Kind) -> Flag {
        if let Some(flag) = self.flags.known[Flags::index(kind)] {
            return flag;
        }
        match kind {
            Kind::Negative | Kind::Zero => {
                let value = self.code.load_word(at::RESULT);
                self.know_result(Word::Value(value), 0b1100);
            }
            Kind::Carry | Kind::Overflow => {
                self.settle();
                let carry = self.code.builder.ins().load(
                    types::I8,
                    own_memory(),
                    self.code.context,
                    at::CARRY,
                );
                let overflow = self.code.load_word(at::A);
                let carry = self.code.express(Expression::Value(carry));
                let overflow = self
                    .code
                    .express(Expression::Bit(Word::Value(overflow), 31));
                self.know(Kind::Carry, carry);
                self.know(Kind::Overflow, overflow);
            }
        }
        self.flags.known[Flags::index(kind)].unwrap_or(Flag::Constant(false))
    }

    /// Learns what the context holds; changes nothing that is known already.
    fn know(&mut self, kind: Kind, flag: Flag) {
        self.flags.known[Flags::index(kind)].get_or_insert(flag);
    }

    fn know_result(&mut self, result: Word, kinds: u8) {
        if kinds & 8 != 0 {
            let negative = self.code.express(Expression::Bit(result, 31));
            self.know(Kind::Negative, negative);
        }
        if kinds & 4 != 0 {
            let zero = self.code.express(Expression::Zero(result));
            self.know(Kind::Zero, zero);
        }
    }

    fn settle(&mut self) {
        if !self.flags.settled {
            self.call_settle_flags();
            self.flags.settled = true;
        }
    }

    /// Two bytes side by side: where the flags come from, and the carry.
    fn store_bytes(&mut self, origin: u8, carry: u8) {
        let both = i64::from(origin) | i64::from(carry) << 8;
        let value = self.code.builder.ins().iconst(types::I16, both);
        self.code.store_value(value, at::ORIGIN);
    }

    pub(super) fn write_flag(&mut self, kind: Kind, flag: Flag) {
        self.flags.known[Flags::index(kind)] = Some(flag);
        self.flags.dirty |= Flags::bit(kind);
    }

    /// Brings changed flags to the context.
    pub(super) fn flush_status_flags(&mut self) {
        let dirty = std::mem::take(&mut self.flags.dirty);
        if dirty & 0b1100 != 0 {
            self.flush_result();
        }
        match dirty & 0b11 {
            0 => {}
            0b10 => self.flush_carry(),
            _ => self.flush_carry_and_overflow(),
        }
    }

    fn flush_result(&mut self) {
        let (negative, zero) = (self.flag_of(Kind::Negative), self.flag_of(Kind::Zero));
        let result = self.result_word(negative, zero);
        self.code.store_word(result, at::RESULT);
    }

    /// A word whose bit 31 is N and which is zero when Z is set.
    fn result_word(&mut self, negative: Flag, zero: Flag) -> Word {
        if let (Flag::Constant(negative), Flag::Constant(zero)) = (negative, zero) {
            return Word::Constant(match (negative, zero) {
                (true, _) => 1 << 31,
                (false, zero) => u32::from(!zero),
            });
        }
        if let Some(Expression::Bit(word, 31)) = self.code.expression_of(negative)
            && self.code.expression_of(zero) == Some(Expression::Zero(word))
        {
            return word;
        }
        let (negative, zero) = (self.code.truth(negative), self.code.truth(zero));
        let negative = self.code.builder.ins().uextend(types::I32, negative);
        let sign = self.code.builder.ins().ishl_imm_u(negative, 31);
        let zero = self.code.builder.ins().uextend(types::I32, zero);
        let not_zero = self.code.builder.ins().bxor_imm_u(zero, 1);
        Word::Value(self.code.builder.ins().bor(sign, not_zero))
    }

    fn flush_carry(&mut self) {
        let carry = self.flag_of(Kind::Carry);
        let value = self.code.truth(carry);
        self.code.store_value(value, at::CARRY);
    }

    fn flush_carry_and_overflow(&mut self) {
        let overflow = self.flag_of(Kind::Overflow);
        let expression = self.code.expression_of(overflow);
        let from_operands = match expression {
            Some(Expression::SubtractionOverflow(a, b, _)) => {
                let same = Expression::Compare(IntCC::UnsignedGreaterThanOrEqual, a, b);
                Some((Origin::Subtraction, a, b, same))
            }
            Some(Expression::AdditionOverflow(a, b, sum)) => {
                Some((Origin::Addition, a, b, Expression::CarryOut(a, b, sum)))
            }
            _ => None,
        };
        // Also when only V has changed: what the carry in the context follows from is about to be overwritten.
        let carry = self.flag_of(Kind::Carry);
        let carry_expression = self.code.expression_of(carry);
        if let Some((origin, a, b, same)) = from_operands
            && carry_expression == Some(same)
        {
            self.code.store_word(a, at::A);
            self.code.store_word(b, at::B);
            self.store_bytes(origin as u8, CARRY_FROM_OPERANDS);
            self.flags.settled = false;
            return;
        }
        let carry = self.code.truth(carry);
        let word = match expression {
            Some(Expression::Bit(word, 31)) => word,
            Some(expression) if from_operands.is_some() => self.code.overflow_word(expression),
            _ => {
                let overflow = self.code.truth(overflow);
                let overflow = self.code.builder.ins().uextend(types::I32, overflow);
                Word::Value(self.code.builder.ins().ishl_imm_u(overflow, 31))
            }
        };
        self.code.store_word(word, at::A);
        self.store_bytes(Origin::Bits as u8, 0);
        self.code.store_value(carry, at::CARRY);
        self.flags.settled = true;
    }

    /// Hands the flags that matter at a leader over to it.
    pub(super) fn hand_over(&mut self, live: u32) {
        if live & 0b1100 != 0 {
            let (negative, zero) = (self.flag_of(Kind::Negative), self.flag_of(Kind::Zero));
            let word = self.result_word(negative, zero);
            let value = self.code.value(word);
            self.code.builder.def_var(self.declared.result, value);
        }
        if live & 0b10 != 0 {
            let carry = self.flag_of(Kind::Carry);
            let value = self.code.truth(carry);
            self.code.builder.def_var(self.declared.carry, value);
        }
        if live & 1 != 0 {
            let overflow = self.flag_of(Kind::Overflow);
            let value = self.code.truth(overflow);
            self.code.builder.def_var(self.declared.overflow, value);
        }
    }

    /// Takes over the flags that matter where a leader begins.
    pub(super) fn take_over(&mut self, live: u32) {
        self.flags = Flags::default();
        if live & 0b1100 != 0 {
            let result = self.code.builder.use_var(self.declared.result);
            self.know_result(Word::Value(result), 0b1100);
        }
        if live & 0b10 != 0 {
            let carry = self.code.builder.use_var(self.declared.carry);
            let carry = self.code.express(Expression::Value(carry));
            self.know(Kind::Carry, carry);
        }
        if live & 1 != 0 {
            let overflow = self.code.builder.use_var(self.declared.overflow);
            let overflow = self.code.express(Expression::Value(overflow));
            self.know(Kind::Overflow, overflow);
        }
    }
}
