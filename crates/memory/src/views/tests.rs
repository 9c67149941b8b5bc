use super::*;
use crate::{
    AccessCost, AddressMap, AddressSpace, Endianness, GRANULE_BYTES, MapError, Memory, Target,
    Width,
};

const SIZE: u32 = 0x8000;
const TCM: u32 = 0x2000;
const EVERYBODY: [Viewer; 3] = [Viewer::Everyone, Viewer::Core(0), Viewer::Core(1)];

fn region(name: &str, core: Option<u8>, base: u32, size: u32) -> Region {
    Region {
        name: name.into(),
        base,
        size,
        enabled: true,
        core,
        target: Target::Stub,
        cost: AccessCost::SINGLE_CYCLE,
    }
}

/// A RAM of bytes 1 at 0, and a memory of bytes 2 that core 1 sees at [`TCM`], in the middle of a page.
fn space() -> (AddressSpace, RegionIndex) {
    let mut space = AddressSpace::default();
    let mut add = |name, core, base, size, byte| {
        let memory = space.add_memory(Memory::new(name, size));
        space.load(memory, 0, &vec![byte; size as usize]);
        let target = Target::Memory {
            memory,
            writable: true,
        };
        let region = Region {
            target,
            ..region(name, core, base, size)
        };
        space.map_mut().add(region).unwrap()
    };
    add("ram", None, 0, SIZE, 1);
    let tcm = add("tcm", Some(1), TCM + 0x80, 0x1000, 2);
    (space, tcm)
}

fn byte(space: &AddressSpace, viewer: Viewer, address: u32) -> Option<u32> {
    let read = space.read_memory_for(viewer, address, Width::Byte, Endianness::Little);
    read.ok().map(|(value, _)| value)
}

fn seen(space: &AddressSpace, address: u32) -> [Option<u32>; 3] {
    EVERYBODY.map(|viewer| byte(space, viewer, address))
}

#[test]
fn a_core_sees_its_own_memory_in_place_of_what_all_share() {
    let (mut space, _) = space();
    assert_eq!(seen(&space, TCM + 0x7f), [Some(1); 3]);
    assert_eq!(seen(&space, TCM + 0x80), [Some(1), Some(1), Some(2)]);
    assert_eq!(seen(&space, TCM + 0x107f), [Some(1), Some(1), Some(2)]);
    assert_eq!(seen(&space, TCM + 0x1080), [Some(1); 3]);
    let mut bytes = [0; 4];
    space.read_bytes(TCM + 0x7e, &mut bytes).unwrap();
    assert_eq!(bytes, [1; 4], "DMA sees what lies beneath");
    space
        .write_memory(TCM + 0x80, Width::Byte, 7, Endianness::Little)
        .unwrap();
    assert_eq!(seen(&space, TCM + 0x80), [Some(7), Some(7), Some(2)]);
}

#[test]
fn who_looks_is_at_hand_and_nothing_else_changes() {
    let (mut space, _) = space();
    let (epoch, version) = (space.epoch(), space.view_version(1));
    for core in [1, 1, 0, 2, 1, 7, 0] {
        space.look_as(core);
        assert_eq!(space.map().looking(), core);
        let own = [Some(1), Some(2)][usize::from(core == 1)];
        assert_eq!(byte(&space, Viewer::Looking, TCM + 0x80), own);
        assert_eq!(seen(&space, TCM + 0x80), [Some(1), Some(1), Some(2)]);
    }
    assert_eq!((space.epoch(), space.view_version(1)), (epoch, version));
}

#[test]
fn granules_and_pages_are_whole_for_who_looks() {
    let (mut space, tcm) = space();
    let whole = |space: &mut AddressSpace, core, address| {
        space.look_as(core);
        let granule = space.granule(address, false).map(|it| it.region);
        (granule, space.page(address, true).is_some())
    };
    let ram = Some(RegionIndex(1));
    assert_eq!(whole(&mut space, 0, TCM), (ram, true));
    assert_eq!(whole(&mut space, 1, TCM), (None, false), "two memories");
    assert_eq!(whole(&mut space, 1, TCM - 1), (ram, true));
    assert_eq!(whole(&mut space, 1, TCM + 0x1000), (None, false));
    let place = TCM + GRANULE_BYTES;
    let moves = space.change_own(1, tcm, |region| region.base = place);
    moves.unwrap();
    assert_eq!(whole(&mut space, 1, TCM), (ram, false));
    assert_eq!(whole(&mut space, 1, place), (Some(tcm), false));
    assert_eq!(whole(&mut space, 0, place), (ram, true));
}

