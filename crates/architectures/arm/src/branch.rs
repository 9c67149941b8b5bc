//! Branches (manual: "Branch instructions").

use super::{ArmSemantics, LINK, read};

encodings! {
    "B", "cccc 101 0 iiiiiiiiiiiiiiiiiiiiiiii", Branch, "B{c} target", branch(false; i);
    "BL", "cccc 101 1 iiiiiiiiiiiiiiiiiiiiiiii", Branch, "BL{c} target", branch(true; i);
    "BX", "cccc 00010010 oooo oooo oooo 0001 mmmm", Branch, "BX{c} Rm", exchange(; m);
}

#[inline(always)]
fn branch<S: ArmSemantics>(s: &mut S, link: bool, offset: u32) {
    let offset = ((offset << 8) as i32 >> 6) as u32;
    let target = s.address().wrapping_add(8).wrapping_add(offset);
    if link {
        let next = s.address().wrapping_add(4);
        let next = s.word(next);
        s.set_register(LINK, next);
    }
    let target = s.word(target);
    s.branch(target);
}

/// Continues at Rm, in Thumb if its bit 0 is set.
#[inline(always)]
pub(super) fn exchange<S: ArmSemantics>(s: &mut S, m: u32) {
    let target = read(s, m);
    s.branch_exchange(target);
}
