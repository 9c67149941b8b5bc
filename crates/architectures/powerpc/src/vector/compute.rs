//! What vector instructions compute, of whole registers. Element 0 is the most significant. Every reading computes here.

use super::float::{self, Calculation, FloatComparison};
use super::multiply::{self, Products};
use super::pack;
use socscope_memory::Width;

/// What happens to a result that does not fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overflow {
    /// Upper bits are dropped.
    Wraps,
    /// It becomes the nearest unsigned number that fits.
    Unsigned,
    /// It becomes the nearest signed number that fits.
    Signed,
}

/// How elements are shifted, by the low bits of the other operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shift {
    /// What leaves on the left comes in on the right.
    Rotate,
    /// Zeros come in.
    Left,
    /// Zeros come in.
    Right,
    /// Signs come in.
    RightSigned,
}

/// How elements are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// Equal.
    Equal,
    /// Greater, unsigned.
    Greater,
    /// Greater, signed.
    GreaterSigned,
}

/// What is computed of up to three registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Operation {
    Add(Width, Overflow),
    Subtract(Width, Overflow),
    /// Of words: 1 where they carry.
    CarryOfSum,
    /// Of words: 1 where nothing is borrowed.
    CarryOfDifference,
    /// The flag: signed.
    Maximum(Width, bool),
    Minimum(Width, bool),
    Average(Width, bool),
    Shift(Width, Shift),
    Compare(Width, Comparison),
    And,
    AndComplement,
    Or,
    Xor,
    Nor,
    /// By the low three bits of b.
    ShiftAllLeft,
    ShiftAllRight,
    /// By bytes, of which bits 6 to 3 of b are the number.
    ShiftOctetsLeft,
    ShiftOctetsRight,
    /// Sixteen bytes of a and b, from this one on.
    ShiftDouble(u32),
    MergeHigh(Width),
    MergeLow(Width),
    Splat(Width, u32),
    /// Bits of b where c has ones, else of a.
    Select,
    /// Bytes of a and b that c names.
    Permute,
    MultiplyOdd(Width, bool),
    MultiplyEven(Width, bool),
    /// The flag: rounded.
    MultiplyHighAdd(bool),
    MultiplyLowAdd,
    MultiplySum(Products, Overflow),
    SumQuarters(Width, bool),
    SumHalves,
    SumAll,
    /// From this width to half of it; whether the source is signed.
    Pack(Width, bool, Overflow),
    PackPixels,
    UnpackHigh(Width),
    UnpackLow(Width),
    /// The flag: the lower half.
    UnpackPixels(bool),
    Float(Calculation),
    FloatCompare(FloatComparison),
    /// From signed integers, or unsigned, divided by 2 to this power.
    FromInteger(bool, u32),
    /// Times 2 to this power.
    ToInteger(Overflow, u32),
}

/// What came out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Computed {
    /// The result.
    pub value: u128,
    /// Whether some of it did not fit.
    pub saturated: bool,
}

/// Element `index` of a register, zero-extended.
pub(super) fn element(value: u128, width: Width, index: u32) -> u32 {
    let bits = width.bits();
    width.truncate((value >> (128 - bits * (index + 1))) as u32)
}

/// The same with its sign.
pub(super) fn signed_element(value: u128, width: Width, index: u32) -> i64 {
    let unused = 32 - width.bits();
    i64::from((element(value, width, index) << unused) as i32 >> unused)
}

/// Element `index` as a number.
pub(super) fn number(value: u128, width: Width, index: u32, signed: bool) -> i64 {
    if signed {
        signed_element(value, width, index)
    } else {
        i64::from(element(value, width, index))
    }
}

/// A register of elements.
pub(super) fn made(width: Width, mut of: impl FnMut(u32) -> u32) -> u128 {
    (0..128 / width.bits()).fold(0, |value, index| {
        value << width.bits() | u128::from(width.truncate(of(index)))
    })
}

/// A number in an element; `saturated` notes that it did not fit.
pub(super) fn fitted(width: Width, overflow: Overflow, number: i64, saturated: &mut bool) -> u32 {
    let bits = width.bits();
    let (least, most) = match overflow {
        Overflow::Wraps => return number as u32,
        Overflow::Unsigned => (0, (1 << bits) - 1),
        Overflow::Signed => (-(1 << (bits - 1)), (1 << (bits - 1)) - 1),
    };
    let fitting = number.clamp(least, most);
    *saturated |= fitting != number;
    fitting as u32
}

