use super::registers::*;
use crate::bench::{Bench, Node};
use socscope_device::TraceEvent;

const EIVPR0: u32 = SOURCES;
const EIDR0: u32 = SOURCES + 0x10;
const IIVPR26: u32 = SOURCES + 42 * 0x20;
const IIDR26: u32 = IIVPR26 + 0x10;
const MASKED: u32 = 1 << 31;
const ACTIVITY: u32 = 1 << 30;
const HIGH_LEVEL: u32 = 3 << 22;
const HIGH_EDGE: u32 = 2 << 22;
const P0: u32 = CORE_BASE;
const P1: u32 = CORE_BASE + CORE_STRIDE;
const SPURIOUS: u32 = 0xffff;

fn priority(priority: u32) -> u32 {
    priority << 16
}

/// In mixed mode, both cores open to all priorities.
fn open() -> Bench {
    let mut bench = Bench::new("fsl,mpic");
    bench.write(GCR, GCR_MIXED_MODE);
    bench.write(P0 + CTPR, 0);
    bench.write(P1 + CTPR, 0);
    bench
}

fn set_up(bench: &mut Bench, source: u32, bits: u32) {
    bench.write(SOURCES + 0x20 * source, bits | source);
}

fn lines(bench: &Bench) -> (bool, bool) {
    (bench.line("int0"), bench.line("int1"))
}

#[test]
fn a_level_interrupts_until_its_line_falls() {
    let mut bench = open();
    set_up(&mut bench, 42, priority(8) | HIGH_LEVEL);
    bench.input(42, true);
    assert_eq!(lines(&bench), (true, false));
    assert_ne!(bench.read(IIVPR26) & ACTIVITY, 0);
    assert_eq!(bench.read(IACK), 42);
    assert_eq!(lines(&bench), (false, false), "in service");
    bench.write(EOI, 0);
    assert_eq!(lines(&bench), (true, false), "the line is still active");
    assert_eq!(bench.read(IACK), 42);
    bench.input(42, false);
    assert_ne!(bench.read(IIVPR26) & ACTIVITY, 0, "in service");
    bench.write(EOI, 0);
    assert_eq!(lines(&bench), (false, false));
    assert_eq!(bench.read(IIVPR26) & ACTIVITY, 0);
    assert_eq!(bench.read(IACK), SPURIOUS);
    let raised = |event: &&TraceEvent| matches!(event, TraceEvent::InterruptRaised { source: 42 });
    assert_eq!(bench.traces.iter().filter(raised).count(), 2);
}

#[test]
fn an_edge_is_latched_even_while_masked() {
    let mut bench = open();
    set_up(&mut bench, 3, MASKED | priority(5) | HIGH_EDGE);
    bench.input(3, true);
    bench.input(3, false);
    assert_eq!(lines(&bench), (false, false));
    set_up(&mut bench, 3, priority(5) | HIGH_EDGE);
    assert_eq!(lines(&bench), (true, false));
    assert_eq!(bench.read(IACK), 3);
    bench.input(3, true);
    bench.write(EOI, 0);
    assert_eq!(bench.read(IACK), 3, "the edge during the service");
    bench.write(EOI, 0);
    assert_eq!(bench.read(IACK), SPURIOUS, "a high level is no edge");
}

#[test]
fn polarity_and_sense_are_the_sources_own() {
    let mut bench = open();
    set_up(&mut bench, 4, priority(1) | 1 << 22);
    assert!(!bench.line("int0"), "nothing drives the pin");
    bench.input(4, false);
    assert!(bench.line("int0"), "low is active");
    bench.input(4, true);
    assert!(!bench.line("int0"));
    set_up(&mut bench, 5, priority(1));
    bench.input(5, true);
    bench.input(5, false);
    assert_eq!(bench.read(IACK), 5, "a falling edge");
    bench.write(IIVPR26, u32::MAX);
    let settable = !(ACTIVITY | 1 << 22 | 0x3f30_0000);
    assert_eq!(bench.read(IIVPR26), settable);
}

