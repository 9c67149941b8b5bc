//! Integer instructions (manual: "Integer instructions").

pub(super) mod arithmetic;
pub(super) mod compare;
pub(super) mod logical;
pub(super) mod rotate_shift;

use super::{PowerPcSemantics, condition};

/// An immediate of 16 bits as a signed number.
pub(super) fn signed(immediate: u32) -> u32 {
    immediate as u16 as i16 as u32
}

/// Field 0 of the condition register from a result, as all forms with Rc = 1 do.
#[inline(always)]
pub(super) fn record<S: PowerPcSemantics>(s: &mut S, result: S::Word) {
    let less = s.bit(result, 31);
    let equal = s.is_zero(result);
    condition::set_field(s, 0, less, equal);
}

/// The end of most integer instructions: the result, and the condition where Rc is 1.
#[inline(always)]
fn finish<S: PowerPcSemantics>(s: &mut S, to: u32, rc: u32, result: S::Word) {
    if rc != 0 {
        record(s, result);
    }
    s.set_register(to, result);
}
