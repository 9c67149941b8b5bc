//! Translation buffers: what stays in them, what goes, what is saved.

use super::*;
use socscope_core::known_place;

#[test]
fn address_spaces_keep_their_entries() {
    let mut bench = Bench::extended(Arm1136JS);
    for space in [1, 2] {
        bench.set(Register::Context, 0x100 | space);
        bench.first(PAGE, 0x7650_0c02 | 1 << 17 | space << 24);
        bench.first(PAGE + 0x10_0000, 0x1110_0c02 | space << 24);
        bench.read(PAGE).expect("described");
        bench.read(PAGE + 0x10_0000).expect("described");
        assert_eq!(bench.read(PAGE), Ok(0x7650_0000 | space << 24), "{space}");
        assert_eq!(bench.read(PAGE + 0x10_0000), Ok(0x1110_0000 | 1 << 24));
    }
}

#[test]
fn entries_stay_until_they_are_invalidated() {
    for model in LATER {
        let mut forms = vec![((8, 7, 0), 0), ((8, 6, 0), 0), ((8, 6, 1), PAGE + 0x5_6000)];
        if model.has(Version::V5TEJ) {
            forms.push(((8, 7, 1), PAGE + 0xf_f000));
            forms.push(((8, 5, 1), PAGE));
        }
        for (place, value) in forms {
            let mut bench = Bench::new(model);
            bench.first(PAGE, 0x7650_0c12);
            assert_eq!(bench.read(PAGE + 0x1000), Ok(0x7650_1000));
            bench.first(PAGE, 0x1110_0c12);
            assert_eq!(
                bench.move_to((8, 6, 1), PAGE + 0x10_0000),
                Outcome::Executed
            );
            assert_eq!(
                bench.read(PAGE + 0x1000),
                Ok(0x7650_1000),
                "another section's"
            );
            assert_eq!(bench.move_to(place, value), Outcome::Executed);
            assert_eq!(
                bench.read(PAGE + 0x1000),
                Ok(0x1110_1000),
                "{model:?} {place:?}"
            );
        }
    }
}

#[test]
fn the_arm920t_has_two_buffers() {
    for (place, fetched, read) in [
        ((8, 5, 0), 0x1110_0000, 0x7650_0000),
        ((8, 6, 0), 0x7650_0000, 0x1110_0000),
    ] {
        let mut bench = Bench::new(Arm920T);
        bench.first(PAGE, 0x7650_0c12);
        assert_eq!(bench.find(PAGE, Fetch, true), Ok(0x7650_0000));
        assert_eq!(bench.find(PAGE, Read, true), Ok(0x7650_0000));
        bench.first(PAGE, 0x1110_0c12);
        bench.move_to(place, 0);
        assert_eq!(bench.find(PAGE, Fetch, true), Ok(fetched));
        assert_eq!(bench.find(PAGE, Read, true), Ok(read));
    }
}

#[test]
fn address_spaces_are_invalidated_apart() {
    // Place, value, and whether the entry of space 2 and the global one stay.
    for (place, value, own, global) in [
        ((8, 7, 2), 2, false, true),
        ((8, 7, 2), 1, true, true),
        ((8, 7, 1), PAGE | 2, false, true),
        ((8, 7, 1), PAGE | 1, true, true),
        ((8, 7, 3), PAGE | 1, false, true),
        ((8, 7, 1), (PAGE + 0x10_0000) | 1, true, false),
    ] {
        let mut bench = Bench::extended(Arm1176JzS);
        bench.set(Register::Context, 2);
        let sections = [(PAGE, 1 << 17), (PAGE + 0x10_0000, 0)];
        for (address, attributes) in sections {
            bench.first(address, 0x7650_0c02 | attributes);
            bench.read(address).expect("described");
            bench.first(address, 0);
        }
        assert_eq!(bench.move_to(place, value), Outcome::Executed);
        let stays = sections.map(|(address, _)| bench.read(address).is_ok());
        assert_eq!(stays, [own, global], "{place:?} {value:x}");
    }
}

#[test]
fn a_reset_leaves_nothing() {
    for model in LATER {
        let mut bench = Bench::new(model);
        bench.first(PAGE, 0x7650_0c12);
        bench.read(PAGE).expect("described");
        bench.core.reset();
        assert_eq!(bench.core.control, Core::new(model).control);
        assert_eq!(bench.read(PAGE), Ok(PAGE));
        bench.first(PAGE, 0);
        bench.set(Register::TableBase0, TABLE);
        bench.control(control::MMU, true);
        assert_eq!(bench.read(PAGE), Err(5));
    }
}

#[test]
fn the_buffers_survive_saving_and_a_wrong_place_does_not() {
    for model in LATER {
        let mut bench = Bench::new(model);
        bench.first(PAGE, 0x7650_0c12);
        assert_eq!(bench.read(PAGE + 0x1000), Ok(0x7650_1000));
        bench.first(PAGE, 0x1110_0c12);
        let bytes = postcard::to_allocvec(&bench.core).expect("plain data");
        let restored: Core = postcard::from_bytes(&bytes).expect("as it was saved");
        assert!(restored == bench.core);
        bench.core = restored;
        assert_eq!(bench.read(PAGE + 0x1000), Ok(0x7650_1000), "{model:?}");
        let place = known_place(PAGE + 0x1000) as u16;
        let saved = postcard::to_allocvec(&(place, (PAGE + 0x1000) | 1)).expect("plain data");
        let at = bytes.windows(saved.len()).position(|found| found == saved);
        let mut wrong = bytes.clone();
        wrong[at.expect("the entry")] ^= 1;
        assert!(postcard::from_bytes::<Core>(&wrong).is_err());
    }
}
