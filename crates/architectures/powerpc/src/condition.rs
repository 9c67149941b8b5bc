//! The condition register: its fields, and instructions on it (manual: "Condition register logical instructions").

use super::PowerPcSemantics;

encodings! {
    "crand", "010011 ddddd aaaaa bbbbb 0100000001 z", ConditionRegister, "crand crbD, crbA, crbB", logic(Operation::And, false, false; d, a, b);
    "cror", "010011 ddddd aaaaa bbbbb 0111000001 z", ConditionRegister, "cror crbD, crbA, crbB", logic(Operation::Or, false, false; d, a, b);
    "crxor", "010011 ddddd aaaaa bbbbb 0011000001 z", ConditionRegister, "crxor crbD, crbA, crbB", logic(Operation::Xor, false, false; d, a, b);
    "crnand", "010011 ddddd aaaaa bbbbb 0011100001 z", ConditionRegister, "crnand crbD, crbA, crbB", logic(Operation::And, false, true; d, a, b);
    "crnor", "010011 ddddd aaaaa bbbbb 0000100001 z", ConditionRegister, "crnor crbD, crbA, crbB", logic(Operation::Or, false, true; d, a, b);
    "creqv", "010011 ddddd aaaaa bbbbb 0100100001 z", ConditionRegister, "creqv crbD, crbA, crbB", logic(Operation::Xor, false, true; d, a, b);
    "crandc", "010011 ddddd aaaaa bbbbb 0010000001 z", ConditionRegister, "crandc crbD, crbA, crbB", logic(Operation::And, true, false; d, a, b);
    "crorc", "010011 ddddd aaaaa bbbbb 0110100001 z", ConditionRegister, "crorc crbD, crbA, crbB", logic(Operation::Or, true, false; d, a, b);
    "mcrf", "010011 fff zz sss zz zzzzz 0000000000 z", ConditionRegister, "mcrf crfD, crfS", move_field(; f, s);
    "mcrxr", "011111 fff zz zzzzz zzzzz 1000000000 z", ConditionRegister, "mcrxr crfD", move_from_xer(; f);
    "mfcr", "011111 ddddd z zzzz zzzz z 0000010011 z", ConditionRegister, "mfcr rD", move_from(; d);
    "mtcrf", "011111 sssss z mmmmmmmm z 0010010000 z", ConditionRegister, "mtcrf m, rS", move_to_fields(; s, m);
}

#[derive(Clone, Copy)]
enum Operation {
    And,
    Or,
    Xor,
}

/// Whether `a >= b`, unsigned.
#[inline(always)]
pub(super) fn at_least<S: PowerPcSemantics>(s: &mut S, a: S::Word, b: S::Word) -> S::Flag {
    let complement = s.not(b);
    let one = s.flag(true);
    s.add_with_carry(a, complement, one).1
}

/// Whether `a < b`, signed.
#[inline(always)]
pub(super) fn less_signed<S: PowerPcSemantics>(s: &mut S, a: S::Word, b: S::Word) -> S::Flag {
    let complement = s.not(b);
    let one = s.flag(true);
    let (difference, _, overflow) = s.add_with_carry(a, complement, one);
    let negative = s.bit(difference, 31);
    s.flag_xor(negative, overflow)
}

/// Writes a field: LT, GT, EQ, and SO from XER.
#[inline(always)]
pub(super) fn set_field<S: PowerPcSemantics>(s: &mut S, field: u32, less: S::Flag, equal: S::Flag) {
    let either = s.flag_or(less, equal);
    let greater = s.flag_not(either);
    let summary = s.summary_overflow();
    s.set_condition(4 * field, less);
    s.set_condition(4 * field + 1, greater);
    s.set_condition(4 * field + 2, equal);
    s.set_condition(4 * field + 3, summary);
}

/// Writes a field from the bits 3 to 0 of a word.
#[inline(always)]
pub(super) fn set_field_bits<S: PowerPcSemantics>(s: &mut S, field: u32, bits: S::Word) {
    for index in 0..4 {
        let bit = s.bit(bits, 3 - index);
        s.set_condition(4 * field + index, bit);
    }
}

#[inline(always)]
fn logic<S: PowerPcSemantics>(
    s: &mut S,
    operation: Operation,
    invert_second: bool,
    invert: bool,
    d: u32,
    a: u32,
    b: u32,
) {
    let first = s.condition(a);
    let mut second = s.condition(b);
    if invert_second {
        second = s.flag_not(second);
    }
    let mut result = match operation {
        Operation::And => s.flag_and(first, second),
        Operation::Or => s.flag_or(first, second),
        Operation::Xor => s.flag_xor(first, second),
    };
    if invert {
        result = s.flag_not(result);
    }
    s.set_condition(d, result);
}

#[inline(always)]
fn move_field<S: PowerPcSemantics>(s: &mut S, to: u32, from: u32) {
    for index in 0..4 {
        let bit = s.condition(4 * from + index);
        s.set_condition(4 * to + index, bit);
    }
}

/// SO, OV and CA into a field; then they are clear.
#[inline(always)]
fn move_from_xer<S: PowerPcSemantics>(s: &mut S, field: u32) {
    let bits = [s.summary_overflow(), s.overflow(), s.carry(), s.flag(false)];
    for (index, bit) in bits.into_iter().enumerate() {
        s.set_condition(4 * field + index as u32, bit);
    }
    let clear = s.flag(false);
    s.set_summary_overflow(clear);
    s.set_overflow(clear);
    s.set_carry(clear);
}

#[inline(always)]
fn move_from<S: PowerPcSemantics>(s: &mut S, d: u32) {
    let value = s.condition_register();
    s.set_register(d, value);
}

#[inline(always)]
fn move_to_fields<S: PowerPcSemantics>(s: &mut S, from: u32, fields: u32) {
    let value = s.register(from);
    for field in (0..8).filter(|field| fields >> (7 - field) & 1 != 0) {
        for index in 4 * field..4 * field + 4 {
            let bit = s.bit(value, 31 - index);
            s.set_condition(index, bit);
        }
    }
}
