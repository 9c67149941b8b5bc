use super::registers::*;
use crate::bench::{Bench, Node, model};
use socscope_device::TraceEvent;

const EDGE: u32 = SMR_EDGE;

/// Sources 2 to 9 enabled, level-sensitive, source n with priority n - 2 and vector 0x100 * n.
fn bench() -> Bench {
    let mut bench = Bench::new("atmel,at91x40-aic");
    for source in 2..10 {
        bench.write(SMR + 4 * source, source - 2);
        bench.write(SVR + 4 * source, 0x100 * source);
    }
    bench.write(SPU, 0xbad0);
    bench.write(IECR, 0x3fc);
    bench
}

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
fn an_edge_is_latched_while_disabled_and_cleared_by_the_vector_read() {
    let mut bench = bench();
    bench.write(IDCR, 1 << 5);
    bench.write(SMR + 4 * 5, EDGE | 3);
    bench.input(5, true);
    bench.input(5, false);
    assert_eq!((bench.read(IPR), bench.line("nirq")), (1 << 5, false));
    bench.write(IECR, 1 << 5);
    assert!(bench.line("nirq"));
    assert_eq!(bench.read(IVR), 0x500);
    assert_eq!(bench.read(IPR), 0);
    bench.write(EOICR, 0);
    assert!(!bench.line("nirq"));
}

#[test]
fn an_edge_during_its_own_service_is_served_afterwards() {
    let mut bench = bench();
    bench.write(SMR + 4 * 5, EDGE | 3);
    bench.input(5, true);
    bench.read(IVR);
    bench.input(5, false);
    bench.input(5, true);
    assert!(!bench.line("nirq"));
    bench.write(EOICR, 0);
    assert!(bench.line("nirq"));
}

#[test]
fn set_and_clear_commands_reach_edge_triggered_sources_only() {
    let mut bench = bench();
    bench.write(SMR + 4, EDGE | 7);
    bench.write(SVR + 4, 0x1234);
    bench.write(IECR, 1 << 1);
    bench.write(ISCR, 1 << 1 | 1 << 4);
    assert_eq!(
        bench.read(IPR),
        1 << 1,
        "the software interrupt, not the level-sensitive source"
    );
    bench.write(ICCR, 1 << 1);
    assert_eq!((bench.read(IPR), bench.line("nirq")), (0, false));
    bench.write(ISCR, 1 << 1);
    assert_eq!(bench.read(IVR), 0x1234);
    bench.input(4, true);
    bench.write(ICCR, 1 << 4);
    assert_eq!(bench.read(IPR), 1 << 4);
}

#[test]
fn pins_have_a_polarity_and_are_pulled_up() {
    for (mode, idle, active, edge) in [
        (0, true, false, false),
        (EDGE, true, false, true),
        (SMR_HIGH, false, true, false),
        (SMR_HIGH | EDGE, false, true, true),
    ] {
        let mut bench = bench();
        bench.input(16, idle);
        bench.write(SMR + 4 * 16, mode);
        bench.write(IECR, 1 << 16);
        assert!(!bench.line("nirq"), "mode {mode:#x} at rest");
        bench.input(16, active);
        assert!(bench.line("nirq"), "mode {mode:#x}");
        bench.input(16, idle);
        assert_eq!(bench.line("nirq"), edge, "mode {mode:#x}");
    }
    let mut bench = bench();
    bench.write(IECR, u32::MAX);
    assert!(!bench.line("nfiq"), "an open pin is high");
}

#[test]
fn internal_sources_have_no_polarity() {
    let mut bench = bench();
    bench.write(SMR + 4 * 4, SMR_HIGH);
    assert_eq!(bench.read(IPR), 0);
    bench.input(4, true);
    assert_eq!(bench.read(IPR), 1 << 4);
}

#[test]
fn which_sources_are_pins_comes_from_the_tree() {
    let node = Node::default().cells("atmel,external-irqs", &[20]);
    let mut bench = Bench::with("atmel,at91x40-aic", node);
    bench.input(20, false);
    assert_eq!(bench.read(IPR), 1 << 20);
    let node = Node::default().cells("atmel,external-irqs", &[32]);
    let error = (model("atmel,at91x40-aic").build)(&node)
        .err()
        .expect("32 is no source");
    assert!(
        error.to_string().contains("list numbers from 2 to 31"),
        "{error}"
    );
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
fn an_end_without_an_interrupt_is_ignored() {
    let mut bench = bench();
    bench.write(EOICR, 0);
    assert!(bench.traces.is_empty());
    bench.input(4, true);
    assert_eq!(bench.read(IVR), 0x400);
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
fn mode_registers_keep_only_their_bits_and_narrow_reads_take_their_lane() {
    let mut bench = bench();
    bench.write(SMR + 4 * 9, u32::MAX);
    assert_eq!(bench.read(SMR + 4 * 9), 0x67);
    bench.write(SVR + 4 * 9, 0x1122_3344);
    assert_eq!(
        bench.read_width(SVR + 4 * 9 + 1, socscope_memory::Width::Byte),
        0x33
    );
    bench.write_width(SPU, socscope_memory::Width::Byte, 0x5a);
    assert_eq!(bench.read(SPU), 0x5a5a_5a5a);
}

#[test]
fn a_peek_at_the_vector_is_what_a_read_would_give() {
    let mut bench = bench();
    assert_eq!(bench.peek(IVR), Some(0xbad0));
    bench.input(4, true);
    assert_eq!(bench.peek(IVR), Some(0x400));
    assert!(bench.line("nirq"));
    assert_eq!(bench.peek(0x118), None);
}

#[test]
fn probes_see_each_interrupt_raised_vectored_and_ended() {
    let mut bench = bench();
    let raised = |source| TraceEvent::InterruptRaised { source };
    let vectored = |source| TraceEvent::InterruptVectored {
        source,
        vector: 0x100 * source,
        spurious: false,
    };
    bench.input(4, true);
    bench.read(IVR);
    bench.input(7, true);
    bench.read(IVR);
    bench.input(7, false);
    bench.write(EOICR, 0);
    bench.write(EOICR, 0);
    let expected = [
        raised(4),
        vectored(4),
        raised(7),
        vectored(7),
        TraceEvent::InterruptEnded,
        TraceEvent::InterruptEnded,
        raised(4),
    ];
    assert_eq!(
        bench.traces, expected,
        "the level of source 4 asks again after its end"
    );
    bench.traces.clear();
    bench.input(4, false);
    bench.read(IVR);
    let spurious = TraceEvent::InterruptVectored {
        source: 0,
        vector: 0xbad0,
        spurious: true,
    };
    assert_eq!(bench.traces, [spurious]);
}
