//! Saturation to a number of bits, of version 6 (manual: "Other arithmetic instructions").

use super::extend::joined;
use super::multiply_half::half;
use super::operand::{Shift, by_constant};
use super::saturate;
use super::{ArmSemantics, read, write};

encodings! {
    since V6;
    "SSAT", "cccc 0110101 bbbbb dddd aaaaa t 01 mmmm", Data, "SSAT{c} Rd, #b+1, Rm, shift #a", word(true; b, d, a, t, m);
    "USAT", "cccc 0110111 bbbbb dddd aaaaa t 01 mmmm", Data, "USAT{c} Rd, #b, Rm, shift #a", word(false; b, d, a, t, m);
    "SSAT16", "cccc 01101010 bbbb dddd oooo 0011 mmmm", Data, "SSAT16{c} Rd, #b+1, Rm", both_halves(true; b, d, m);
    "USAT16", "cccc 01101110 bbbb dddd oooo 0011 mmmm", Data, "USAT16{c} Rd, #b, Rm", both_halves(false; b, d, m);
}

/// The nearest number of so many bits; Q remembers if it is another.
#[inline(always)]
fn nearest<S: ArmSemantics>(s: &mut S, signed: bool, value: S::Word, bits: u32) -> S::Word {
    let (value, saturated) = if signed {
        saturate::signed(s, value, bits + 1)
    } else {
        saturate::unsigned(s, value, bits)
    };
    s.saturate(saturated);
    value
}

#[inline(always)]
fn word<S: ArmSemantics>(
    s: &mut S,
    signed: bool,
    bits: u32,
    d: u32,
    amount: u32,
    arithmetic: u32,
    m: u32,
) {
    let shift = Shift::from_field(2 * arithmetic);
    let value = by_constant(s, shift, amount, m).value;
    let value = nearest(s, signed, value, bits);
    write(s, d, value);
}

#[inline(always)]
fn both_halves<S: ArmSemantics>(s: &mut S, signed: bool, bits: u32, d: u32, m: u32) {
    let value = read(s, m);
    let (lower, upper) = (half(s, value, 0), half(s, value, 1));
    let (lower, upper) = (
        nearest(s, signed, lower, bits),
        nearest(s, signed, upper, bits),
    );
    let result = joined(s, lower, upper);
    write(s, d, result);
}
