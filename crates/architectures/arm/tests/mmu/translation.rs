//! Where addresses lie: pages of all sizes, tables, processes, byte orders.

use super::*;

#[test]
fn pages_of_all_sizes_are_found() {
    for model in [Arm920T, Arm926EjS] {
        let mut bench = Bench::new(model);
        bench.first(PAGE, 0x7650_0c12);
        assert_eq!(bench.read(PAGE + 0x1_2345), Ok(0x7651_2345));
        bench.first(PAGE + 0x10_0000, TO_COARSE);
        bench.put(COARSE + 4 * 0x13, 0x7653_0ff1);
        bench.put(COARSE + 4 * 0x21, 0x7654_1ff2);
        bench.put(COARSE + 4 * 0x22, 0x7654_2ff3);
        assert_eq!(bench.read(PAGE + 0x11_3abc), Ok(0x7653_3abc));
        assert_eq!(bench.read(PAGE + 0x12_1abc), Ok(0x7654_1abc));
        assert_eq!(bench.read(PAGE + 0x12_2abc), Err(7), "no tiny pages here");
        bench.first(PAGE + 0x20_0000, TO_FINE);
        bench.put(FINE + 4 * 0x4f, 0x7653_0ff1);
        bench.put(FINE + 4 * 0x86, 0x7654_1ff2);
        bench.put(FINE + 4 * 0x8b, 0x7654_2c33);
        assert_eq!(bench.read(PAGE + 0x21_3fbc), Ok(0x7653_3fbc));
        assert_eq!(bench.read(PAGE + 0x22_1abc), Ok(0x7654_1abc));
        assert_eq!(bench.read(PAGE + 0x22_2fbc), Ok(0x7654_2fbc));
        assert_eq!(bench.read(PAGE + 0x22_2bbc), Err(7), "the next kilobyte");
    }
}

#[test]
fn version_6_has_supersections_and_no_fine_tables() {
    for extended in [false, true] {
        let mut bench = Bench::new(Arm1136JS);
        bench.control(control::EXTENDED_PAGES, extended);
        bench.first(PAGE + 0x30_0000, 0x7604_0de2);
        assert_eq!(bench.read(PAGE + 0x31_2345), Ok(0x7631_2345));
        bench.set(Register::Domains, CLIENTS & !3);
        assert_eq!(bench.read(PAGE + 0x31_2345), Err(9), "their domain is 0");
        bench.first(PAGE, TO_FINE);
        assert_eq!(bench.read(PAGE).map_err(|status| status & 15), Err(5));
        bench.set(Register::Domains, CLIENTS);
        bench.first(PAGE, TO_COARSE);
        // An extended small page, or a small page that is not executed.
        bench.put(COARSE, 0x7654_2033);
        assert_eq!(bench.find(PAGE + 0xabc, Read, true), Ok(0x7654_2abc));
        assert_eq!(bench.find(PAGE + 0xabc, Fetch, true).is_ok(), !extended);
    }
}

#[test]
fn upper_addresses_have_the_second_table() {
    let mut bench = Bench::extended(Arm1176JzS);
    bench.set(Register::TableControl, 3);
    // 2 kB of table for the lowest 512 MB.
    bench.set(Register::TableBase0, TABLE + 0x1800);
    bench.set(Register::TableBase1, UPPER_TABLE);
    bench.put(TABLE + 0x1800 + 4 * 0x1ff, 0x1110_0c02);
    bench.put(UPPER_TABLE + 4 * 0x200, 0x2220_0c02);
    assert_eq!(bench.read(0x1ff0_0004), Ok(0x1110_0004));
    assert_eq!(bench.read(0x2000_0004), Ok(0x2220_0004));
    bench.set(Register::TableControl, 0x33);
    assert_eq!(bench.read(0x1ff0_0004), Ok(0x1110_0004), "it is known");
    assert_eq!(bench.read(0x1ff0_1004), Err(5));
    assert_eq!(bench.read(0x2000_1004), Err(5));
    bench.set(Register::TableControl, 0x13);
    assert_eq!(bench.read(0x1ff0_1004), Err(5));
    assert_eq!(bench.read(0x2000_1004), Ok(0x2220_1004));
}

#[test]
fn a_process_has_its_own_first_addresses() {
    for on in [false, true] {
        let mut bench = Bench::new(Arm926EjS);
        bench.control(control::MMU, on);
        bench.first(PAGE, 0x7650_0c12);
        bench.set(Register::Process, PAGE);
        let found = if on { 0x7650_0123 } else { PAGE + 0x123 };
        assert_eq!(bench.read(0x123), Ok(found));
        assert_eq!(bench.read(PAGE + 0x123), Ok(found));
        bench.set(Register::Process, PAGE + 0x200_0000);
        let other = if on {
            Err((5, PAGE + 0x200_0123))
        } else {
            Ok(PAGE + 0x200_0123)
        };
        assert_eq!(bench.find(0x123, Read, true), other);
    }
    let mut bench = Bench::new(Arm926EjS);
    bench.set(Register::Process, PAGE);
    let (_, address) = bench.aborted(Mode::Supervisor, LDR, 0x124);
    assert_eq!(address, PAGE + 0x124, "the modified address");
}

#[test]
fn big_endian_words_are_picked_from_the_other_end() {
    let mut bench = Bench::new(Arm926EjS);
    bench.first(PAGE, 0x0000_0c12);
    bench.put(0x200, 0x1122_3344);
    bench.control(control::BIG_ENDIAN, true);
    // ldrb r0, [r1]; ldrh r0, [r1]; ldr r0, [r1]
    for (word, offset, expected) in [
        (0xe5d1_0000, 0, 0x11),
        (0xe5d1_0000, 3, 0x44),
        (0xe1d1_00b0, 0, 0x1122),
        (0xe1d1_00b0, 2, 0x3344),
        (LDR, 0, 0x1122_3344),
    ] {
        let outcome = bench.execute(Mode::User, word, [0, PAGE + 0x200 + offset]);
        assert_eq!(
            (outcome, bench.core.register(0)),
            (Outcome::Executed, expected)
        );
    }
}

#[test]
fn tables_may_be_big_endian() {
    let mut bench = Bench::extended(Arm1136JS);
    bench.first(PAGE, TO_COARSE.swap_bytes());
    bench.put(COARSE, 0x7654_0032_u32.swap_bytes());
    bench.control(control::BIG_ENDIAN_EXCEPTIONS, true);
    assert_eq!(bench.read(PAGE), Ok(0x7654_0000));
}

#[test]
fn marks_for_exclusive_stores_are_on_the_bus() {
    let mut bench = Bench::extended(Arm1176JzS);
    bench.first(PAGE, 0x0000_0c02);
    bench.first(PAGE + 0x10_0000, 0x0000_0c02);
    bench.execute(Mode::User, LDREX, [0, PAGE + 0x204]);
    assert_eq!(bench.core.exclusive, Some(0x200));
    bench.execute(Mode::User, STREX, [9, PAGE + 0x10_0200]);
    assert_eq!((bench.core.register(2), bench.word(0x200)), (0, 9));
}
