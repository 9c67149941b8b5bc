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

/// What code takes of the regions that accesses reach.
pub trait Regions: 'static {
    /// Whether they are learnt: costs may depend on them. Else one is assumed, and pages of memory are looked up.
    const LEARNT: bool;
}

/// For timing models that ask for regions.
pub enum Learnt {}

/// For those that look accesses up by their addresses.
pub enum Assumed {}

impl Regions for Learnt {
    const LEARNT: bool = true;
}

impl Regions for Assumed {
    const LEARNT: bool = false;
}

translator! {
    /// Translates the code of all ARMs of a machine for one timing model.
    [R: Regions] adapter::Arm<R>, CycleClass, Core, ()
}
