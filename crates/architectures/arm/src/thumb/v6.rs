//! Thumb instructions of version 6.

use crate::extend::{Extent, extended};
use crate::processor_state::{change_state, set_byte_order};
use crate::rearrange::{Order, reverse};
use crate::{ArmSemantics, write};

encodings! {
    since V6;
    "SXTH", "1011 0010 00 mmm ddd", Data, "SXTH Rd, Rm", extend(true, Extent::Half; m, d);
    "SXTB", "1011 0010 01 mmm ddd", Data, "SXTB Rd, Rm", extend(true, Extent::Byte; m, d);
    "UXTH", "1011 0010 10 mmm ddd", Data, "UXTH Rd, Rm", extend(false, Extent::Half; m, d);
    "UXTB", "1011 0010 11 mmm ddd", Data, "UXTB Rd, Rm", extend(false, Extent::Byte; m, d);
    "REV", "1011 1010 00 mmm ddd", Data, "REV Rd, Rm", reverse(Order::Word; d, m);
    "REV16", "1011 1010 01 mmm ddd", Data, "REV16 Rd, Rm", reverse(Order::Halves; d, m);
    "REVSH", "1011 1010 11 mmm ddd", Data, "REVSH Rd, Rm", reverse(Order::SignedHalf; d, m);
    "SETEND", "1011 0110 010 o e zzz", Data, "SETEND BE|LE", set_byte_order(; e);
    "CPS", "1011 0110 011 k z a i f", Data, "CPS{IE|ID} aif", change_masks(; k, a, i, f);
}

#[inline(always)]
fn extend<S: ArmSemantics>(s: &mut S, signed: bool, extent: Extent, m: u32, d: u32) {
    let value = extended(s, signed, extent, 0, m);
    write(s, d, value);
}

#[inline(always)]
fn change_masks<S: ArmSemantics>(s: &mut S, disables: u32, a: u32, i: u32, f: u32) {
    change_state(s, 2 | disables, 0, a, i, f, 0);
}
