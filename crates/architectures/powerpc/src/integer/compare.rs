//! Comparisons (manual: "Integer compare instructions"). L = 1, which compares 64 bits elsewhere, is ignored.

use super::signed;
use crate::{PowerPcSemantics, condition};

encodings! {
    "cmpi", "001011 fff z z aaaaa iiiiiiiiiiiiiiii", Integer, "cmpwi crfD, rA, i", compare_immediate(true; f, a, i);
    "cmpli", "001010 fff z z aaaaa iiiiiiiiiiiiiiii", Integer, "cmplwi crfD, rA, i", compare_immediate(false; f, a, i);
    "cmp", "011111 fff z z aaaaa bbbbb 0000000000 z", Integer, "cmpw crfD, rA, rB", compare(true; f, a, b);
    "cmpl", "011111 fff z z aaaaa bbbbb 0000100000 z", Integer, "cmplw crfD, rA, rB", compare(false; f, a, b);
}

#[inline(always)]
fn compare_immediate<S: PowerPcSemantics>(
    s: &mut S,
    is_signed: bool,
    field: u32,
    a: u32,
    immediate: u32,
) {
    let second = s.word(if is_signed {
        signed(immediate)
    } else {
        immediate
    });
    let first = s.register(a);
    compare_values(s, is_signed, field, first, second);
}

#[inline(always)]
fn compare<S: PowerPcSemantics>(s: &mut S, is_signed: bool, field: u32, a: u32, b: u32) {
    let (first, second) = (s.register(a), s.register(b));
    compare_values(s, is_signed, field, first, second);
}

#[inline(always)]
fn compare_values<S: PowerPcSemantics>(
    s: &mut S,
    is_signed: bool,
    field: u32,
    first: S::Word,
    second: S::Word,
) {
    let less = if is_signed {
        condition::less_signed(s, first, second)
    } else {
        let at_least = condition::at_least(s, first, second);
        s.flag_not(at_least)
    };
    let difference = s.xor(first, second);
    let equal = s.is_zero(difference);
    condition::set_field(s, field, less, equal);
}