fn shifted(shift: Shift, width: Width, value: u32, amount: u32) -> u32 {
    let bits = width.bits();
    let amount = amount & (bits - 1);
    match shift {
        Shift::Rotate if amount == 0 => value,
        Shift::Rotate => value << amount | value >> (bits - amount),
        Shift::Left => value << amount,
        Shift::Right => value >> amount,
        Shift::RightSigned => ((value << (32 - bits)) as i32 >> (32 - bits) >> amount) as u32,
    }
}

fn merged(width: Width, a: u128, b: u128, first: u32) -> u128 {
    made(width, |index| {
        let from = if index % 2 == 0 { a } else { b };
        element(from, width, first + index / 2)
    })
}

fn permuted(a: u128, b: u128, c: u128) -> u128 {
    made(Width::Byte, |index| {
        let from = element(c, Width::Byte, index) & 31;
        let source = if from < 16 { a } else { b };
        element(source, Width::Byte, from & 15)
    })
}

/// Computes; `status` is the vector status, of which NJ matters.
pub fn compute(operation: Operation, a: u128, b: u128, c: u128, status: u32) -> Computed {
    let mut saturated = false;
    let value = match operation {
        Operation::Add(width, overflow) | Operation::Subtract(width, overflow) => {
            let signed = overflow == Overflow::Signed;
            let sign = if matches!(operation, Operation::Add(..)) {
                1
            } else {
                -1
            };
            made(width, |index| {
                let of = |value| number(value, width, index, signed);
                fitted(width, overflow, of(a) + sign * of(b), &mut saturated)
            })
        }
        Operation::CarryOfSum => made(Width::Word, |index| {
            let (x, y) = (
                element(a, Width::Word, index),
                element(b, Width::Word, index),
            );
            u32::from(x.checked_add(y).is_none())
        }),
        Operation::CarryOfDifference => made(Width::Word, |index| {
            u32::from(element(a, Width::Word, index) >= element(b, Width::Word, index))
        }),
        Operation::Maximum(width, signed) => made(width, |index| {
            let of = |value| number(value, width, index, signed);
            of(a).max(of(b)) as u32
        }),
        Operation::Minimum(width, signed) => made(width, |index| {
            let of = |value| number(value, width, index, signed);
            of(a).min(of(b)) as u32
        }),
        Operation::Average(width, signed) => made(width, |index| {
            let of = |value| number(value, width, index, signed);
            ((of(a) + of(b) + 1) >> 1) as u32
        }),
        Operation::Shift(width, shift) => made(width, |index| {
            shifted(
                shift,
                width,
                element(a, width, index),
                element(b, width, index),
            )
        }),
        Operation::Compare(width, comparison) => made(width, |index| {
            let signed = comparison == Comparison::GreaterSigned;
            let (x, y) = (
                number(a, width, index, signed),
                number(b, width, index, signed),
            );
            let holds = if comparison == Comparison::Equal {
                x == y
            } else {
                x > y
            };
            if holds { u32::MAX } else { 0 }
        }),
        Operation::And => a & b,
        Operation::AndComplement => a & !b,
        Operation::Or => a | b,
        Operation::Xor => a ^ b,
        Operation::Nor => !(a | b),
        Operation::ShiftAllLeft => a << (b & 7),
        Operation::ShiftAllRight => a >> (b & 7),
        Operation::ShiftOctetsLeft => a << (b & 0x78),
        Operation::ShiftOctetsRight => a >> (b & 0x78),
        Operation::ShiftDouble(0) => a,
        Operation::ShiftDouble(bytes) => a << (8 * bytes) | b >> (128 - 8 * bytes),
        Operation::MergeHigh(width) => merged(width, a, b, 0),
        Operation::MergeLow(width) => merged(width, a, b, 64 / width.bits()),
        Operation::Splat(width, from) => made(width, |_| element(b, width, from)),
        Operation::Select => a & !c | b & c,
        Operation::Permute => permuted(a, b, c),
        Operation::MultiplyOdd(..)
        | Operation::MultiplyEven(..)
        | Operation::MultiplyHighAdd(_)
        | Operation::MultiplyLowAdd
        | Operation::MultiplySum(..)
        | Operation::SumQuarters(..)
        | Operation::SumHalves
        | Operation::SumAll => multiply::compute(operation, a, b, c, &mut saturated),
        Operation::Pack(..)
        | Operation::PackPixels
        | Operation::UnpackHigh(_)
        | Operation::UnpackLow(_)
        | Operation::UnpackPixels(_) => pack::compute(operation, a, b, &mut saturated),
        Operation::Float(_)
        | Operation::FloatCompare(_)
        | Operation::FromInteger(..)
        | Operation::ToInteger(..) => float::compute(operation, a, b, c, status, &mut saturated),
    };
    Computed { value, saturated }
}
