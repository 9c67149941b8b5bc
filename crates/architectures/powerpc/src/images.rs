//! Images for PowerPC cores, and what they say by GNU's attributes and the APU information section (e500 ABI user's guide, E500ABIUG).

use crate::CoreModel;
use crate::machine_core::EXCEPTIONS;
use socscope_core::{ArchitectureFacts, BootProtocol, BuildNotes, Images};
use socscope_memory::Endianness;

/// The architecture.
pub static FACTS: ArchitectureFacts = ArchitectureFacts {
    name: "PowerPC",
    elf_machine: 20,
    compiler: "powerpc-linux-gnu-gcc -mcpu=powerpc",
    exceptions: &EXCEPTIONS,
};

const SHT_GNU_ATTRIBUTES: u32 = 0x6fff_fff5;
const SHF_PPC_VLE: u32 = 0x1000_0000;
const APU_SECTION: &str = ".PPC.EMB.apuinfo";
/// GNU's attribute for the vectors of the ABI, and its values.
const TAG_POWER_ABI_VECTOR: u64 = 8;
const VECTORS_ALTIVEC: u64 = 2;
const VECTORS_SPE: u64 = 3;
/// Extensions of the e500 and its kin by their numbers in the APU information.
const APUS: [(u32, &str); 7] = [
    (0x040, "isel"),
    (0x042, "machine check interrupts of their own (RFMCI)"),
    (0x043, "cache locking"),
    (0x100, "the signal processing extension (SPE)"),
    (0x101, "floating point in general registers (EFS)"),
    (0x102, "branch locking"),
    (0x104, "variable-length encoding (VLE)"),
];

/// r3 is the address of the tree, and the next arguments are 0 (Linux, Documentation/powerpc/booting.rst).
const BOOT: BootProtocol = BootProtocol {
    kernels_only: false,
    arguments: |tree| [tree, 0, 0, 0, 0],
    kernel_offset: None,
};

pub(crate) fn images(model: CoreModel) -> Images {
    Images {
        elf_machine: FACTS.elf_machine,
        endianness: Endianness::Big,
        title: match model {
            CoreModel::Ppc603e => "a PowerPC 603e",
            CoreModel::Ppc750 => "a PowerPC 750",
            CoreModel::Ppc755 => "a PowerPC 755",
            CoreModel::Ppc7400 => "a PowerPC 7400",
            CoreModel::E600 => "a PowerPC e600",
        },
        remedy: "build it and its libraries for the classic architecture, without these: -mcpu=powerpc",
        boot: Some(&BOOT),
        jump_target: |_| None,
    }
}

/// What an image needs that the model does not have.
pub(crate) fn foreign(notes: &dyn BuildNotes, model: CoreModel) -> Option<String> {
    let vectors = notes.attribute(SHT_GNU_ATTRIBUTES, "gnu", TAG_POWER_ABI_VECTOR);
    let has_altivec = matches!(model, CoreModel::Ppc7400 | CoreModel::E600);
    if vectors == VECTORS_ALTIVEC && !has_altivec {
        return Some("AltiVec".into());
    }
    if vectors == VECTORS_SPE {
        return Some("the signal processing extension (SPE) of an e500".into());
    }
    let found = notes.contents(APU_SECTION);
    let mut apus = found.iter().flat_map(|note| apus(note));
    let known = apus.find_map(|apu| APUS.iter().find(|(number, _)| *number == apu));
    if let Some((_, text)) = known {
        return Some(format!("{text} of an e500"));
    }
    let vle = notes.has_flag(SHF_PPC_VLE);
    vle.then(|| "variable-length encoding (VLE)".into())
}

/// Numbers of the extensions that a note lists: sizes of name and list, type, name, then a word each.
fn apus(note: &[u8]) -> impl Iterator<Item = u32> {
    let word = |bytes: &[u8; 4]| u32::from_be_bytes(*bytes);
    let (words, _) = note.as_chunks::<4>();
    let names = words.first().map_or(0, word).div_ceil(4) as usize;
    let begin = names.saturating_add(3).min(words.len());
    words[begin..].iter().map(move |bytes| word(bytes) >> 16)
}
