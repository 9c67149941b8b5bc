//! Loads and stores: addresses are rounded down to the width, what is loaded has no sign.

use crate::signed;
use socscope_isa::PlainSemantics;
use socscope_memory::Width;

encodings! {
    "LOAD", "1100 0000 dddd aaaa iiiiiiiiiiiiiiii", Load, "load d, [a, #i]", load(Width::Word; d, a, i);
    "LOAD (half)", "1100 0001 dddd aaaa iiiiiiiiiiiiiiii", Load, "load.h d, [a, #i]", load(Width::Half; d, a, i);
    "LOAD (byte)", "1100 0010 dddd aaaa iiiiiiiiiiiiiiii", Load, "load.b d, [a, #i]", load(Width::Byte; d, a, i);
    "STORE", "1100 0011 dddd aaaa iiiiiiiiiiiiiiii", Store, "store d, [a, #i]", store(Width::Word; d, a, i);
    "STORE (half)", "1100 0100 dddd aaaa iiiiiiiiiiiiiiii", Store, "store.h d, [a, #i]", store(Width::Half; d, a, i);
    "STORE (byte)", "1100 0101 dddd aaaa iiiiiiiiiiiiiiii", Store, "store.b d, [a, #i]", store(Width::Byte; d, a, i);
}

#[inline(always)]
fn place<S: PlainSemantics>(s: &mut S, a: u32, i: u32) -> S::Word {
    let (a, i) = (s.slot(a), s.word(signed(i, 16)));
    s.add(a, i)
}

#[inline(always)]
fn load<S: PlainSemantics>(s: &mut S, width: Width, d: u32, a: u32, i: u32) {
    let address = place(s, a, i);
    let (value, arrived) = s.load(address, width);
    s.when(arrived, |s| s.set_slot(d, value));
}

#[inline(always)]
fn store<S: PlainSemantics>(s: &mut S, width: Width, d: u32, a: u32, i: u32) {
    let address = place(s, a, i);
    let value = s.slot(d);
    s.store(address, width, value);
}
