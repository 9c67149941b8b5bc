//! The condition field (manual: "The condition field").

use super::ArmSemantics;

/// The condition that always holds.
pub const ALWAYS: u32 = 14;

/// Whether condition `code` (0 EQ to 15 NV) holds. NV never does on an ARM7TDMI.
#[inline(always)]
pub fn condition<S: ArmSemantics>(s: &mut S, code: u32) -> S::Flag {
    let positive = match code >> 1 {
        0 => s.zero(),
        1 => s.carry(),
        2 => s.negative(),
        3 => s.overflow(),
        4 => higher(s),
        5 => greater_or_equal(s),
        6 => greater(s),
        _ => s.flag(true),
    };
    if code & 1 == 0 {
        positive
    } else {
        s.flag_not(positive)
    }
}

fn higher<S: ArmSemantics>(s: &mut S) -> S::Flag {
    let carry = s.carry();
    let zero = s.zero();
    let different = s.flag_not(zero);
    s.flag_and(carry, different)
}

fn greater_or_equal<S: ArmSemantics>(s: &mut S) -> S::Flag {
    let negative = s.negative();
    let overflow = s.overflow();
    let less = s.flag_xor(negative, overflow);
    s.flag_not(less)
}

fn greater<S: ArmSemantics>(s: &mut S) -> S::Flag {
    let zero = s.zero();
    let different = s.flag_not(zero);
    let at_least = greater_or_equal(s);
    s.flag_and(different, at_least)
}
