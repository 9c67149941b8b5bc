//! Code for what vector instructions compute, as far as it is short. The host's element 0 is the least significant one, the guest's the most significant.

use super::bytes::{arranged, merged, moved_by_octets, permuted, shifted_left, shifted_right};
use super::limits::{added, fitted, joined, subtracted};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::immediates::Uimm8;
use cranelift_codegen::ir::{Endianness, InstBuilder, MemFlagsData, Type, Value, types};
use cranelift_frontend::FunctionBuilder;
use socscope_memory::Width;
use socscope_powerpc::vector::{Comparison, Operation, Shift};

/// How registers are held.
pub(super) const BYTES: Type = types::I8X16;

/// A result, and ones where something did not fit, if that may be.
pub(super) struct Made {
    pub value: Value,
    pub unfit: Option<Value>,
}

type Operands = [Value; 3];

pub(super) const fn lanes(width: Width) -> Type {
    match width {
        Width::Byte => BYTES,
        Width::Half => types::I16X8,
        Width::Word => types::I32X4,
    }
}

const fn twice(width: Width) -> Width {
    match width {
        Width::Byte => Width::Half,
        _ => Width::Word,
    }
}

/// The same bits as elements of another width.
pub(super) fn taken_as(builder: &mut FunctionBuilder, ty: Type, value: Value) -> Value {
    if builder.func.dfg.value_type(value) == ty {
        return value;
    }
    let order = MemFlagsData::new().with_endianness(Endianness::Little);
    builder.ins().bitcast(ty, order, value)
}

/// The code for an operation on registers; `None` where a call has to do it.
pub(super) fn compute(
    builder: &mut FunctionBuilder,
    operation: Operation,
    [a, b, c]: Operands,
) -> Option<Made> {
    use Operation as O;
    let mut unfit = None;
    let value = match operation {
        O::And => builder.ins().band(a, b),
        O::AndComplement => builder.ins().band_not(a, b),
        O::Or => builder.ins().bor(a, b),
        O::Xor => builder.ins().bxor(a, b),
        O::Nor => {
            let either = builder.ins().bor(a, b);
            builder.ins().bnot(either)
        }
        O::Select => builder.ins().bitselect(c, b, a),
        O::Permute => permuted(builder, a, b, c),
        O::ShiftDouble(bytes) => arranged(builder, a, b, |place| place + bytes),
        O::MergeHigh(width) => merged(builder, width, a, b, 0),
        O::MergeLow(width) => merged(builder, width, a, b, 8),
        O::Splat(width, from) => {
            let bytes = width.bytes();
            arranged(builder, b, b, |place| from * bytes + place % bytes)
        }
        O::ShiftAllLeft => shifted_left(builder, a, b),
        O::ShiftAllRight => shifted_right(builder, a, b),
        O::ShiftOctetsLeft => moved_by_octets(builder, a, b, true),
        O::ShiftOctetsRight => moved_by_octets(builder, a, b, false),
        O::Pack(width, signed, overflow) => {
            let [a, b] = [a, b].map(|value| {
                let (fitting, other) = fitted(builder, width, signed, overflow, value);
                unfit = joined(builder, unfit, other);
                fitting
            });
            let half = width.bytes() / 2;
            arranged(builder, a, b, |place| {
                place / half * 2 * half + half + place % half
            })
        }
        _ => {
            let width = element_width(operation)?;
            let [a, b, c] = [a, b, c].map(|value| taken_as(builder, lanes(width), value));
            let (value, other) = of_elements(builder, operation, [a, b, c])?;
            unfit = other;
            value
        }
    };
    let value = taken_as(builder, BYTES, value);
    Some(Made { value, unfit })
}

/// The width of elements that are computed apart.
fn element_width(operation: Operation) -> Option<Width> {
    use Operation as O;
    Some(match operation {
        O::Add(width, _)
        | O::Subtract(width, _)
        | O::Maximum(width, _)
        | O::Minimum(width, _)
        | O::Average(width, _)
        | O::Shift(width, _)
        | O::Compare(width, _)
        | O::UnpackHigh(width)
        | O::UnpackLow(width) => width,
        O::CarryOfSum | O::CarryOfDifference => Width::Word,
        O::MultiplyEven(width, _) | O::MultiplyOdd(width, _) => twice(width),
        O::MultiplyLowAdd => Width::Half,
        _ => return None,
    })
}

