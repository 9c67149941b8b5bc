//! Loads and stores of one register (manual: "Integer load instructions", "Integer store instructions", "Integer load and store with
//! byte-reverse instructions"). With update, rA = 0 and, in loads, rA = rD are invalid forms: illegal.

use super::{displaced, illegal};
use crate::PowerPcSemantics;
use crate::cache::indexed;
use socscope_memory::Width;

/// Lists each access in its four forms.
macro_rules! accesses {
    ($($access:expr, $class:ident, $name:literal $displaced:literal $updated:literal $indexed:literal $both:literal;)*) => { encodings! {
        $(
            $name, concat!($displaced, " ddddd aaaaa iiiiiiiiiiiiiiii"), $class, concat!($name, " rD, i(rA)"),
                at_offset($access, false; d, a, i);
            concat!($name, "u"), concat!($updated, " ddddd aaaaa iiiiiiiiiiiiiiii"), $class, concat!($name, "u rD, i(rA)"),
                at_offset($access, true; d, a, i);
            concat!($name, "x"), concat!("011111 ddddd aaaaa bbbbb ", $indexed, " z"), $class, concat!($name, "x rD, rA, rB"),
                at_index($access, false; d, a, b);
            concat!($name, "ux"), concat!("011111 ddddd aaaaa bbbbb ", $both, " z"), $class, concat!($name, "ux rD, rA, rB"),
                at_index($access, true; d, a, b);
        )*
        "lwbrx", "011111 ddddd aaaaa bbbbb 1000010110 z", Load, "lwbrx rD, rA, rB", at_index(Access::LoadReversed(Width::Word), false; d, a, b);
        "lhbrx", "011111 ddddd aaaaa bbbbb 1100010110 z", Load, "lhbrx rD, rA, rB", at_index(Access::LoadReversed(Width::Half), false; d, a, b);
        "stwbrx", "011111 ddddd aaaaa bbbbb 1010010110 z", Store, "stwbrx rS, rA, rB", at_index(Access::StoreReversed(Width::Word), false; d, a, b);
        "sthbrx", "011111 ddddd aaaaa bbbbb 1110010110 z", Store, "sthbrx rS, rA, rB", at_index(Access::StoreReversed(Width::Half), false; d, a, b);
    } };
}

accesses! {
    Access::Load(Width::Word), Load, "lwz" "100000" "100001" "0000010111" "0000110111";
    Access::Load(Width::Byte), Load, "lbz" "100010" "100011" "0001010111" "0001110111";
    Access::Load(Width::Half), Load, "lhz" "101000" "101001" "0100010111" "0100110111";
    Access::LoadSigned, Load, "lha" "101010" "101011" "0101010111" "0101110111";
    Access::Store(Width::Word), Store, "stw" "100100" "100101" "0010010111" "0010110111";
    Access::Store(Width::Byte), Store, "stb" "100110" "100111" "0011010111" "0011110111";
    Access::Store(Width::Half), Store, "sth" "101100" "101101" "0110010111" "0110110111";
}

#[derive(Clone, Copy)]
enum Access {
    Load(Width),
    /// A half-word, with its sign.
    LoadSigned,
    LoadReversed(Width),
    Store(Width),
    StoreReversed(Width),
}

impl Access {
    const fn is_store(self) -> bool {
        matches!(self, Access::Store(_) | Access::StoreReversed(_))
    }
}

#[inline(always)]
fn at_offset<S: PowerPcSemantics>(
    s: &mut S,
    access: Access,
    update: bool,
    d: u32,
    a: u32,
    offset: u32,
) {
    if update && is_invalid(access, d, a) {
        return illegal(s);
    }
    let address = displaced(s, a, offset);
    transfer(s, access, update, d, a, address);
}

#[inline(always)]
fn at_index<S: PowerPcSemantics>(s: &mut S, access: Access, update: bool, d: u32, a: u32, b: u32) {
    if update && is_invalid(access, d, a) {
        return illegal(s);
    }
    let address = indexed(s, a, b);
    transfer(s, access, update, d, a, address);
}

const fn is_invalid(access: Access, d: u32, a: u32) -> bool {
    a == 0 || a == d && !access.is_store()
}

#[inline(always)]
fn transfer<S: PowerPcSemantics>(
    s: &mut S,
    access: Access,
    update: bool,
    d: u32,
    a: u32,
    address: S::Word,
) {
    let succeeded = match access {
        Access::Store(width) => {
            let value = s.register(d);
            s.store(address, width, value)
        }
        Access::StoreReversed(width) => {
            let value = s.register(d);
            let value = reversed(s, value, width);
            s.store(address, width, value)
        }
        Access::Load(width) => {
            let (value, arrived) = s.load(address, width);
            s.when(arrived, |s| s.set_register(d, value));
            arrived
        }
        Access::LoadSigned => {
            let (value, arrived) = s.load(address, Width::Half);
            let value = s.sign_extend(value, Width::Half);
            s.when(arrived, |s| s.set_register(d, value));
            arrived
        }
        Access::LoadReversed(width) => {
            let (value, arrived) = s.load(address, width);
            let value = reversed(s, value, width);
            s.when(arrived, |s| s.set_register(d, value));
            arrived
        }
    };
    if update {
        s.when(succeeded, |s| s.set_register(a, address));
    }
}

/// The bytes of a word or half-word in the other order.
#[inline(always)]
fn reversed<S: PowerPcSemantics>(s: &mut S, value: S::Word, width: Width) -> S::Word {
    let eight = s.word(8);
    let right = s.rotate_right(value, eight);
    let outer = s.word(0xff00_ff00);
    let right = s.and(right, outer);
    let twenty_four = s.word(24);
    let left = s.rotate_right(value, twenty_four);
    let inner = s.word(0x00ff_00ff);
    let left = s.and(left, inner);
    let both = s.or(left, right);
    if width == Width::Word {
        return both;
    }
    let sixteen = s.word(16);
    s.shift_right(both, sixteen)
}
