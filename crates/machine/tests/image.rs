//! Images: what is read, what is refused, and that no file makes the reader panic.

use proptest::prelude::*;
use socscope_machine::image::{Expected, Image, ImageError, SymbolKind};

const ARM: Expected = Expected {
    machine: 40,
    big_endian: false,
};

/// An ELF32 file, field by field: header, two program headers, code, names, symbols, section headers.
fn elf(big_endian: bool) -> Vec<u8> {
    let mut file = Vec::new();
    let half = |file: &mut Vec<u8>, value: u16| {
        file.extend(if big_endian {
            value.to_be_bytes()
        } else {
            value.to_le_bytes()
        });
    };
    let words = |file: &mut Vec<u8>, values: &[u32]| {
        for value in values {
            file.extend(if big_endian {
                value.to_be_bytes()
            } else {
                value.to_le_bytes()
            });
        }
    };
    file.extend([
        0x7F,
        b'E',
        b'L',
        b'F',
        1,
        1 + u8::from(big_endian),
        1,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
    ]);
    half(&mut file, 2);
    half(&mut file, 40);
    let names = b"\0.text\0.symtab\0.strtab\0start\0twice\0table\0loop\0$a\0";
    let (code, code_end) = (52 + 64, 52 + 64 + 24);
    let symbols = (code_end + names.len() as u32 + 3) & !3;
    let sections = symbols + 6 * 16;
    words(&mut file, &[1, 0x0100_0000, 52, sections, 0]);
    for value in [52, 32, 2, 40, 4, 3] {
        half(&mut file, value);
    }
    words(
        &mut file,
        &[1, code, 0x0100_0000, 0x0100_0000, 16, 16, 5, 4],
    );
    words(
        &mut file,
        &[1, code + 16, 0x0200_0000, 0x0100_0010, 8, 40, 6, 4],
    );
    words(
        &mut file,
        &[
            0xE1A0_0000,
            0xEAFF_FFFE,
            0x4770_4770,
            0,
            0x1111_1111,
            0x2222_2222,
        ],
    );
    file.extend(names);
    file.resize(symbols as usize, 0);
    let symbol = |file: &mut Vec<u8>, name: u32, value: u32, size: u32, info: u8, section: u16| {
        words(file, &[name, value, size]);
        file.extend([info, 0]);
        half(file, section);
    };
    symbol(&mut file, 0, 0, 0, 0, 0);
    symbol(&mut file, 46, 0x0100_0000, 0, 0, 1);
    symbol(&mut file, 41, 0x0100_0004, 0, 0, 1);
    symbol(&mut file, 23, 0x0100_0000, 8, 0x12, 1);
    symbol(&mut file, 29, 0x0100_0009, 4, 0x12, 1);
    symbol(&mut file, 35, 0x0200_0000, 8, 0x01, 1);
    words(&mut file, &[0; 10]);
    words(&mut file, &[1, 1, 6, 0x0100_0000, code, 16, 0, 0, 4, 0]);
    words(&mut file, &[7, 2, 0, 0, symbols, 96, 3, 3, 4, 16]);
    words(
        &mut file,
        &[15, 3, 0, 0, code_end, names.len() as u32, 0, 0, 1, 0],
    );
    file
}

fn refused(bytes: &[u8]) -> ImageError {
    Image::parse("guest.elf", bytes, ARM).expect_err("the file is malformed")
}

#[test]
fn segments_sections_and_symbols_are_read() {
    let image = Image::parse("guest.elf", &elf(false), ARM).expect("the file is well formed");
    assert_eq!((image.entry, image.big_endian), (0x0100_0000, false));
    let [code, data] = &image.segments[..] else {
        panic!("two segments")
    };
    assert_eq!(code.bytes[..4], [0x00, 0x00, 0xA0, 0xE1]);
    assert!(code.executable && !code.writable && data.writable && !data.executable);
    assert_eq!(
        (data.physical_address, data.virtual_address),
        (0x0100_0010, 0x0200_0000)
    );
    assert_eq!((data.bytes.len(), data.zero_bytes), (8, 32));
    assert_eq!(image.sections.len(), 1);
    assert_eq!(
        (image.sections[0].name.as_str(), image.sections[0].size),
        (".text", 16)
    );

    let names: Vec<_> = image
        .symbols
        .iter()
        .map(|symbol| symbol.name.as_str())
        .collect();
    assert_eq!(
        names,
        ["start", "loop", "twice", "table"],
        "by address, without mapping symbols"
    );
    let twice = image.symbol("twice").expect("it is there");
    assert_eq!((twice.address, twice.size), (0x0100_0008, 4));
    assert_eq!(twice.kind, SymbolKind::Function { is_odd: true });
    assert!(!twice.local && image.symbol("table").expect("it is there").local);
}

