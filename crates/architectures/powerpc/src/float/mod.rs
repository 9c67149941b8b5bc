//! Floating point (manual: "Floating-point instructions", "Floating-point exceptions").

pub(super) mod arithmetic;
mod compare;
pub(super) mod compute;
mod estimate;
pub(super) mod load_store;
pub(super) mod number;
pub(super) mod registers;
pub mod status;
mod unit;

pub use compare::compare;
pub use compute::{Computed, Operation, Precision, compute};
pub use unit::{Estimates, FloatUnit};

pub use number::{double_from_single, single_from_double};

use super::{Exception, PowerPcSemantics};

/// Does what `body` says, or traps while floating point is not available.
#[inline(always)]
fn floating<S: PowerPcSemantics>(s: &mut S, body: impl FnOnce(&mut S)) {
    let available = s.float_available();
    let absent = s.flag_not(available);
    s.when(available, body);
    s.when(absent, |s| s.exception(Exception::FloatUnavailable));
}

/// Field 1 of the condition register from the status, where Rc is 1.
#[inline(always)]
fn record<S: PowerPcSemantics>(s: &mut S, rc: u32) {
    if rc != 0 {
        let status = s.float_status();
        let shift = s.word(28);
        let bits = s.shift_right(status, shift);
        super::condition::set_field_bits(s, 1, bits);
    }
}
