//! Loads and stores of words and bytes (manual: "Addressing mode 2"). On an ARM7TDMI the base is updated even if the access aborts
//! (base updated abort model), on later cores it then keeps its value.

use super::operand::{self, Shift};
use super::{ArmSemantics, PROGRAM_COUNTER, Version, read, read_stored, write_loaded};
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
    unprivileged: bool,
}

impl Addressing {
    /// From the P, U and W bits. Post-indexed always writes back; W then asks for the rights of programs (LDRT, STRT).
    #[inline(always)]
    pub(super) fn new(pre: u32, up: u32, write_back: u32) -> Addressing {
        Addressing {
            pre: pre != 0,
            up: up != 0,
            write_back: pre == 0 || write_back != 0,
            unprivileged: pre == 0 && write_back != 0,
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
    let (address, update) = addressed(s, addressing, n, offset);
    if addressing.unprivileged {
        s.set_unprivileged(true);
    }
    perform(s, transfer, address, d, update);
}

/// The address, and the base register with its new value.
#[inline(always)]
pub(super) fn addressed<S: ArmSemantics>(
    s: &mut S,
    addressing: Addressing,
    n: u32,
    offset: S::Word,
) -> (S::Word, Option<(u32, S::Word)>) {
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
    (address, update)
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
            let value = read_stored(s, d);
            let accepted = s.store(address, width, value);
            update_base(s, update, accepted);
        }
        Transfer::Load(_) | Transfer::LoadSigned(_) => {
            let (value, arrived) = loaded(s, transfer, address);
            update_base(s, update, arrived);
            s.when(arrived, |s| write_loaded(s, d, value));
        }
    }
}

/// Writes the base back; after an abort where the core does so.
#[inline(always)]
pub(super) fn update_base<S: ArmSemantics>(
    s: &mut S,
    update: Option<(u32, S::Word)>,
    good: S::Flag,
) {
    let Some((base, value)) = update else {
        return;
    };
    if s.model().restores_base() {
        s.when(good, |s| s.set_register(base, value));
    } else {
        s.set_register(base, value);
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

/// The addressed byte comes lowest: a word or half-word from an address that is not its multiple is rotated, unless it may lie anywhere.
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
    let rotated = s.rotate_right(value, amount);
    (unless_unaligned(s, rotated, value), arrived)
}

/// What was made of a word off alignment, or the word itself where words may lie anywhere.
#[inline(always)]
fn unless_unaligned<S: ArmSemantics>(s: &mut S, made: S::Word, value: S::Word) -> S::Word {
    if !s.model().has(Version::V6) {
        return made;
    }
    let unaligned = s.is_unaligned();
    s.select(unaligned, value, made)
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
    let shifted = s.shift_right_signed(extended, amount);
    (unless_unaligned(s, shifted, extended), arrived)
}
