use super::super::registers::*;
use super::*;
use socscope_device::TraceEvent;

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
