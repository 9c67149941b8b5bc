//! Branches that change the instruction set, from version 5 on (manual: "Branch instructions").

use super::branch::exchange;
use super::{ArmSemantics, LINK, read};

encodings! {
    since V5TEJ;
    "BLX register", "cccc 00010010 oooo oooo oooo 0011 mmmm", Branch, "BLX{c} Rm", link_exchange(; m);
    "BXJ", "cccc 00010010 oooo oooo oooo 0010 mmmm", Branch, "BXJ{c} Rm", exchange(; m);
    "BLX immediate", "1111 101 h iiiiiiiiiiiiiiiiiiiiiiii", Branch, "BLX target", link_to_thumb(; h, i);
}

/// LR := the next instruction, with bit 0 set in Thumb; continues at Rm.
#[inline(always)]
pub(super) fn link_exchange<S: ArmSemantics>(s: &mut S, m: u32) {
    let target = read(s, m);
    let bytes = s.instruction_set().width().bytes();
    let next = s.address().wrapping_add(bytes) | (bytes >> 1 & 1);
    let next = s.word(next);
    s.set_register(LINK, next);
    s.branch_exchange(target);
}

#[inline(always)]
fn link_to_thumb<S: ArmSemantics>(s: &mut S, half: u32, offset: u32) {
    let offset = ((offset << 8) as i32 >> 6) as u32 + half * 2;
    let target = s.address().wrapping_add(8).wrapping_add(offset) | 1;
    let next = s.address().wrapping_add(4);
    let (target, next) = (s.word(target), s.word(next));
    s.set_register(LINK, next);
    s.branch_exchange(target);
}