#[test]
fn an_address_belongs_to_the_symbol_around_it() {
    let image = Image::parse("guest.elf", &elf(false), ARM).expect("the file is well formed");
    let at = |address| image.symbol_at(address).map(|symbol| symbol.name.as_str());
    assert_eq!(at(0x0100_0004), Some("start"));
    assert_eq!(at(0x0100_000A), Some("twice"));
    assert_eq!(at(0x0100_0010), None);
    assert_eq!(at(0x00FF_FFFF), None);
    assert_eq!(at(0x0200_0007), Some("table"));
}

#[test]
fn big_endian_files_are_read_by_big_endian_machines_only() {
    let machine = Expected {
        big_endian: true,
        ..ARM
    };
    let image = Image::parse("guest.elf", &elf(true), machine).expect("the file is well formed");
    assert!(image.big_endian);
    assert_eq!(image.segments[0].bytes[..4], [0xE1, 0xA0, 0x00, 0x00]);
    let text = refused(&elf(true)).to_string();
    assert_eq!(
        text,
        "guest.elf: not little-endian like the machine's core: build it with -mlittle-endian"
    );
}

#[test]
fn each_malformed_file_has_its_own_error() {
    let patched = |offset: usize, bytes: &[u8]| {
        let mut file = elf(false);
        file[offset..offset + bytes.len()].copy_from_slice(bytes);
        refused(&file)
    };
    assert!(refused(b"").to_string().contains("not an ELF file"));
    assert!(
        refused(b":10000000")
            .to_string()
            .contains("\"3a 31 30 30\"")
    );
    assert!(matches!(
        refused(&elf(false)[..40]),
        ImageError::Truncated {
            end: 52,
            size: 40,
            ..
        }
    ));
    assert!(matches!(
        patched(4, &[2]),
        ImageError::ForeignClass { found: 2, .. }
    ));
    assert!(patched(4, &[2]).to_string().contains("64-bit ELF file"));
    assert!(
        patched(18, &[62, 0])
            .to_string()
            .contains("built for x86-64, the machine's core is ARM")
    );
    assert!(
        patched(16, &[1, 0])
            .to_string()
            .contains("a relocatable object file")
    );
    assert!(matches!(
        patched(44, &[0, 0]),
        ImageError::NothingToLoad { .. }
    ));
    assert!(matches!(
        patched(44, &[0xFF, 0xFF]),
        ImageError::Truncated { .. }
    ));
    assert!(matches!(patched(42, &[31, 0]), ImageError::Corrupt { .. }));
    assert!(matches!(
        patched(52 + 4, &[0, 0, 1, 0]),
        ImageError::Truncated { .. }
    ));
    assert!(matches!(
        patched(52 + 20, &[8, 0, 0, 0]),
        ImageError::SegmentSizes { index: 0, .. }
    ));
    assert!(matches!(
        patched(52 + 12, &[0xF8, 0xFF, 0xFF, 0xFF]),
        ImageError::SegmentWraps { index: 0, .. }
    ));
    assert!(matches!(
        patched(84 + 12, &[4, 0, 0, 1]),
        ImageError::Overlap {
            second: 0x0100_0004,
            ..
        }
    ));
    assert!(matches!(
        patched(32, &[0xF0, 0xFF, 0, 0]),
        ImageError::Truncated { .. }
    ));
}

#[test]
fn every_truncation_is_refused() {
    let file = elf(false);
    for size in 0..file.len() {
        refused(&file[..size]);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20_000))]

    #[test]
    fn mutated_files_never_panic(changes in prop::collection::vec((0usize..420, any::<u8>()), 1..12), cut in 0usize..600) {
        let mut file = elf(false);
        for (offset, byte) in changes {
            let offset = offset % file.len();
            file[offset] = byte;
        }
        file.truncate(cut);
        if let Ok(image) = Image::parse("guest.elf", &file, ARM) {
            prop_assert!(!image.segments.is_empty());
            for segment in &image.segments {
                let end = u64::from(segment.physical_address) + segment.bytes.len() as u64 + u64::from(segment.zero_bytes);
                prop_assert!(end <= 1 << 32);
            }
            let _ = image.symbol_at(image.entry);
        }
    }
}

#[test]
fn segments_that_share_bytes_many_times_are_refused_before_they_are_copied() {
    // The file is its program headers, and each of thousands of segments is the whole file.
    const COUNT: u32 = 20_000;
    let mut file = elf(false)[..52].to_vec();
    let end = 52 + COUNT * 32;
    for number in 0..COUNT {
        let address = number << 17;
        for value in [1, 0, address, address, end, end, 5, 4] {
            file.extend(value.to_le_bytes());
        }
    }
    file[32..36].fill(0);
    file[44..46].copy_from_slice(&(COUNT as u16).to_le_bytes());
    file[48..52].fill(0);
    let error = Image::parse("many.elf", &file, ARM).expect_err("they are too many");
    let text = error.to_string();
    assert!(text.contains("its segments have more than "), "{text}");
}
