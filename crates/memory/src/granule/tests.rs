use super::*;
use crate::{AccessCost, Endianness, Memory, Region, Width};

const RAM: u32 = 0x1000_0000;
const ROM: u32 = 0x2000_0000;
const ALIAS: u32 = 0x3000_0000;
const SIZE: u32 = 0x2080;

struct Bench {
    space: AddressSpace,
    reader: CodeReader,
    ram: RegionIndex,
    alias: RegionIndex,
}

fn bench() -> Bench {
    let mut space = AddressSpace::default();
    let ram = space.add_memory(Memory::new("ram", SIZE));
    let rom = space.add_memory(Memory::new("rom", SIZE));
    let mut add = |name: &str, base, size, memory, writable| {
        let region = Region {
            name: name.into(),
            base,
            size,
            enabled: true,
            core: None,
            target: Target::Memory { memory, writable },
            cost: AccessCost::SINGLE_CYCLE,
        };
        space.map_mut().add(region).unwrap()
    };
    let region = add("ram", RAM, SIZE, ram, true);
    add("rom", ROM, SIZE, rom, false);
    let alias = add("alias", ALIAS, 2 * SIZE, ram, true);
    Bench {
        reader: space.code_reader(CodeReaderName::unique()),
        space,
        ram: region,
        alias,
    }
}

#[allow(unsafe_code)]
fn byte(granule: Granule) -> u8 {
    // SAFETY: the tests ask only for granules of the present epoch.
    unsafe { granule.host.read() }
}

#[test]
fn a_granule_shows_what_is_written_by_other_ways() {
    let Bench { mut space, ram, .. } = bench();
    space
        .write_memory(RAM + 0x100, Width::Byte, 1, Endianness::Little)
        .unwrap();
    let granule = space.granule(RAM + 0x1ff, false).unwrap();
    assert_eq!((granule.region, byte(granule)), (ram, 1));
    let epoch = space.epoch();
    space
        .write_memory(RAM + 0x100, Width::Byte, 2, Endianness::Little)
        .unwrap();
    assert_eq!((space.epoch(), byte(granule)), (epoch, 2));
    let image = space.share();
    assert_ne!(space.epoch(), epoch, "pages are shared");
    let granule = space.granule(RAM + 0x100, false).unwrap();
    let epoch = space.epoch();
    space
        .write_memory(RAM + 0x900, Width::Byte, 3, Endianness::Little)
        .unwrap();
    assert_ne!(space.epoch(), epoch, "the page was copied");
    assert_eq!(byte(granule), 2, "the image still holds it");
    drop(image);
}

#[test]
fn pages_that_nobody_points_to_are_copied_silently() {
    let Bench { mut space, .. } = bench();
    let _image = space.share();
    let epoch = space.epoch();
    space
        .write_memory(RAM, Width::Word, 3, Endianness::Little)
        .unwrap();
    let writable = space.granule(RAM + 0x1000, true).unwrap();
    assert!(writable.writable);
    assert_eq!(space.epoch(), epoch);
    space.map_mut();
    assert_ne!(space.epoch(), epoch, "the map may have changed");
}

#[test]
fn only_whole_granules_of_memory_are_given() {
    let Bench { mut space, .. } = bench();
    assert!(space.granule(RAM + 0x1fff, true).is_some());
    assert_eq!(space.granule(RAM + 0x2000, false), None, "half of it");
    assert_eq!(space.granule(0, false), None);
    assert!(space.granule(ROM, false).is_some());
    assert_eq!(space.granule(ROM, true), None);
    // The alias shows the memory twice; its second half begins within a granule.
    assert!(space.granule(ALIAS, true).is_some());
    assert_eq!(space.granule(ALIAS + SIZE + 0x80, false), None);
}

#[test]
fn writes_to_marked_lines_are_noted_through_every_region() {
    let Bench {
        mut space,
        reader,
        ram,
        alias,
    } = bench();
    let handed_out = space.granule(RAM + 0x400, true);
    assert!(handed_out.is_some());
    let epoch = space.epoch();
    space.watch_code(reader, ram, 0x47c, 8);
    assert_ne!(space.epoch(), epoch, "it was handed out for writing");
    let epoch = space.epoch();
    space.watch_code(reader, ram, 0x47c, 8);
    space.watch_code(reader, ram, 0x604, 4);
    assert_eq!(space.epoch(), epoch);
    assert_eq!(space.granule(RAM + 0x400, true), None);
    assert!(space.granule(RAM + 0x400, false).is_some());
    assert!(space.granule(RAM + 0x500, true).is_some());
    assert!(space.is_watched(alias, SIZE + 0x4bf, 1));
    assert!(!space.is_watched(ram, 0x4c0, 0x40));
    for address in [RAM + 0x43c, RAM + 0x4c0] {
        space
            .write_memory(address, Width::Word, 1, Endianness::Little)
            .unwrap();
        assert!(!space.code_was_written(reader));
    }
    space
        .write_memory(ALIAS + SIZE + 0x440, Width::Half, 1, Endianness::Little)
        .unwrap();
    space.load(MemoryIndex(0), 0x4b0, &[0; 0x200]);
    assert!(space.code_was_written(reader));
    let written = space.take_code_writes(reader);
    let expected = [(0x440, 2), (0x4b0, 0x50), (0x600, 0xb0)];
    let expected = expected.map(|(offset, bytes)| (MemoryIndex(0), offset, bytes));
    assert_eq!(written, expected);
    assert!(!space.code_was_written(reader) && space.is_watched(ram, 0x440, 4));
    space.forget_code(reader);
    assert!(!space.is_watched(ram, 0, SIZE));
    assert!(space.granule(RAM + 0x400, true).is_some());
}

