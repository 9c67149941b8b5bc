//! Extensions of bytes and half-words, of version 6 (manual: "Extend instructions").

use super::{ArmSemantics, read, write};

/// Lists the extensions, each with the form that adds. The one whose Rn is r15 adds nothing.
macro_rules! extensions {
    ($($with_addition:literal $plain:literal $code:literal $signed:literal $extent:ident)*) => { encodings! {
        since V6;
        $(
            $with_addition, concat!("cccc 01101 ", $code, " nnnn dddd rr zz 0111 mmmm"), Data,
                concat!($with_addition, "{c} Rd, Rn, Rm, ROR #8*r"), with_addition($signed, Extent::$extent; n, d, r, m);
            $plain, concat!("cccc 01101 ", $code, " 1111 dddd rr zz 0111 mmmm"), Data,
                concat!($plain, "{c} Rd, Rm, ROR #8*r"), plain($signed, Extent::$extent; d, r, m);
        )*
    } };
}

extensions! {
    "SXTAB16" "SXTB16" "000" true TwoBytes
    "SXTAB" "SXTB" "010" true Byte
    "SXTAH" "SXTH" "011" true Half
    "UXTAB16" "UXTB16" "100" false TwoBytes
    "UXTAB" "UXTB" "110" false Byte
    "UXTAH" "UXTH" "111" false Half
}

/// What is extended.
#[derive(Clone, Copy)]
pub(super) enum Extent {
    Byte,
    Half,
    /// Bytes 0 and 2, each to a half-word.
    TwoBytes,
}

#[inline(always)]
pub(super) fn extended<S: ArmSemantics>(
    s: &mut S,
    signed: bool,
    extent: Extent,
    rotation: u32,
    m: u32,
) -> S::Word {
    let value = read(s, m);
    let rotation = s.word(8 * rotation);
    let value = s.rotate_right(value, rotation);
    match extent {
        Extent::Byte => one(s, signed, value, 24),
        Extent::Half => one(s, signed, value, 16),
        Extent::TwoBytes => {
            let sixteen = s.word(16);
            let upper = s.shift_right(value, sixteen);
            let upper = one(s, signed, upper, 24);
            let lower = one(s, signed, value, 24);
            joined(s, lower, upper)
        }
    }
}

/// Without its uppermost bits, and extended.
#[inline(always)]
fn one<S: ArmSemantics>(s: &mut S, signed: bool, value: S::Word, unused: u32) -> S::Word {
    let unused = s.word(unused);
    let upmost = s.shift_left(value, unused);
    if signed {
        s.shift_right_signed(upmost, unused)
    } else {
        s.shift_right(upmost, unused)
    }
}

/// Of two lower halves.
#[inline(always)]
pub(super) fn joined<S: ArmSemantics>(s: &mut S, lower: S::Word, upper: S::Word) -> S::Word {
    let (mask, sixteen) = (s.word(0xffff), s.word(16));
    let lower = s.and(lower, mask);
    let upper = s.shift_left(upper, sixteen);
    s.or(lower, upper)
}

#[inline(always)]
fn plain<S: ArmSemantics>(s: &mut S, signed: bool, extent: Extent, d: u32, rotation: u32, m: u32) {
    let value = extended(s, signed, extent, rotation, m);
    write(s, d, value);
}

#[inline(always)]
fn with_addition<S: ArmSemantics>(
    s: &mut S,
    signed: bool,
    extent: Extent,
    n: u32,
    d: u32,
    rotation: u32,
    m: u32,
) {
    let value = extended(s, signed, extent, rotation, m);
    let addend = read(s, n);
    let sum = match extent {
        Extent::TwoBytes => {
            let sixteen = s.word(16);
            let lower = s.add(value, addend);
            let (a, b) = (
                s.shift_right(value, sixteen),
                s.shift_right(addend, sixteen),
            );
            let upper = s.add(a, b);
            joined(s, lower, upper)
        }
        _ => s.add(value, addend),
    };
    write(s, d, sum);
}