/// The result, and ones where something did not fit.
fn of_elements(
    builder: &mut FunctionBuilder,
    operation: Operation,
    [a, b, c]: Operands,
) -> Option<(Value, Option<Value>)> {
    use Operation as O;
    let last = i64::from(builder.func.dfg.value_type(a).lane_bits()) - 1;
    let value = match operation {
        O::Add(width, overflow) => return Some(added(builder, width, overflow, a, b)),
        O::Subtract(width, overflow) => return Some(subtracted(builder, width, overflow, a, b)),
        O::CarryOfSum => {
            let sum = builder.ins().iadd(a, b);
            let carry = builder.ins().icmp(IntCC::UnsignedLessThan, sum, a);
            builder.ins().ushr_imm_u(carry, last)
        }
        O::CarryOfDifference => {
            let fits = builder.ins().icmp(IntCC::UnsignedGreaterThanOrEqual, a, b);
            builder.ins().ushr_imm_u(fits, last)
        }
        O::Maximum(_, true) => builder.ins().smax(a, b),
        O::Maximum(_, false) => builder.ins().umax(a, b),
        O::Minimum(_, true) => builder.ins().smin(a, b),
        O::Minimum(_, false) => builder.ins().umin(a, b),
        // Both halves rounded up: what they share, and half of what one of them has.
        O::Average(_, signed) => {
            let (either, differing) = (builder.ins().bor(a, b), builder.ins().bxor(a, b));
            let half = match signed {
                true => builder.ins().sshr_imm_u(differing, 1),
                false => builder.ins().ushr_imm_u(differing, 1),
            };
            builder.ins().isub(either, half)
        }
        O::Shift(Width::Word, shift) => words_shifted(builder, shift, a, b),
        O::Compare(_, comparison) => {
            let condition = match comparison {
                Comparison::Equal => IntCC::Equal,
                Comparison::Greater => IntCC::UnsignedGreaterThan,
                Comparison::GreaterSigned => IntCC::SignedGreaterThan,
            };
            builder.ins().icmp(condition, a, b)
        }
        O::UnpackHigh(_) => builder.ins().swiden_high(b),
        O::UnpackLow(_) => builder.ins().swiden_low(b),
        O::MultiplyEven(width, signed) => {
            let [a, b] = [a, b].map(|value| upper_half(builder, width, signed, value));
            builder.ins().imul(a, b)
        }
        O::MultiplyOdd(width, signed) => {
            let [a, b] = [a, b].map(|value| {
                let value = builder.ins().ishl_imm_u(value, i64::from(width.bits()));
                upper_half(builder, width, signed, value)
            });
            builder.ins().imul(a, b)
        }
        O::MultiplyLowAdd => {
            let product = builder.ins().imul(a, b);
            builder.ins().iadd(product, c)
        }
        _ => return None,
    };
    Some((value, None))
}

fn upper_half(builder: &mut FunctionBuilder, width: Width, signed: bool, value: Value) -> Value {
    let bits = i64::from(width.bits());
    match signed {
        true => builder.ins().sshr_imm_u(value, bits),
        false => builder.ins().ushr_imm_u(value, bits),
    }
}

/// The host shifts all elements by the same number only.
fn words_shifted(builder: &mut FunctionBuilder, shift: Shift, a: Value, b: Value) -> Value {
    let mut all = a;
    for lane in 0..4 {
        let [value, amount] = [a, b].map(|value| builder.ins().extractlane(value, lane as Uimm8));
        let shifted = match shift {
            Shift::Rotate => builder.ins().rotl(value, amount),
            Shift::Left => builder.ins().ishl(value, amount),
            Shift::Right => builder.ins().ushr(value, amount),
            Shift::RightSigned => builder.ins().sshr(value, amount),
        };
        all = builder.ins().insertlane(all, shifted, lane as Uimm8);
    }
    all
}

pub(super) fn splat(builder: &mut FunctionBuilder, width: Width, number: u32) -> Value {
    let ty = lanes(width);
    let element = i64::from(width.truncate(number));
    let element = builder.ins().iconst(ty.lane_type(), element);
    builder.ins().splat(ty, element)
}
