//! Exclusive loads and stores of other widths, of version 6K. The first register of a pair is an even one.

use super::exclusive::{load, store, store_if_marked, when_aligned};
use super::load_store_pair::store_pair;
use super::{ArmSemantics, read, write};
use socscope_memory::Width;

encodings! {
    since V6K;
    "LDREXB", "cccc 00011101 nnnn dddd oooo 1001 oooo", Load, "LDREXB{c} Rd, [Rn]", load(Width::Byte; n, d);
    "LDREXH", "cccc 00011111 nnnn dddd oooo 1001 oooo", Load, "LDREXH{c} Rd, [Rn]", load(Width::Half; n, d);
    "LDREXD", "cccc 00011011 nnnn eee0 oooo 1001 oooo", LoadMultiple, "LDREXD{c} Rd, [Rn]", load_double(; n, e);
    "STREXB", "cccc 00011100 nnnn dddd oooo 1001 mmmm", Store, "STREXB{c} Rd, Rm, [Rn]", store(Width::Byte; n, d, m);
    "STREXH", "cccc 00011110 nnnn dddd oooo 1001 mmmm", Store, "STREXH{c} Rd, Rm, [Rn]", store(Width::Half; n, d, m);
    "STREXD", "cccc 00011010 nnnn dddd oooo 1001 eee0", StoreMultiple, "STREXD{c} Rd, Rm, [Rn]", store_double(; n, d, e);
    "CLREX", "1111 01010111 oooo oooo zzzz 0001 oooo", Data, "CLREX", clear(; );
}

#[inline(always)]
fn load_double<S: ArmSemantics>(s: &mut S, n: u32, pair: u32) {
    let address = read(s, n);
    when_aligned(s, address, 8, |s| {
        let four = s.word(4);
        let second = s.add(address, four);
        let (low, first_arrived) = s.load(address, Width::Word);
        let (high, second_arrived) = s.load(second, Width::Word);
        let good = s.flag_and(first_arrived, second_arrived);
        s.when(good, |s| {
            s.mark_exclusive(address);
            write(s, 2 * pair, low);
            write(s, 2 * pair + 1, high);
        });
    });
}

#[inline(always)]
fn store_double<S: ArmSemantics>(s: &mut S, n: u32, d: u32, pair: u32) {
    let address = read(s, n);
    store_if_marked(s, address, 8, d, |s| {
        store_pair(s, address, [2 * pair, 2 * pair + 1])
    });
}

#[inline(always)]
fn clear<S: ArmSemantics>(s: &mut S) {
    s.clear_exclusive();
}
