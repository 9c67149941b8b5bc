//! The status and control register (manual: "Floating-point status and control register instructions").

use super::{floating, record, status};
use crate::{PowerPcSemantics, condition};

encodings! {
    "mffs", "111111 ddddd zzzzz zzzzz 1001000111 r", Float, "mffs{.} fD", move_from(; d, r);
    "mcrfs", "111111 fff zz sss zz zzzzz 0001000000 z", Float, "mcrfs crfD, crfS", move_to_condition(; f, s);
    "mtfsf", "111111 z mmmmmmmm z bbbbb 1011000111 r", Float, "mtfsf{.} m, fB", move_to_fields(; m, b, r);
    "mtfsfi", "111111 fff zz zzzzz iiii z 0010000110 r", Float, "mtfsfi{.} crfD, i", move_immediate(; f, i, r);
    "mtfsb0", "111111 ddddd zzzzz zzzzz 0001000110 r", Float, "mtfsb0{.} crbD", clear_bit(; d, r);
    "mtfsb1", "111111 ddddd zzzzz zzzzz 0000100110 r", Float, "mtfsb1{.} crbD", set_bit(; d, r);
}

/// VX and FEX follow from the other bits.
const DERIVED: u32 = status::INVALID | status::ENABLED_EXCEPTION;

/// The upper half of the register is that of converted integers.
fn move_from<S: PowerPcSemantics>(s: &mut S, d: u32, rc: u32) {
    floating(s, |s| {
        let (high, low) = (s.word(0xfff8_0000), s.float_status());
        let value = s.double(high, low);
        s.set_float_register(d, value);
        record(s, rc);
    });
}

/// The exception bits of the field are cleared.
fn move_to_condition<S: PowerPcSemantics>(s: &mut S, to: u32, from: u32) {
    floating(s, |s| {
        let before = s.float_status();
        let shift = s.word(28 - 4 * from);
        let bits = s.shift_right(before, shift);
        condition::set_field_bits(s, to, bits);
        let cleared = (status::EXCEPTION | status::STICKY) & 0xf000_0000 >> (4 * from);
        change(s, before, cleared, 0);
    });
}

/// Clears some bits, then sets others.
fn change<S: PowerPcSemantics>(s: &mut S, before: S::Word, clear: u32, set: u32) {
    let kept = s.word(!clear);
    let set = s.word(set);
    let after = s.and(before, kept);
    let after = s.or(after, set);
    s.set_float_status(after);
}

fn move_to_fields<S: PowerPcSemantics>(s: &mut S, fields: u32, b: u32, rc: u32) {
    let mask = (0..8)
        .filter(|field| fields >> (7 - field) & 1 != 0)
        .fold(0, |mask, field| mask | 0xf000_0000 >> (4 * field));
    floating(s, |s| {
        let value = s.float_register(b);
        let (_, low) = s.double_words(value);
        let (written, kept) = (s.word(mask), s.word(!mask));
        let before = s.float_status();
        let kept = s.and(before, kept);
        let written = s.and(low, written);
        let after = s.or(kept, written);
        s.set_float_status(after);
        record(s, rc);
    });
}

fn move_immediate<S: PowerPcSemantics>(s: &mut S, field: u32, immediate: u32, rc: u32) {
    floating(s, |s| {
        let before = s.float_status();
        let shift = 28 - 4 * field;
        change(s, before, 0xf << shift, immediate << shift);
        record(s, rc);
    });
}

fn clear_bit<S: PowerPcSemantics>(s: &mut S, bit: u32, rc: u32) {
    floating(s, |s| {
        let before = s.float_status();
        change(s, before, 0x8000_0000 >> bit & !DERIVED, 0);
        record(s, rc);
    });
}

/// An exception bit that becomes one sets FX as well.
fn set_bit<S: PowerPcSemantics>(s: &mut S, bit: u32, rc: u32) {
    floating(s, |s| {
        let set = 0x8000_0000 >> bit & !DERIVED;
        let before = s.float_status();
        let was_set = s.bit(before, 31 - bit);
        let new = s.flag_not(was_set);
        let exception = if set & status::STICKY != 0 {
            status::EXCEPTION
        } else {
            0
        };
        let (with, without) = (s.word(set | exception), s.word(set));
        let set = s.select(new, with, without);
        let after = s.or(before, set);
        s.set_float_status(after);
        record(s, rc);
    });
}
