//! Floating-point instructions (manual: "Vector floating-point instructions"): four numbers of single precision, rounded to the nearest;
//! no exceptions. Out of Java mode denormalised operands and results are zeros.

use super::compute::{Operation, Overflow, element, fitted, made};
use super::permute::compare;
use super::{one, three, two};
use crate::PowerPcSemantics;
use socscope_memory::Width;

encodings! {
    "vaddfp", "000100 ddddd aaaaa bbbbb 00000001010", Vector, "vaddfp vD, vA, vB", two(Operation::Float(Calculation::Add); d, a, b);
    "vsubfp", "000100 ddddd aaaaa bbbbb 00001001010", Vector, "vsubfp vD, vA, vB", two(Operation::Float(Calculation::Subtract); d, a, b);
    "vmaddfp", "000100 ddddd aaaaa bbbbb ccccc 101110", Vector, "vmaddfp vD, vA, vC, vB", three(Operation::Float(Calculation::MultiplyAdd); d, a, b, c);
    "vnmsubfp", "000100 ddddd aaaaa bbbbb ccccc 101111", Vector, "vnmsubfp vD, vA, vC, vB", three(Operation::Float(Calculation::NegativeMultiplySubtract); d, a, b, c);
    "vmaxfp", "000100 ddddd aaaaa bbbbb 10000001010", Vector, "vmaxfp vD, vA, vB", two(Operation::Float(Calculation::Maximum); d, a, b);
    "vminfp", "000100 ddddd aaaaa bbbbb 10001001010", Vector, "vminfp vD, vA, vB", two(Operation::Float(Calculation::Minimum); d, a, b);
    "vrefp", "000100 ddddd zzzzz bbbbb 00100001010", Vector, "vrefp vD, vB", one(Operation::Float(Calculation::Reciprocal); d, b);
    "vrsqrtefp", "000100 ddddd zzzzz bbbbb 00101001010", Vector, "vrsqrtefp vD, vB", one(Operation::Float(Calculation::ReciprocalRoot); d, b);
    "vlogefp", "000100 ddddd zzzzz bbbbb 00111001010", Vector, "vlogefp vD, vB", one(Operation::Float(Calculation::Logarithm); d, b);
    "vexptefp", "000100 ddddd zzzzz bbbbb 00110001010", Vector, "vexptefp vD, vB", one(Operation::Float(Calculation::Power); d, b);
    "vrfin", "000100 ddddd zzzzz bbbbb 01000001010", Vector, "vrfin vD, vB", one(Operation::Float(Calculation::RoundNearest); d, b);
    "vrfiz", "000100 ddddd zzzzz bbbbb 01001001010", Vector, "vrfiz vD, vB", one(Operation::Float(Calculation::RoundZero); d, b);
    "vrfip", "000100 ddddd zzzzz bbbbb 01010001010", Vector, "vrfip vD, vB", one(Operation::Float(Calculation::RoundUp); d, b);
    "vrfim", "000100 ddddd zzzzz bbbbb 01011001010", Vector, "vrfim vD, vB", one(Operation::Float(Calculation::RoundDown); d, b);
    "vcfux", "000100 ddddd iiiii bbbbb 01100001010", Vector, "vcfux vD, vB, i", from_integer(false; d, i, b);
    "vcfsx", "000100 ddddd iiiii bbbbb 01101001010", Vector, "vcfsx vD, vB, i", from_integer(true; d, i, b);
    "vctuxs", "000100 ddddd iiiii bbbbb 01110001010", Vector, "vctuxs vD, vB, i", to_integer(Overflow::Unsigned; d, i, b);
    "vctsxs", "000100 ddddd iiiii bbbbb 01111001010", Vector, "vctsxs vD, vB, i", to_integer(Overflow::Signed; d, i, b);
    "vcmpeqfp", "000100 ddddd aaaaa bbbbb r 0011000110", Vector, "vcmpeqfp{.} vD, vA, vB", compare(Operation::FloatCompare(FloatComparison::Equal); d, a, b, r);
    "vcmpgefp", "000100 ddddd aaaaa bbbbb r 0111000110", Vector, "vcmpgefp{.} vD, vA, vB", compare(Operation::FloatCompare(FloatComparison::AtLeast); d, a, b, r);
    "vcmpgtfp", "000100 ddddd aaaaa bbbbb r 1011000110", Vector, "vcmpgtfp{.} vD, vA, vB", compare(Operation::FloatCompare(FloatComparison::Greater); d, a, b, r);
    "vcmpbfp", "000100 ddddd aaaaa bbbbb r 1111000110", Vector, "vcmpbfp{.} vD, vA, vB", compare(Operation::FloatCompare(FloatComparison::Bounds); d, a, b, r);
}

