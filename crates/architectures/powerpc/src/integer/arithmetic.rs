//! Integer arithmetic (manual: "Integer arithmetic instructions").

use super::{finish, signed};
use crate::PowerPcSemantics;

encodings! {
    "addi", "001110 ddddd aaaaa iiiiiiiiiiiiiiii", Integer, "addi rD, rA, i", add_immediate(0; d, a, i);
    "addis", "001111 ddddd aaaaa iiiiiiiiiiiiiiii", Integer, "addis rD, rA, i", add_immediate(16; d, a, i);
    "addic", "001100 ddddd aaaaa iiiiiiiiiiiiiiii", Integer, "addic rD, rA, i", add_immediate_carrying(0; d, a, i);
    "addic.", "001101 ddddd aaaaa iiiiiiiiiiiiiiii", Integer, "addic. rD, rA, i", add_immediate_carrying(1; d, a, i);
    "subfic", "001000 ddddd aaaaa iiiiiiiiiiiiiiii", Integer, "subfic rD, rA, i", subtract_from_immediate(; d, a, i);
    "mulli", "000111 ddddd aaaaa iiiiiiiiiiiiiiii", Multiply, "mulli rD, rA, i", multiply_immediate(; d, a, i);
    "add", "011111 ddddd aaaaa bbbbb e 100001010 r", Integer, "add{o}{.} rD, rA, rB",
        add(Sum { negated: false, carry: Carry::Zero, sets_carry: false }; d, a, b, e, r);
    "subf", "011111 ddddd aaaaa bbbbb e 000101000 r", Integer, "subf{o}{.} rD, rA, rB",
        add(Sum { negated: true, carry: Carry::One, sets_carry: false }; d, a, b, e, r);
    "addc", "011111 ddddd aaaaa bbbbb e 000001010 r", Integer, "addc{o}{.} rD, rA, rB",
        add(Sum { negated: false, carry: Carry::Zero, sets_carry: true }; d, a, b, e, r);
    "subfc", "011111 ddddd aaaaa bbbbb e 000001000 r", Integer, "subfc{o}{.} rD, rA, rB",
        add(Sum { negated: true, carry: Carry::One, sets_carry: true }; d, a, b, e, r);
    "adde", "011111 ddddd aaaaa bbbbb e 010001010 r", Integer, "adde{o}{.} rD, rA, rB",
        add(Sum { negated: false, carry: Carry::In, sets_carry: true }; d, a, b, e, r);
    "subfe", "011111 ddddd aaaaa bbbbb e 010001000 r", Integer, "subfe{o}{.} rD, rA, rB",
        add(Sum { negated: true, carry: Carry::In, sets_carry: true }; d, a, b, e, r);
    "addme", "011111 ddddd aaaaa zzzzz e 011101010 r", Integer, "addme{o}{.} rD, rA",
        add_constant(Sum { negated: false, carry: Carry::In, sets_carry: true }, u32::MAX; d, a, e, r);
    "subfme", "011111 ddddd aaaaa zzzzz e 011101000 r", Integer, "subfme{o}{.} rD, rA",
        add_constant(Sum { negated: true, carry: Carry::In, sets_carry: true }, u32::MAX; d, a, e, r);
    "addze", "011111 ddddd aaaaa zzzzz e 011001010 r", Integer, "addze{o}{.} rD, rA",
        add_constant(Sum { negated: false, carry: Carry::In, sets_carry: true }, 0; d, a, e, r);
    "subfze", "011111 ddddd aaaaa zzzzz e 011001000 r", Integer, "subfze{o}{.} rD, rA",
        add_constant(Sum { negated: true, carry: Carry::In, sets_carry: true }, 0; d, a, e, r);
    "neg", "011111 ddddd aaaaa zzzzz e 001101000 r", Integer, "neg{o}{.} rD, rA",
        add_constant(Sum { negated: true, carry: Carry::One, sets_carry: false }, 0; d, a, e, r);
    "mullw", "011111 ddddd aaaaa bbbbb e 011101011 r", Multiply, "mullw{o}{.} rD, rA, rB", multiply_low(; d, a, b, e, r);
    "mulhw", "011111 ddddd aaaaa bbbbb z 001001011 r", Multiply, "mulhw{.} rD, rA, rB", multiply_high(true; d, a, b, r);
    "mulhwu", "011111 ddddd aaaaa bbbbb z 000001011 r", Multiply, "mulhwu{.} rD, rA, rB", multiply_high(false; d, a, b, r);
    "divw", "011111 ddddd aaaaa bbbbb e 111101011 r", Divide, "divw{o}{.} rD, rA, rB", divide_signed(; d, a, b, e, r);
    "divwu", "011111 ddddd aaaaa bbbbb e 111001011 r", Divide, "divwu{o}{.} rD, rA, rB", divide_unsigned(; d, a, b, e, r);
}

/// What is added to a second operand.
#[derive(Clone, Copy)]
struct Sum {
    /// The complement of rA, in place of rA.
    negated: bool,
    carry: Carry,
    sets_carry: bool,
}

#[derive(Clone, Copy)]
enum Carry {
    Zero,
    One,
    /// CA.
    In,
}

/// rA as a base: register 0 stands for the number 0.
#[inline(always)]
pub(crate) fn base<S: PowerPcSemantics>(s: &mut S, a: u32) -> S::Word {
    if a == 0 { s.word(0) } else { s.register(a) }
}

#[inline(always)]
fn add_immediate<S: PowerPcSemantics>(s: &mut S, shift: u32, d: u32, a: u32, immediate: u32) {
    let immediate = s.word(signed(immediate) << shift);
    let base = base(s, a);
    let sum = s.add(base, immediate);
    s.set_register(d, sum);
}

