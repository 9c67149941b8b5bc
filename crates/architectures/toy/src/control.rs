//! Branches, calls, exceptions, special registers.

use crate::arithmetic::difference;
use crate::exception::TRAP;
use crate::signed;
use crate::slot::{LINK, SAVED_ADDRESS, SAVED_STATUS, STATUS};
use socscope_isa::PlainSemantics;

encodings! {
    "MOVE (from special)", "1010 0000 dddd zz ss", Data, "move d, s", from_special(; d, s);
    "MOVE (to special)", "1010 0001 dddd zz ss", Data, "move s, d", to_special(; d, s);
    "JUMP", "1010 0010 aaaa zzzz", Branch, "jump a", jump(; a);
    "CALL (register)", "1010 0011 aaaa zzzz", Branch, "call a", call_register(; a);
    "TRAP", "1010 0100 iiiiiiii", Exception, "trap #i", trap(; );
    "RETURN", "1010 0101 zzzzzzzz", Branch, "return", return_from(; );
    "WAIT", "1010 0110 zzzzzzzz", Data, "wait", wait(; );
    "MARK", "1010 0111 iiiiiiii", Data, "mark #i", mark(; i);
    "BRANCH", "1011 iiiiiiiiiiii", Branch, "branch i", branch(12; i);
    "BRANCH (equal)", "1101 0000 aaaa bbbb iiiiiiiiiiiiiiii", Branch, "branch a == b, i", branch_equal(true; a, b, i);
    "BRANCH (not equal)", "1101 0001 aaaa bbbb iiiiiiiiiiiiiiii", Branch, "branch a != b, i", branch_equal(false; a, b, i);
    "BRANCH (less)", "1101 0010 aaaa bbbb iiiiiiiiiiiiiiii", Branch, "branch a < b, i", branch_less(true; a, b, i);
    "BRANCH (not less)", "1101 0011 aaaa bbbb iiiiiiiiiiiiiiii", Branch, "branch a >= b, i", branch_less(false; a, b, i);
    "CALL", "1110 iiiiiiiiiiiiiiiiiiiiiiiiiiii", Branch, "call i", call(; i);
    "BRANCH (far)", "1111 iiiiiiiiiiiiiiiiiiiiiiiiiiii", Branch, "branch i", branch(28; i);
}

#[inline(always)]
fn from_special<S: PlainSemantics>(s: &mut S, d: u32, special: u32) {
    let value = s.slot(STATUS + special);
    s.set_slot(d, value);
}

#[inline(always)]
fn to_special<S: PlainSemantics>(s: &mut S, d: u32, special: u32) {
    let value = s.slot(d);
    s.set_slot(STATUS + special, value);
}

#[inline(always)]
fn jump<S: PlainSemantics>(s: &mut S, a: u32) {
    let target = s.slot(a);
    s.branch(target);
}

#[inline(always)]
fn link<S: PlainSemantics>(s: &mut S, length: u32) {
    let back = s.word(s.address().wrapping_add(length));
    s.set_slot(LINK, back);
}

#[inline(always)]
fn call_register<S: PlainSemantics>(s: &mut S, a: u32) {
    let target = s.slot(a);
    link(s, 2);
    s.branch(target);
}

#[inline(always)]
fn call<S: PlainSemantics>(s: &mut S, i: u32) {
    link(s, 4);
    branch(s, 28, i);
}

/// Distances are in half-words from the instruction.
#[inline(always)]
fn branch<S: PlainSemantics>(s: &mut S, bits: u32, i: u32) {
    let distance = signed(i, bits).wrapping_mul(2);
    let target = s.word(s.address().wrapping_add(distance));
    s.branch(target);
}

#[inline(always)]
fn branch_equal<S: PlainSemantics>(s: &mut S, wanted: bool, a: u32, b: u32, i: u32) {
    let (a, b) = (s.slot(a), s.slot(b));
    let apart = s.xor(a, b);
    let equal = s.is_zero(apart);
    let holds = if wanted { equal } else { s.flag_not(equal) };
    s.when(holds, |s| branch(s, 16, i));
}

#[inline(always)]
fn branch_less<S: PlainSemantics>(s: &mut S, wanted: bool, a: u32, b: u32, i: u32) {
    let (a, b) = (s.slot(a), s.slot(b));
    let (_, at_least) = difference(s, a, b);
    let holds = if wanted {
        s.flag_not(at_least)
    } else {
        at_least
    };
    s.when(holds, |s| branch(s, 16, i));
}

#[inline(always)]
fn trap<S: PlainSemantics>(s: &mut S) {
    s.exception(TRAP);
}

#[inline(always)]
fn return_from<S: PlainSemantics>(s: &mut S) {
    let (target, status) = (s.slot(SAVED_ADDRESS), s.slot(SAVED_STATUS));
    s.set_slot(STATUS, status);
    s.return_to(target);
}

#[inline(always)]
fn wait<S: PlainSemantics>(s: &mut S) {
    s.wait();
}

#[inline(always)]
fn mark<S: PlainSemantics>(s: &mut S, i: u32) {
    s.mark(i);
}