#[test]
fn services_nest_by_priority() {
    let mut bench = open();
    for (source, urgency) in [(16, 3), (17, 9), (18, 9), (19, 0)] {
        set_up(&mut bench, source, priority(urgency) | HIGH_LEVEL);
        bench.input(source, true);
    }
    assert_eq!(bench.read(IACK), 17, "the lower number of two");
    assert_eq!(bench.read(IACK), SPURIOUS, "an equal priority waits");
    bench.input(17, false);
    bench.write(EOI, 0);
    assert_eq!(bench.read(IACK), 18);
    bench.input(18, false);
    assert!(!bench.line("int0"), "a lower priority waits");
    bench.write(EOI, 0);
    assert_eq!(bench.read(IACK), 16);
    set_up(&mut bench, 20, priority(15) | HIGH_LEVEL);
    bench.input(20, true);
    assert!(bench.line("int0"), "a higher priority interrupts");
    assert_eq!(bench.read(IACK), 20);
    bench.input(20, false);
    bench.write(EOI, 0);
    bench.input(16, false);
    bench.write(EOI, 0);
    assert_eq!(bench.read(IACK), SPURIOUS, "priority 0 never interrupts");
}

#[test]
fn the_task_priority_holds_interrupts_back() {
    let mut bench = open();
    set_up(&mut bench, 42, priority(8) | HIGH_LEVEL);
    bench.write(CTPR, 8);
    bench.input(42, true);
    assert!(!bench.line("int0"));
    bench.write(CTPR, 7);
    assert!(bench.line("int0"));
    bench.write(CTPR, 15);
    assert!(!bench.line("int0"));
    assert_eq!(bench.read(IACK), SPURIOUS);
    bench.write(SVR, 0x7ff);
    assert_eq!(bench.read(IACK), 0x7ff);
    bench.write(EOI, 0);
    assert!(!bench.traces.contains(&TraceEvent::InterruptEnded));
}

#[test]
fn a_destination_names_the_core() {
    let mut bench = open();
    set_up(&mut bench, 42, priority(8) | HIGH_LEVEL);
    bench.write(IIDR26, 2);
    bench.input(42, true);
    assert_eq!(lines(&bench), (false, true));
    assert_eq!(bench.read(P0 + IACK), SPURIOUS);
    bench.write(IIDR26, 3);
    assert_eq!(lines(&bench), (true, false), "the lower core of two");
    bench.write(IIDR26, 2);
    bench.core = 1;
    assert_eq!(bench.read(IACK), 42, "the private registers are core 1's");
    assert_eq!(bench.read(WHOAMI), 1);
    bench.write(EOI, 0);
    bench.core = 2;
    assert_eq!(bench.read(WHOAMI), 0);
    assert_eq!(bench.warnings.len(), 1, "there is no third core");
}

#[test]
fn critical_interrupts_and_the_output_pin_bypass_priorities() {
    let mut bench = open();
    set_up(&mut bench, 7, HIGH_LEVEL);
    bench.write(EIDR0 + 7 * 0x20, 1 << 29);
    bench.input(7, true);
    assert!(bench.line("mcp1") && !bench.line("mcp0") && !bench.line("irq_out"));
    bench.write(EIDR0 + 7 * 0x20, 1 << 31);
    assert!(!bench.line("mcp1") && bench.line("irq_out"));
    assert_eq!(lines(&bench), (false, false));
    bench.input(7, false);
    assert!(!bench.line("irq_out"));
}

#[test]
fn processors_interrupt_each_other() {
    let mut bench = open();
    bench.write(IPIVPR + 0x10, priority(10) | 0xfb);
    bench.write(P0 + IPIDR + 0x10, 3);
    assert_eq!(lines(&bench), (true, true), "both are named");
    assert_eq!(bench.read(P1 + IACK), 0xfb);
    assert_eq!(lines(&bench), (true, false), "each takes its own");
    bench.write(P1 + IPIDR + 0x10, 2);
    assert_eq!(lines(&bench), (true, false), "core 1 serves it");
    bench.write(P1 + EOI, 0);
    assert_eq!(lines(&bench), (true, true), "and again");
    assert_eq!(bench.read(P0 + IACK), 0xfb);
    assert_ne!(bench.read(IPIVPR + 0x10) & ACTIVITY, 0);
    assert_eq!(bench.read(P0 + IPIDR + 0x10), 0);
}

