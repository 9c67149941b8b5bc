use super::*;
use crate::bench::{Bench, Node};

#[test]
fn an_active_source_interrupts_once_it_is_enabled() {
    let mut bench = Bench::new("arm,versatile-fpga-irq");
    bench.input(5, true);
    assert_eq!((bench.read(RAW_STATUS), bench.read(STATUS)), (1 << 5, 0));
    assert!(!bench.line("nirq"));
    bench.write(ENABLE_SET, 1 << 5);
    assert_eq!(bench.read(STATUS), 1 << 5);
    assert!(bench.line("nirq") && !bench.line("nfiq") && !bench.line("interrupt"));
    bench.write(ENABLE_SET, 1 << 6);
    assert_eq!(bench.read(ENABLE_SET), 3 << 5, "ones are added");
    bench.write(ENABLE_CLEAR, 1 << 5);
    assert_eq!(
        (bench.read(ENABLE_SET), bench.line("nirq")),
        (1 << 6, false)
    );
    bench.write(ENABLE_SET, 1 << 5);
    bench.input(5, false);
    assert!(!bench.line("nirq"), "sources are levels");
    assert_eq!(bench.traces, [TraceEvent::InterruptRaised { source: 5 }]);
}

#[test]
fn fast_interrupts_have_enables_of_their_own() {
    let mut bench = Bench::new("arm,versatile-fpga-irq");
    bench.input(31, true);
    bench.write(FIQ_ENABLE_SET, 1 << 31);
    assert!(bench.line("nfiq") && !bench.line("nirq"));
    assert_eq!((bench.read(FIQ_STATUS), bench.read(STATUS)), (1 << 31, 0));
    assert_eq!(bench.read(FIQ_RAW_STATUS), 1 << 31);
    bench.write(FIQ_ENABLE_CLEAR, 1 << 31);
    assert!(!bench.line("nfiq"));
}

#[test]
fn software_raises_source_0() {
    let mut bench = Bench::new("arm,versatile-fpga-irq");
    bench.write(ENABLE_SET, 1);
    bench.write(SOFT_SET, 0xffff_fffe);
    assert_eq!(bench.read(RAW_STATUS), 0, "bit 0 alone counts");
    bench.write(SOFT_SET, 1);
    assert!(bench.line("nirq"));
    assert_eq!((bench.read(SOFT_SET), bench.read(STATUS)), (1, 1));
    bench.write(SOFT_CLEAR, 1);
    assert!(!bench.line("nirq"));
    bench.input(0, true);
    bench.write(SOFT_CLEAR, 1);
    assert!(bench.line("nirq"), "the pin of source 0 is not software's");
}

#[test]
fn a_controller_behind_another_one_does_not_ask_the_core() {
    let node = Node::default().cells("interrupts", &[26]);
    let mut bench = Bench::with("arm,versatile-fpga-irq", node);
    bench.write(ENABLE_SET, 8);
    bench.write(FIQ_ENABLE_SET, 8);
    bench.input(3, true);
    assert!(bench.line("interrupt") && !bench.line("nirq") && !bench.line("nfiq"));
}

#[test]
fn the_core_sees_no_interrupt_after_a_reset() {
    let mut bench = Bench::new("arm,versatile-fpga-irq");
    bench.write(ENABLE_SET, 2);
    bench.input(1, true);
    bench.call(|device, context| device.reset(context));
    assert!(!bench.line("nirq"));
    assert_eq!(bench.read(RAW_STATUS), 2, "the source is still active");
}
