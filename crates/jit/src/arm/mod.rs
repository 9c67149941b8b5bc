//! What ARM adds to the frame.

mod adapter;
mod exceptions;
mod flags;
mod planning;
mod reading;
mod services;
mod state;
mod status;

use crate::frame::translator;
use socscope_arm::Core;
use socscope_isa::CycleClass;

translator! {
    /// Translates the code of all ARMs of a machine for one timing model.
    [] adapter::Arm, CycleClass, Core, ()
}