#[test]
fn a_view_is_changed_for_its_core_alone() {
    let (mut space, tcm) = space();
    space.look_as(1);
    let before = [0, 1].map(|core| space.view_version(core));
    let epoch = space.epoch();
    space
        .change_own(1, tcm, |region| {
            region.base = 0x4000;
            region.core = None;
        })
        .unwrap();
    assert_eq!(seen(&space, TCM + 0x80), [Some(1); 3]);
    assert_eq!(seen(&space, 0x4000), [Some(1), Some(1), Some(2)]);
    assert_eq!(byte(&space, Viewer::Looking, 0x4000), Some(2));
    assert!(space.epoch() != epoch, "pointers may be stale");
    let after = [0, 1].map(|core| space.view_version(core));
    assert_eq!(after[0], before[0]);
    assert_ne!(after[1], before[1]);
    space
        .change_own(1, tcm, |region| region.enabled = false)
        .unwrap();
    assert_eq!(seen(&space, 0x4000), [Some(1); 3]);
    assert!(space.map().has_own_view(1) && !space.map().has_own_view(0));
    let refused = space.change_own(0, tcm, |region| region.enabled = true);
    assert_eq!(
        refused.unwrap_err().to_string(),
        "region tcm is not core 0's own, and so not its to change"
    );
    let shared = space.change_own(0, RegionIndex(1), |region| region.enabled = false);
    assert!(matches!(shared, Err(MapError::NotOwn { .. })));
    let image = space.share();
    let moved = space.view_version(0);
    space.restore(&image).unwrap();
    assert_ne!(space.view_version(0), moved, "all may see something else");
}

#[test]
fn views_are_restored_and_written_down() {
    let (mut space, tcm) = space();
    let image = space.share();
    space.look_as(1);
    space
        .change_own(1, tcm, |region| region.base = 0x6000)
        .unwrap();
    space.restore(&image).unwrap();
    assert_eq!(space.map().looking(), 1);
    assert_eq!(byte(&space, Viewer::Looking, TCM + 0x80), Some(2));
    let bytes = postcard::to_allocvec(image.map()).unwrap();
    let map: AddressMap = postcard::from_bytes(&bytes).unwrap();
    assert_eq!(&map, image.map());
    let owners: Vec<_> = map.regions().iter().map(|region| region.core).collect();
    assert_eq!(owners, [None, None, Some(1)]);
    assert_eq!(map.find_for(Viewer::Core(1), TCM + 0x80), tcm);
}

#[test]
fn a_shared_region_is_saved_as_before_there_were_others() {
    #[derive(serde::Serialize)]
    struct Before(String, u32, u32, bool, Target, AccessCost);
    for enabled in [false, true] {
        let shared = Region {
            enabled,
            ..region("ram", None, 0x1234, 0x100)
        };
        let before = Before(
            "ram".into(),
            0x1234,
            0x100,
            enabled,
            Target::Stub,
            AccessCost::SINGLE_CYCLE,
        );
        let bytes = postcard::to_allocvec(&shared).unwrap();
        assert_eq!(bytes, postcard::to_allocvec(&before).unwrap());
        assert_eq!(postcard::from_bytes::<Region>(&bytes).unwrap(), shared);
    }
}

#[test]
fn ranges_are_cut_wherever_one_lies_over_another() {
    let spans = |map: &AddressMap, core| -> Vec<(u32, u32, u16)> {
        let ranges = map.ranges(Viewer::Core(core));
        ranges
            .map(|(first, last, it)| (first, last, it.0))
            .collect()
    };
    let mut map = AddressMap::default();
    for (name, core, base, size) in [
        ("low", None, 0, 0x100),
        ("high", None, 0xffff_ff00, 0x100),
        ("middle", None, 0x1000, 0x1000),
        ("begins", Some(3), 0, 0x10),
        ("ends", Some(3), 0xffff_fff0, 0x10),
        ("across", Some(3), 0x1f00, 0x200),
        ("inside", Some(3), 0x1100, 0x100),
        ("alone", Some(3), 0x9000, 0x100),
    ] {
        map.add(region(name, core, base, size)).unwrap();
    }
    assert_eq!(
        spans(&map, 3),
        [
            (0, 0xf, 4),
            (0x10, 0xff, 1),
            (0x1000, 0x10ff, 3),
            (0x1100, 0x11ff, 7),
            (0x1200, 0x1eff, 3),
            (0x1f00, 0x20ff, 6),
            (0x9000, 0x90ff, 8),
            (0xffff_ff00, 0xffff_ffef, 2),
            (0xffff_fff0, 0xffff_ffff, 5),
        ]
    );
    let shared = [
        (0, 0xff, 1),
        (0x1000, 0x1fff, 3),
        (0xffff_ff00, 0xffff_ffff, 2),
    ];
    assert_eq!(spans(&map, 0), shared);
    let later = map.add(region("later", None, 0x1080_0000, 0x100)).unwrap();
    assert_eq!(map.find_for(Viewer::Core(3), 0x1080_0010), later);
    for (core, overlaps) in [(Some(3), true), (Some(2), false), (None, true)] {
        let mut map = map.clone();
        let added = map.add(region("one more", core, 0x1100, 4));
        assert_eq!(added.is_err(), overlaps, "{core:?}");
        assert_eq!(spans(&map, 3).len(), 10, "{core:?}");
    }
    let error = map.add(region("one more", Some(3), 0x11f0, 0x20));
    assert_eq!(
        error.unwrap_err().to_string(),
        "regions inside and one more overlap at 0x000011f0; move one of them or make it smaller"
    );
    assert!(map.add(region("empty", Some(3), 0, 0)).is_err());
}
