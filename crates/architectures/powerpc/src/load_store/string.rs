//! Strings (manual: "Integer load and store string instructions"): four bytes a register, from the most significant; behind the last
//! byte a loaded register is zero. After register 31 comes register 0. A load into a register of its address is an invalid form: illegal.

use super::illegal;
use crate::PowerPcSemantics;
use crate::cache::indexed;
use crate::condition::at_least;
use crate::integer::arithmetic::base;
use socscope_memory::Width;

encodings! {
    "lswi", "011111 ddddd aaaaa nnnnn 1001010101 z", LoadMultiple, "lswi rD, rA, n", load_immediate(; d, a, n);
    "lswx", "011111 ddddd aaaaa bbbbb 1000010101 z", LoadMultiple, "lswx rD, rA, rB", load_indexed(; d, a, b);
    "stswi", "011111 sssss aaaaa nnnnn 1011010101 z", StoreMultiple, "stswi rS, rA, n", store_immediate(; s, a, n);
    "stswx", "011111 sssss aaaaa bbbbb 1010010101 z", StoreMultiple, "stswx rS, rA, rB", store_indexed(; s, a, b);
}

/// Whether `register` is one of those that `bytes` from `first` on fill.
const fn is_filled(register: u32, first: u32, bytes: u32) -> bool {
    (register.wrapping_sub(first) & 31) < bytes.div_ceil(4)
}

/// n = 0 stands for 32.
const fn immediate_bytes(n: u32) -> u32 {
    if n == 0 { 32 } else { n }
}

fn load_immediate<S: PowerPcSemantics>(s: &mut S, d: u32, a: u32, n: u32) {
    let bytes = immediate_bytes(n);
    if is_filled(a, d, bytes) {
        return illegal(s);
    }
    let address = base(s, a);
    for index in 0..bytes.div_ceil(4) {
        load_register(
            s,
            (d + index) & 31,
            address,
            4 * index,
            (bytes - 4 * index).min(4),
        );
    }
}

fn store_immediate<S: PowerPcSemantics>(s: &mut S, from: u32, a: u32, n: u32) {
    let bytes = immediate_bytes(n);
    let address = base(s, a);
    for index in 0..bytes.div_ceil(4) {
        store_register(
            s,
            (from + index) & 31,
            address,
            4 * index,
            (bytes - 4 * index).min(4),
        );
    }
}

/// Up to 32 registers, of which XER's count says how many; `part` is called for each with its bytes.
fn counted<S: PowerPcSemantics>(s: &mut S, part: impl Fn(&mut S, u32, u32)) {
    let count = s.string_bytes();
    for index in 0..32 {
        for bytes in 1..=4 {
            let least = s.word(4 * index + bytes);
            let mut holds = at_least(s, count, least);
            if bytes < 4 {
                let next = s.word(4 * index + bytes + 1);
                let more = at_least(s, count, next);
                let no_more = s.flag_not(more);
                holds = s.flag_and(holds, no_more);
            }
            s.when(holds, |s| part(s, index, bytes));
        }
    }
}

fn load_indexed<S: PowerPcSemantics>(s: &mut S, d: u32, a: u32, b: u32) {
    let count = s.string_bytes();
    let distance = (a.wrapping_sub(d) & 31).min(b.wrapping_sub(d) & 31);
    let hit = s.word(4 * distance + 1);
    let invalid = at_least(s, count, hit);
    let valid = s.flag_not(invalid);
    s.when(invalid, illegal);
    s.when(valid, |s| {
        let address = indexed(s, a, b);
        counted(s, |s, index, bytes| {
            load_register(s, (d + index) & 31, address, 4 * index, bytes)
        });
    });
}

fn store_indexed<S: PowerPcSemantics>(s: &mut S, from: u32, a: u32, b: u32) {
    let address = indexed(s, a, b);
    counted(s, |s, index, bytes| {
        store_register(s, (from + index) & 31, address, 4 * index, bytes)
    });
}

fn at<S: PowerPcSemantics>(s: &mut S, address: S::Word, offset: u32) -> S::Word {
    let offset = s.word(offset);
    s.add(address, offset)
}

/// The pieces in which up to four bytes travel: offset and width.
const fn pieces(bytes: u32) -> &'static [(u32, Width)] {
    match bytes {
        1 => &[(0, Width::Byte)],
        2 => &[(0, Width::Half)],
        3 => &[(0, Width::Half), (2, Width::Byte)],
        _ => &[(0, Width::Word)],
    }
}

fn load_register<S: PowerPcSemantics>(
    s: &mut S,
    register: u32,
    address: S::Word,
    offset: u32,
    bytes: u32,
) {
    let mut word = s.word(0);
    let mut whole = s.flag(true);
    for &(from, width) in pieces(bytes) {
        let address = at(s, address, offset + from);
        let (value, arrived) = s.load(address, width);
        let shift = s.word(32 - 8 * from - width.bits());
        let value = s.shift_left(value, shift);
        word = s.or(word, value);
        whole = s.flag_and(whole, arrived);
    }
    s.when(whole, |s| s.set_register(register, word));
}

fn store_register<S: PowerPcSemantics>(
    s: &mut S,
    register: u32,
    address: S::Word,
    offset: u32,
    bytes: u32,
) {
    let word = s.register(register);
    for &(from, width) in pieces(bytes) {
        let address = at(s, address, offset + from);
        let shift = s.word(32 - 8 * from - width.bits());
        let value = s.shift_right(word, shift);
        s.store(address, width, value);
    }
}
