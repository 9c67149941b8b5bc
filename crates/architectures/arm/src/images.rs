//! Images for ARM cores, and what they say by their build attributes: ELF for the Arm Architecture's "Addenda to, and Errata in, the ABI" (IHI 0045).

use crate::machine_core::EXCEPTIONS;
use crate::{CoreModel, Version};
use socscope_core::{ArchitectureFacts, BuildNotes, Images};
use socscope_memory::Endianness;

/// The architecture.
pub static FACTS: ArchitectureFacts = ArchitectureFacts {
    name: "ARM",
    elf_machine: 40,
    compiler: "arm-none-eabi-gcc -mcpu=arm7tdmi",
    exceptions: &EXCEPTIONS,
};

/// The images of a model.
pub(crate) fn images(model: CoreModel) -> Images {
    let (title, remedy) = match model {
        CoreModel::Arm7Tdmi => (
            "an ARM7TDMI (ARMv4T)",
            "build it and its libraries with -mcpu=arm7tdmi -mfloat-abi=soft",
        ),
        CoreModel::Arm920T => (
            "an ARM920T (ARMv4T)",
            "build it and its libraries with -mcpu=arm920t -mfloat-abi=soft",
        ),
        CoreModel::Arm926EjS => (
            "an ARM926EJ-S (ARMv5TEJ)",
            "build it and its libraries with -mcpu=arm926ej-s -mfloat-abi=soft",
        ),
        CoreModel::Arm1136JS => (
            "an ARM1136J-S (ARMv6)",
            "build it and its libraries with -mcpu=arm1136j-s -mfloat-abi=soft",
        ),
        CoreModel::Arm1176JzS => (
            "an ARM1176JZ-S (ARMv6K)",
            "build it and its libraries with -mcpu=arm1176jz-s -mfloat-abi=soft",
        ),
    };
    Images {
        elf_machine: FACTS.elf_machine,
        endianness: Endianness::Little,
        title,
        remedy,
        have_boot_loader: false,
        jump_target,
    }
}

/// Where MOV or ADD of an immediate to the program counter goes (ARM ARM, A5.1.3), about.
fn jump_target(opcode: u32) -> Option<u32> {
    let jumps = matches!(opcode & 0x0fff_f000, 0x03a0_f000 | 0x028f_f000);
    jumps.then(|| (opcode & 0xff).rotate_right(2 * ((opcode >> 8) & 15)))
}

const SHT_ARM_ATTRIBUTES: u32 = 0x7000_0003;

/// Architectures by the value of Tag_CPU_arch.
const ARCHITECTURES: [&str; 23] = [
    "before ARMv4",
    "ARMv4",
    "ARMv4T",
    "ARMv5T",
    "ARMv5TE",
    "ARMv5TEJ",
    "ARMv6",
    "ARMv6KZ",
    "ARMv6T2",
    "ARMv6K",
    "ARMv7",
    "ARMv6-M",
    "ARMv6S-M",
    "ARMv7E-M",
    "ARMv8-A",
    "ARMv8-R",
    "ARMv8-M baseline",
    "ARMv8-M mainline",
    "ARMv8.1-A",
    "ARMv8.2-A",
    "ARMv8.3-A",
    "ARMv8.1-M mainline",
    "ARMv9-A",
];

/// Whether a version of the architecture runs code that was built for one with this number: versions 6K and 6KZ, which have
/// no order among themselves, come behind 6, and 6T2, 6-M and what follows have instructions that none of the family has.
fn runs(version: Version, architecture: u64) -> bool {
    match version {
        Version::V4T => architecture <= 2,
        Version::V5TEJ => architecture <= 5,
        Version::V6 => architecture <= 6,
        Version::V6K => architecture <= 7 || architecture == 9,
    }
}

const TAG_CPU_ARCH: u64 = 6;
const TAG_CPU_ARCH_PROFILE: u64 = 7;
const TAG_THUMB_ISA_USE: u64 = 9;
const TAG_FP_ARCH: u64 = 10;
const TAG_ABI_VFP_ARGS: u64 = 28;

/// What an image needs that a model does not have.
pub(crate) fn foreign(notes: &dyn BuildNotes, model: CoreModel) -> Option<String> {
    let number = |tag| notes.attribute(SHT_ARM_ATTRIBUTES, "aeabi", tag);
    let architecture = number(TAG_CPU_ARCH);
    let profile = match number(TAG_CPU_ARCH_PROFILE) as u8 {
        b'M' => " of the profile for microcontrollers (Cortex-M)",
        b'R' => " of the profile for real time (Cortex-R)",
        b'A' => " of the profile for applications (Cortex-A)",
        _ => "",
    };
    if !runs(model.version(), architecture) {
        let known = ARCHITECTURES.get(architecture as usize);
        let text = known.map_or(format!("architecture {architecture}"), |it| (*it).into());
        return Some(format!("{text}{profile}"));
    }
    if number(TAG_THUMB_ISA_USE) == 2 {
        return Some("Thumb-2".into());
    }
    if number(TAG_ABI_VFP_ARGS) == 1 {
        return Some("floating-point arguments in VFP registers (hard float)".into());
    }
    (number(TAG_FP_ARCH) > 0).then(|| "a VFP floating-point unit".into())
}
