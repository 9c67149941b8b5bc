//! Bytes of vectors moved about. The host's byte 0 is the least significant one, the guest's the most significant.

use super::elements::{BYTES, splat, taken_as};
use cranelift_codegen::ir::immediates::Uimm8;
use cranelift_codegen::ir::{ConstantData, InstBuilder, Value, types};
use cranelift_frontend::FunctionBuilder;
use socscope_memory::Width;

/// Bytes of `a` and `b`, chosen for each place; the guest's numbers of bytes.
pub(super) fn arranged(
    builder: &mut FunctionBuilder,
    a: Value,
    b: Value,
    from: impl Fn(u32) -> u32,
) -> Value {
    let mask: Vec<u8> = (0..16)
        .map(|lane| {
            let from = from(15 - lane);
            (16 * (from / 16) + 15 - from % 16) as u8
        })
        .collect();
    let mask = ConstantData::from(&mask[..]);
    let mask = builder.func.dfg.immediates.push(mask);
    builder.ins().shuffle(a, b, mask)
}

pub(super) fn merged(
    builder: &mut FunctionBuilder,
    width: Width,
    a: Value,
    b: Value,
    first: u32,
) -> Value {
    let bytes = width.bytes();
    arranged(builder, a, b, |place| {
        let element = place / bytes;
        16 * (element % 2) + first + element / 2 * bytes + place % bytes
    })
}

/// A number above 15 chooses nothing of a register, so each of both gives what the other one does not.
pub(super) fn permuted(builder: &mut FunctionBuilder, a: Value, b: Value, c: Value) -> Value {
    let last = splat(builder, Width::Byte, 31);
    let number = builder.ins().band(c, last);
    let fifteen = splat(builder, Width::Byte, 15);
    let of_a = builder.ins().bxor(number, fifteen);
    let of_b = builder.ins().bxor(number, last);
    let of_a = builder.ins().swizzle(a, of_a);
    let of_b = builder.ins().swizzle(b, of_b);
    builder.ins().bor(of_a, of_b)
}

/// The number of bits that both shifts of all bits take from `b`, and 63 less that.
fn amounts(builder: &mut FunctionBuilder, b: Value) -> (Value, Value) {
    let low = builder.ins().extractlane(b, 0 as Uimm8);
    let amount = builder.ins().band_imm_u(low, 7);
    let rest = builder.ins().bxor_imm_u(amount, 63);
    (amount, rest)
}

pub(super) fn shifted_left(builder: &mut FunctionBuilder, a: Value, b: Value) -> Value {
    let (amount, rest) = amounts(builder, b);
    let halves = taken_as(builder, types::I64X2, a);
    let shifted = builder.ins().ishl(halves, amount);
    let carried = builder.ins().ushr_imm_u(halves, 1);
    let carried = builder.ins().ushr(carried, rest);
    between_halves(builder, shifted, carried, |place| place + 8)
}

pub(super) fn shifted_right(builder: &mut FunctionBuilder, a: Value, b: Value) -> Value {
    let (amount, rest) = amounts(builder, b);
    let halves = taken_as(builder, types::I64X2, a);
    let shifted = builder.ins().ushr(halves, amount);
    let carried = builder.ins().ishl_imm_u(halves, 1);
    let carried = builder.ins().ishl(carried, rest);
    // Zeros come first.
    between_halves(builder, shifted, carried, |place| match place {
        0..8 => 16,
        _ => place - 8,
    })
}

/// Halves together with what was carried from the other one, whose bytes come from where `from` says; zeros are bytes 16 and more.
fn between_halves(
    builder: &mut FunctionBuilder,
    shifted: Value,
    carried: Value,
    from: impl Fn(u32) -> u32,
) -> Value {
    let zero = splat(builder, Width::Byte, 0);
    let carried = taken_as(builder, BYTES, carried);
    let carried = arranged(builder, carried, zero, from);
    let shifted = taken_as(builder, BYTES, shifted);
    builder.ins().bor(shifted, carried)
}

/// By the number of bytes in bits 6 to 3 of `b`; what would come from outside is zero.
pub(super) fn moved_by_octets(
    builder: &mut FunctionBuilder,
    a: Value,
    b: Value,
    left: bool,
) -> Value {
    let low = builder.ins().extractlane(b, 0 as Uimm8);
    let octets = builder.ins().ushr_imm_u(low, 3);
    let octets = builder.ins().band_imm_u(octets, 15);
    let octets = builder.ins().splat(BYTES, octets);
    let own: Vec<u8> = (0..16).collect();
    let own = builder
        .func
        .dfg
        .constants
        .insert(ConstantData::from(&own[..]));
    let own = builder.ins().vconst(BYTES, own);
    let from = match left {
        true => builder.ins().isub(own, octets),
        false => builder.ins().iadd(own, octets),
    };
    builder.ins().swizzle(a, from)
}