/// What is calculated in each element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Calculation {
    /// `a + b`
    Add,
    /// `a - b`
    Subtract,
    /// `a * c + b`, rounded once.
    MultiplyAdd,
    /// `-(a * c - b)`, rounded once.
    NegativeMultiplySubtract,
    /// The greater; +0 is greater than -0.
    Maximum,
    /// The lesser.
    Minimum,
    /// About `1 / b`.
    Reciprocal,
    /// About one by the root of `b`.
    ReciprocalRoot,
    /// About the logarithm of `b` to the base 2.
    Logarithm,
    /// About 2 to the power of `b`.
    Power,
    /// The nearest integer.
    RoundNearest,
    /// The integer towards zero.
    RoundZero,
    /// The integer above.
    RoundUp,
    /// The integer below.
    RoundDown,
}

/// How elements are compared; a NaN is neither equal nor greater.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FloatComparison {
    /// Equal.
    Equal,
    /// Greater or equal.
    AtLeast,
    /// Greater.
    Greater,
    /// Bit 31: above `b`. Bit 30: below `-b`.
    Bounds,
}

/// NJ of the vector status: not in Java mode.
const NOT_JAVA: u32 = 0x0001_0000;
const QUIET_NAN: u32 = 0x7fc0_0000;
const QUIET: u32 = 0x0040_0000;

fn from_integer<S: PowerPcSemantics>(s: &mut S, signed: bool, d: u32, scale: u32, b: u32) {
    one(s, Operation::FromInteger(signed, scale), d, b);
}

fn to_integer<S: PowerPcSemantics>(s: &mut S, overflow: Overflow, d: u32, scale: u32, b: u32) {
    one(s, Operation::ToInteger(overflow, scale), d, b);
}

/// 2 to the power of a field.
fn power(scale: u32) -> f64 {
    f64::from(1u32 << scale)
}

/// A denormalised number as a zero, out of Java mode.
fn flushed(bits: u32, status: u32) -> u32 {
    let denormal = f32::from_bits(bits).is_subnormal();
    if denormal && status & NOT_JAVA != 0 {
        bits & 1 << 31
    } else {
        bits
    }
}

fn is_nan(bits: &&u32) -> bool {
    f32::from_bits(**bits).is_nan()
}

/// Whether `x * z + y`, before it is rounded, lies below the normal numbers: what the core goes by, as in scalar arithmetic.
fn is_tiny(x: f32, z: f32, y: f32) -> bool {
    let [x, y, z] = [x, y, z].map(f64::from);
    // The product is exact in double precision, and the sum is together with what its rounding lost.
    let product = x * z;
    let sum = product + y;
    let added = sum - product;
    let lost = (product - (sum - added)) + (y - added);
    let least = f64::from(f32::MIN_POSITIVE);
    sum.abs() < least || sum.abs() == least && lost * sum < 0.0
}

fn fused(x: f32, z: f32, y: f32, status: u32) -> f32 {
    let sum = x.mul_add(z, y);
    if status & NOT_JAVA != 0 && is_tiny(x, z, y) {
        return 0.0_f32.copysign(sum);
    }
    sum
}

