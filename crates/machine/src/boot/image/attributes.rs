//! For which core an image was built, as its build attributes say: ELF for the Arm Architecture's "Addenda to, and Errata in, the ABI" (IHI 0045)
//! for ARM; GNU's attributes and the APU information section (e500 ABI user's guide, E500ABIUG) for PowerPC.
//!
//! Attributes that are missing or damaged say nothing.

use super::ImageError;
use object::Endianness;
use object::elf::{self, FileHeader32};
use object::read::elf::{FileHeader, SectionHeader};
use socscope_powerpc::CoreModel;

const SHT_ARM_ATTRIBUTES: u32 = 0x7000_0003;
const SHT_GNU_ATTRIBUTES: u32 = 0x6fff_fff5;
const SHF_PPC_VLE: u32 = 0x1000_0000;
const APU_SECTION: &[u8] = b".PPC.EMB.apuinfo";

/// Architectures by the value of Tag_CPU_arch.
const ARM_ARCHITECTURES: [&str; 23] = [
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
const ARMV4T: u64 = 2;
const TAG_CPU_ARCH: u64 = 6;
const TAG_CPU_ARCH_PROFILE: u64 = 7;
const TAG_THUMB_ISA_USE: u64 = 9;
const TAG_FP_ARCH: u64 = 10;
const TAG_ABI_VFP_ARGS: u64 = 28;

/// GNU's attribute for the vectors of PowerPC's ABI, and its values.
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

/// A core that images are built for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Core {
    /// An ARM7TDMI: ARMv4T without coprocessors.
    Arm7Tdmi,
    /// A PowerPC of the classic kind.
    PowerPc(CoreModel),
}

/// Refuses an image that says that it is built for another core.
///
/// # Errors
/// Which core or extension the image is built for, and how it is built for this one.
pub fn check_core(name: &str, bytes: &[u8], core: Core) -> Result<(), ImageError> {
    let foreign = match core {
        Core::Arm7Tdmi => foreign_arm(bytes).map(|found| (found, ARM_REMEDY)),
        Core::PowerPc(model) => foreign_powerpc(bytes, model).map(|found| (found, POWERPC_REMEDY)),
    };
    match foreign {
        None => Ok(()),
        Some((found, remedy)) => Err(ImageError::ForeignCore {
            file: name.into(),
            found,
            core: title(core),
            remedy,
        }),
    }
}

const ARM_REMEDY: &str = "build it and its libraries with -mcpu=arm7tdmi -mfloat-abi=soft";
const POWERPC_REMEDY: &str =
    "build it and its libraries for the classic architecture, without these: -mcpu=powerpc";

fn title(core: Core) -> &'static str {
    match core {
        Core::Arm7Tdmi => "an ARM7TDMI (ARMv4T)",
        Core::PowerPc(CoreModel::Ppc603e) => "a PowerPC 603e",
        Core::PowerPc(CoreModel::Ppc750) => "a PowerPC 750",
        Core::PowerPc(CoreModel::Ppc7400) => "a PowerPC 7400",
        Core::PowerPc(CoreModel::E600) => "a PowerPC e600",
    }
}

fn foreign_arm(bytes: &[u8]) -> Option<String> {
    let attributes = Attributes::of(bytes, SHT_ARM_ATTRIBUTES, b"aeabi")?;
    let architecture = attributes.number(TAG_CPU_ARCH);
    let profile = match attributes.number(TAG_CPU_ARCH_PROFILE) as u8 {
        b'M' => " of the profile for microcontrollers (Cortex-M)",
        b'R' => " of the profile for real time (Cortex-R)",
        b'A' => " of the profile for applications (Cortex-A)",
        _ => "",
    };
    if architecture > ARMV4T {
        let known = ARM_ARCHITECTURES.get(architecture as usize);
        let text = known.map_or(format!("architecture {architecture}"), |it| (*it).into());
        return Some(format!("{text}{profile}"));
    }
    if attributes.number(TAG_THUMB_ISA_USE) == 2 {
        return Some("Thumb-2".into());
    }
    if attributes.number(TAG_ABI_VFP_ARGS) == 1 {
        return Some("floating-point arguments in VFP registers (hard float)".into());
    }
    (attributes.number(TAG_FP_ARCH) > 0).then(|| "a VFP floating-point unit".into())
}

fn foreign_powerpc(bytes: &[u8], model: CoreModel) -> Option<String> {
    let attributes = Attributes::of(bytes, SHT_GNU_ATTRIBUTES, b"gnu");
    let vectors = attributes.map_or(0, |it| it.number(TAG_POWER_ABI_VECTOR));
    let has_altivec = matches!(model, CoreModel::Ppc7400 | CoreModel::E600);
    if vectors == VECTORS_ALTIVEC && !has_altivec {
        return Some("AltiVec".into());
    }
    if vectors == VECTORS_SPE {
        return Some("the signal processing extension (SPE) of an e500".into());
    }
    let notes = sections(bytes, |_, _, name| name == APU_SECTION);
    let apus = notes.flat_map(|data| apus(&data).collect::<Vec<_>>());
    let mut apus = apus.filter_map(|apu| APUS.iter().find(|(number, _)| *number == apu));
    if let Some((_, text)) = apus.next() {
        return Some(format!("{text} of an e500"));
    }
    let mut vle = sections(bytes, |_, flags, _| flags & SHF_PPC_VLE != 0);
    vle.next().map(|_| "variable-length encoding (VLE)".into())
}

