//! Instructions that raise exceptions (manual: "Exception-generating instructions", "Undefined instruction space").

use super::{ArmSemantics, Exception};

encodings! {
    "SWI", "cccc 1111 iiiiiiiiiiiiiiiiiiiiiiii", Exception, "SWI{c} i", trap(Exception::SoftwareInterrupt; );
    "Undefined", "cccc 011 uuuuuuuuuuuuuuuuuuuu 1 uuuu", Undefined, "(architecturally undefined)", trap(Exception::Undefined; );
}

#[inline(always)]
pub(super) fn trap<S: ArmSemantics>(s: &mut S, exception: Exception) {
    s.exception(exception);
}