fn calculated(calculation: Calculation, a: u32, b: u32, c: u32, status: u32) -> u32 {
    let operands: &[u32] = match calculation {
        Calculation::Add | Calculation::Subtract | Calculation::Maximum | Calculation::Minimum => {
            &[a, b]
        }
        Calculation::MultiplyAdd | Calculation::NegativeMultiplySubtract => &[a, b, c],
        _ => &[b],
    };
    if let Some(nan) = operands.iter().find(is_nan) {
        return nan | QUIET;
    }
    let [x, y, z] = [a, b, c].map(f32::from_bits);
    let result = match calculation {
        Calculation::Add => x + y,
        Calculation::Subtract => x - y,
        Calculation::MultiplyAdd => fused(x, z, y, status),
        Calculation::NegativeMultiplySubtract => -fused(x, z, -y, status),
        Calculation::Maximum if x == y => f32::from_bits(a & b),
        Calculation::Minimum if x == y => f32::from_bits(a | b),
        Calculation::Maximum => x.max(y),
        Calculation::Minimum => x.min(y),
        Calculation::Reciprocal => 1.0 / y,
        Calculation::ReciprocalRoot => 1.0 / y.sqrt(),
        Calculation::Logarithm => logarithm(y),
        Calculation::Power => power_of_two(y),
        Calculation::RoundNearest => y.round_ties_even(),
        Calculation::RoundZero => y.trunc(),
        Calculation::RoundUp => y.ceil(),
        Calculation::RoundDown => y.floor(),
    };
    if result.is_nan() {
        QUIET_NAN
    } else {
        result.to_bits()
    }
}

/// Exact for powers of two; else off by less than 1/100, and by less than a tenth near 1.
fn logarithm(number: f32) -> f32 {
    if number == 0.0 {
        return f32::NEG_INFINITY;
    }
    if number.is_infinite() || number < 0.0 {
        return if number > 0.0 { number } else { f32::NAN };
    }
    // Every single is a normal double.
    let bits = f64::from(number).to_bits();
    let exponent = (bits >> 52) as i32 - 1023;
    let part = f64::from_bits(bits & ((1 << 52) - 1) | 1023 << 52) - 1.0;
    (f64::from(exponent) + part * (4.0 - part) / 3.0) as f32
}

/// Exact for integers; else off by less than 1/250 of the result.
fn power_of_two(number: f32) -> f32 {
    let number = f64::from(number.clamp(-200.0, 200.0));
    let whole = number.floor();
    let part = number - whole;
    let scale = f64::from_bits(((whole as i64 + 1023) as u64) << 52);
    (scale * (1.0 + part * (0.65625 + part * 0.34375))) as f32
}

fn compared(comparison: FloatComparison, x: f32, y: f32) -> u32 {
    let holds = match comparison {
        FloatComparison::Equal => x == y,
        FloatComparison::AtLeast => x >= y,
        FloatComparison::Greater => x > y,
        FloatComparison::Bounds => {
            let (within_above, within_below) = (x <= y, x >= -y);
            return u32::from(!within_above) << 31 | u32::from(!within_below) << 30;
        }
    };
    if holds { u32::MAX } else { 0 }
}

pub(super) fn compute(
    operation: Operation,
    a: u128,
    b: u128,
    c: u128,
    status: u32,
    saturated: &mut bool,
) -> u128 {
    made(Width::Word, |index| {
        let integer = element(b, Width::Word, index);
        let [x, y, z] = [a, b, c].map(|value| flushed(element(value, Width::Word, index), status));
        let (first, second) = (f32::from_bits(x), f32::from_bits(y));
        match operation {
            Operation::Float(calculation) => {
                flushed(calculated(calculation, x, y, z, status), status)
            }
            Operation::FloatCompare(comparison) => compared(comparison, first, second),
            // Rounded once: the quotient by a power of two is exact in double precision.
            Operation::FromInteger(true, scale) => {
                ((f64::from(integer as i32) / power(scale)) as f32).to_bits()
            }
            Operation::FromInteger(false, scale) => {
                ((f64::from(integer) / power(scale)) as f32).to_bits()
            }
            Operation::ToInteger(overflow, scale) if !second.is_nan() => {
                // A conversion in Rust rounds towards zero, and stays within 64 bits.
                let number = (f64::from(second) * power(scale)) as i64;
                fitted(Width::Word, overflow, number, saturated)
            }
            _ => 0,
        }
    })
}