#[test]
fn code_that_wraps_at_the_end_of_a_memory_is_marked_on_both_sides() {
    let Bench {
        mut space,
        reader,
        ram,
        alias,
    } = bench();
    space.watch_code(reader, alias, SIZE - 4, 8);
    assert!(space.is_watched(ram, SIZE - 4, 4) && space.is_watched(ram, 0, 4));
    assert!(!space.is_watched(ram, 64, 4));
}

#[test]
fn going_back_notes_only_code_that_is_different() {
    let Bench {
        mut space,
        reader,
        ram,
        ..
    } = bench();
    space
        .write_memory(RAM + 0x10, Width::Word, 1, Endianness::Little)
        .unwrap();
    let image = space.share();
    space.watch_code(reader, ram, 0x10, 4);
    space.watch_code(reader, ram, 0x1010, 4);
    space
        .write_memory(RAM + 0x1800, Width::Word, 1, Endianness::Little)
        .unwrap();
    space.restore(&image).unwrap();
    assert!(!space.code_was_written(reader), "data beside code");
    space
        .write_memory(RAM + 0x10, Width::Word, 2, Endianness::Little)
        .unwrap();
    space.take_code_writes(reader);
    let epoch = space.epoch();
    space.restore(&image).unwrap();
    assert_eq!(space.take_code_writes(reader), [(MemoryIndex(0), 0, 256)]);
    assert_ne!(space.epoch(), epoch);
    assert_eq!(
        space
            .read_memory(RAM + 0x10, Width::Word, Endianness::Little)
            .unwrap()
            .0,
        1
    );
}

#[test]
fn very_many_writes_to_code_are_listed_as_lines() {
    let Bench {
        mut space,
        reader,
        ram,
        ..
    } = bench();
    space.watch_code(reader, ram, 0, SIZE);
    for round in 0..100_000 {
        let address = RAM + round * 4 % 0x2000;
        space
            .write_memory(address, Width::Word, round, Endianness::Little)
            .unwrap();
    }
    let written = space.take_code_writes(reader);
    assert!(written.len() < 2000, "{} writes", written.len());
    assert!((0..0x2000 / 64).all(|line| written.contains(&(MemoryIndex(0), line * 64, 64))));
}

#[test]
fn an_image_of_other_memories_is_refused() {
    let Bench { mut space, .. } = bench();
    let mut other = AddressSpace::default();
    assert_eq!(
        other.restore(&space.share()).unwrap_err().to_string(),
        "2 memories instead of 0"
    );
    other.add_memory(Memory::new("ram", 16));
    other.add_memory(Memory::new("rom", SIZE));
    assert_eq!(
        space.restore(&other.share()).unwrap_err().to_string(),
        "memory ram of 0x2080 bytes is ram of 0x10 bytes"
    );
}

#[test]
fn each_reader_is_told_of_the_writes_that_it_has_not_seen() {
    let Bench {
        mut space,
        reader: first,
        ram,
        ..
    } = bench();
    let second = space.code_reader(CodeReaderName::unique());
    let write = |space: &mut AddressSpace, address| {
        space
            .write_memory(RAM + address, Width::Word, 1, Endianness::Big)
            .unwrap();
    };
    let seen = |offset| vec![(MemoryIndex(0), offset, 4)];
    space.watch_code(first, ram, 0x40, 4);
    write(&mut space, 0x40);
    assert!(!space.code_was_written(second), "it has no code yet");
    space.watch_code(second, ram, 0x80, 4);
    write(&mut space, 0x80);
    assert_eq!(space.take_code_writes(second), seen(0x80));
    assert!(!space.code_was_written(second));
    assert_eq!(
        space.take_code_writes(first),
        [seen(0x40), seen(0x80)].concat()
    );

    // Nobody knows whose a mark is: it goes when all have forgotten theirs.
    space.forget_code(first);
    write(&mut space, 0x80);
    assert!(!space.code_was_written(first));
    assert_eq!(space.take_code_writes(second), seen(0x80));
    space.forget_code(second);
    assert!(!space.is_watched(ram, 0, SIZE));
}

#[test]
fn a_reader_that_writes_beside_its_own_code_tells_the_others() {
    let Bench {
        mut space,
        reader: first,
        ram,
        ..
    } = bench();
    let second = space.code_reader(CodeReaderName::unique());
    space
        .write_memory(RAM, Width::Word, 1, Endianness::Little)
        .unwrap();
    space.watch_code(first, ram, 0x40, 4);
    space.watch_code(second, ram, 0x44, 4);
    let data = (Width::Word, 0x1122_3344, Endianness::Big);
    let none_of_its_own = |_, _, _| false;
    let written = space.write_beside_code(first, RAM + 0x44, data, none_of_its_own);
    assert_eq!(written, Some(ram));
    assert!(!space.code_was_written(first));
    assert_eq!(space.take_code_writes(second), [(MemoryIndex(0), 0x44, 4)]);
    let written = space.write_in_code_page(second, RAM + 0x40, data, none_of_its_own);
    assert_eq!(written, Some(ram));
    assert_eq!(space.take_code_writes(first), [(MemoryIndex(0), 0x40, 4)]);
    assert_eq!(
        space
            .memory(MemoryIndex(0))
            .read(0x40, Width::Byte, Endianness::Big),
        0x11
    );
    let code = space.write_beside_code(first, RAM + 0x40, data, |_, _, _| true);
    assert_eq!(code, None);
}
