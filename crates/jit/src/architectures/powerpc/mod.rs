//! What the PowerPC adds to the frame.

mod adapter;
mod conditions;
mod exceptions;
mod flavour;
mod float;
mod planning;
mod reading;
mod services;
mod state;
mod system;
mod vectors;

use crate::frame::translator;
use socscope_powerpc::{Class, Core, Mmu};

pub use crate::frame::Ended;

translator! {
    /// Translates the code of all PowerPCs of a machine for one timing model.
    [] adapter::PowerPc, Class, Core, Mmu
}
