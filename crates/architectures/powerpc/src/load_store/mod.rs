//! Loads and stores of general-purpose registers (manual: "Load and store instructions").

pub(super) mod external;
pub(super) mod integer;
pub(super) mod multiple;
pub(super) mod reservation;
pub(super) mod string;

use super::integer::arithmetic::base;
use super::integer::signed;
use super::{Exception, PowerPcSemantics, ProgramCause};

/// rA as a base, plus an offset.
#[inline(always)]
pub(super) fn displaced<S: PowerPcSemantics>(s: &mut S, a: u32, offset: u32) -> S::Word {
    let base = base(s, a);
    let offset = s.word(signed(offset));
    s.add(base, offset)
}

pub(super) fn illegal<S: PowerPcSemantics>(s: &mut S) {
    s.exception(Exception::Program(ProgramCause::Illegal));
}

/// Does what `body` says if the address is a multiple of four, else takes an alignment exception.
#[inline(always)]
pub(super) fn word_aligned<S: PowerPcSemantics>(
    s: &mut S,
    address: S::Word,
    body: impl FnOnce(&mut S),
) {
    let aligned = s.is_word_aligned(address);
    let misaligned = s.flag_not(aligned);
    s.when(aligned, body);
    s.when(misaligned, |s| s.misaligned(address));
}
