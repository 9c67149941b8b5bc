//! Rotations and shifts (manual: "Integer rotate and shift instructions").

use super::finish;
use crate::PowerPcSemantics;

encodings! {
    "rlwinm", "010101 sssss aaaaa nnnnn mmmmm kkkkk r", Integer, "rlwinm{.} rA, rS, n, m, k", rotate_and_mask(; s, a, n, m, k, r);
    "rlwnm", "010111 sssss aaaaa bbbbb mmmmm kkkkk r", Integer, "rlwnm{.} rA, rS, rB, m, k", rotate_by_register_and_mask(; s, a, b, m, k, r);
    "rlwimi", "010100 sssss aaaaa nnnnn mmmmm kkkkk r", Integer, "rlwimi{.} rA, rS, n, m, k", rotate_and_insert(; s, a, n, m, k, r);
    "slw", "011111 sssss aaaaa bbbbb 0000011000 r", Integer, "slw{.} rA, rS, rB", shift_left(; s, a, b, r);
    "srw", "011111 sssss aaaaa bbbbb 1000011000 r", Integer, "srw{.} rA, rS, rB", shift_right(; s, a, b, r);
    "sraw", "011111 sssss aaaaa bbbbb 1100011000 r", Integer, "sraw{.} rA, rS, rB", shift_right_signed(; s, a, b, r);
    "srawi", "011111 sssss aaaaa nnnnn 1100111000 r", Integer, "srawi{.} rA, rS, n", shift_right_signed_by_constant(; s, a, n, r);
}

/// Ones from bit `begin` to bit `end`, bit 0 being the most significant; wrapping around where `begin` is past `end`.
pub(crate) const fn mask(begin: u32, end: u32) -> u32 {
    let from = u32::MAX >> begin;
    let to = u32::MAX << (31 - end);
    if begin <= end { from & to } else { from | to }
}

#[inline(always)]
fn rotated<S: PowerPcSemantics>(s: &mut S, from: u32, amount: u32) -> S::Word {
    let value = s.register(from);
    let right = s.word((32 - amount) & 31);
    s.rotate_right(value, right)
}

#[inline(always)]
fn rotate_and_mask<S: PowerPcSemantics>(
    s: &mut S,
    from: u32,
    a: u32,
    amount: u32,
    begin: u32,
    end: u32,
    rc: u32,
) {
    let rotated = rotated(s, from, amount);
    let mask = s.word(mask(begin, end));
    let result = s.and(rotated, mask);
    finish(s, a, rc, result);
}

#[inline(always)]
fn rotate_by_register_and_mask<S: PowerPcSemantics>(
    s: &mut S,
    from: u32,
    a: u32,
    b: u32,
    begin: u32,
    end: u32,
    rc: u32,
) {
    let (value, amount) = (s.register(from), s.register(b));
    let complement = s.not(amount);
    let one = s.word(1);
    let right = s.add(complement, one);
    let rotated = s.rotate_right(value, right);
    let mask = s.word(mask(begin, end));
    let result = s.and(rotated, mask);
    finish(s, a, rc, result);
}

#[inline(always)]
fn rotate_and_insert<S: PowerPcSemantics>(
    s: &mut S,
    from: u32,
    a: u32,
    amount: u32,
    begin: u32,
    end: u32,
    rc: u32,
) {
    // A whole register into itself: no compiler has a reason to do that.
    if from == a && amount == 0 && begin == 0 && end == 31 && rc == 0 {
        s.mark(a);
    }
    let rotated = rotated(s, from, amount);
    let mask = mask(begin, end);
    let (inserted, kept) = (s.word(mask), s.word(!mask));
    let before = s.register(a);
    let kept = s.and(before, kept);
    let inserted = s.and(rotated, inserted);
    let result = s.or(kept, inserted);
    finish(s, a, rc, result);
}

/// The amount of a shift: the low six bits of a register.
#[inline(always)]
fn amount<S: PowerPcSemantics>(s: &mut S, b: u32) -> S::Word {
    let value = s.register(b);
    let low = s.word(0x3f);
    s.and(value, low)
}

#[inline(always)]
fn shift_left<S: PowerPcSemantics>(s: &mut S, from: u32, a: u32, b: u32, rc: u32) {
    let value = s.register(from);
    let amount = amount(s, b);
    let result = s.shift_left(value, amount);
    finish(s, a, rc, result);
}

#[inline(always)]
fn shift_right<S: PowerPcSemantics>(s: &mut S, from: u32, a: u32, b: u32, rc: u32) {
    let value = s.register(from);
    let amount = amount(s, b);
    let result = s.shift_right(value, amount);
    finish(s, a, rc, result);
}

#[inline(always)]
fn shift_right_signed<S: PowerPcSemantics>(s: &mut S, from: u32, a: u32, b: u32, rc: u32) {
    let amount = amount(s, b);
    shift_right_signed_by(s, from, a, amount, rc);
}

#[inline(always)]
fn shift_right_signed_by_constant<S: PowerPcSemantics>(
    s: &mut S,
    from: u32,
    a: u32,
    amount: u32,
    rc: u32,
) {
    let amount = s.word(amount);
    shift_right_signed_by(s, from, a, amount, rc);
}

/// CA tells that a negative number lost ones.
#[inline(always)]
fn shift_right_signed_by<S: PowerPcSemantics>(
    s: &mut S,
    from: u32,
    a: u32,
    amount: S::Word,
    rc: u32,
) {
    let value = s.register(from);
    let result = s.shift_right_signed(value, amount);
    let back = s.shift_left(result, amount);
    let lost = s.xor(value, back);
    let exact = s.is_zero(lost);
    let inexact = s.flag_not(exact);
    let negative = s.bit(value, 31);
    let carry = s.flag_and(negative, inexact);
    s.set_carry(carry);
    finish(s, a, rc, result);
}
