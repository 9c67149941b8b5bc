//! What can be wrong with a platform.

use socscope_device::BuildError;
use socscope_memory::MapError;
use thiserror::Error;

/// A platform from which no machine can be made, or a name that it does not have.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum PlatformError {
    /// The blob is not a device tree.
    #[error("{platform}: not a device tree blob: {reason}; compile the source with dtc")]
    Blob {
        /// Name of the platform.
        platform: String,
        /// What the parser found.
        reason: String,
    },
    /// A property is missing, malformed or unknown.
    #[error(transparent)]
    Property(#[from] BuildError),
    /// Two regions overlap, or one does not fit.
    #[error("{platform}: {reason}")]
    Map {
        /// Name of the platform.
        platform: String,
        /// The rule that is broken.
        reason: MapError,
    },
    /// An override that cannot be applied.
    #[error("--set {text}: {reason}; {remedy}")]
    Override {
        /// The override as given.
        text: String,
        /// The rule that is broken.
        reason: String,
        /// What to do.
        remedy: String,
    },
    /// A name that no device, port or region has.
    #[error("{platform}: no {kind} is called {name}; there are: {known}")]
    UnknownName {
        /// Name of the platform.
        platform: String,
        /// "device", "port", "input line" or "region".
        kind: &'static str,
        /// The name that was asked for.
        name: String,
        /// The names that exist.
        known: String,
    },
    /// A second wire on a port.
    #[error("{platform}: port {port} is at one end of a wire already; a wire joins two ports")]
    PortWired {
        /// Name of the platform.
        platform: String,
        /// Name of the port.
        port: String,
    },
}

/// An error about one property of one node.
pub(crate) fn property_error(
    path: &str,
    property: &str,
    reason: impl Into<String>,
    remedy: impl Into<String>,
) -> BuildError {
    BuildError {
        path: path.into(),
        property: property.into(),
        reason: reason.into(),
        remedy: remedy.into(),
    }
}

/// An image that cannot be loaded.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum LoadError {
    /// The file is no image for this core.
    #[error(transparent)]
    Image(#[from] crate::boot::image::ImageError),
    /// A boot loader could not start it.
    #[error(transparent)]
    Boot(#[from] crate::boot::BootError),
    /// The platform wants the image as flashed, and the core would find nothing.
    #[error(
        "{image}: /chosen: property {property}: \"reset\" starts an image at the reset vector, and this one has no code there; link it for that place, or write \"remapped\""
    )]
    NothingAtReset {
        /// Name of the file.
        image: String,
        /// The property that asks for it.
        property: &'static str,
    },
    /// A core that the machine does not have.
    #[error("{image}: the machine has no core {core}; its cores are 0 to {last}")]
    NoCore {
        /// Name of the file.
        image: String,
        /// The number asked for.
        core: u16,
        /// The number of the last core.
        last: usize,
    },
    /// A second image for a core; the first core's is the machine's.
    #[error("{image}: core {core} has an image already; give each core one")]
    HasImage {
        /// Name of the file.
        image: String,
        /// The core's number.
        core: u16,
    },
    /// An image of another core that does not fit that core.
    #[error("core {core}: {source}")]
    OfCore {
        /// The core's number.
        core: u16,
        /// What is wrong.
        source: crate::boot::image::ImageError,
    },
    /// Two images, or an image and what a boot loader hands over, want the same bytes.
    #[error(
        "{image}: {length:#x} bytes from {address:#010x} on lie where {other} lies already; link one of them for another place"
    )]
    Overlaps {
        /// Name of the file.
        image: String,
        /// First address of the segment.
        address: u32,
        /// Its size in bytes.
        length: u64,
        /// What is there.
        other: String,
    },
    /// A segment of which the core sees a part in memory of its own, and the rest in other memory.
    #[error(
        "{image}: segment at {address:#010x} of {length:#x} bytes goes across {border:#010x}, where memory that core {core} alone sees borders on other memory; \
         link what lies there as a segment of its own"
    )]
    AcrossPrivate {
        /// Name of the file.
        image: String,
        /// First address of the segment.
        address: u32,
        /// Its size in bytes.
        length: u64,
        /// The core's number.
        core: u16,
        /// The first address behind the memory in which the segment begins.
        border: u64,
    },
    /// The machine has run already.
    #[error("{image}: the machine has run already: images of cores are for its start")]
    Running {
        /// Name of the file.
        image: String,
    },
    /// A segment lies where the machine has no memory.
    #[error(
        "{image}: segment at {address:#010x} of {length:#x} bytes is outside the machine's memories ({memories}); link the image for this platform"
    )]
    OutsideMemory {
        /// Name of the file.
        image: String,
        /// First address of the segment.
        address: u32,
        /// Its size in bytes.
        length: u64,
        /// The memories and where they are.
        memories: String,
    },
}
