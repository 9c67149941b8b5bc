//! Why a machine cannot take a state.

use crate::platform::error::PlatformError;
use socscope_memory::MemoryImageError;
use thiserror::Error;

/// A state that a machine cannot take; the machine is as it was.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum RestoreError {
    /// A state of another machine.
    #[error(
        "the state is of platform {found}; this machine is {expected}, or has other overrides: build it from the same device tree"
    )]
    OtherPlatform {
        /// Platform of the machine.
        expected: String,
        /// Platform of the state.
        found: String,
    },
    /// A device that was added to the machine whose state it is.
    #[error(
        "device {name} ({title}) was added to the machine and is missing here; give it to this machine first"
    )]
    MissingDevice {
        /// Name of the device.
        name: String,
        /// What it is.
        title: String,
    },
    /// A device of the platform is something else than in the state.
    #[error("device {number} is {expected}, in the state it is {found}")]
    OtherDevice {
        /// Number of the device.
        number: usize,
        /// Name and kind in the machine.
        expected: String,
        /// Name and kind in the state.
        found: String,
    },
    /// A device that does not take its state.
    #[error("device {name}: {reason}")]
    Device {
        /// Name of the device.
        name: String,
        /// What the device says.
        reason: socscope_device::RestoreError,
    },
    /// Memories that the machine does not have.
    #[error(transparent)]
    Memory(#[from] MemoryImageError),
    /// A part that is not there, not readable by this version, or contradicts the rest.
    #[error("{section}: {reason}")]
    Section {
        /// Name of the part.
        section: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The device tree gives no machine.
    #[error(transparent)]
    Platform(#[from] PlatformError),
}
