//! The contract between architectures and everything that asks them: what a core can be asked, what a machine does with it, and what
//! an engine tells a probe.

mod any_observer;
mod core;
mod exceptions;
mod images;
mod linux;
mod looking;
mod machine_core;
mod observer;
mod page_walk;
pub mod plain;
mod registers;
mod translation;

pub use any_observer::AnyObserver;
pub use core::{Core, ExecutionState};
pub use exceptions::{Cause, Exceptions};
pub use images::{ArchitectureFacts, BootProtocol, BuildNotes, Images};
pub use linux::{KernelEntry, LinuxCore};
pub use looking::Looking;
pub use machine_core::{BranchToSelf, Entry, Handler, InterruptLines, MachineCore};
pub use observer::{Observer, Ranges, Shared, Transfer, Translation, Unobserved};
pub use page_walk::PageWalk;
pub use registers::{Register, RegisterFile, RegisterGroup, RegisterKind};
pub use translation::{
    Changes, KNOWN_PAGES, KnownPages, Purpose, TRANSLATION_CLASSES, class as translation_class,
    place as known_place, places_of,
};
