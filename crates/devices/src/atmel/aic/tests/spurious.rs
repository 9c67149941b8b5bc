use super::super::registers::*;
use super::*;

#[test]
fn with_nothing_pending_the_spurious_vector_blocks_both_lines_until_acknowledged() {
    let mut bench = bench();
    bench.input(4, true);
    bench.input(4, false);
    assert_eq!(bench.read(IVR), 0xbad0);
    bench.write(IECR, 1);
    bench.input(0, false);
    bench.input(9, true);
    assert!(!bench.line("nirq") && !bench.line("nfiq"));
    assert_eq!((bench.read(ISR), bench.read(IVR)), (0, 0xbad0));
    bench.write(EOICR, 0);
    assert!(bench.line("nirq") && bench.line("nfiq"));
}

#[test]
fn the_end_of_a_spurious_interrupt_leaves_the_interrupted_one_in_service() {
    let mut bench = bench();
    bench.input(6, true);
    bench.read(IVR);
    assert_eq!(bench.read(IVR), 0xbad0, "nothing above priority 4");
    assert_eq!(bench.read(ISR), 0);
    bench.write(EOICR, 0);
    assert_eq!((bench.read(ISR), bench.line("nirq")), (6, false));
}

#[test]
fn the_fast_vector_can_be_spurious_too() {
    let mut bench = bench();
    assert_eq!(bench.read(FVR), 0xbad0);
    bench.input(4, true);
    assert!(!bench.line("nirq"));
    bench.write(EOICR, 0);
    assert!(bench.line("nirq"));
}

#[test]
fn in_protect_mode_the_write_to_the_vector_register_does_the_work() {
    let mut bench = bench();
    bench.input(PROTECT_INPUT, true);
    bench.write(SMR + 4 * 4, EDGE | 2);
    bench.input(4, true);
    for _ in 0..3 {
        assert_eq!(bench.read(IVR), 0x400);
        assert_eq!((bench.read(ISR), bench.read(IPR)), (0, 1 << 4));
    }
    bench.input(8, true);
    bench.write(IVR, 0);
    assert_eq!(
        (bench.read(ISR), bench.read(IPR)),
        (4, 1 << 8),
        "the one that was read"
    );
    assert!(bench.line("nirq"), "source 8 came after the read");
    bench.input(PROTECT_INPUT, false);
    bench.write(IVR, 0);
    assert_eq!(bench.read(ISR), 4, "in normal mode the write has no effect");
}

#[test]
fn what_protect_mode_memorised_is_forgotten_with_it() {
    let mut bench = bench();
    bench.input(PROTECT_INPUT, true);
    bench.input(4, true);
    bench.read(IVR);
    bench.input(PROTECT_INPUT, false);
    bench.input(PROTECT_INPUT, true);
    bench.input(8, true);
    bench.write(IVR, 0);
    assert_eq!(bench.read(ISR), 8);
}
