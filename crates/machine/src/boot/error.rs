//! What a boot loader cannot do.

use socscope_device::BuildError;
use thiserror::Error;

/// Why an image cannot be started with what shall be handed over.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum BootError {
    /// A machine whose images start without a boot loader.
    #[error(
        "no boot loader hands an initial file system or a command line to images of this machine; leave --initrd and --append out"
    )]
    NoLoader,
    /// Only kernels are started so.
    #[error(
        "a boot loader hands an initial file system or a command line to kernels of Linux alone on this machine; load one (its symbols say that it is), or leave --initrd and --append out"
    )]
    NoKernel,
    /// Nothing to start.
    #[error("no image is loaded: load the kernel first")]
    NoImage,
    /// The machine has run already.
    #[error(
        "the machine has run already: an initial file system and a command line are for its start"
    )]
    Running,
    /// The image is not in a memory that has room behind it.
    #[error(
        "the image ends at {address:#010x}, where the platform has no RAM: link it for this platform"
    )]
    NoRam {
        /// Where the image ends.
        address: u32,
    },
    /// The image ends where no tree may lie behind it.
    #[error(
        "the image ends at {address:#010x}, and the device tree behind it must end below {limit:#x}: is it a kernel? Programs of an operating system are started by that system"
    )]
    ImageTooHigh {
        /// Where the image ends.
        address: u32,
        /// Where the tree must end.
        limit: u64,
    },
    /// An initial file system that does not fit behind the kernel.
    #[error(
        "the initial file system has {initrd_bytes} bytes, and {room} are free behind the image: make it smaller, or the platform's memory larger"
    )]
    InitrdTooBig {
        /// Its size.
        initrd_bytes: u64,
        /// What is free.
        room: u64,
    },
    /// A tree that does not fit behind the rest.
    #[error(
        "the device tree of {tree_bytes} bytes would lie at {from:#x}, and must end below {limit:#x}: make the initial file system smaller"
    )]
    TreeTooBig {
        /// Its size.
        tree_bytes: u64,
        /// Where it would begin.
        from: u64,
        /// Where it must end.
        limit: u64,
    },
    /// Another core's image lies where the tree or the initial file system would lie.
    #[error(
        "{from:#x} to {to:#x}, for the device tree and the initial file system, is where {image} lies: link that image for a higher place"
    )]
    Occupied {
        /// Where they would begin.
        from: u64,
        /// Where they would end.
        to: u64,
        /// Name of the other core's image.
        image: String,
    },
    /// A kernel without the board's code.
    #[error(
        "{image}: this kernel does not know the board ({boards}): switch the board on in its configuration, or choose its platform"
    )]
    OtherBoard {
        /// Name of the file.
        image: String,
        /// `compatible` of the platform's root.
        boards: String,
    },
    /// The platform's tree is wrong.
    #[error(transparent)]
    Property(#[from] BuildError),
}
