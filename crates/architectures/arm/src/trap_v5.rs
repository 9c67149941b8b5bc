//! Breakpoints, hints for caches and coprocessors from version 5 on. No coprocessor is attached: what asks one traps.

use super::trap::trap;
use super::{ArmSemantics, Exception};

encodings! {
    since V5TEJ;
    "BKPT", "cccc 00010010 iiii iiii iiii 0111 iiii", Exception, "BKPT i", trap(Exception::PrefetchAbort; );
    "PLD immediate", "1111 01 0 1 u 1 0 1 nnnn oooo iiiiiiiiiiii", Data, "PLD [Rn, #+/-i]", nothing(; );
    "PLD register", "1111 01 1 1 u 1 0 1 nnnn oooo aaaaa tt 0 mmmm", Data, "PLD [Rn, +/-Rm, shift #a]", nothing(; );
    "MCRR", "cccc 1100 0100 nnnn dddd kkkk aaaa mmmm", Undefined, "MCRR{c} pk, a, Rd, Rn, cm", trap(Exception::Undefined; );
    "MRRC", "cccc 1100 0101 nnnn dddd kkkk aaaa mmmm", Undefined, "MRRC{c} pk, a, Rd, Rn, cm", trap(Exception::Undefined; );
    "STC2", "1111 110 p u n w 0 bbbb dddd kkkk iiiiiiii", Undefined, "STC2{L} pk, cd, [Rb, #+/-i]",
        trap(Exception::Undefined; );
    "LDC2", "1111 110 p u n w 1 bbbb dddd kkkk iiiiiiii", Undefined, "LDC2{L} pk, cd, [Rb, #+/-i]",
        trap(Exception::Undefined; );
    "CDP2", "1111 1110 aaaa nnnn dddd kkkk bbb 0 mmmm", Undefined, "CDP2 pk, a, cd, cn, cm, b", trap(Exception::Undefined; );
    "MCR2", "1111 1110 aaa 0 nnnn dddd kkkk bbb 1 mmmm", Undefined, "MCR2 pk, a, Rd, cn, cm, b", trap(Exception::Undefined; );
    "MRC2", "1111 1110 aaa 1 nnnn dddd kkkk bbb 1 mmmm", Undefined, "MRC2 pk, a, Rd, cn, cm, b", trap(Exception::Undefined; );
}

/// Changes nothing that a program sees.
#[inline(always)]
pub(super) fn nothing<S: ArmSemantics>(_s: &mut S) {}
