//! Loads and stores of many registers (manual: "Integer load and store multiple instructions"). An address that is no multiple of four is
//! an alignment exception; a load into its own base is an invalid form: illegal.

use super::{displaced, illegal, word_aligned};
use crate::PowerPcSemantics;
use socscope_memory::Width;

encodings! {
    "lmw", "101110 ddddd aaaaa iiiiiiiiiiiiiiii", LoadMultiple, "lmw rD, i(rA)", load_multiple(; d, a, i);
    "stmw", "101111 sssss aaaaa iiiiiiiiiiiiiiii", StoreMultiple, "stmw rS, i(rA)", store_multiple(; s, a, i);
}

#[inline(always)]
fn each<S: PowerPcSemantics>(
    s: &mut S,
    first: u32,
    address: S::Word,
    mut access: impl FnMut(&mut S, u32, S::Word),
) {
    word_aligned(s, address, |s| {
        for register in first..32 {
            let offset = s.word(4 * (register - first));
            let at = s.add(address, offset);
            access(s, register, at);
        }
    });
}

fn load_multiple<S: PowerPcSemantics>(s: &mut S, d: u32, a: u32, offset: u32) {
    if a >= d {
        return illegal(s);
    }
    let address = displaced(s, a, offset);
    each(s, d, address, |s, register, at| {
        let (value, arrived) = s.load(at, Width::Word);
        s.when(arrived, |s| s.set_register(register, value));
    });
}

fn store_multiple<S: PowerPcSemantics>(s: &mut S, from: u32, a: u32, offset: u32) {
    let address = displaced(s, a, offset);
    each(s, from, address, |s, register, at| {
        let value = s.register(register);
        s.store(at, Width::Word, value);
    });
}
