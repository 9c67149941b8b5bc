//! Thumb instructions of version 5: calls into the other instruction set, and breakpoints.

use crate::branch_v5::link_exchange;
use crate::trap::trap;
use crate::{ArmSemantics, Exception, LINK, read};

encodings! {
    since V5TEJ;
    "BLX register", "010001 111 mmmm zzz", Branch, "BLX Rm", link_exchange(; m);
    "BLX second half", "11101 iiiiiiiiii 0", Branch, "BLX target", link_to_arm(; i);
    "BKPT", "1011 1110 iiiiiiii", Exception, "BKPT i", trap(Exception::PrefetchAbort; );
}

/// Continues in ARM at LR plus the lower part; LR := return address with bit 0 set.
#[inline(always)]
fn link_to_arm<S: ArmSemantics>(s: &mut S, words: u32) {
    let upper = read(s, LINK);
    let lower = s.word(words << 2);
    let target = s.add(upper, lower);
    let arm = s.word(!3);
    let target = s.and(target, arm);
    let next = s.address().wrapping_add(2) | 1;
    let next = s.word(next);
    s.set_register(LINK, next);
    s.branch_exchange(target);
}
