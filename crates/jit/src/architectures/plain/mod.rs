//! What plain architectures add to the frame: what they are, said in its words. None of them adds anything of its own.

mod adapter;

use crate::frame::translator;
use socscope_core::plain::{Plain, PlainCore};
use socscope_isa::CycleClass;

pub use crate::frame::Ended;

translator! {
    /// Translates the code of all cores of a plain architecture's model in a machine for one timing model.
    [A: Plain] adapter::Plainly<A>, CycleClass, PlainCore<A>, ()
}
