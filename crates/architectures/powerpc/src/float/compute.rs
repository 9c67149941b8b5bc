//! Arithmetic: a result and the status after it, from operands and the status before. Every reading of floating-point instructions
//! computes here.

use super::estimate::{Estimate, reciprocal, reciprocal_root as tabled_root};
use super::number::{
    Exact, INFINITY, Kind, QUIET_NAN, Rounded, Rounding, SIGN, kind, packed, rounded,
    shift_right_sticky,
};
use super::status::{self, raised};
use super::{Estimates, FloatUnit};

/// To how many bits a result is rounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Precision {
    /// 53 bits.
    Double,
    /// 24 bits.
    Single,
}

/// What is computed of up to three operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// `a + b`
    Add(Precision),
    /// `a - b`
    Subtract(Precision),
    /// `a * c`
    Multiply(Precision),
    /// `a / b`
    Divide(Precision),
    /// `a * c + b`, or minus b, and then the other sign.
    MultiplyAdd {
        /// To how many bits.
        precision: Precision,
        /// Whether b is subtracted.
        subtract: bool,
        /// Whether the result changes its sign.
        negate: bool,
    },
    /// `b` to single precision.
    Round,
    /// `b` as an integer of 32 bits; `true` rounds towards zero.
    ToInteger(bool),
    /// About `1 / b`.
    Reciprocal,
    /// About one by the root of `b`.
    ReciprocalRoot,
}

/// What came out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Computed {
    /// The result.
    pub value: u64,
    /// Whether it is written: not after an invalid operation or a division by zero that is enabled.
    pub written: bool,
    /// The status and control register after it.
    pub status: u32,
}

/// A value before it is rounded.
enum Outcome {
    /// A NaN, infinity or zero: nothing to round.
    Special(u64),
    Number(bool, Exact),
    /// An estimate; nothing is rounded.
    Estimated(u64),
    /// An exact difference of zero, whose sign depends on the rounding.
    Cancelled,
}

/// Exceptions that have come up.
pub(super) struct Unrounded {
    outcome: Outcome,
    pub(super) exceptions: u32,
}

impl Unrounded {
    fn special(bits: u64) -> Unrounded {
        Unrounded {
            outcome: Outcome::Special(bits),
            exceptions: 0,
        }
    }

    fn invalid(exceptions: u32) -> Unrounded {
        Unrounded {
            outcome: Outcome::Special(QUIET_NAN),
            exceptions,
        }
    }

    fn number(negative: bool, exact: Exact) -> Unrounded {
        Unrounded {
            outcome: Outcome::Number(negative, exact),
            exceptions: 0,
        }
    }
}

fn is_negative(bits: u64) -> bool {
    bits & SIGN != 0
}

fn signed(negative: bool, magnitude: u64) -> u64 {
    u64::from(negative) << 63 | magnitude
}

/// The first NaN among the operands, made quiet; and VXSNAN if one of them is signalling.
pub(super) fn nan(operands: &[u64]) -> Option<Unrounded> {
    let is_nan = |bits: &&u64| matches!(kind(**bits), Kind::Nan { .. });
    let first = operands.iter().find(is_nan)?;
    let signalling = |bits: &u64| kind(*bits) == Kind::Nan { signalling: true };
    let exceptions = if operands.iter().any(signalling) {
        status::SIGNALLING
    } else {
        0
    };
    Some(Unrounded {
        outcome: Outcome::Special(first | 1 << 51),
        exceptions,
    })
}

/// The sum of two numbers, exact but for bit 0.
fn sum(a_negative: bool, a: Exact, b_negative: bool, b: Exact) -> Unrounded {
    let ((large_negative, large), (small_negative, small)) =
        if (a.exponent, a.significand) >= (b.exponent, b.significand) {
            ((a_negative, a), (b_negative, b))
        } else {
            ((b_negative, b), (a_negative, a))
        };
    // One bit of room for the carry.
    let distance = (large.exponent - small.exponent) as u32;
    let aligned = shift_right_sticky(small.significand, distance + 1);
    let base = shift_right_sticky(large.significand, 1);
    let bits = if large_negative == small_negative {
        base + aligned
    } else {
        base - aligned
    };
    if bits == 0 {
        return Unrounded {
            outcome: Outcome::Cancelled,
            exceptions: 0,
        };
    }
    Unrounded::number(large_negative, Exact::new(large.exponent - 126, bits))
}

