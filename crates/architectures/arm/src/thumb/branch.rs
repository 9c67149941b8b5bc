//! Thumb branches and software interrupt (manual: "Branch instructions" of Thumb).

use crate::branch::exchange;
use crate::trap::trap;
use crate::{ArmSemantics, Exception, LINK, read};

/// Lists the conditional branches: one line a condition, because codes 14 and 15 are other instructions.
macro_rules! branches {
    ($($condition:literal $code:literal)*) => { encodings! {
        $(
            concat!("B", $condition), concat!("1101 ", $code, " iiiiiiii"), Branch, concat!("B", $condition, " target"),
                branch(8; i);
        )*
        "B", "11100 iiiiiiiiiii", Branch, "B target", branch(11; i);
        "BL first half", "11110 iiiiiiiiiii", BranchPrefix, "BL target", link_prefix(; i);
        "BL second half", "11111 iiiiiiiiiii", Branch, "BL target", link(; i);
        "BX", "010001 11 0 mmmm zzz", Branch, "BX Rm", exchange(; m);
        "SWI", "1101 1111 iiiiiiii", Exception, "SWI i", trap(Exception::SoftwareInterrupt; );
    } };
}

branches! {
    "EQ" "0000" "NE" "0001" "CS" "0010" "CC" "0011" "MI" "0100" "PL" "0101" "VS" "0110" "VC" "0111"
    "HI" "1000" "LS" "1001" "GE" "1010" "LT" "1011" "GT" "1100" "LE" "1101"
}

/// Branch by a signed number of half-words of `bits`; the condition has been looked at before.
#[inline(always)]
fn branch<S: ArmSemantics>(s: &mut S, bits: u32, halves: u32) {
    let unused = 32 - bits;
    let offset = ((halves << unused) as i32 >> (unused - 1)) as u32;
    let target = s.address().wrapping_add(4).wrapping_add(offset);
    let target = s.word(target);
    s.branch(target);
}

/// LR := upper part of the target.
#[inline(always)]
fn link_prefix<S: ArmSemantics>(s: &mut S, upper: u32) {
    let offset = ((upper << 21) as i32 >> 9) as u32;
    let value = s.address().wrapping_add(4).wrapping_add(offset);
    let value = s.word(value);
    s.set_register(LINK, value);
}

/// Branch to LR plus the lower part; LR := return address with bit 0 set.
#[inline(always)]
fn link<S: ArmSemantics>(s: &mut S, lower: u32) {
    let upper = read(s, LINK);
    let lower = s.word(lower << 1);
    let target = s.add(upper, lower);
    let next = s.address().wrapping_add(2) | 1;
    let next = s.word(next);
    s.set_register(LINK, next);
    s.branch(target);
}
