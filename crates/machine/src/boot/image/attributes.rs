//! What an image says of the core that it was built for: vendors' build attributes ("Addenda to, and Errata in, the ABI", IHI 0045, whose format
//! GNU's attributes share), and sections by their names and flags. What it means is the architecture's business.

use super::ImageError;
use object::Endianness;
use object::elf::{self, FileHeader32};
use object::read::elf::{FileHeader, SectionHeader};
use socscope_core::{BuildNotes, MachineCore};

/// The notes in a file.
struct Notes<'a>(&'a [u8]);

impl BuildNotes for Notes<'_> {
    fn attribute(&self, section_type: u32, vendor: &str, tag: u64) -> u64 {
        let found = Attributes::of(self.0, section_type, vendor.as_bytes());
        found.map_or(0, |attributes| attributes.number(tag))
    }

    fn contents(&self, section: &str) -> Vec<Vec<u8>> {
        sections(self.0, |_, _, name| name == section.as_bytes()).collect()
    }

    fn has_flag(&self, flag: u32) -> bool {
        sections(self.0, |_, flags, _| flags & flag != 0)
            .next()
            .is_some()
    }
}

/// Refuses an image that says that it is built for another core.
///
/// # Errors
/// Which core or extension the image is built for, and how it is built for this one.
pub(crate) fn check_core(
    name: &str,
    bytes: &[u8],
    core: &dyn MachineCore,
) -> Result<(), ImageError> {
    match core.foreign(&Notes(bytes)) {
        None => Ok(()),
        Some(found) => Err(ImageError::ForeignCore {
            file: name.into(),
            found,
            core: core.images().title,
            remedy: core.images().remedy,
        }),
    }
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