fn add(a: u64, b: u64) -> Unrounded {
    if let Some(nan) = nan(&[a, b]) {
        return nan;
    }
    let (a_negative, b_negative) = (is_negative(a), is_negative(b));
    match (kind(a), kind(b)) {
        (Kind::Infinity, Kind::Infinity) if a_negative != b_negative => {
            Unrounded::invalid(status::INFINITY_MINUS_INFINITY)
        }
        (Kind::Infinity, _) => Unrounded::special(a),
        (_, Kind::Infinity) => Unrounded::special(b),
        (Kind::Zero, Kind::Zero) if a_negative == b_negative => Unrounded::special(a),
        (Kind::Zero, Kind::Zero) => Unrounded {
            outcome: Outcome::Cancelled,
            exceptions: 0,
        },
        (Kind::Zero, Kind::Finite(b)) => Unrounded::number(b_negative, b),
        (Kind::Finite(a), Kind::Zero) => Unrounded::number(a_negative, a),
        (Kind::Finite(a), Kind::Finite(b)) => sum(a_negative, a, b_negative, b),
        (Kind::Nan { .. }, _) | (_, Kind::Nan { .. }) => Unrounded::special(QUIET_NAN),
    }
}

/// The product of two numbers, exact.
fn product(a: Exact, b: Exact) -> Exact {
    let bits = (a.significand >> 75) * (b.significand >> 75);
    Exact::new(a.exponent + b.exponent - 104, bits)
}

fn multiply(a: u64, c: u64) -> Unrounded {
    if let Some(nan) = nan(&[a, c]) {
        return nan;
    }
    let negative = is_negative(a) != is_negative(c);
    match (kind(a), kind(c)) {
        (Kind::Infinity, Kind::Zero) | (Kind::Zero, Kind::Infinity) => {
            Unrounded::invalid(status::INFINITY_TIMES_ZERO)
        }
        (Kind::Infinity, _) | (_, Kind::Infinity) => Unrounded::special(signed(negative, INFINITY)),
        (Kind::Finite(a), Kind::Finite(c)) => Unrounded::number(negative, product(a, c)),
        _ => Unrounded::special(signed(negative, 0)),
    }
}

fn divide(a: u64, b: u64) -> Unrounded {
    if let Some(nan) = nan(&[a, b]) {
        return nan;
    }
    let negative = is_negative(a) != is_negative(b);
    match (kind(a), kind(b)) {
        (Kind::Infinity, Kind::Infinity) => Unrounded::invalid(status::INFINITY_BY_INFINITY),
        (Kind::Zero, Kind::Zero) => Unrounded::invalid(status::ZERO_BY_ZERO),
        (Kind::Infinity, _) => Unrounded::special(signed(negative, INFINITY)),
        (_, Kind::Zero) => Unrounded {
            outcome: Outcome::Special(signed(negative, INFINITY)),
            exceptions: status::ZERO_DIVIDE,
        },
        (Kind::Finite(a), Kind::Finite(b)) => {
            // 128 bits by 53 leave at least 74 bits, and a rest that says whether there are more.
            let divisor = b.significand >> 75;
            let (quotient, rest) = (a.significand / divisor, a.significand % divisor);
            let bits = quotient << 1 | u128::from(rest != 0);
            let lowest = a.exponent - 127 - (b.exponent - 52) - 1;
            Unrounded::number(negative, Exact::new(lowest, bits))
        }
        _ => Unrounded::special(signed(negative, 0)),
    }
}

/// `a * c + b`; a NaN in b wins over an invalid product.
fn multiply_add(a: u64, b: u64, c: u64) -> Unrounded {
    let invalid_product = matches!(
        (kind(a), kind(c)),
        (Kind::Infinity, Kind::Zero) | (Kind::Zero, Kind::Infinity)
    );
    if let Some(mut nan) = nan(&[a, b, c]) {
        if invalid_product {
            nan.exceptions |= status::INFINITY_TIMES_ZERO;
        }
        return nan;
    }
    if invalid_product {
        return Unrounded::invalid(status::INFINITY_TIMES_ZERO);
    }
    let negative = is_negative(a) != is_negative(c);
    match (kind(a), kind(c), kind(b)) {
        (Kind::Infinity, ..) | (_, Kind::Infinity, _) => add(signed(negative, INFINITY), b),
        (_, _, Kind::Infinity) => Unrounded::special(b),
        (Kind::Finite(a), Kind::Finite(c), Kind::Zero) => {
            Unrounded::number(negative, product(a, c))
        }
        (Kind::Finite(a), Kind::Finite(c), Kind::Finite(addend)) => {
            sum(negative, product(a, c), is_negative(b), addend)
        }
        _ => add(signed(negative, 0), b),
    }
}

