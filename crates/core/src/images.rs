//! Which images an architecture's models run, and what an image says of the core that it was built for.

use crate::Exceptions;
use socscope_memory::Endianness;

/// An architecture, for those who know its images only.
#[derive(Clone, Copy, Debug)]
pub struct ArchitectureFacts {
    /// Its name, for people.
    pub name: &'static str,
    /// The machine number of its ELF files (`e_machine`).
    pub elf_machine: u16,
    /// A compiler for it, with the options that fit most of its models.
    pub compiler: &'static str,
    /// Its exceptions.
    pub exceptions: &'static Exceptions,
}

/// The images that a model runs.
#[derive(Clone, Copy, Debug)]
pub struct Images {
    /// The machine number of its ELF files.
    pub elf_machine: u16,
    /// The byte order of the core as boards wire it.
    pub endianness: Endianness,
    /// The model with its article, for messages.
    pub title: &'static str,
    /// How an image is built for it that was built for another one.
    pub remedy: &'static str,
    /// How a boot loader starts them that hands over a device tree; `None` where none does.
    pub boot: Option<&'static BootProtocol>,
    /// Where an instruction goes, by its opcode, that jumps to an address which stands in it; for a guess at how an image was linked.
    pub jump_target: fn(u32) -> Option<u32>,
}

/// What a boot loader does for images that are handed a device tree.
#[derive(Clone, Copy, Debug)]
pub struct BootProtocol {
    /// It is there for kernels of Linux only: other images start without it.
    pub kernels_only: bool,
    /// The arguments, for a tree at this address.
    pub arguments: fn(u32) -> [u32; 5],
    /// The bits of a kernel's addresses that say where it lies behind the beginning of memory, where its file may give addresses behind translation
    /// alone.
    pub kernel_offset: Option<u32>,
}

/// What the file of an image says of the core that it was built for. What is missing or damaged says nothing.
pub trait BuildNotes {
    /// A number among a vendor's build attributes of the whole file, in the section of this type; 0 where it is absent, which is what absence means.
    fn attribute(&self, section_type: u32, vendor: &str, tag: u64) -> u64;
    /// Contents of the sections with this name.
    fn contents(&self, section: &str) -> Vec<Vec<u8>>;
    /// Whether a section has this flag.
    fn has_flag(&self, flag: u32) -> bool;
}
