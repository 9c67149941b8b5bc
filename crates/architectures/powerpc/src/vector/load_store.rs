//! Loads and stores (manual: "Vector load instructions", "Vector store instructions"): addresses are rounded down. A register is four
//! accesses to words. Elements that a load of one does not name stay. Streams (dst) are hints.

use super::vectorial;
use crate::PowerPcSemantics;
use crate::cache::{CacheOperation, indexed};
use socscope_memory::Width;

encodings! {
    "lvx", "011111 ddddd aaaaa bbbbb 0001100111 z", Load, "lvx vD, rA, rB", load(; d, a, b);
    "lvxl", "011111 ddddd aaaaa bbbbb 0101100111 z", Load, "lvxl vD, rA, rB", load(; d, a, b);
    "lvebx", "011111 ddddd aaaaa bbbbb 0000000111 z", Load, "lvebx vD, rA, rB", load_element(Width::Byte; d, a, b);
    "lvehx", "011111 ddddd aaaaa bbbbb 0000100111 z", Load, "lvehx vD, rA, rB", load_element(Width::Half; d, a, b);
    "lvewx", "011111 ddddd aaaaa bbbbb 0001000111 z", Load, "lvewx vD, rA, rB", load_element(Width::Word; d, a, b);
    "stvx", "011111 sssss aaaaa bbbbb 0011100111 z", Store, "stvx vS, rA, rB", store(; s, a, b);
    "stvxl", "011111 sssss aaaaa bbbbb 0111100111 z", Store, "stvxl vS, rA, rB", store(; s, a, b);
    "stvebx", "011111 sssss aaaaa bbbbb 0010000111 z", Store, "stvebx vS, rA, rB", store_element(Width::Byte; s, a, b);
    "stvehx", "011111 sssss aaaaa bbbbb 0010100111 z", Store, "stvehx vS, rA, rB", store_element(Width::Half; s, a, b);
    "stvewx", "011111 sssss aaaaa bbbbb 0011000111 z", Store, "stvewx vS, rA, rB", store_element(Width::Word; s, a, b);
    "lvsl", "011111 ddddd aaaaa bbbbb 0000000110 z", Vector, "lvsl vD, rA, rB", for_shift(false; d, a, b);
    "lvsr", "011111 ddddd aaaaa bbbbb 0000100110 z", Vector, "lvsr vD, rA, rB", for_shift(true; d, a, b);
    "dst", "011111 t zz nn aaaaa bbbbb 0101010110 z", Cache, "dst rA, rB, n", touch(; a, b);
    "dstst", "011111 t zz nn aaaaa bbbbb 0101110110 z", Cache, "dstst rA, rB, n", touch(; a, b);
    "dss", "011111 t zz nn zzzzz zzzzz 1100110110 z", Cache, "dss n", stop(; );
}

/// rA plus rB, rounded down.
fn rounded<S: PowerPcSemantics>(s: &mut S, bytes: u32, a: u32, b: u32) -> S::Word {
    let address = indexed(s, a, b);
    let mask = s.word(!(bytes - 1));
    s.and(address, mask)
}

fn load<S: PowerPcSemantics>(s: &mut S, d: u32, a: u32, b: u32) {
    vectorial(s, |s| {
        let address = rounded(s, 16, a, b);
        let mut whole = s.flag(true);
        let words = [0, 4, 8, 12].map(|offset| {
            let offset = s.word(offset);
            let at = s.add(address, offset);
            let (word, arrived) = s.load(at, Width::Word);
            whole = s.flag_and(whole, arrived);
            word
        });
        let value = s.vector(words);
        s.when(whole, |s| s.set_vector_register(d, value));
    });
}

fn store<S: PowerPcSemantics>(s: &mut S, from: u32, a: u32, b: u32) {
    vectorial(s, |s| {
        let address = rounded(s, 16, a, b);
        let value = s.vector_register(from);
        let words = s.vector_words(value);
        for (index, word) in words.into_iter().enumerate() {
            let offset = s.word(4 * index as u32);
            let at = s.add(address, offset);
            s.store(at, Width::Word, word);
        }
    });
}

