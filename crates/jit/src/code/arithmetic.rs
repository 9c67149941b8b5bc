//! Sums, differences and shifts; truth values and the comparisons that they come from.

use super::Writer;
use super::word::{Expression, Flag, Word};
use cranelift_codegen::ir::condcodes::{CondCode, IntCC};
use cranelift_codegen::ir::{InstBuilder, Value, types};
use cranelift_frontend::FuncInstBuilder;

impl Writer<'_> {
    /// A constant of 32 bits.
    pub(crate) fn constant(&mut self, value: u32) -> Value {
        self.builder
            .ins()
            .iconst(types::I32, i64::from(value as i32))
    }

    /// The word when the code runs.
    pub(crate) fn value(&mut self, word: Word) -> Value {
        match word {
            Word::Constant(value) => self.constant(value),
            Word::Value(value) => value,
            Word::Sum(value, constant) => {
                let constant = self.constant(constant);
                self.builder.ins().iadd(value, constant)
            }
        }
    }

    pub(crate) fn binary(
        &mut self,
        a: Word,
        b: Word,
        operation: impl FnOnce(FuncInstBuilder, Value, Value) -> Value,
    ) -> Word {
        let (a, b) = (self.value(a), self.value(b));
        Word::Value(operation(self.builder.ins(), a, b))
    }

    /// A shift by an amount that is known only when the code runs; amounts of 32 and more give 0.
    pub(crate) fn shift_or_zero(
        &mut self,
        a: Word,
        amount: Word,
        operation: impl FnOnce(FuncInstBuilder, Value, Value) -> Value,
    ) -> Word {
        let (a, by) = (self.value(a), self.value(amount));
        let shifted = operation(self.builder.ins(), a, by);
        let limit = self.constant(32);
        let small = self.builder.ins().icmp(IntCC::UnsignedLessThan, by, limit);
        let zero = self.constant(0);
        Word::Value(self.builder.ins().select(small, shifted, zero))
    }

    /// The word whose complement `word` is.
    pub(crate) fn complement_of(&mut self, word: Word) -> Word {
        match word {
            Word::Constant(value) => Word::Constant(!value),
            Word::Value(value) => {
                let known = self.complements.iter().rev().find(|(of, _)| *of == value);
                match known {
                    Some((_, original)) => *original,
                    None => Word::Value(self.builder.ins().bnot(value)),
                }
            }
            Word::Sum(..) => {
                let value = self.value(word);
                Word::Value(self.builder.ins().bnot(value))
            }
        }
    }

    /// A rotated value under a mask that makes it a plain shift.
    pub(super) fn shifted(&mut self, rotated: Value, mask: u32) -> Option<Value> {
        let mut known = self.rotations.iter().rev();
        let &(_, value, by) = known.find(|(result, ..)| *result == rotated)?;
        if mask == u32::MAX >> by {
            Some(self.builder.ins().ushr_imm_u(value, i64::from(by)))
        } else if mask == u32::MAX << (32 - by) {
            Some(self.builder.ins().ishl_imm_u(value, i64::from(32 - by)))
        } else {
            None
        }
    }

    /// `a - b`.
    pub(crate) fn difference(&mut self, a: Word, b: Word) -> Word {
        let result = match (a, b) {
            (Word::Constant(a), Word::Constant(b)) => Word::Constant(a.wrapping_sub(b)),
            (a, b) if a == b => Word::Constant(0),
            (a, Word::Constant(0)) => a,
            (Word::Value(a), Word::Constant(b)) => Word::Sum(a, b.wrapping_neg()),
            (Word::Sum(a, c), Word::Constant(b)) if c == b => Word::Value(a),
            (Word::Sum(a, c), Word::Constant(b)) => Word::Sum(a, c.wrapping_sub(b)),
            _ => self.binary(a, b, |ins, a, b| ins.isub(a, b)),
        };
        self.differences.push((result, a, b));
        result
    }

    /// `a + b + carry` by way of 64 bits.
    pub(crate) fn long_addition(&mut self, a: Word, b: Word, carry: Flag) -> (Word, Flag, Flag) {
        let carry = self.truth(carry);
        let (narrow_a, narrow_b) = (self.value(a), self.value(b));
        let carry = self.builder.ins().uextend(types::I64, carry);
        let a = self.builder.ins().uextend(types::I64, narrow_a);
        let b = self.builder.ins().uextend(types::I64, narrow_b);
        let sum = self.builder.ins().iadd(a, b);
        let sum = self.builder.ins().iadd(sum, carry);
        let low = self.builder.ins().ireduce(types::I32, sum);
        let high = self.builder.ins().ushr_imm_u(sum, 32);
        let carry_out = self.builder.ins().ireduce(types::I8, high);
        let carry = self.express(Expression::Value(carry_out));
        let (a, b) = (Word::Value(narrow_a), Word::Value(narrow_b));
        let overflow = self.express(Expression::AdditionOverflow(a, b, Word::Value(low)));
        (Word::Value(low), carry, overflow)
    }

    /// A truth value to be made later.
    pub(crate) fn express(&mut self, expression: Expression) -> Flag {
        self.expressions.push(expression);
        Flag::Expression(self.expressions.len() as u32 - 1)
    }

    fn expression(&self, flag: Flag) -> Option<Expression> {
        match flag {
            Flag::Constant(_) => None,
            Flag::Expression(index) => Some(self.expressions[index as usize]),
        }
    }

    pub(crate) fn expression_of(&self, flag: Flag) -> Option<Expression> {
        self.expression(flag)
    }

    pub(crate) fn negate(&mut self, flag: Flag) -> Flag {
        match self.expression(flag) {
            Some(Expression::Not(inner)) => inner,
            Some(Expression::Compare(condition, a, b)) => {
                self.express(Expression::Compare(condition.complement(), a, b))
            }
            _ => self.express(Expression::Not(flag)),
        }
    }

    /// Both; the conditions HI and GT become one comparison.
    pub(crate) fn both(&mut self, a: Flag, b: Flag) -> Flag {
        for (first, second) in [(a, b), (b, a)] {
            if let Some(Expression::Compare(condition, x, y)) = self.expression(first)
                && let Some(stricter) = without_equal(condition)
                && self.says_different(second, x, y)
            {
                return self.express(Expression::Compare(stricter, x, y));
            }
        }
        self.express(Expression::And(a, b))
    }

    fn says_different(&self, flag: Flag, x: Word, y: Word) -> bool {
        let Some(Expression::Not(inner)) = self.expression(flag) else {
            return false;
        };
        let Some(Expression::Zero(word)) = self.expression(inner) else {
            return false;
        };
        self.differences
            .iter()
            .any(|&(result, a, b)| (result, a, b) == (word, x, y))
    }

    /// One of both; N xor V after a subtraction is the signed comparison.
    pub(crate) fn either(&mut self, a: Flag, b: Flag) -> Flag {
        if let Some(Expression::Bit(word, 31)) = self.expression(a)
            && let Some(Expression::SubtractionOverflow(x, y, difference)) = self.expression(b)
            && word == difference
        {
            return self.express(Expression::Compare(IntCC::SignedLessThan, x, y));
        }
        self.express(Expression::Xor(a, b))
    }

    /// The truth value when the code runs: an 8-bit value, 0 or 1.
    pub(crate) fn truth(&mut self, flag: Flag) -> Value {
        let index = match flag {
            Flag::Constant(value) => {
                return self.builder.ins().iconst(types::I8, i64::from(value));
            }
            Flag::Expression(index) => index,
        };
        if let Some(&value) = self.made.get(&index) {
            return value;
        }
        let value = self.make(self.expressions[index as usize]);
        self.made.insert(index, value);
        value
    }

    fn make(&mut self, expression: Expression) -> Value {
        match expression {
            Expression::Value(value) => value,
            Expression::Bit(word, 31) => {
                self.compare(IntCC::SignedLessThan, word, Word::Constant(0))
            }
            Expression::Bit(word, index) => {
                let value = self.value(word);
                let bit = self.builder.ins().ushr_imm_u(value, i64::from(index));
                let bit = self.builder.ins().band_imm_u(bit, 1);
                self.builder.ins().ireduce(types::I8, bit)
            }
            Expression::Zero(word) => {
                let (a, b) = compared_with_zero(word);
                self.compare(IntCC::Equal, a, b)
            }
            Expression::Compare(condition, a, b) => self.compare(condition, a, b),
            Expression::CarryOut(a, _, sum) => self.compare(IntCC::UnsignedLessThan, sum, a),
            Expression::SubtractionOverflow(..) | Expression::AdditionOverflow(..) => {
                let word = self.overflow_word(expression);
                self.compare(IntCC::SignedLessThan, word, Word::Constant(0))
            }
            Expression::Not(flag) if let Some(Expression::Zero(word)) = self.expression(flag) => {
                let (a, b) = compared_with_zero(word);
                self.compare(IntCC::NotEqual, a, b)
            }
            Expression::Not(flag) => {
                let value = self.truth(flag);
                let one = self.builder.ins().iconst(types::I8, 1);
                self.builder.ins().bxor(value, one)
            }
            Expression::And(a, b) => {
                let (a, b) = (self.truth(a), self.truth(b));
                self.builder.ins().band(a, b)
            }
            Expression::Or(a, b) => {
                let (a, b) = (self.truth(a), self.truth(b));
                self.builder.ins().bor(a, b)
            }
            Expression::Xor(a, b) => {
                let (a, b) = (self.truth(a), self.truth(b));
                self.builder.ins().bxor(a, b)
            }
            Expression::Select(condition, a, b) => {
                let condition = self.truth(condition);
                let (a, b) = (self.truth(a), self.truth(b));
                self.builder.ins().select(condition, a, b)
            }
        }
    }

    fn compare(&mut self, condition: IntCC, a: Word, b: Word) -> Value {
        let (a, b) = (self.value(a), self.value(b));
        self.builder.ins().icmp(condition, a, b)
    }

    /// A word whose bit 31 is the overflow.
    pub(crate) fn overflow_word(&mut self, expression: Expression) -> Word {
        let (a, b, result) = match expression {
            Expression::SubtractionOverflow(a, b, result) => (a, b, result),
            Expression::AdditionOverflow(a, b, result) => (a, b, result),
            _ => return Word::Constant(0),
        };
        let subtraction = matches!(expression, Expression::SubtractionOverflow(..));
        let (a, b, result) = (self.value(a), self.value(b), self.value(result));
        let second = if subtraction { a } else { b };
        let first = if subtraction {
            self.builder.ins().bxor(a, b)
        } else {
            self.builder.ins().bxor(a, result)
        };
        let second = self.builder.ins().bxor(second, result);
        Word::Value(self.builder.ins().band(first, second))
    }
}

/// The comparison that holds when `condition` holds and the operands differ.
fn without_equal(condition: IntCC) -> Option<IntCC> {
    match condition {
        IntCC::UnsignedGreaterThanOrEqual => Some(IntCC::UnsignedGreaterThan),
        IntCC::SignedGreaterThanOrEqual => Some(IntCC::SignedGreaterThan),
        _ => None,
    }
}

/// Two words that are the same when a word is zero, without a sum.
fn compared_with_zero(word: Word) -> (Word, Word) {
    match word {
        Word::Sum(value, constant) => (Word::Value(value), Word::Constant(constant.wrapping_neg())),
        word => (word, Word::Constant(0)),
    }
}
