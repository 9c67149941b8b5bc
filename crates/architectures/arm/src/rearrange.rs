//! Bytes and half-words in another order, of version 6 (manual: "Other miscellaneous instructions"): reversals, packing, selection, differences.

use super::extend::joined;
use super::operand::{Shift, by_constant};
use super::{ArmSemantics, read, write};
use socscope_memory::Width;

encodings! {
    since V6;
    "REV", "cccc 01101011 oooo dddd oooo 0011 mmmm", Data, "REV{c} Rd, Rm", reverse(Order::Word; d, m);
    "REV16", "cccc 01101011 oooo dddd oooo 1011 mmmm", Data, "REV16{c} Rd, Rm", reverse(Order::Halves; d, m);
    "REVSH", "cccc 01101111 oooo dddd oooo 1011 mmmm", Data, "REVSH{c} Rd, Rm", reverse(Order::SignedHalf; d, m);
    "PKHBT", "cccc 01101000 nnnn dddd aaaaa 001 mmmm", Data, "PKHBT{c} Rd, Rn, Rm, LSL #a", pack_upper(; n, d, a, m);
    "PKHTB", "cccc 01101000 nnnn dddd aaaaa 101 mmmm", Data, "PKHTB{c} Rd, Rn, Rm, ASR #a", pack_lower(; n, d, a, m);
    "SEL", "cccc 01101000 nnnn dddd oooo 1011 mmmm", Data, "SEL{c} Rd, Rn, Rm", select(; n, d, m);
    "USADA8", "cccc 01111000 dddd nnnn ssss 0001 mmmm", MultiplyAccumulate, "USADA8{c} Rd, Rm, Rs, Rn",
        accumulate_differences(; d, n, s, m);
    "USAD8", "cccc 01111000 dddd 1111 ssss 0001 mmmm", Multiply, "USAD8{c} Rd, Rm, Rs", add_differences(; d, s, m);
}

/// Of what the bytes are reversed.
#[derive(Clone, Copy)]
pub(super) enum Order {
    Word,
    Halves,
    /// The lower half, whose sign then goes upwards.
    SignedHalf,
}

#[inline(always)]
pub(super) fn reverse<S: ArmSemantics>(s: &mut S, order: Order, d: u32, m: u32) {
    let value = read(s, m);
    let (eight, odd, even) = (s.word(8), s.word(0xff00_ff00), s.word(0x00ff_00ff));
    let (up, down) = (s.shift_left(value, eight), s.shift_right(value, eight));
    let (up, down) = (s.and(up, odd), s.and(down, even));
    let halves = s.or(up, down);
    let result = match order {
        Order::Word => {
            let sixteen = s.word(16);
            s.rotate_right(halves, sixteen)
        }
        Order::Halves => halves,
        Order::SignedHalf => s.sign_extend(halves, Width::Half),
    };
    write(s, d, result);
}

/// The lower half of Rn, and the upper of Rm shifted left.
#[inline(always)]
fn pack_upper<S: ArmSemantics>(s: &mut S, n: u32, d: u32, amount: u32, m: u32) {
    let shifted = by_constant(s, Shift::Left, amount, m).value;
    let other = read(s, n);
    let sixteen = s.word(16);
    let upper = s.shift_right(shifted, sixteen);
    let result = joined(s, other, upper);
    write(s, d, result);
}

/// The lower half of Rm shifted right, and the upper of Rn.
#[inline(always)]
fn pack_lower<S: ArmSemantics>(s: &mut S, n: u32, d: u32, amount: u32, m: u32) {
    let shifted = by_constant(s, Shift::RightSigned, amount, m).value;
    let other = read(s, n);
    let sixteen = s.word(16);
    let upper = s.shift_right(other, sixteen);
    let result = joined(s, shifted, upper);
    write(s, d, result);
}

/// Each byte of Rn where its bit of GE is set, else that of Rm.
#[inline(always)]
fn select<S: ArmSemantics>(s: &mut S, n: u32, d: u32, m: u32) {
    let (first, second) = (read(s, n), read(s, m));
    let greater_equal = s.greater_equal();
    let mut result = s.word(0);
    for lane in 0..4 {
        let chosen = s.bit(greater_equal, lane);
        let value = s.select(chosen, first, second);
        let mask = s.word(0xff << (8 * lane));
        let value = s.and(value, mask);
        result = s.or(result, value);
    }
    write(s, d, result);
}

/// The sum of the absolute differences of four bytes.
#[inline(always)]
fn differences<S: ArmSemantics>(s: &mut S, by: u32, m: u32) -> S::Word {
    let (first, second) = (read(s, m), read(s, by));
    // As all multiplications of its class.
    s.multiplier(second, true);
    let (mask, mut sum) = (s.word(0xff), s.word(0));
    for lane in 0..4 {
        let shift = s.word(8 * lane);
        let (a, b) = (s.shift_right(first, shift), s.shift_right(second, shift));
        let (a, b) = (s.and(a, mask), s.and(b, mask));
        let (complement, carry) = (s.not(b), s.flag(true));
        let (difference, not_negative, _) = s.add_with_carry(a, complement, carry);
        let (complement, one) = (s.not(difference), s.word(1));
        let negated = s.add(complement, one);
        let absolute = s.select(not_negative, difference, negated);
        sum = s.add(sum, absolute);
    }
    sum
}

#[inline(always)]
fn add_differences<S: ArmSemantics>(s: &mut S, d: u32, by: u32, m: u32) {
    let sum = differences(s, by, m);
    write(s, d, sum);
}

#[inline(always)]
fn accumulate_differences<S: ArmSemantics>(s: &mut S, d: u32, n: u32, by: u32, m: u32) {
    let sum = differences(s, by, m);
    let addend = read(s, n);
    let sum = s.add(sum, addend);
    write(s, d, sum);
}
