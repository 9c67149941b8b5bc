use super::super::registers::*;
use super::*;
use crate::bench::{Node, model};

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
fn a_level_sensitive_source_remembers_no_set_command() {
    let mut bench = bench();
    bench.write(ISCR, 1 << 4);
    bench.write(SMR + 4 * 4, SMR_EDGE);
    assert_eq!(bench.read(IPR), 0);
}