#[test]
fn pass_through_mode_gives_irq0_to_core_0() {
    let mut bench = Bench::new("fsl,mpic");
    bench.write(CTPR, 0);
    set_up(&mut bench, 42, priority(8) | HIGH_LEVEL);
    bench.input(42, true);
    assert_eq!(lines(&bench), (false, false));
    bench.input(0, true);
    assert_eq!(lines(&bench), (true, false));
    bench.write(GCR, GCR_MIXED_MODE);
    assert_eq!(bench.read(IACK), 42);
    assert_eq!(bench.read(GCR), GCR_MIXED_MODE);
}

#[test]
fn the_controllers_reset_keeps_lines() {
    let mut bench = open();
    set_up(&mut bench, 42, priority(8) | HIGH_LEVEL);
    bench.input(42, true);
    bench.read(IACK);
    bench.write(PIR, 2);
    assert!(bench.line("sreset1") && !bench.line("sreset0"));
    bench.write(GCR, GCR_RESET | GCR_MIXED_MODE);
    assert_eq!(bench.read(GCR), 0, "it has ended already");
    assert_eq!(bench.read(IIVPR26), 0x8080_0000);
    assert_eq!(bench.read(P0 + CTPR), 15);
    assert!(!bench.line("sreset1"));
    bench.write(GCR, GCR_MIXED_MODE);
    bench.write(CTPR, 0);
    set_up(&mut bench, 42, priority(8) | HIGH_LEVEL);
    assert_eq!(bench.read(IACK), 42, "the line is still high");
}

#[test]
fn a_change_in_service_warns() {
    let mut bench = open();
    set_up(&mut bench, 42, priority(8) | HIGH_LEVEL);
    bench.input(42, true);
    bench.read(IACK);
    set_up(&mut bench, 42, MASKED | priority(8) | HIGH_LEVEL);
    assert!(bench.warnings.is_empty(), "masking is allowed");
    set_up(&mut bench, 42, priority(9) | HIGH_LEVEL);
    assert_eq!(
        bench.warnings,
        ["source 42 is in service: only its mask may be changed (VPR = 0x00c9002a)"]
    );
}

#[test]
fn drivers_may_set_up_sources_that_do_not_exist() {
    let mut bench = open();
    for source in 0..256 {
        bench.write(SOURCES + 0x20 * source, MASKED | priority(8) | source);
        bench.write(SOURCES + 0x20 * source + 0x10, 1);
        bench.read(SOURCES + 0x20 * source);
    }
    assert!(bench.warnings.is_empty());
    assert_eq!(bench.read(SOURCES + 0x20 * 12), 0);
    assert_eq!(bench.read(EIVPR0 + 0x20 * 11), MASKED | priority(8) | 11);
}

#[test]
fn messages_interrupt_until_they_are_read() {
    let mut bench = open();
    bench.write(SOURCES + 0x20 * 178, priority(4) | 178);
    bench.write(MSGR + 0x20, 0x1234);
    assert!(!bench.line("int0"), "not enabled");
    bench.write(MER, 4);
    assert!(bench.line("int0"));
    assert_eq!(bench.read(MSR), 4);
    assert_eq!(bench.read(MSGR + 0x20), 0x1234);
    assert!(!bench.line("int0"));
    bench.write(MSGR + 0x20, 0);
    bench.write(MSR, 4);
    assert!(!bench.line("int0"), "a one clears");
    bench.write(SOURCES + 0x20 * 225, priority(4) | 225);
    bench.write(MSIIR, 1 << 29 | 5 << 24);
    bench.write(MSIIR, 1 << 29 | 31 << 24);
    assert_eq!(bench.read(MSISR), 2);
    assert_eq!(bench.read(IACK), 225);
    assert_eq!(bench.read(MSIR + 0x10), 1 << 31 | 1 << 5);
    assert_eq!(bench.read(MSIR + 0x10), 0);
    bench.write(EOI, 0);
    assert!(!bench.line("int0"));
}