/// Numbers of the extensions that a note lists: sizes of name and list, type, name, then a word each.
fn apus(note: &[u8]) -> impl Iterator<Item = u32> {
    let word = |bytes: &[u8; 4]| u32::from_be_bytes(*bytes);
    let (words, _) = note.as_chunks::<4>();
    let names = words.first().map_or(0, word).div_ceil(4) as usize;
    let begin = names.saturating_add(3).min(words.len());
    words[begin..].iter().map(move |bytes| word(bytes) >> 16)
}

/// The attributes of a whole file that are numbers.
struct Attributes(Vec<(u64, u64)>);

impl Attributes {
    /// Those of a vendor, in the section of this type.
    fn of(bytes: &[u8], kind: u32, vendor: &[u8]) -> Option<Attributes> {
        let big_endian = bytes.get(5) == Some(&elf::ELFDATA2MSB);
        let data = sections(bytes, |found, _, _| found == kind).next()?;
        let mut rest = data.strip_prefix(b"A")?;
        while !rest.is_empty() {
            let length = length_of(rest, big_endian)?;
            let (own, others) = rest.split_at_checked(length)?;
            rest = others;
            let text = own.get(4..)?;
            let end = text.iter().position(|&byte| byte == 0)?;
            if &text[..end] == vendor {
                return Attributes::of_file(&text[end + 1..], big_endian);
            }
        }
        None
    }

    /// The first list that is about the whole file.
    fn of_file(mut rest: &[u8], big_endian: bool) -> Option<Attributes> {
        const TAG_FILE: u8 = 1;
        while let [tag, behind @ ..] = rest {
            // The size counts from the tag on.
            let size = length_of(behind, big_endian)?;
            let (own, others) = rest.split_at_checked(size)?;
            if *tag == TAG_FILE {
                return Attributes::read(own.get(5..)?);
            }
            rest = others;
        }
        None
    }

    fn read(mut rest: &[u8]) -> Option<Attributes> {
        let mut numbers = vec![];
        while !rest.is_empty() {
            let tag = number_of(&mut rest)?;
            // Texts: the processor's names, and from 32 on what has an odd number; 32 is a number and a text.
            let (number, text) = match tag {
                4 | 5 => (false, true),
                32 => (true, true),
                _ => (tag < 32 || tag % 2 == 0, tag > 32 && tag % 2 == 1),
            };
            if number {
                numbers.push((tag, number_of(&mut rest)?));
            }
            if text {
                let end = rest.iter().position(|&byte| byte == 0)?;
                rest = &rest[end + 1..];
            }
        }
        Some(Attributes(numbers))
    }

    /// An attribute's value; 0 where it is absent, which is what absence means.
    fn number(&self, tag: u64) -> u64 {
        let found = self.0.iter().find(|(known, _)| *known == tag);
        found.map_or(0, |(_, value)| *value)
    }
}

/// A length that is at least that of itself: what follows gets shorter with every step.
fn length_of(bytes: &[u8], big_endian: bool) -> Option<usize> {
    let word = *bytes.first_chunk::<4>()?;
    let length = if big_endian {
        u32::from_be_bytes(word)
    } else {
        u32::from_le_bytes(word)
    };
    (length >= 5).then_some(length as usize)
}

/// A number of seven bits a byte, the lowest first (ULEB128).
fn number_of(rest: &mut &[u8]) -> Option<u64> {
    let mut value = 0u64;
    for shift in (0..63).step_by(7) {
        let (&byte, behind) = rest.split_first()?;
        *rest = behind;
        value |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Some(value);
        }
    }
    None
}

/// Contents of the sections that are wanted by type, flags and name; none where the file's tables are damaged.
fn sections(
    bytes: &[u8],
    wanted: impl Fn(u32, u32, &[u8]) -> bool,
) -> impl Iterator<Item = Vec<u8>> {
    let read = || -> object::Result<Vec<Vec<u8>>> {
        let header = FileHeader32::<Endianness>::parse(bytes)?;
        let endian = header.endian()?;
        let table = header.sections(endian, bytes)?;
        let mut found = vec![];
        for section in table.iter() {
            let name = table.section_name(endian, section)?;
            if wanted(section.sh_type(endian), section.sh_flags(endian), name) {
                found.push(section.data(endian, bytes)?.to_vec());
            }
        }
        Ok(found)
    };
    read().unwrap_or_default().into_iter()
}