/// Whether the address lies in word `index` of its register.
fn is_in_word<S: PowerPcSemantics>(s: &mut S, address: S::Word, index: u32) -> S::Flag {
    let (twelve, place) = (s.word(12), s.word(4 * index));
    let offset = s.and(address, twelve);
    let difference = s.xor(offset, place);
    s.is_zero(difference)
}

/// By how much an element is shifted left in its word.
fn place<S: PowerPcSemantics>(s: &mut S, address: S::Word, width: Width) -> S::Word {
    let last = s.word(4 - width.bytes());
    let offset = s.and(address, last);
    let from_below = s.xor(offset, last);
    let three = s.word(3);
    s.shift_left(from_below, three)
}

fn load_element<S: PowerPcSemantics>(s: &mut S, width: Width, d: u32, a: u32, b: u32) {
    vectorial(s, |s| {
        let address = rounded(s, width.bytes(), a, b);
        let (element, arrived) = s.load(address, width);
        let place = place(s, address, width);
        let element = s.shift_left(element, place);
        let ones = s.word(u32::MAX >> (32 - width.bits()));
        let ones = s.shift_left(ones, place);
        let kept = s.not(ones);
        let before = s.vector_register(d);
        let mut words = s.vector_words(before);
        for (index, word) in words.iter_mut().enumerate() {
            let here = is_in_word(s, address, index as u32);
            let rest = s.and(*word, kept);
            let inserted = s.or(rest, element);
            *word = s.select(here, inserted, *word);
        }
        let value = s.vector(words);
        s.when(arrived, |s| s.set_vector_register(d, value));
    });
}

fn store_element<S: PowerPcSemantics>(s: &mut S, width: Width, from: u32, a: u32, b: u32) {
    vectorial(s, |s| {
        let address = rounded(s, width.bytes(), a, b);
        let value = s.vector_register(from);
        let mut chosen = s.word(0);
        for (index, word) in s.vector_words(value).into_iter().enumerate() {
            let here = is_in_word(s, address, index as u32);
            chosen = s.select(here, word, chosen);
        }
        let place = place(s, address, width);
        let element = s.shift_right(chosen, place);
        s.store(address, width, element);
    });
}

/// What permutes two registers to bytes from an address on that is not aligned: 0, 1, 2 ... from the offset on, or from 16 less it.
fn for_shift<S: PowerPcSemantics>(s: &mut S, right: bool, d: u32, a: u32, b: u32) {
    vectorial(s, |s| {
        let address = indexed(s, a, b);
        let fifteen = s.word(15);
        let offset = s.and(address, fifteen);
        let each = s.word(if right { 0xfefe_feff } else { 0x0101_0101 });
        let step = s.multiply(offset, each);
        let words = [0, 1, 2, 3].map(|index| {
            let first = 0x0001_0203 + 0x0404_0404 * index + if right { 0x1010_1010 } else { 0 };
            let first = s.word(first);
            s.add(first, step)
        });
        let value = s.vector(words);
        s.set_vector_register(d, value);
    });
}

fn touch<S: PowerPcSemantics>(s: &mut S, a: u32, b: u32) {
    vectorial_hint(s, |s| {
        let address = indexed(s, a, b);
        s.cache(CacheOperation::Touch, address);
    });
}

fn stop<S: PowerPcSemantics>(s: &mut S) {
    vectorial_hint(s, |_| {});
}

/// Streams exist wherever AltiVec does, whether it is available or not.
fn vectorial_hint<S: PowerPcSemantics>(s: &mut S, body: impl FnOnce(&mut S)) {
    if s.model().has_vectors() {
        body(s);
    } else {
        crate::load_store::illegal(s);
    }
}
