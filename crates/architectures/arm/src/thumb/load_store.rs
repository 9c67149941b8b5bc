//! Thumb loads and stores of one register (manual: "Load and store register instructions" of Thumb).

use super::data_processing::literal_address;
use crate::load_store::{Addressing, Transfer, indexed, perform};
use crate::{ArmSemantics, STACK, read};
use socscope_memory::Width;

encodings! {
    "LDR literal", "01001 ddd iiiiiiii", Load, "LDR Rd, [PC, #i*4]", literal(; i, d);
    "STR register", "0101 000 mmm nnn ddd", Store, "STR Rd, [Rn, Rm]", register(Transfer::Store(Width::Word); m, n, d);
    "STRH register", "0101 001 mmm nnn ddd", Store, "STRH Rd, [Rn, Rm]", register(Transfer::Store(Width::Half); m, n, d);
    "STRB register", "0101 010 mmm nnn ddd", Store, "STRB Rd, [Rn, Rm]", register(Transfer::Store(Width::Byte); m, n, d);
    "LDRSB register", "0101 011 mmm nnn ddd", Load, "LDRSB Rd, [Rn, Rm]", register(Transfer::LoadSigned(Width::Byte); m, n, d);
    "LDR register", "0101 100 mmm nnn ddd", Load, "LDR Rd, [Rn, Rm]", register(Transfer::Load(Width::Word); m, n, d);
    "LDRH register", "0101 101 mmm nnn ddd", Load, "LDRH Rd, [Rn, Rm]", register(Transfer::Load(Width::Half); m, n, d);
    "LDRB register", "0101 110 mmm nnn ddd", Load, "LDRB Rd, [Rn, Rm]", register(Transfer::Load(Width::Byte); m, n, d);
    "LDRSH register", "0101 111 mmm nnn ddd", Load, "LDRSH Rd, [Rn, Rm]", register(Transfer::LoadSigned(Width::Half); m, n, d);
    "STR immediate", "011 0 0 iiiii nnn ddd", Store, "STR Rd, [Rn, #i*4]", immediate(Transfer::Store(Width::Word), 4; i, n, d);
    "LDR immediate", "011 0 1 iiiii nnn ddd", Load, "LDR Rd, [Rn, #i*4]", immediate(Transfer::Load(Width::Word), 4; i, n, d);
    "STRB immediate", "011 1 0 iiiii nnn ddd", Store, "STRB Rd, [Rn, #i]", immediate(Transfer::Store(Width::Byte), 1; i, n, d);
    "LDRB immediate", "011 1 1 iiiii nnn ddd", Load, "LDRB Rd, [Rn, #i]", immediate(Transfer::Load(Width::Byte), 1; i, n, d);
    "STRH immediate", "1000 0 iiiii nnn ddd", Store, "STRH Rd, [Rn, #i*2]", immediate(Transfer::Store(Width::Half), 2; i, n, d);
    "LDRH immediate", "1000 1 iiiii nnn ddd", Load, "LDRH Rd, [Rn, #i*2]", immediate(Transfer::Load(Width::Half), 2; i, n, d);
    "STR on stack", "1001 0 ddd iiiiiiii", Store, "STR Rd, [SP, #i*4]", on_stack(Transfer::Store(Width::Word); i, d);
    "LDR on stack", "1001 1 ddd iiiiiiii", Load, "LDR Rd, [SP, #i*4]", on_stack(Transfer::Load(Width::Word); i, d);
}

#[inline(always)]
fn literal<S: ArmSemantics>(s: &mut S, words: u32, d: u32) {
    let address = literal_address(s, words);
    let address = s.word(address);
    perform(s, Transfer::Load(Width::Word), address, d, None);
}

#[inline(always)]
fn register<S: ArmSemantics>(s: &mut S, transfer: Transfer, m: u32, n: u32, d: u32) {
    let offset = read(s, m);
    indexed(s, transfer, Addressing::new(1, 1, 0), n, d, offset);
}

#[inline(always)]
fn immediate<S: ArmSemantics>(
    s: &mut S,
    transfer: Transfer,
    unit: u32,
    offset: u32,
    n: u32,
    d: u32,
) {
    let offset = s.word(offset * unit);
    indexed(s, transfer, Addressing::new(1, 1, 0), n, d, offset);
}

#[inline(always)]
fn on_stack<S: ArmSemantics>(s: &mut S, transfer: Transfer, words: u32, d: u32) {
    immediate(s, transfer, 4, words, STACK, d);
}
