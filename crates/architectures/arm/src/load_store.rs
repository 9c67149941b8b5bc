//! Loads and stores of words and bytes (manual: "Addressing mode 2"). The base is updated even if the access aborts
//! (ARM7TDMI: base updated abort model).

use super::operand::{self, Shift};
use super::{ArmSemantics, PROGRAM_COUNTER, read, read_late, write};
use socscope_memory::Width;

encodings! {
    "STR immediate", "cccc 010 p u 0 w 0 nnnn dddd iiiiiiiiiiii", Store, "STR{c}{T} Rd, [Rn, #+/-i]",
        immediate(Transfer::Store(Width::Word); p, u, w, n, d, i);
    "LDR immediate", "cccc 010 p u 0 w 1 nnnn dddd iiiiiiiiiiii", Load, "LDR{c}{T} Rd, [Rn, #+/-i]",
        immediate(Transfer::Load(Width::Word); p, u, w, n, d, i);
    "STRB immediate", "cccc 010 p u 1 w 0 nnnn dddd iiiiiiiiiiii", Store, "STR{c}B{T} Rd, [Rn, #+/-i]",
        immediate(Transfer::Store(Width::Byte); p, u, w, n, d, i);
    "LDRB immediate", "cccc 010 p u 1 w 1 nnnn dddd iiiiiiiiiiii", Load, "LDR{c}B{T} Rd, [Rn, #+/-i]",
        immediate(Transfer::Load(Width::Byte); p, u, w, n, d, i);
    "STR register", "cccc 011 p u 0 w 0 nnnn dddd aaaaa tt 0 mmmm", Store, "STR{c}{T} Rd, [Rn, +/-Rm, shift #a]",
        register(Transfer::Store(Width::Word); p, u, w, n, d, t, a, m);
    "LDR register", "cccc 011 p u 0 w 1 nnnn dddd aaaaa tt 0 mmmm", Load, "LDR{c}{T} Rd, [Rn, +/-Rm, shift #a]",
        register(Transfer::Load(Width::Word); p, u, w, n, d, t, a, m);
    "STRB register", "cccc 011 p u 1 w 0 nnnn dddd aaaaa tt 0 mmmm", Store, "STR{c}B{T} Rd, [Rn, +/-Rm, shift #a]",
        register(Transfer::Store(Width::Byte); p, u, w, n, d, t, a, m);
    "LDRB register", "cccc 011 p u 1 w 1 nnnn dddd aaaaa tt 0 mmmm", Load, "LDR{c}B{T} Rd, [Rn, +/-Rm, shift #a]",
        register(Transfer::Load(Width::Byte); p, u, w, n, d, t, a, m);
}

/// What moves between a register and memory.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Transfer {
    Load(Width),
    LoadSigned(Width),
    Store(Width),
}

#[inline(always)]
pub(super) fn immediate<S: ArmSemantics>(
    s: &mut S,
    transfer: Transfer,
    pre: u32,
    up: u32,
    write_back: u32,
    n: u32,
    d: u32,
    offset: u32,
) {
    let offset = s.word(offset);
    let addressing = Addressing::new(pre, up, write_back);
    indexed(s, transfer, addressing, n, d, offset);
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
    shift: u32,
    amount: u32,
    m: u32,
) {
    let offset = operand::by_constant(s, Shift::from_field(shift), amount, m).value;
    let addressing = Addressing::new(pre, up, write_back);
    indexed(s, transfer, addressing, n, d, offset);
}

/// How base and offset make the address.
#[derive(Clone, Copy)]
pub(super) struct Addressing {
    pre: bool,
    up: bool,
    write_back: bool,
}

impl Addressing {
    /// From the P, U and W bits. Post-indexed always writes back; W then asks for user-mode translation, which without
    /// memory management changes nothing.
    #[inline(always)]
    pub(super) fn new(pre: u32, up: u32, write_back: u32) -> Addressing {
        Addressing {
            pre: pre != 0,
            up: up != 0,
            write_back: pre == 0 || write_back != 0,
        }
    }
}

/// A transfer at base plus or minus offset.
#[inline(always)]
pub(super) fn indexed<S: ArmSemantics>(
    s: &mut S,
    transfer: Transfer,
    addressing: Addressing,
    n: u32,
    d: u32,
    offset: S::Word,
) {
    let base = read(s, n);
    let indexed = if addressing.up {
        s.add(base, offset)
    } else {
        let complement = s.not(offset);
        let carry = s.flag(true);
        s.add_with_carry(base, complement, carry).0
    };
    let address = if addressing.pre { indexed } else { base };
    let update = (addressing.write_back && n != PROGRAM_COUNTER).then_some((n, indexed));
    perform(s, transfer, address, d, update);
}

/// Moves register `d` to or from `address`; `update` is the base register and its new value.
#[inline(always)]
pub(super) fn perform<S: ArmSemantics>(
    s: &mut S,
    transfer: Transfer,
    address: S::Word,
    d: u32,
    update: Option<(u32, S::Word)>,
) {
    match transfer {
        Transfer::Store(width) => {
            let value = read_late(s, d);
            s.store(address, width, value);
            if let Some((base, value)) = update {
                s.set_register(base, value);
            }
        }
        Transfer::Load(_) | Transfer::LoadSigned(_) => {
            let (value, arrived) = loaded(s, transfer, address);
            if let Some((base, value)) = update {
                s.set_register(base, value);
            }
            s.when(arrived, |s| write(s, d, value));
        }
    }
}

#[inline(always)]
fn loaded<S: ArmSemantics>(s: &mut S, transfer: Transfer, address: S::Word) -> (S::Word, S::Flag) {
    match transfer {
        Transfer::LoadSigned(Width::Half) => load_signed_half(s, address),
        Transfer::LoadSigned(width) => {
            let (value, arrived) = s.load(address, width);
            (s.sign_extend(value, width), arrived)
        }
        Transfer::Load(width) | Transfer::Store(width) => load_rotated(s, address, width),
    }
}

/// The addressed byte comes lowest: a word or half-word from an address that is not its multiple is rotated.
#[inline(always)]
pub(super) fn load_rotated<S: ArmSemantics>(
    s: &mut S,
    address: S::Word,
    width: Width,
) -> (S::Word, S::Flag) {
    let (value, arrived) = s.load(address, width);
    if width == Width::Byte {
        return (value, arrived);
    }
    let low = s.word(width.bytes() - 1);
    let offset = s.and(address, low);
    let three = s.word(3);
    let amount = s.shift_left(offset, three);
    (s.rotate_right(value, amount), arrived)
}

/// From an odd address an ARM7TDMI extends the sign of the addressed byte.
#[inline(always)]
fn load_signed_half<S: ArmSemantics>(s: &mut S, address: S::Word) -> (S::Word, S::Flag) {
    let (value, arrived) = s.load(address, Width::Half);
    let one = s.word(1);
    let offset = s.and(address, one);
    let three = s.word(3);
    let amount = s.shift_left(offset, three);
    let extended = s.sign_extend(value, Width::Half);
    (s.shift_right_signed(extended, amount), arrived)
}
