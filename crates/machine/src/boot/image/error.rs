//! What can be wrong with an image.

use object::elf;
use socscope_architectures::registered;
use thiserror::Error;

/// Why a file is not an image that the machine can run.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ImageError {
    /// Not an ELF file at all.
    #[error(
        "{file}: not an ELF file (it starts with \"{start}\" in place of \"7f 45 4c 46\"): give the linker's output, not a raw binary or hex file"
    )]
    NotElf {
        /// Name of the file.
        file: String,
        /// Its first bytes.
        start: String,
    },
    /// The file ends too early.
    #[error(
        "{file}: truncated: {part} ends at byte {end}, the file at byte {size}: build or copy the file again"
    )]
    Truncated {
        /// Name of the file.
        file: String,
        /// Part that is cut off.
        part: String,
        /// Where the part should end.
        end: u64,
        /// Size of the file.
        size: u64,
    },
    /// Not a 32-bit ELF.
    #[error("{file}: {} ELF file, the machine's core is a 32-bit one: build it for the target, not for the host", if *found == elf::ELFCLASS64 { "64-bit".into() } else { format!("class {found}") })]
    ForeignClass {
        /// Name of the file.
        file: String,
        /// `e_ident[EI_CLASS]`.
        found: u8,
    },
    /// The other byte order.
    #[error("{file}: not {} like the machine's core: build it with {}", byte_order(*wants_big_endian), if *wants_big_endian { "-mbig-endian" } else { "-mlittle-endian" })]
    ForeignByteOrder {
        /// Name of the file.
        file: String,
        /// Byte order of the core.
        wants_big_endian: bool,
    },
    /// Another architecture.
    #[error("{file}: built for {}, the machine's core is {}: build it with a compiler for that{}", machine_name(*found), machine_name(*wanted), compiler_of(*wanted))]
    ForeignMachine {
        /// Name of the file.
        file: String,
        /// `e_machine` of the file.
        found: u16,
        /// `e_machine` of the core.
        wanted: u16,
    },
    /// The same architecture, but another core or extension.
    #[error("{file}: built for {found}; the machine's core is {core}: {remedy}")]
    ForeignCore {
        /// Name of the file.
        file: String,
        /// What it is built for.
        found: String,
        /// The core.
        core: &'static str,
        /// How it is built for the core.
        remedy: &'static str,
    },
    /// A relocatable, shared or core file.
    #[error("{file}: {}, a linked executable at fixed addresses is needed: link it with the board's linker script", type_name(*found))]
    NotExecutable {
        /// Name of the file.
        file: String,
        /// `e_type` of the file.
        found: u16,
    },
    /// A table or header that contradicts itself.
    #[error("{file}: corrupt {part}: {reason}: build the file again")]
    Corrupt {
        /// Name of the file.
        file: String,
        /// Part of the file.
        part: &'static str,
        /// What is wrong with it.
        reason: String,
    },
    /// No loadable segment with any size.
    #[error(
        "{file}: no loadable segment (PT_LOAD), nothing would be in memory: check PHDRS and SECTIONS in the linker script"
    )]
    NothingToLoad {
        /// Name of the file.
        file: String,
    },
    /// More bytes in the file than in memory.
    #[error(
        "{file}: segment {index} has {file_size} bytes in the file and {memory_size} in memory, it cannot shrink: the file is damaged, build it again"
    )]
    SegmentSizes {
        /// Name of the file.
        file: String,
        /// Index of the program header.
        index: usize,
        /// `p_filesz`.
        file_size: u32,
        /// `p_memsz`.
        memory_size: u32,
    },
    /// A segment that runs over the end of the address space.
    #[error(
        "{file}: segment {index} ({memory_size} bytes at {address:#010x}) runs over the end of the 32-bit address space: check the addresses in the linker script"
    )]
    SegmentWraps {
        /// Name of the file.
        file: String,
        /// Index of the program header.
        index: usize,
        /// `p_paddr`.
        address: u32,
        /// `p_memsz`.
        memory_size: u32,
    },
    /// Two segments want the same bytes of memory.
    #[error(
        "{file}: segments overlap: {first:#010x}..{first_end:#010x} and the one at {second:#010x}: check the load addresses (AT>) in the linker script"
    )]
    Overlap {
        /// Name of the file.
        file: String,
        /// Start of the lower one.
        first: u32,
        /// End of the lower one's bytes.
        first_end: u64,
        /// Start of the upper one.
        second: u32,
    },
}

fn byte_order(big_endian: bool) -> &'static str {
    if big_endian {
        "big-endian"
    } else {
        "little-endian"
    }
}

fn machine_name(machine: u16) -> String {
    if let Some(known) = registered(machine) {
        return known.name.into();
    }
    match machine {
        elf::EM_AARCH64 => "AArch64".into(),
        elf::EM_386 => "x86".into(),
        elf::EM_X86_64 => "x86-64".into(),
        elf::EM_RISCV => "RISC-V".into(),
        elf::EM_MIPS => "MIPS".into(),
        other => format!("ELF machine {other}"),
    }
}

/// A compiler for a machine, for messages.
fn compiler_of(machine: u16) -> String {
    let known = registered(machine);
    known.map_or(String::new(), |known| {
        format!(", such as {}", known.compiler)
    })
}

fn type_name(kind: u16) -> String {
    match kind {
        elf::ET_REL => "a relocatable object file".into(),
        elf::ET_DYN => "a shared object or position-independent executable".into(),
        elf::ET_CORE => "a core dump".into(),
        other => format!("ELF type {other}"),
    }
}