/// frC as multiplications use it.
fn multiplier(operation: Operation, c: u64, unit: FloatUnit) -> u64 {
    match (unit.single_multiplier_bits, kind(c)) {
        (Some(width), Kind::Finite(number)) if precision(operation) == Precision::Single => {
            let cut = number.cut_to(width);
            let zeros = cut.significand.trailing_zeros();
            let bits = (cut.significand >> zeros) as u64;
            packed(is_negative(c), cut.exponent - 127 + zeros as i32, bits)
        }
        _ => c,
    }
}

fn unrounded(operation: Operation, a: u64, b: u64, c: u64, unit: FloatUnit) -> Unrounded {
    let c = multiplier(operation, c, unit);
    match (operation, unit.estimates, kind(b)) {
        (Operation::Reciprocal, Estimates::Tables, Kind::Finite(number)) => {
            return estimated(reciprocal(is_negative(b), number));
        }
        (Operation::ReciprocalRoot, Estimates::Tables, Kind::Finite(number)) if !is_negative(b) => {
            return estimated(Estimate::Number(tabled_root(number)));
        }
        _ => {}
    }
    match operation {
        Operation::Add(_) => add(a, b),
        // The sign of a NaN stays.
        Operation::Subtract(_) if matches!(kind(b), Kind::Nan { .. }) => add(a, b),
        Operation::Subtract(_) => add(a, b ^ SIGN),
        Operation::Multiply(_) => multiply(a, c),
        Operation::Divide(_) => divide(a, b),
        Operation::MultiplyAdd { subtract: true, .. } if !matches!(kind(b), Kind::Nan { .. }) => {
            multiply_add(a, b ^ SIGN, c)
        }
        Operation::MultiplyAdd { .. } => multiply_add(a, b, c),
        Operation::Round | Operation::ToInteger(_) => match kind(b) {
            Kind::Nan { .. } => nan(&[b]).unwrap_or(Unrounded::special(b)),
            Kind::Finite(number) => Unrounded::number(is_negative(b), number),
            Kind::Zero | Kind::Infinity => Unrounded::special(b),
        },
        Operation::Reciprocal => divide(1f64.to_bits(), b),
        Operation::ReciprocalRoot => reciprocal_root(b),
    }
}

fn estimated(estimate: Estimate) -> Unrounded {
    let (bits, exceptions) = match estimate {
        Estimate::Number(bits) => (bits, 0),
        Estimate::TooLarge(bits) => (bits, status::OVERFLOW),
        Estimate::TooSmall(bits) => (bits, status::UNDERFLOW),
    };
    Unrounded {
        outcome: Outcome::Estimated(bits),
        exceptions,
    }
}

/// IEEE 754 fixes division and root to the last bit, on every host.
fn reciprocal_root(b: u64) -> Unrounded {
    match kind(b) {
        Kind::Nan { .. } | Kind::Zero => divide(1f64.to_bits(), b),
        _ if is_negative(b) => Unrounded::invalid(status::INVALID_ROOT),
        Kind::Infinity => Unrounded::special(0),
        Kind::Finite(_) => {
            let estimate = 1.0 / f64::from_bits(b).sqrt();
            match kind(estimate.to_bits()) {
                Kind::Finite(number) => Unrounded::number(false, number),
                _ => Unrounded::special(estimate.to_bits()),
            }
        }
    }
}

const fn precision(operation: Operation) -> Precision {
    match operation {
        Operation::Add(precision)
        | Operation::Subtract(precision)
        | Operation::Multiply(precision)
        | Operation::Divide(precision)
        | Operation::MultiplyAdd { precision, .. } => precision,
        Operation::Round | Operation::Reciprocal => Precision::Single,
        Operation::ToInteger(_) | Operation::ReciprocalRoot => Precision::Double,
    }
}

/// FPRF of a result.
fn result_class(bits: u64, denormal: bool) -> u32 {
    let negative = is_negative(bits);
    let code = match kind(bits) {
        Kind::Nan { .. } => 0x11,
        Kind::Infinity if negative => 0x09,
        Kind::Infinity => 0x05,
        Kind::Zero if negative => 0x12,
        Kind::Zero => 0x02,
        Kind::Finite(_) => match (denormal, negative) {
            (true, true) => 0x18,
            (true, false) => 0x14,
            (false, true) => 0x08,
            (false, false) => 0x04,
        },
    };
    code << 12
}

