//! Exclusive loads and stores (manual: "Load and store exclusive"). A store is made only while the granule that a load has marked is still marked.

use super::{Alignment, ArmSemantics, read, write};
use socscope_memory::Width;

encodings! {
    since V6;
    "LDREX", "cccc 00011001 nnnn dddd oooo 1001 oooo", Load, "LDREX{c} Rd, [Rn]", load(Width::Word; n, d);
    "STREX", "cccc 00011000 nnnn dddd oooo 1001 mmmm", Store, "STREX{c} Rd, Rm, [Rn]", store(Width::Word; n, d, m);
}

#[inline(always)]
pub(super) fn load<S: ArmSemantics>(s: &mut S, width: Width, n: u32, d: u32) {
    let address = read(s, n);
    when_aligned(s, address, width.bytes(), |s| {
        let (value, arrived) = s.load(address, width);
        s.when(arrived, |s| {
            s.mark_exclusive(address);
            write(s, d, value);
        });
    });
}

#[inline(always)]
pub(super) fn store<S: ArmSemantics>(s: &mut S, width: Width, n: u32, d: u32, m: u32) {
    let address = read(s, n);
    let value = read(s, m);
    store_if_marked(s, address, width.bytes(), d, |s| {
        s.store(address, width, value)
    });
}

#[inline(always)]
pub(super) fn when_aligned<S: ArmSemantics>(
    s: &mut S,
    address: S::Word,
    bytes: u32,
    body: impl FnOnce(&mut S),
) {
    let aligned = s.is_aligned(address, Alignment::Bytes(bytes));
    s.when(aligned, body);
}

/// Rd := 0 if it was stored, 1 if the mark was gone.
#[inline(always)]
pub(super) fn store_if_marked<S: ArmSemantics>(
    s: &mut S,
    address: S::Word,
    bytes: u32,
    d: u32,
    store: impl FnOnce(&mut S) -> S::Flag,
) {
    when_aligned(s, address, bytes, |s| {
        let holds = s.take_exclusive(address);
        let lost = s.flag_not(holds);
        s.when(holds, |s| {
            let stored = store(s);
            s.when(stored, |s| {
                let done = s.word(0);
                write(s, d, done);
            });
        });
        s.when(lost, |s| {
            let failed = s.word(1);
            write(s, d, failed);
        });
    });
}
