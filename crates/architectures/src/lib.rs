//! The architectures that a machine can have cores of: one folder each, registered here.

mod any_core;
mod model;

pub use any_core::AnyCore;
pub use model::Model;
pub use socscope_arm as arm;
use socscope_core::ArchitectureFacts;
pub use socscope_powerpc as powerpc;
pub use socscope_toy as toy;

/// All that are registered.
pub static REGISTERED: [&ArchitectureFacts; 3] = [&arm::FACTS, &powerpc::FACTS, &toy::FACTS];

/// That of a machine number in ELF files.
pub fn registered(elf_machine: u16) -> Option<&'static ArchitectureFacts> {
    let mut all = REGISTERED.into_iter();
    all.find(|known| known.elf_machine == elf_machine)
}
