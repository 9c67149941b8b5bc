use super::super::registers::*;
use super::*;

#[test]
fn reading_the_vector_releases_nirq_and_makes_the_source_current() {
    let mut bench = bench();
    bench.input(4, true);
    assert!(bench.line("nirq") && !bench.line("nfiq"));
    assert_eq!(bench.read(CISR), CISR_NIRQ);
    assert_eq!(bench.read(ISR), 0);
    assert_eq!(bench.read(IVR), 0x400);
    assert!(!bench.line("nirq"));
    assert_eq!(
        (bench.read(ISR), bench.read(IPR), bench.read(CISR)),
        (4, 1 << 4, 0)
    );
    bench.input(4, false);
    bench.write(EOICR, 0);
    assert_eq!((bench.read(ISR), bench.line("nirq")), (0, false));
}

#[test]
fn a_level_that_stays_interrupts_again_after_the_end() {
    let mut bench = bench();
    bench.input(4, true);
    bench.read(IVR);
    bench.write(EOICR, 0);
    assert!(bench.line("nirq"));
}

#[test]
fn all_eight_priorities_nest_and_unwind() {
    let mut bench = bench();
    for source in 2..10 {
        bench.input(source, true);
        assert!(
            bench.line("nirq"),
            "source {source} is above the one in service"
        );
        assert_eq!(bench.read(IVR), 0x100 * source);
        assert_eq!(bench.read(ISR), source);
    }
    for source in (2..10).rev() {
        assert_eq!(bench.read(ISR), source);
        bench.input(source, false);
        bench.write(EOICR, 0);
        assert!(!bench.line("nirq"));
    }
    assert_eq!(bench.read(ISR), 0);
}

#[test]
fn equal_and_lower_priorities_wait() {
    let mut bench = bench();
    bench.write(SMR + 4 * 3, 4);
    bench.input(6, true);
    bench.read(IVR);
    bench.input(3, true);
    bench.input(2, true);
    assert!(
        !bench.line("nirq"),
        "priority 4 does not interrupt priority 4"
    );
    bench.input(6, false);
    bench.write(EOICR, 0);
    assert_eq!(bench.read(IVR), 0x300);
}

#[test]
fn among_equal_priorities_the_lowest_number_is_first() {
    let mut bench = bench();
    for source in 2..10 {
        bench.write(SMR + 4 * source, 5);
    }
    bench.input(7, true);
    bench.input(5, true);
    assert_eq!(bench.read(IVR), 0x500);
    bench.input(5, false);
    bench.write(EOICR, 0);
    assert_eq!(bench.read(IVR), 0x700);
}

#[test]
fn the_most_urgent_at_the_time_of_the_read_is_taken() {
    let mut bench = bench();
    bench.input(3, true);
    bench.input(8, true);
    assert_eq!(bench.read(IVR), 0x800);
    assert_eq!(bench.read(ISR), 8);
}

#[test]
fn the_fast_interrupt_has_a_line_and_a_vector_of_its_own() {
    let mut bench = bench();
    bench.write(SMR, EDGE | SMR_HIGH);
    bench.write(SVR, 0xf1);
    bench.write(IECR, 1);
    bench.input(0, false);
    bench.input(0, true);
    assert!(bench.line("nfiq") && !bench.line("nirq"));
    assert_eq!(bench.read(CISR), CISR_NFIQ);
    assert_eq!(bench.read(FVR), 0xf1);
    assert!(!bench.line("nfiq"));
    assert_eq!(bench.read(ISR), 0, "the fast interrupt is not on the stack");
}

#[test]
fn a_fast_interrupt_passes_interrupts_in_service() {
    let mut bench = bench();
    bench.input(9, true);
    bench.read(IVR);
    bench.write(IECR, 1);
    bench.input(0, false);
    assert!(bench.line("nfiq"));
    bench.input(0, true);
    assert!(
        !bench.line("nfiq"),
        "level-sensitive: released with its pin"
    );
}

#[test]
fn an_end_without_an_interrupt_is_ignored() {
    let mut bench = bench();
    bench.write(EOICR, 0);
    assert!(bench.traces.is_empty());
    bench.input(4, true);
    assert_eq!(bench.read(IVR), 0x400);
}
