//! A core of any architecture.

use serde::{Deserialize, Serialize};
use socscope_core::MachineCore;
use socscope_powerpc::Processor;
use std::ops::{Deref, DerefMut};

/// A core's registers, and what else it remembers between two instructions. Saved states hold the variants by their places.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum AnyCore {
    /// An ARM.
    Arm(Box<socscope_arm::Core>),
    /// A PowerPC with its translation buffers.
    PowerPc(Box<Processor>),
    /// A toy.
    Toy(Box<socscope_toy::Core>),
}

impl AnyCore {
    /// Whether another state is one of the same model.
    pub fn is_like(&self, other: &AnyCore) -> bool {
        std::mem::discriminant(self) == std::mem::discriminant(other)
            && self.model_name() == other.model_name()
    }

    /// The ARM's state; none of another architecture.
    pub fn arm(&self) -> Option<&socscope_arm::Core> {
        match self {
            AnyCore::Arm(core) => Some(core),
            _ => None,
        }
    }

    /// The PowerPC's state; none of another architecture.
    pub fn powerpc(&self) -> Option<&socscope_powerpc::Core> {
        match self {
            AnyCore::PowerPc(processor) => Some(&processor.core),
            _ => None,
        }
    }
}

impl Deref for AnyCore {
    type Target = dyn MachineCore;

    fn deref(&self) -> &Self::Target {
        match self {
            AnyCore::Arm(core) => &**core,
            AnyCore::PowerPc(processor) => &**processor,
            AnyCore::Toy(core) => &**core,
        }
    }
}

impl DerefMut for AnyCore {
    fn deref_mut(&mut self) -> &mut Self::Target {
        match self {
            AnyCore::Arm(core) => &mut **core,
            AnyCore::PowerPc(processor) => &mut **processor,
            AnyCore::Toy(core) => &mut **core,
        }
    }
}