/// Computes as a unit does, with the rounding and the enabled exceptions of `before`.
pub fn compute(
    operation: Operation,
    [a, b, c]: [u64; 3],
    before: u32,
    unit: FloatUnit,
) -> Computed {
    let Unrounded {
        outcome,
        exceptions,
    } = unrounded(operation, a, b, c, unit);
    let cleared = before & !(status::ROUNDED_UP | status::FRACTION_INEXACT);
    if let Operation::ToInteger(towards_zero) = operation {
        return to_integer(outcome, exceptions, towards_zero, cleared);
    }
    let invalid =
        exceptions & status::INVALID_OPERATIONS != 0 && before & status::INVALID_ENABLE != 0;
    let by_zero = exceptions & status::ZERO_DIVIDE != 0 && before & status::ZERO_DIVIDE_ENABLE != 0;
    if invalid || by_zero {
        return Computed {
            value: 0,
            written: false,
            status: raised(cleared, exceptions),
        };
    }
    let precision = precision(operation);
    let rounding = Rounding::of(before);
    let (mut value, denormal, exceptions) = match outcome {
        Outcome::Special(bits) => {
            let single_nan =
                precision == Precision::Single && matches!(kind(bits), Kind::Nan { .. });
            let bits = if single_nan { bits >> 29 << 29 } else { bits };
            (bits, false, exceptions)
        }
        Outcome::Estimated(bits) => (bits, false, exceptions),
        Outcome::Cancelled => (signed(rounding == Rounding::Down, 0), false, exceptions),
        Outcome::Number(negative, number) => {
            let enabled = |bit| before & bit != 0;
            let rounded = rounded(
                negative,
                number,
                precision,
                rounding,
                enabled(status::OVERFLOW_ENABLE),
                enabled(status::UNDERFLOW_ENABLE),
            );
            (
                rounded.bits,
                rounded.denormal,
                exceptions | rounding_exceptions(operation, &rounded),
            )
        }
    };
    if let Operation::MultiplyAdd { negate: true, .. } = operation
        && !matches!(kind(value), Kind::Nan { .. })
    {
        value ^= SIGN;
    }
    let classified = cleared & !status::RESULT | result_class(value, denormal);
    Computed {
        value,
        written: true,
        status: raised(classified, exceptions),
    }
}

fn rounding_exceptions(operation: Operation, rounded: &Rounded) -> u32 {
    let either = |condition, bits| if condition { bits } else { 0 };
    let range =
        either(rounded.overflow, status::OVERFLOW) | either(rounded.underflow, status::UNDERFLOW);
    // An estimate is not said to be inexact.
    if matches!(operation, Operation::Reciprocal | Operation::ReciprocalRoot) {
        return range;
    }
    range
        | either(rounded.inexact, status::INEXACT | status::FRACTION_INEXACT)
        | either(rounded.up, status::ROUNDED_UP)
}

/// The upper half of a converted register, as the 750 writes it.
const INTEGER: u64 = 0xfff8_0000 << 32;

/// The class of the result stays.
fn to_integer(outcome: Outcome, exceptions: u32, towards_zero: bool, before: u32) -> Computed {
    let rounding = if towards_zero {
        Rounding::Zero
    } else {
        Rounding::of(before)
    };
    let (negative, magnitude, inexact, up) = match outcome {
        Outcome::Special(bits) => match kind(bits) {
            Kind::Zero => (is_negative(bits), Some(0), false, false),
            Kind::Infinity => (is_negative(bits), None, false, false),
            _ => (true, None, false, false),
        },
        Outcome::Cancelled | Outcome::Estimated(_) => (false, Some(0), false, false),
        Outcome::Number(negative, number) if number.exponent > 32 => (negative, None, false, false),
        Outcome::Number(negative, number) => {
            // 64 bits before the point, 64 behind it.
            let fixed = shift_right_sticky(number.significand, (63 - number.exponent) as u32);
            let rest = fixed & u128::from(u64::MAX);
            let whole = (fixed >> 64) as u64;
            let up = rounding.goes_up(negative, whole & 1 != 0, rest, 1 << 63);
            (negative, Some(whole + u64::from(up)), rest != 0, up)
        }
    };
    let limit = 0x7fff_ffff + u64::from(negative);
    let Some(magnitude) = magnitude.filter(|magnitude| *magnitude <= limit) else {
        let exceptions = exceptions | status::INVALID_INTEGER;
        return Computed {
            value: INTEGER | limit,
            written: before & status::INVALID_ENABLE == 0,
            status: raised(before, exceptions),
        };
    };
    let integer = if negative {
        magnitude.wrapping_neg()
    } else {
        magnitude
    } as u32;
    let minus_zero = u64::from(negative && integer == 0) << 32;
    let mut exceptions = exceptions;
    if inexact {
        exceptions |= status::INEXACT | status::FRACTION_INEXACT;
    }
    if up {
        exceptions |= status::ROUNDED_UP;
    }
    Computed {
        value: INTEGER | minus_zero | u64::from(integer),
        written: true,
        status: raised(before, exceptions),
    }
}
