//! Which context a step from another one leads to, remembered for the profile and for translated code.

use super::{NodePointer, filter_constant};
use std::mem::offset_of;

/// How control goes from one function into another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// With a way back to where it came from.
    Call = 0,
    /// Without: the function returns where the one before would have.
    Jump = 1,
    /// By a system call.
    SystemCall = 2,
}

/// How many kinds there are.
const KINDS: usize = 3;

/// Steps of each kind that are remembered.
pub const STEPS: usize = 1 << 12;

/// A step that was taken, and where it led. Nothing else is at this place with the same context and function.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Known {
    from: Option<NodePointer>,
    function: i64,
    to: Option<NodePointer>,
    unused: u64,
}

impl Known {
    /// Bytes from one to the next, as a power of two.
    pub const SHIFT: u32 = size_of::<Known>().trailing_zeros();
    /// Contexts lie so far apart, as a power of two.
    pub const NODE_SHIFT: u32 = 6;
    /// Offset of the context that the step begins in.
    pub const FROM: i32 = offset_of!(Known, from) as i32;
    /// Offset of the function's number.
    pub const FUNCTION: i32 = offset_of!(Known, function) as i32;
    /// Offset of the context that it leads to.
    pub const TO: i32 = offset_of!(Known, to) as i32;

    /// Offset of the first one of a kind.
    pub const fn first(step: Step) -> i32 {
        (step as usize * STEPS * size_of::<Known>()) as i32
    }

    fn place(from: NodePointer, function: i64) -> usize {
        let node = (from.address() >> Known::NODE_SHIFT) as u32;
        node.wrapping_add(filter_constant(function)) as usize % STEPS
    }
}

const UNKNOWN: Known = Known {
    from: None,
    function: 0,
    to: None,
    unused: 0,
};

/// The steps that were taken last.
pub(super) struct Steps([[Known; STEPS]; KINDS]);

impl Steps {
    pub const fn new() -> Steps {
        Steps([[UNKNOWN; STEPS]; KINDS])
    }

    #[inline]
    pub fn get(&self, step: Step, from: NodePointer, function: i64) -> Option<NodePointer> {
        let known = self.0[step as usize][Known::place(from, function)];
        (known.from == Some(from) && known.function == function)
            .then_some(known.to)
            .flatten()
    }

    #[inline]
    pub fn set(&mut self, step: Step, from: NodePointer, function: i64, to: NodePointer) {
        self.0[step as usize][Known::place(from, function)] = Known {
            from: Some(from),
            function,
            to: Some(to),
            unused: 0,
        };
    }
}
