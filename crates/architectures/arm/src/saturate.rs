//! Saturated values, and the saturating additions of version 5TE (manual: "Saturated integer arithmetic").

use super::{ArmSemantics, read, write};

encodings! {
    since V5TEJ;
    "QADD", "cccc 00010000 nnnn dddd zzzz 0101 mmmm", Saturate, "QADD{c} Rd, Rm, Rn", add(false, false; n, d, m);
    "QSUB", "cccc 00010010 nnnn dddd zzzz 0101 mmmm", Saturate, "QSUB{c} Rd, Rm, Rn", add(false, true; n, d, m);
    "QDADD", "cccc 00010100 nnnn dddd zzzz 0101 mmmm", Saturate, "QDADD{c} Rd, Rm, Rn", add(true, false; n, d, m);
    "QDSUB", "cccc 00010110 nnnn dddd zzzz 0101 mmmm", Saturate, "QDSUB{c} Rd, Rm, Rn", add(true, true; n, d, m);
}

/// Rd := Rm plus or minus Rn, or twice Rn, each step saturated.
#[inline(always)]
fn add<S: ArmSemantics>(s: &mut S, doubles: bool, subtracts: bool, n: u32, d: u32, m: u32) {
    let first = read(s, m);
    let mut second = read(s, n);
    if doubles {
        second = sum(s, second, second, false);
    }
    let result = sum(s, first, second, subtracts);
    write(s, d, result);
}

#[inline(always)]
fn sum<S: ArmSemantics>(s: &mut S, a: S::Word, b: S::Word, subtracts: bool) -> S::Word {
    let b = if subtracts { s.not(b) } else { b };
    let carry = s.flag(subtracts);
    let (sum, _, overflow) = s.add_with_carry(a, b, carry);
    s.saturate(overflow);
    // What overflows has the sign of the first operand.
    let limit = limit_of(s, a, 0x7fff_ffff);
    s.select(overflow, limit, sum)
}

/// `highest`, or its complement for a negative value.
#[inline(always)]
fn limit_of<S: ArmSemantics>(s: &mut S, value: S::Word, highest: u32) -> S::Word {
    let thirty_one = s.word(31);
    let sign = s.shift_right_signed(value, thirty_one);
    let highest = s.word(highest);
    s.xor(sign, highest)
}

/// The signed number of so many bits, 1 to 32, that is nearest, and whether that is another.
#[inline(always)]
pub(super) fn signed<S: ArmSemantics>(s: &mut S, value: S::Word, bits: u32) -> (S::Word, S::Flag) {
    let last = s.word(bits - 1);
    let above = s.shift_right_signed(value, last);
    let thirty_one = s.word(31);
    let sign = s.shift_right_signed(value, thirty_one);
    let difference = s.xor(above, sign);
    let fits = s.is_zero(difference);
    let limit = limit_of(s, value, (1 << (bits - 1)) - 1);
    let saturated = s.flag_not(fits);
    (s.select(fits, value, limit), saturated)
}

/// The unsigned number of so many bits, 0 to 31, that is nearest to a signed one, and whether that is another.
#[inline(always)]
pub(super) fn unsigned<S: ArmSemantics>(
    s: &mut S,
    value: S::Word,
    bits: u32,
) -> (S::Word, S::Flag) {
    let amount = s.word(bits);
    let above = s.shift_right(value, amount);
    let fits = s.is_zero(above);
    let negative = s.bit(value, 31);
    let (lowest, highest) = (s.word(0), s.word((1 << bits) - 1));
    let limit = s.select(negative, lowest, highest);
    let saturated = s.flag_not(fits);
    (s.select(fits, value, limit), saturated)
}