/// Group A's timer `index`.
fn timer(index: u32) -> u32 {
    TIMERS + 0x40 * index
}

#[test]
fn a_timer_counts_eighths_of_the_clock_and_reloads() {
    let mut bench = open();
    bench.write(timer(1) + 0x20, priority(9) | 0xf3);
    bench.write(timer(1) + 0x30, 2);
    bench.write(timer(1) + 0x10, 100);
    bench.run(8 * 40);
    assert_eq!(bench.read(timer(1)), 60);
    bench.write(timer(1) + 0x10, 50);
    bench.run(8 * 60 - 1);
    assert_eq!(lines(&bench), (false, false));
    bench.run(1);
    assert_eq!(lines(&bench), (false, true));
    assert_eq!(bench.read(P1 + IACK), 0xf3);
    assert_eq!(
        bench.read(timer(1)),
        MASKED | 50,
        "toggled, with the new base"
    );
    bench.write(timer(1) + 0x10, MASKED);
    bench.run(10_000);
    assert_eq!(bench.read(timer(1)), MASKED | 50, "it stands");
    bench.write(timer(1) + 0x10, 7);
    assert_eq!(bench.read(timer(1)), 7, "a new beginning");
}

#[test]
fn the_clock_ratio_changes_under_way() {
    let node = Node::default().cells("clock-frequency", &[80_000_000]);
    let mut bench = Bench::with("fsl,mpic", node);
    bench.write(timer(0) + 0x10, 100);
    bench.run(4 * 10);
    assert_eq!(bench.read(timer(0)), 90, "its own clock is twice as quick");
    bench.write(TCR, 3 << 8);
    bench.run(4 * 8);
    assert_eq!(bench.read(timer(0)), 89);
    bench.write(TCR, 1 << 16);
    bench.run(1000);
    assert_eq!(bench.read(timer(0)), 89, "nothing ticks at the pin RTC");
}

#[test]
fn cascaded_timers_make_a_long_one() {
    let mut bench = open();
    let group_b = TIMER_GROUP_STRIDE;
    bench.write(group_b + timer(1) + 0x20, priority(9) | 0xf6);
    bench.write(group_b + TCR, 1);
    bench.write(group_b + timer(1) + 0x10, 3);
    bench.write(group_b + timer(0) + 0x10, 10);
    bench.run(8 * 20);
    assert_eq!(bench.read(group_b + timer(1)), 1);
    bench.run(8 * 10 - 1);
    assert!(!bench.line("int0"));
    bench.run(1);
    assert_eq!(bench.read(IACK), 0xf6);
    assert_eq!(bench.read(group_b + timer(1)), MASKED | 3);
    bench.write(group_b + TCR, 1 << 24 | 1);
    bench.run(8 * 10);
    assert_eq!(
        bench.read(group_b + timer(0)) & !MASKED,
        !MASKED,
        "rolled over"
    );
}

#[test]
fn a_base_count_of_zero_does_not_count() {
    let mut bench = open();
    bench.write(timer(0) + 0x10, 0);
    bench.run(100_000);
    assert_eq!((bench.read(timer(0)), bench.pending_events()), (0, 0));
}

#[test]
fn a_state_with_unknown_sources_is_refused() {
    let mut bench = open();
    set_up(&mut bench, 42, priority(8) | HIGH_LEVEL);
    bench.input(42, true);
    bench.read(IACK);
    let mut state = bench.device.save();
    let in_service = state.windows(2).rposition(|pair| pair == [42, 8]);
    let at = in_service.expect("source 42 of priority 8");
    state.splice(at..at + 1, [0xff, 0x7f]);
    let error = bench.device.restore(&state).expect_err("no such source");
    assert!(error.to_string().contains("sources that there are not"));
}
