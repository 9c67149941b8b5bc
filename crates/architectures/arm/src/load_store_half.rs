//! Loads and stores of half-words and signed bytes (manual: "Addressing mode 3").

use super::load_store::{Addressing, Transfer, immediate, indexed};
use super::{ArmSemantics, read};
use socscope_memory::Width;

encodings! {
    "STRH immediate", "cccc 000 p u 1 w 0 nnnn dddd iiii 1011 iiii", Store, "STR{c}H Rd, [Rn, #+/-i]",
        immediate(Transfer::Store(Width::Half); p, u, w, n, d, i);
    "LDRH immediate", "cccc 000 p u 1 w 1 nnnn dddd iiii 1011 iiii", Load, "LDR{c}H Rd, [Rn, #+/-i]",
        immediate(Transfer::Load(Width::Half); p, u, w, n, d, i);
    "LDRSB immediate", "cccc 000 p u 1 w 1 nnnn dddd iiii 1101 iiii", Load, "LDR{c}SB Rd, [Rn, #+/-i]",
        immediate(Transfer::LoadSigned(Width::Byte); p, u, w, n, d, i);
    "LDRSH immediate", "cccc 000 p u 1 w 1 nnnn dddd iiii 1111 iiii", Load, "LDR{c}SH Rd, [Rn, #+/-i]",
        immediate(Transfer::LoadSigned(Width::Half); p, u, w, n, d, i);
    "STRH register", "cccc 000 p u 0 w 0 nnnn dddd zzzz 1011 mmmm", Store, "STR{c}H Rd, [Rn, +/-Rm]",
        register(Transfer::Store(Width::Half); p, u, w, n, d, m);
    "LDRH register", "cccc 000 p u 0 w 1 nnnn dddd zzzz 1011 mmmm", Load, "LDR{c}H Rd, [Rn, +/-Rm]",
        register(Transfer::Load(Width::Half); p, u, w, n, d, m);
    "LDRSB register", "cccc 000 p u 0 w 1 nnnn dddd zzzz 1101 mmmm", Load, "LDR{c}SB Rd, [Rn, +/-Rm]",
        register(Transfer::LoadSigned(Width::Byte); p, u, w, n, d, m);
    "LDRSH register", "cccc 000 p u 0 w 1 nnnn dddd zzzz 1111 mmmm", Load, "LDR{c}SH Rd, [Rn, +/-Rm]",
        register(Transfer::LoadSigned(Width::Half); p, u, w, n, d, m);
}

#[inline(always)]
fn register<S: ArmSemantics>(
    s: &mut S,
    transfer: Transfer,
    pre: u32,
    up: u32,
    write_back: u32,
    n: u32,
    d: u32,
    m: u32,
) {
    let offset = read(s, m);
    let addressing = Addressing::new(pre, up, write_back);
    indexed(s, transfer, addressing, n, d, offset);
}
