//! Images: an ELF file as plain data. Parsing takes bytes and does nothing else; malformed input is an error with a remedy.

mod attributes;
mod error;
mod symbols;

use object::elf::{self, FileHeader32};
use object::read::elf::{FileHeader, ProgramHeader, SectionHeader};
use object::{Endian, Endianness};
use socscope_core::Images;

pub(crate) use attributes::check_core;
pub use error::ImageError;
pub use symbols::{Symbol, SymbolKind};

/// What a machine can run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Expected {
    /// ELF machine number (`e_machine`).
    pub machine: u16,
    /// Byte order of the core as the board wires it.
    pub big_endian: bool,
}

impl From<Images> for Expected {
    fn from(images: Images) -> Expected {
        Expected {
            machine: images.elf_machine,
            big_endian: images.endianness == socscope_memory::Endianness::Big,
        }
    }
}

/// A loadable segment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Segment {
    /// Where the loader puts it (LMA).
    pub physical_address: u32,
    /// Where the program expects it (VMA).
    pub virtual_address: u32,
    /// Bytes from the file.
    pub bytes: Vec<u8>,
    /// Zero bytes that follow (bss).
    pub zero_bytes: u32,
    /// Holds code.
    pub executable: bool,
    /// Holds data that changes.
    pub writable: bool,
}

/// A linker section that takes room in memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section {
    /// Name, such as `.text`.
    pub name: String,
    /// Where the program expects it (VMA).
    pub address: u32,
    /// Size in bytes.
    pub size: u32,
    /// Holds code.
    pub executable: bool,
    /// Holds data that changes.
    pub writable: bool,
}

/// An executable image.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    /// Address of the first instruction; bit 0 may choose the instruction set.
    pub entry: u32,
    /// Byte order.
    pub big_endian: bool,
    /// Loadable segments, by physical address.
    pub segments: Vec<Segment>,
    /// Sections that take room in memory, by address.
    pub sections: Vec<Section>,
    /// Functions, objects and labels, by address, then name.
    pub symbols: Vec<Symbol>,
    /// Where words of data begin and end that lie in code, as the mapping symbols `$d`, `$a` and `$t` say: by address, whether data follows.
    pub data_marks: Vec<(u32, bool)>,
}

impl Segment {
    /// Bytes that it takes in memory.
    pub fn length(&self) -> u64 {
        self.bytes.len() as u64 + u64::from(self.zero_bytes)
    }
}

impl Image {
    /// Reads the ELF file `bytes`, called `name` in errors.
    pub fn parse(name: &str, bytes: &[u8], expected: Expected) -> Result<Image, ImageError> {
        let file = name.to_owned();
        check_ident(name, bytes)?;
        let header =
            FileHeader32::<Endianness>::parse(bytes).map_err(|source| ImageError::Corrupt {
                file: file.clone(),
                part: "ELF header",
                reason: source.to_string(),
            })?;
        let endian = header.endian().map_err(|source| ImageError::Corrupt {
            file: file.clone(),
            part: "ELF header",
            reason: source.to_string(),
        })?;
        let machine = header.e_machine(endian);
        if machine != expected.machine {
            return Err(ImageError::ForeignMachine {
                file,
                found: machine,
                wanted: expected.machine,
            });
        }
        if endian.is_big_endian() != expected.big_endian {
            return Err(ImageError::ForeignByteOrder {
                file,
                wants_big_endian: expected.big_endian,
            });
        }
        let kind = header.e_type(endian);
        if kind != elf::ET_EXEC {
            return Err(ImageError::NotExecutable { file, found: kind });
        }
        let segments = segments(name, bytes, header, endian)?;
        let (sections, symbols, data_marks) = symbols::read(name, bytes, header, endian)?;
        Ok(Image {
            entry: header.e_entry(endian),
            big_endian: endian.is_big_endian(),
            segments,
            sections,
            symbols,
            data_marks,
        })
    }

    /// Whether it is a kernel of Linux, or one that unpacks itself (zImage), by their symbols.
    pub fn is_kernel(&self) -> bool {
        self.has_banner() || self.symbol("_magic_sig").is_some()
    }

    /// Whether what a kernel says of itself can be read in it.
    pub fn has_banner(&self) -> bool {
        self.symbol("linux_banner").is_some()
    }

    /// Puts all segments where `place` says, by where the file puts them.
    pub fn relocate(&mut self, place: impl Fn(u32) -> u32) {
        for segment in &mut self.segments {
            segment.physical_address = place(segment.physical_address);
        }
        self.segments
            .sort_by_key(|segment| segment.physical_address);
    }

    /// Where the first instruction lies in memory before any address is translated.
    pub fn physical_entry(&self) -> u32 {
        let around = |segment: &&Segment| {
            let length = segment.bytes.len() as u32 + segment.zero_bytes;
            self.entry.wrapping_sub(segment.virtual_address) < length
        };
        let segment = self.segments.iter().find(around);
        segment.map_or(self.entry, |segment| {
            let offset = self.entry.wrapping_sub(segment.virtual_address);
            segment.physical_address.wrapping_add(offset)
        })
    }

    /// The first address in memory behind all segments; the last one of all when that does not exist.
    pub fn physical_end(&self) -> u32 {
        let end = |segment: &Segment| {
            let length = segment.bytes.len() as u32 + segment.zero_bytes;
            segment.physical_address.saturating_add(length)
        };
        self.segments.iter().map(end).max().unwrap_or(0)
    }

    /// The symbol called `name`; functions are preferred to objects and these to labels.
    pub fn symbol(&self, name: &str) -> Option<&Symbol> {
        self.symbols
            .iter()
            .filter(|symbol| symbol.name == name)
            .min_by_key(|symbol| symbol.kind.rank())
    }

