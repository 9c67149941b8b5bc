//! Arithmetic and logic.

use crate::signed;
use socscope_isa::{PlainSemantics, Values};

encodings! {
    "ADD", "0000 dddd aaaa bbbb", Data, "add d, a, b", registers(S::add; d, a, b);
    "SUB", "0001 dddd aaaa bbbb", Data, "sub d, a, b", registers(subtract; d, a, b);
    "AND", "0010 dddd aaaa bbbb", Data, "and d, a, b", registers(S::and; d, a, b);
    "OR", "0011 dddd aaaa bbbb", Data, "or d, a, b", registers(S::or; d, a, b);
    "XOR", "0100 dddd aaaa bbbb", Data, "xor d, a, b", registers(S::xor; d, a, b);
    "SHL", "0101 dddd aaaa bbbb", Data, "shl d, a, b", registers(S::shift_left; d, a, b);
    "SHR", "0110 dddd aaaa bbbb", Data, "shr d, a, b", registers(S::shift_right; d, a, b);
    "SET", "1000 dddd iiiiiiii", Data, "set d, #i", set(; d, i);
    "ADD (short)", "1001 dddd iiiiiiii", Data, "add d, d, #i", add(8; d, d, i);
    "ADD (number)", "1100 0110 dddd aaaa iiiiiiiiiiiiiiii", Data, "add d, a, #i", add(16; d, a, i);
    "AND (number)", "1100 1000 dddd aaaa iiiiiiiiiiiiiiii", Data, "and d, a, #i", number(S::and; d, a, i);
    "OR (number)", "1100 1001 dddd aaaa iiiiiiiiiiiiiiii", Data, "or d, a, #i", number(S::or; d, a, i);
    "XOR (number)", "1100 1010 dddd aaaa iiiiiiiiiiiiiiii", Data, "xor d, a, #i", number(S::xor; d, a, i);
    "SHL (number)", "1100 1011 dddd aaaa iiiiiiiiiiiiiiii", Data, "shl d, a, #i", number(S::shift_left; d, a, i);
    "SHR (number)", "1100 1100 dddd aaaa iiiiiiiiiiiiiiii", Data, "shr d, a, #i", number(S::shift_right; d, a, i);
}

type Word<S> = <S as Values>::Word;
type Compute<S> = fn(&mut S, Word<S>, Word<S>) -> Word<S>;

#[inline(always)]
fn set<S: PlainSemantics>(s: &mut S, d: u32, i: u32) {
    let value = s.word(signed(i, 8));
    s.set_slot(d, value);
}

#[inline(always)]
fn registers<S: PlainSemantics>(s: &mut S, compute: Compute<S>, d: u32, a: u32, b: u32) {
    let (a, b) = (s.slot(a), s.slot(b));
    let result = compute(s, a, b);
    s.set_slot(d, result);
}

#[inline(always)]
fn number<S: PlainSemantics>(s: &mut S, compute: Compute<S>, d: u32, a: u32, i: u32) {
    let (a, i) = (s.slot(a), s.word(i));
    let result = compute(s, a, i);
    s.set_slot(d, result);
}

#[inline(always)]
fn add<S: PlainSemantics>(s: &mut S, bits: u32, d: u32, a: u32, i: u32) {
    number(s, S::add, d, a, signed(i, bits));
}

#[inline(always)]
fn subtract<S: PlainSemantics>(s: &mut S, a: S::Word, b: S::Word) -> S::Word {
    difference(s, a, b).0
}

/// The difference, and whether `a` is at least `b` without signs.
#[inline(always)]
pub fn difference<S: PlainSemantics>(s: &mut S, a: S::Word, b: S::Word) -> (S::Word, S::Flag) {
    let (b, carry) = (s.not(b), s.flag(true));
    let (result, at_least, _) = s.add_with_carry(a, b, carry);
    (result, at_least)
}
