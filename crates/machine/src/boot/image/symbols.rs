//! Sections and symbols of an image.

use object::Endianness;
use object::elf::{self, FileHeader32};
use object::read::elf::{FileHeader, Sym};

use super::{ImageError, Section, section};

/// What a symbol names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SymbolKind {
    /// Code.
    Function {
        /// Bit 0 of the symbol's value, which may choose the instruction set.
        is_odd: bool,
    },
    /// Data.
    Object,
    /// An address without a type, as assembler sources and linker scripts make them.
    Label,
}

impl SymbolKind {
    pub(super) fn rank(self) -> u8 {
        match self {
            SymbolKind::Function { .. } => 0,
            SymbolKind::Object => 1,
            SymbolKind::Label => 2,
        }
    }
}

/// A named address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symbol {
    /// Name as the linker knows it.
    pub name: String,
    /// Address, without the bit that chooses the instruction set.
    pub address: u32,
    /// Size in bytes; 0 when the source does not say.
    pub size: u32,
    /// What it names.
    pub kind: SymbolKind,
    /// Not seen outside its source file: the name may occur again.
    pub local: bool,
}

/// Sections, symbols, and where data in code begins and ends.
type Names = (Vec<Section>, Vec<Symbol>, Vec<(u32, bool)>);

pub(super) fn read(
    name: &str,
    bytes: &[u8],
    header: &FileHeader32<Endianness>,
    endian: Endianness,
) -> Result<Names, ImageError> {
    let corrupt = |part, source: object::Error| ImageError::Corrupt {
        file: name.to_owned(),
        part,
        reason: source.to_string(),
    };
    let size = bytes.len() as u64;
    let end = u64::from(header.e_shoff(endian))
        + u64::from(header.e_shnum(endian)) * u64::from(header.e_shentsize(endian));
    if header.e_shoff(endian) != 0 && end > size {
        let part = "section header table".to_owned();
        return Err(ImageError::Truncated {
            file: name.into(),
            part,
            end,
            size,
        });
    }
    let table = header
        .sections(endian, bytes)
        .map_err(|source| corrupt("section header table", source))?;
    let mut sections = Vec::new();
    for header in table.iter() {
        let title = table
            .section_name(endian, header)
            .map_err(|source| corrupt("section names", source))?;
        sections.extend(section(header, title, endian));
    }
    sections.sort_by_key(|section| section.address);

    let names = table
        .symbols(endian, bytes, elf::SHT_SYMTAB)
        .map_err(|source| corrupt("symbol table", source))?;
    let mut symbols = Vec::new();
    let mut data_marks = Vec::new();
    for symbol in names.iter() {
        let title = symbol
            .name(endian, names.strings())
            .map_err(|source| corrupt("symbol names", source))?;
        // $a, $t and $d mark code and data for disassemblers (IHI 0044, "Mapping symbols").
        if let [b'$', kind @ (b'a' | b't' | b'd'), ..] = *title {
            data_marks.push((symbol.st_value(endian), kind == b'd'));
        }
        if symbol.st_shndx(endian) == elf::SHN_UNDEF || title.is_empty() || title[0] == b'$' {
            continue;
        }
        let value = symbol.st_value(endian);
        let (kind, address) = match symbol.st_type() {
            elf::STT_FUNC => (
                SymbolKind::Function {
                    is_odd: value & 1 == 1,
                },
                value & !1,
            ),
            elf::STT_OBJECT => (SymbolKind::Object, value),
            elf::STT_NOTYPE => (SymbolKind::Label, value),
            _ => continue,
        };
        symbols.push(Symbol {
            name: String::from_utf8_lossy(title).into_owned(),
            address,
            size: symbol.st_size(endian),
            kind,
            local: symbol.st_bind() == elf::STB_LOCAL,
        });
    }
    symbols.sort_by(|a, b| (a.address, &a.name).cmp(&(b.address, &b.name)));
    data_marks.sort_unstable();
    Ok((sections, symbols, data_marks))
}