    /// The function, object or label that holds `address`; a label reaches to the next symbol.
    pub fn symbol_at(&self, address: u32) -> Option<&Symbol> {
        let end = self
            .symbols
            .partition_point(|symbol| symbol.address <= address);
        let below = &self.symbols[..end];
        let sized = below
            .iter()
            .rev()
            .find(|symbol| address - symbol.address < symbol.size);
        sized.or_else(|| below.last().filter(|symbol| symbol.size == 0))
    }
}

/// The first bytes say the class, before anything else can be read.
fn check_ident(name: &str, bytes: &[u8]) -> Result<(), ImageError> {
    let file = name.to_owned();
    if !bytes.starts_with(&elf::ELFMAG) {
        let start = bytes
            .iter()
            .take(4)
            .map(|byte| format!("{byte:02x}"))
            .collect::<Vec<_>>();
        return Err(ImageError::NotElf {
            file,
            start: start.join(" "),
        });
    }
    let size = bytes.len() as u64;
    let class = match bytes {
        [_, _, _, _, class, ..] if size >= 52 => *class,
        _ => {
            return Err(ImageError::Truncated {
                file,
                part: "ELF header".into(),
                end: 52,
                size,
            });
        }
    };
    if class != elf::ELFCLASS32 {
        return Err(ImageError::ForeignClass { file, found: class });
    }
    Ok(())
}

/// How many segments may share a byte of the file; none does that a linker has made.
const SEGMENTS_PER_BYTE_MAX: u64 = 8;

fn segments(
    name: &str,
    bytes: &[u8],
    header: &FileHeader32<Endianness>,
    endian: Endianness,
) -> Result<Vec<Segment>, ImageError> {
    let size = bytes.len() as u64;
    let table_end = u64::from(header.e_phoff(endian))
        + u64::from(header.e_phnum(endian)) * u64::from(header.e_phentsize(endian));
    if header.e_phnum(endian) > 0 && table_end > size {
        let part = "program header table".to_owned();
        return Err(ImageError::Truncated {
            file: name.into(),
            part,
            end: table_end,
            size,
        });
    }
    let headers = header
        .program_headers(endian, bytes)
        .map_err(|source| ImageError::Corrupt {
            file: name.into(),
            part: "program header table",
            reason: source.to_string(),
        })?;
    let mut segments = Vec::new();
    let mut copied = 0;
    for (index, program) in headers.iter().enumerate() {
        if program.p_type(endian) == elf::PT_LOAD && program.p_memsz(endian) > 0 {
            copied += u64::from(program.p_filesz(endian));
            if copied > SEGMENTS_PER_BYTE_MAX * size {
                return Err(ImageError::Corrupt {
                    file: name.into(),
                    part: "program header table",
                    reason: format!("its segments have more than {copied} bytes, the file {size}"),
                });
            }
            segments.push(segment(name, bytes, program, index, endian)?);
        }
    }
    if segments.is_empty() {
        return Err(ImageError::NothingToLoad { file: name.into() });
    }
    segments.sort_by_key(|segment| segment.physical_address);
    for pair in segments.windows(2) {
        let end = u64::from(pair[0].physical_address) + pair[0].bytes.len() as u64;
        // Only bytes of the file may not collide: a bss may lie over a load image that start-up code moves away.
        if end > u64::from(pair[1].physical_address) && !pair[1].bytes.is_empty() {
            return Err(ImageError::Overlap {
                file: name.into(),
                first: pair[0].physical_address,
                first_end: end,
                second: pair[1].physical_address,
            });
        }
    }
    Ok(segments)
}

fn segment(
    name: &str,
    bytes: &[u8],
    program: &elf::ProgramHeader32<Endianness>,
    index: usize,
    endian: Endianness,
) -> Result<Segment, ImageError> {
    let file = name.to_owned();
    let (file_size, memory_size) = (program.p_filesz(endian), program.p_memsz(endian));
    let physical_address = program.p_paddr(endian);
    let end = u64::from(program.p_offset(endian)) + u64::from(file_size);
    let size = bytes.len() as u64;
    if end > size {
        return Err(ImageError::Truncated {
            file,
            part: format!("segment {index}"),
            end,
            size,
        });
    }
    if file_size > memory_size {
        return Err(ImageError::SegmentSizes {
            file,
            index,
            file_size,
            memory_size,
        });
    }
    if u64::from(physical_address) + u64::from(memory_size) > 1 << 32 {
        return Err(ImageError::SegmentWraps {
            file,
            index,
            address: physical_address,
            memory_size,
        });
    }
    let start = program.p_offset(endian) as usize;
    Ok(Segment {
        physical_address,
        virtual_address: program.p_vaddr(endian),
        bytes: bytes[start..start + file_size as usize].to_vec(),
        zero_bytes: memory_size - file_size,
        executable: program.p_flags(endian) & elf::PF_X != 0,
        writable: program.p_flags(endian) & elf::PF_W != 0,
    })
}

/// A section as the symbol reader finds it.
fn section(
    header: &elf::SectionHeader32<Endianness>,
    name: &[u8],
    endian: Endianness,
) -> Option<Section> {
    let flags = header.sh_flags(endian);
    (flags & elf::SHF_ALLOC != 0 && header.sh_size(endian) > 0).then(|| Section {
        name: String::from_utf8_lossy(name).into_owned(),
        address: header.sh_addr(endian),
        size: header.sh_size(endian),
        executable: flags & elf::SHF_EXECINSTR != 0,
        writable: flags & elf::SHF_WRITE != 0,
    })
}
