//! Multiplications of two pairs of half-words, and those whose upper half counts, of version 6 (manual: "Multiply instructions").

use super::multiply::{add_long, write_long};
use super::multiply_half::{accumulate, extended, half};
use super::{ArmSemantics, read, write};

encodings! {
    since V6;
    "SMLAD", "cccc 01110000 dddd nnnn ssss 00 x 1 mmmm", MultiplyAccumulate, "SMLAD{X}{c} Rd, Rm, Rs, Rn",
        accumulate_both(false; d, n, s, x, m);
    "SMUAD", "cccc 01110000 dddd 1111 ssss 00 x 1 mmmm", Multiply, "SMUAD{X}{c} Rd, Rm, Rs", both(false; d, s, x, m);
    "SMLSD", "cccc 01110000 dddd nnnn ssss 01 x 1 mmmm", MultiplyAccumulate, "SMLSD{X}{c} Rd, Rm, Rs, Rn",
        accumulate_both(true; d, n, s, x, m);
    "SMUSD", "cccc 01110000 dddd 1111 ssss 01 x 1 mmmm", Multiply, "SMUSD{X}{c} Rd, Rm, Rs", both(true; d, s, x, m);
    "SMLALD", "cccc 01110100 hhhh llll ssss 00 x 1 mmmm", MultiplyAccumulateLong, "SMLALD{X}{c} RdLo, RdHi, Rm, Rs",
        accumulate_both_long(false; h, l, s, x, m);
    "SMLSLD", "cccc 01110100 hhhh llll ssss 01 x 1 mmmm", MultiplyAccumulateLong, "SMLSLD{X}{c} RdLo, RdHi, Rm, Rs",
        accumulate_both_long(true; h, l, s, x, m);
    "SMMLA", "cccc 01110101 dddd nnnn ssss 00 r 1 mmmm", MultiplyAccumulateLong, "SMMLA{R}{c} Rd, Rm, Rs, Rn",
        accumulate_upper(false; d, n, s, r, m);
    "SMMUL", "cccc 01110101 dddd 1111 ssss 00 r 1 mmmm", MultiplyLong, "SMMUL{R}{c} Rd, Rm, Rs", upper(; d, s, r, m);
    "SMMLS", "cccc 01110101 dddd nnnn ssss 11 r 1 mmmm", MultiplyAccumulateLong, "SMMLS{R}{c} Rd, Rm, Rs, Rn",
        accumulate_upper(true; d, n, s, r, m);
    "UMAAL", "cccc 00000100 hhhh llll ssss 1001 mmmm", MultiplyAccumulateLong, "UMAAL{c} RdLo, RdHi, Rm, Rs",
        multiply_add_twice(; h, l, s, m);
}

/// The product of the lower halves, and that of the upper ones, negated if they are to be subtracted; Rs may have its halves exchanged.
#[inline(always)]
fn products<S: ArmSemantics>(
    s: &mut S,
    subtracts: bool,
    by: u32,
    exchanged: u32,
    m: u32,
) -> [S::Word; 2] {
    let (a, b) = (read(s, m), read(s, by));
    s.multiplier(b, true);
    let mut product = |upper| {
        let (a, b) = (half(s, a, upper), half(s, b, upper ^ exchanged));
        s.multiply(a, b)
    };
    let (lower, upper) = (product(0), product(1));
    if !subtracts {
        return [lower, upper];
    }
    // No product of half-words is the one number that has no negative.
    let (complement, one) = (s.not(upper), s.word(1));
    [lower, s.add(complement, one)]
}

#[inline(always)]
fn both<S: ArmSemantics>(s: &mut S, subtracts: bool, d: u32, by: u32, exchanged: u32, m: u32) {
    let [lower, upper] = products(s, subtracts, by, exchanged, m);
    let sum = accumulate(s, lower, upper);
    write(s, d, sum);
}

/// Q is set if the sum of all three does not fit, whatever two of them come to.
#[inline(always)]
fn accumulate_both<S: ArmSemantics>(
    s: &mut S,
    subtracts: bool,
    d: u32,
    n: u32,
    by: u32,
    exchanged: u32,
    m: u32,
) {
    let [lower, upper] = products(s, subtracts, by, exchanged, m);
    let addend = read(s, n);
    let carry = s.flag(false);
    let (sum, _, first) = s.add_with_carry(lower, upper, carry);
    let (sum, _, second) = s.add_with_carry(sum, addend, carry);
    let overflow = s.flag_xor(first, second);
    s.saturate(overflow);
    write(s, d, sum);
}

#[inline(always)]
fn accumulate_both_long<S: ArmSemantics>(
    s: &mut S,
    subtracts: bool,
    high: u32,
    low: u32,
    by: u32,
    exchanged: u32,
    m: u32,
) {
    let mut sum = (read(s, low), read(s, high));
    for product in products(s, subtracts, by, exchanged, m) {
        let product = extended(s, product);
        sum = add_long(s, product, sum);
    }
    write_long(s, (low, high), sum);
}

#[inline(always)]
fn product<S: ArmSemantics>(s: &mut S, signed: bool, by: u32, m: u32) -> (S::Word, S::Word) {
    let (a, b) = (read(s, m), read(s, by));
    s.multiplier(b, signed);
    (s.multiply(a, b), s.multiply_high(a, b, signed))
}

/// The upper word, rounded if that is asked for.
#[inline(always)]
fn upper_of<S: ArmSemantics>(s: &mut S, value: (S::Word, S::Word), rounds: u32) -> S::Word {
    if rounds == 0 {
        return value.1;
    }
    let half = (s.word(0x8000_0000), s.word(0));
    add_long(s, value, half).1
}

#[inline(always)]
fn upper<S: ArmSemantics>(s: &mut S, d: u32, by: u32, rounds: u32, m: u32) {
    let product = product(s, true, by, m);
    let result = upper_of(s, product, rounds);
    write(s, d, result);
}

/// Rn with 32 zeros below it, plus or minus the product.
#[inline(always)]
fn accumulate_upper<S: ArmSemantics>(
    s: &mut S,
    subtracts: bool,
    d: u32,
    n: u32,
    by: u32,
    rounds: u32,
    m: u32,
) {
    let product = product(s, true, by, m);
    let addend = (s.word(0), read(s, n));
    let sum = if subtracts {
        let (low, high) = (s.not(product.0), s.not(product.1));
        let one = s.flag(true);
        let (low, carry, _) = s.add_with_carry(addend.0, low, one);
        (low, s.add_with_carry(addend.1, high, carry).0)
    } else {
        add_long(s, product, addend)
    };
    let result = upper_of(s, sum, rounds);
    write(s, d, result);
}

/// RdHi:RdLo := Rm * Rs + RdHi + RdLo.
#[inline(always)]
fn multiply_add_twice<S: ArmSemantics>(s: &mut S, high: u32, low: u32, by: u32, m: u32) {
    let mut sum = product(s, false, by, m);
    for addend in [low, high] {
        let addend = (read(s, addend), s.word(0));
        sum = add_long(s, sum, addend);
    }
    write_long(s, (low, high), sum);
}
