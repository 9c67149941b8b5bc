//! Multiplications of half-words, of version 5TE (manual: "Multiply instructions"). Sums that do not fit set Q.

use super::multiply::{add_long, write_long};
use super::{ArmSemantics, read, write};
use socscope_memory::Width;

encodings! {
    since V5TEJ;
    "SMLA halves", "cccc 00010000 dddd nnnn ssss 1 y x 0 mmmm", MultiplyHalf, "SMLA<x><y>{c} Rd, Rm, Rs, Rn",
        multiply_accumulate(; d, n, s, y, x, m);
    "SMLAW", "cccc 00010010 dddd nnnn ssss 1 y 0 0 mmmm", MultiplyHalf, "SMLAW<y>{c} Rd, Rm, Rs, Rn",
        multiply_accumulate_wide(; d, n, s, y, m);
    "SMULW", "cccc 00010010 dddd zzzz ssss 1 y 1 0 mmmm", MultiplyHalf, "SMULW<y>{c} Rd, Rm, Rs", multiply_wide(; d, s, y, m);
    "SMLAL halves", "cccc 00010100 hhhh llll ssss 1 y x 0 mmmm", MultiplyHalfLong, "SMLAL<x><y>{c} RdLo, RdHi, Rm, Rs",
        multiply_accumulate_long(; h, l, s, y, x, m);
    "SMUL halves", "cccc 00010110 dddd zzzz ssss 1 y x 0 mmmm", MultiplyHalf, "SMUL<x><y>{c} Rd, Rm, Rs", multiply(; d, s, y, x, m);
}

/// The signed lower or upper half of a word.
#[inline(always)]
pub(super) fn half<S: ArmSemantics>(s: &mut S, word: S::Word, upper: u32) -> S::Word {
    if upper == 0 {
        return s.sign_extend(word, Width::Half);
    }
    let sixteen = s.word(16);
    s.shift_right_signed(word, sixteen)
}

/// The sum; what does not fit is lost, and sets Q.
#[inline(always)]
pub(super) fn accumulate<S: ArmSemantics>(s: &mut S, product: S::Word, addend: S::Word) -> S::Word {
    let carry = s.flag(false);
    let (sum, _, overflow) = s.add_with_carry(product, addend, carry);
    s.saturate(overflow);
    sum
}

#[inline(always)]
fn halves<S: ArmSemantics>(s: &mut S, by: u32, upper_by: u32, upper: u32, m: u32) -> S::Word {
    let (a, b) = (read(s, m), read(s, by));
    s.multiplier(b, true);
    let (a, b) = (half(s, a, upper), half(s, b, upper_by));
    s.multiply(a, b)
}

/// Bits 47 to 16 of a word times a half-word.
#[inline(always)]
fn wide<S: ArmSemantics>(s: &mut S, by: u32, upper_by: u32, m: u32) -> S::Word {
    let (a, b) = (read(s, m), read(s, by));
    s.multiplier(b, true);
    let b = half(s, b, upper_by);
    let (low, high) = (s.multiply(a, b), s.multiply_high(a, b, true));
    let sixteen = s.word(16);
    let (low, high) = (s.shift_right(low, sixteen), s.shift_left(high, sixteen));
    s.or(low, high)
}

#[inline(always)]
fn multiply<S: ArmSemantics>(s: &mut S, d: u32, by: u32, upper_by: u32, upper: u32, m: u32) {
    let product = halves(s, by, upper_by, upper, m);
    write(s, d, product);
}

#[inline(always)]
fn multiply_accumulate<S: ArmSemantics>(
    s: &mut S,
    d: u32,
    n: u32,
    by: u32,
    upper_by: u32,
    upper: u32,
    m: u32,
) {
    let product = halves(s, by, upper_by, upper, m);
    let addend = read(s, n);
    let sum = accumulate(s, product, addend);
    write(s, d, sum);
}

#[inline(always)]
fn multiply_wide<S: ArmSemantics>(s: &mut S, d: u32, by: u32, upper_by: u32, m: u32) {
    let product = wide(s, by, upper_by, m);
    write(s, d, product);
}

#[inline(always)]
fn multiply_accumulate_wide<S: ArmSemantics>(
    s: &mut S,
    d: u32,
    n: u32,
    by: u32,
    upper_by: u32,
    m: u32,
) {
    let product = wide(s, by, upper_by, m);
    let addend = read(s, n);
    let sum = accumulate(s, product, addend);
    write(s, d, sum);
}

#[inline(always)]
fn multiply_accumulate_long<S: ArmSemantics>(
    s: &mut S,
    high: u32,
    low: u32,
    by: u32,
    upper_by: u32,
    upper: u32,
    m: u32,
) {
    let product = halves(s, by, upper_by, upper, m);
    let addend = (read(s, low), read(s, high));
    let product = extended(s, product);
    let sum = add_long(s, product, addend);
    write_long(s, (low, high), sum);
}

/// A signed word as a pair: the low one first.
#[inline(always)]
pub(super) fn extended<S: ArmSemantics>(s: &mut S, word: S::Word) -> (S::Word, S::Word) {
    let thirty_one = s.word(31);
    (word, s.shift_right_signed(word, thirty_one))
}
