//! Loads and stores of two words, of version 5TE (manual: "Addressing mode 3"). The first register is an even one.

use super::load_store::{Addressing, addressed, update_base};
use super::{Alignment, ArmSemantics, read, read_stored, write_loaded};
use socscope_memory::Width;

encodings! {
    since V5TEJ;
    "LDRD immediate", "cccc 000 p u 1 w 0 nnnn eee0 iiii 1101 iiii", LoadMultiple, "LDR{c}D Rd, [Rn, #+/-i]",
        immediate(false; p, u, w, n, e, i);
    "LDRD register", "cccc 000 p u 0 w 0 nnnn eee0 zzzz 1101 mmmm", LoadMultiple, "LDR{c}D Rd, [Rn, +/-Rm]",
        register(false; p, u, w, n, e, m);
    "STRD immediate", "cccc 000 p u 1 w 0 nnnn eee0 iiii 1111 iiii", StoreMultiple, "STR{c}D Rd, [Rn, #+/-i]",
        immediate(true; p, u, w, n, e, i);
    "STRD register", "cccc 000 p u 0 w 0 nnnn eee0 zzzz 1111 mmmm", StoreMultiple, "STR{c}D Rd, [Rn, +/-Rm]",
        register(true; p, u, w, n, e, m);
}

#[inline(always)]
fn immediate<S: ArmSemantics>(
    s: &mut S,
    stores: bool,
    pre: u32,
    up: u32,
    write_back: u32,
    n: u32,
    pair: u32,
    offset: u32,
) {
    let offset = s.word(offset);
    transfer(
        s,
        stores,
        Addressing::new(pre, up, write_back),
        n,
        pair,
        offset,
    );
}

#[inline(always)]
fn register<S: ArmSemantics>(
    s: &mut S,
    stores: bool,
    pre: u32,
    up: u32,
    write_back: u32,
    n: u32,
    pair: u32,
    m: u32,
) {
    let offset = read(s, m);
    transfer(
        s,
        stores,
        Addressing::new(pre, up, write_back),
        n,
        pair,
        offset,
    );
}

#[inline(always)]
fn transfer<S: ArmSemantics>(
    s: &mut S,
    stores: bool,
    addressing: Addressing,
    n: u32,
    pair: u32,
    offset: S::Word,
) {
    let (address, update) = addressed(s, addressing, n, offset);
    let aligned = s.is_aligned(address, Alignment::Pair);
    s.when(aligned, |s| {
        let registers = [2 * pair, 2 * pair + 1];
        if stores {
            let good = store_pair(s, address, registers);
            update_base(s, update, good);
        } else {
            load_pair(s, address, registers, update);
        }
    });
}

/// Both registers are written, and the base if it is, when both words have arrived.
#[inline(always)]
pub(super) fn load_pair<S: ArmSemantics>(
    s: &mut S,
    address: S::Word,
    registers: [u32; 2],
    update: Option<(u32, S::Word)>,
) {
    let four = s.word(4);
    let second = s.add(address, four);
    let (low, first_arrived) = s.load(address, Width::Word);
    let (high, second_arrived) = s.load(second, Width::Word);
    let good = s.flag_and(first_arrived, second_arrived);
    update_base(s, update, good);
    s.when(good, |s| {
        write_loaded(s, registers[0], low);
        write_loaded(s, registers[1], high);
    });
}

#[inline(always)]
pub(super) fn store_pair<S: ArmSemantics>(
    s: &mut S,
    address: S::Word,
    registers: [u32; 2],
) -> S::Flag {
    let four = s.word(4);
    let second = s.add(address, four);
    let (low, high) = (read_stored(s, registers[0]), read_stored(s, registers[1]));
    let first_accepted = s.store(address, Width::Word, low);
    let second_accepted = s.store(second, Width::Word, high);
    s.flag_and(first_accepted, second_accepted)
}