#[inline(always)]
fn add_immediate_carrying<S: PowerPcSemantics>(s: &mut S, rc: u32, d: u32, a: u32, immediate: u32) {
    let immediate = s.word(signed(immediate));
    let value = s.register(a);
    let no_carry = s.flag(false);
    let (sum, carry, _) = s.add_with_carry(value, immediate, no_carry);
    s.set_carry(carry);
    finish(s, d, rc, sum);
}

#[inline(always)]
fn subtract_from_immediate<S: PowerPcSemantics>(s: &mut S, d: u32, a: u32, immediate: u32) {
    let immediate = s.word(signed(immediate));
    let value = s.register(a);
    let complement = s.not(value);
    let one = s.flag(true);
    let (difference, carry, _) = s.add_with_carry(immediate, complement, one);
    s.set_carry(carry);
    s.set_register(d, difference);
}

#[inline(always)]
fn add<S: PowerPcSemantics>(s: &mut S, sum: Sum, d: u32, a: u32, b: u32, oe: u32, rc: u32) {
    let second = s.register(b);
    add_value(s, sum, d, a, second, oe, rc);
}

#[inline(always)]
fn add_constant<S: PowerPcSemantics>(
    s: &mut S,
    sum: Sum,
    constant: u32,
    d: u32,
    a: u32,
    oe: u32,
    rc: u32,
) {
    let second = s.word(constant);
    add_value(s, sum, d, a, second, oe, rc);
}

#[inline(always)]
fn add_value<S: PowerPcSemantics>(
    s: &mut S,
    sum: Sum,
    d: u32,
    a: u32,
    second: S::Word,
    oe: u32,
    rc: u32,
) {
    let mut first = s.register(a);
    if sum.negated {
        first = s.not(first);
    }
    let carry = match sum.carry {
        Carry::Zero => s.flag(false),
        Carry::One => s.flag(true),
        Carry::In => s.carry(),
    };
    let (result, carry, overflow) = s.add_with_carry(second, first, carry);
    if sum.sets_carry {
        s.set_carry(carry);
    }
    if oe != 0 {
        set_overflow(s, overflow);
    }
    finish(s, d, rc, result);
}

/// OV, which SO remembers.
#[inline(always)]
fn set_overflow<S: PowerPcSemantics>(s: &mut S, overflow: S::Flag) {
    s.set_overflow(overflow);
    let before = s.summary_overflow();
    let summary = s.flag_or(before, overflow);
    s.set_summary_overflow(summary);
}

#[inline(always)]
fn multiply_immediate<S: PowerPcSemantics>(s: &mut S, d: u32, a: u32, immediate: u32) {
    let immediate = s.word(signed(immediate));
    let value = s.register(a);
    let product = s.multiply(value, immediate);
    s.set_register(d, product);
}

#[inline(always)]
fn multiply_low<S: PowerPcSemantics>(s: &mut S, d: u32, a: u32, b: u32, oe: u32, rc: u32) {
    let (first, second) = (s.register(a), s.register(b));
    let product = s.multiply(first, second);
    if oe != 0 {
        let high = s.multiply_high(first, second, true);
        let thirty_one = s.word(31);
        let signs = s.shift_right_signed(product, thirty_one);
        let difference = s.xor(high, signs);
        let fits = s.is_zero(difference);
        let overflow = s.flag_not(fits);
        set_overflow(s, overflow);
    }
    finish(s, d, rc, product);
}

#[inline(always)]
fn multiply_high<S: PowerPcSemantics>(s: &mut S, is_signed: bool, d: u32, a: u32, b: u32, rc: u32) {
    let (first, second) = (s.register(a), s.register(b));
    let product = s.multiply_high(first, second, is_signed);
    finish(s, d, rc, product);
}

/// A quotient that does not exist has the dividend's sign in all bits, as on the 750.
#[inline(always)]
fn divide_signed<S: PowerPcSemantics>(s: &mut S, d: u32, a: u32, b: u32, oe: u32, rc: u32) {
    let (dividend, divisor) = (s.register(a), s.register(b));
    let by_zero = s.is_zero(divisor);
    let lowest = s.word(0x8000_0000);
    let difference = s.xor(dividend, lowest);
    let is_lowest = s.is_zero(difference);
    let complement = s.not(divisor);
    let by_minus_one = s.is_zero(complement);
    let too_large = s.flag_and(is_lowest, by_minus_one);
    let impossible = s.flag_or(by_zero, too_large);
    let one = s.word(1);
    let possible = s.select(impossible, one, divisor);
    let quotient = s.divide(dividend, possible, true);
    let thirty_one = s.word(31);
    let signs = s.shift_right_signed(dividend, thirty_one);
    let result = s.select(impossible, signs, quotient);
    if oe != 0 {
        set_overflow(s, impossible);
    }
    finish(s, d, rc, result);
}

/// A quotient that does not exist is 0, as on the 750.
#[inline(always)]
fn divide_unsigned<S: PowerPcSemantics>(s: &mut S, d: u32, a: u32, b: u32, oe: u32, rc: u32) {
    let (dividend, divisor) = (s.register(a), s.register(b));
    let impossible = s.is_zero(divisor);
    let one = s.word(1);
    let possible = s.select(impossible, one, divisor);
    let quotient = s.divide(dividend, possible, false);
    let zero = s.word(0);
    let result = s.select(impossible, zero, quotient);
    if oe != 0 {
        set_overflow(s, impossible);
    }
    finish(s, d, rc, result);
}
