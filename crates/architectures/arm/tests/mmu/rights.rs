//! Who may do what: rights, domains, parts of pages.

use super::*;

#[test]
fn parts_of_pages_have_their_own_rights() {
    let mut bench = Bench::new(Arm926EjS);
    bench.first(PAGE, TO_COARSE);
    // Parts from the lowest: none, privileged, read, all.
    bench.put(COARSE, 0x7654_0e42);
    bench.put(COARSE + 4 * 0x1c, 0x7650_0e41);
    let expected = [
        [false; 4],
        [true, true, false, false],
        [true, true, true, false],
        [true; 4],
    ];
    for (part, rights) in (0_u32..).zip(expected) {
        assert_eq!(bench.rights(PAGE + 0x400 * part), rights, "{part}");
    }
    assert_eq!(bench.rights(PAGE + 0x1_c000), expected[3]);
    bench.put(COARSE + 4 * 0x14, 0x7650_0e41);
    assert_eq!(bench.rights(PAGE + 0x1_4c00), expected[1], "16 kB each");
    let page = bench
        .core
        .translate_page(&mut bench.bus, PAGE, Write, false);
    assert_eq!(page, None, "it has several");
}

/// APX, AP, and the rights (manual: "Access permissions").
const RIGHTS: &[(u32, u32, [bool; 4])] = &[
    (0, 0, [false; 4]),
    (0, 1, [true, true, false, false]),
    (0, 2, [true, true, true, false]),
    (0, 3, [true; 4]),
    (1, 0, [false; 4]),
    (1, 1, [true, false, false, false]),
    (1, 2, [true, false, true, false]),
    (1, 3, [true, false, true, false]),
];

#[test]
fn rights_are_those_of_the_manual() {
    for &(apx, ap, expected) in RIGHTS {
        for model in [Arm1136JS, Arm1176JzS] {
            let mut bench = Bench::extended(model);
            bench.first(PAGE, 0x7650_0002 | apx << 15 | ap << 10);
            bench.first(PAGE + 0x10_0000, TO_COARSE);
            bench.put(COARSE, 0x7654_0002 | apx << 9 | ap << 4);
            // Read-only for all came with version 6K.
            let expected = match (model, apx, ap) {
                (Arm1136JS, 1, 3) => [false; 4],
                _ => expected,
            };
            for address in [PAGE, PAGE + 0x10_0000] {
                assert_eq!(bench.rights(address), expected, "{model:?} {apx} {ap}");
            }
        }
        let mut bench = Bench::new(Arm1136JS);
        bench.first(PAGE, 0x7650_0002 | apx << 15 | ap << 10);
        assert_eq!(bench.rights(PAGE), RIGHTS[ap as usize].2, "no APX");
    }
}

#[test]
fn system_and_rom_bits_let_pages_without_rights_be_read() {
    for (bits, expected) in [
        (control::SYSTEM, [true, false, false, false]),
        (control::ROM, [true, false, true, false]),
        (control::SYSTEM | control::ROM, [false; 4]),
    ] {
        for model in LATER {
            let mut bench = Bench::new(model);
            bench.first(PAGE, 0x7650_0012);
            assert_eq!(bench.rights(PAGE), [false; 4]);
            bench.control(bits, true);
            assert_eq!(bench.rights(PAGE), expected, "{model:?} {bits:x}");
        }
    }
}

#[test]
fn domains_are_asked_first() {
    for model in LATER {
        for (rights, status) in [(0, Some(9)), (1, Some(13)), (2, Some(9)), (3, None)] {
            let mut bench = Bench::new(model);
            bench.first(PAGE, 0x7650_0012 | 5 << 5);
            bench.first(PAGE + 0x10_0000, TO_COARSE | 5 << 5);
            bench.put(COARSE, 0x7654_0002);
            bench.set(Register::Domains, CLIENTS & !0xc00 | rights << 10);
            let expected = |page: u32| status.map_or(Ok(()), |status| Err(status | page | 0x50));
            assert_eq!(bench.read(PAGE).map(|_| ()), expected(0), "{model:?}");
            let page = bench.read(PAGE + 0x10_0000).map(|_| ());
            assert_eq!(page, expected(2), "{model:?} {rights}");
        }
    }
}

#[test]
fn what_is_not_executed_is_read() {
    let mut bench = Bench::extended(Arm1136JS);
    bench.first(PAGE, 0x7650_0c12);
    bench.first(PAGE + 0x10_0000, TO_COARSE);
    bench.put(COARSE + 4 * 0x10, 0x7650_8031);
    for address in [PAGE, PAGE + 0x11_0000] {
        assert!(bench.find(address, Read, true).is_ok());
        let status = if address == PAGE { 13 } else { 15 };
        assert_eq!(bench.find(address, Fetch, false), Err((status, address)));
    }
    bench.set(Register::Domains, u32::MAX);
    assert!(bench.find(PAGE, Fetch, true).is_ok(), "a manager's");
}

#[test]
fn the_access_flag_comes_before_domain_and_rights() {
    let mut bench = Bench::extended(Arm1176JzS);
    bench.control(control::ACCESS_FLAG, true);
    bench.first(PAGE, 0x7650_0802 | 5 << 5);
    bench.first(PAGE + 0x10_0000, TO_COARSE | 5 << 5);
    bench.put(COARSE, 0x7654_0022);
    bench.set(Register::Domains, CLIENTS & !0xc00);
    assert_eq!(bench.read(PAGE), Err(0x53));
    assert_eq!(bench.read(PAGE + 0x10_0000), Err(0x56));
    bench.set(Register::Domains, CLIENTS);
    for (apx, ap, rights) in [
        (0, 1, RIGHTS[1].2),
        (0, 3, [true; 4]),
        (1, 1, RIGHTS[5].2),
        (1, 3, RIGHTS[7].2),
    ] {
        // No entry without the flag was kept.
        bench.put(COARSE, 0x7654_0002 | apx << 9 | ap << 4);
        assert_eq!(bench.rights(PAGE + 0x10_0000), rights, "{apx} {ap}");
        assert_eq!(bench.move_to((8, 7, 0), 0), Outcome::Executed);
    }
}

#[test]
fn loads_and_stores_may_have_the_rights_of_programs() {
    for model in LATER {
        let mut bench = Bench::new(model);
        bench.first(PAGE, 0x0000_0412);
        bench.first(PAGE + 0x10_0000, 0x0000_0812);
        let write = if model.has(Version::V6) { 0x800 } else { 0 };
        let mode = Mode::Supervisor;
        for word in [LDR, STR] {
            assert_eq!(
                bench.execute(mode, word, [7, PAGE + 0x200]),
                Outcome::Executed
            );
        }
        assert_eq!(bench.word(0x200), 7);
        assert_eq!(bench.aborted(mode, LDRT, PAGE + 0x200), (13, PAGE + 0x200));
        let at = PAGE + 0x10_0200;
        assert_eq!(bench.execute(mode, LDRT, [0, at]), Outcome::Executed);
        assert_eq!(bench.core.register(0), 7);
        assert_eq!(bench.aborted(mode, STRT, at), (13 | write, at));
    }
}
