//! Sums, differences and halves that may not fit.

use super::elements::{BYTES, lanes, splat, taken_as};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Value};
use cranelift_frontend::FunctionBuilder;
use socscope_memory::Width;
use socscope_powerpc::vector::Overflow;

pub(super) fn added(
    builder: &mut FunctionBuilder,
    width: Width,
    overflow: Overflow,
    a: Value,
    b: Value,
) -> (Value, Option<Value>) {
    let sum = builder.ins().iadd(a, b);
    let fitting = match (overflow, width) {
        (Overflow::Wraps, _) => return (sum, None),
        (Overflow::Unsigned, Width::Word) => {
            let carry = builder.ins().icmp(IntCC::UnsignedLessThan, sum, a);
            return (builder.ins().bor(sum, carry), Some(carry));
        }
        (Overflow::Signed, Width::Word) => {
            // Both signs differ from that of the sum.
            let [of_a, of_b] = [a, b].map(|value| builder.ins().bxor(value, sum));
            let signs = builder.ins().band(of_a, of_b);
            return at_limits(builder, signs, a, sum);
        }
        (Overflow::Unsigned, _) => builder.ins().uadd_sat(a, b),
        (Overflow::Signed, _) => builder.ins().sadd_sat(a, b),
    };
    let unfit = builder.ins().icmp(IntCC::NotEqual, fitting, sum);
    (fitting, Some(unfit))
}

pub(super) fn subtracted(
    builder: &mut FunctionBuilder,
    width: Width,
    overflow: Overflow,
    a: Value,
    b: Value,
) -> (Value, Option<Value>) {
    let difference = builder.ins().isub(a, b);
    let fitting = match (overflow, width) {
        (Overflow::Wraps, _) => return (difference, None),
        (Overflow::Unsigned, Width::Word) => {
            let borrow = builder.ins().icmp(IntCC::UnsignedLessThan, a, b);
            return (builder.ins().band_not(difference, borrow), Some(borrow));
        }
        (Overflow::Signed, Width::Word) => {
            let [of_b, of_result] = [b, difference].map(|value| builder.ins().bxor(value, a));
            let signs = builder.ins().band(of_b, of_result);
            return at_limits(builder, signs, a, difference);
        }
        (Overflow::Unsigned, _) => builder.ins().usub_sat(a, b),
        (Overflow::Signed, _) => builder.ins().ssub_sat(a, b),
    };
    let unfit = builder.ins().icmp(IntCC::NotEqual, fitting, difference);
    (fitting, Some(unfit))
}

/// Words, but where `signs` has the highest bit the limit on the side of `a`.
fn at_limits(
    builder: &mut FunctionBuilder,
    signs: Value,
    a: Value,
    words: Value,
) -> (Value, Option<Value>) {
    let unfit = builder.ins().sshr_imm_u(signs, 31);
    let side = builder.ins().sshr_imm_u(a, 31);
    let most = splat(builder, Width::Word, 0x7fff_ffff);
    let limit = builder.ins().bxor(side, most);
    (builder.ins().bitselect(unfit, limit, words), Some(unfit))
}

/// Elements that fit into half of their width, and ones where one did not.
pub(super) fn fitted(
    builder: &mut FunctionBuilder,
    width: Width,
    signed: bool,
    overflow: Overflow,
    value: Value,
) -> (Value, Option<Value>) {
    let bits = width.bits() / 2;
    let value = taken_as(builder, lanes(width), value);
    let (least, most) = match overflow {
        Overflow::Wraps => return (taken_as(builder, BYTES, value), None),
        Overflow::Unsigned => (0, (1 << bits) - 1),
        Overflow::Signed => (-1_i32 << (bits - 1), (1 << (bits - 1)) - 1),
    };
    let most = splat(builder, width, most as u32);
    let fitting = match signed {
        false => builder.ins().umin(value, most),
        true => {
            let least = splat(builder, width, least as u32);
            let value = builder.ins().smin(value, most);
            builder.ins().smax(value, least)
        }
    };
    let unfit = builder.ins().icmp(IntCC::NotEqual, fitting, value);
    let unfit = taken_as(builder, BYTES, unfit);
    (taken_as(builder, BYTES, fitting), Some(unfit))
}

pub(super) fn joined(
    builder: &mut FunctionBuilder,
    a: Option<Value>,
    b: Option<Value>,
) -> Option<Value> {
    match (a, b) {
        (Some(a), Some(b)) => Some(builder.ins().bor(a, b)),
        (one, other) => one.or(other),
    }
}
