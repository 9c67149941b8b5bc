//! Interrupts, and that nothing is scheduled which nobody waits for.

use super::*;

#[test]
fn each_channel_has_its_interrupt() {
    for channel in 0..3 {
        let base = 0x40 * channel;
        let mut bench = Bench::new("atmel,at91x40-tc");
        bench.write(base + CMR, WAVE | CPCTRG);
        bench.write(base + RC, 100);
        bench.write(base + IER, CPCS);
        bench.write(base + CCR, START);
        let line = ["irq0", "irq1", "irq2"][channel as usize];
        bench.run(2 + 2 * 100 - 1);
        assert!(!bench.line(line));
        bench.run(1);
        assert!(bench.line(line));
        assert_eq!(bench.read(base + SR) & CPCS, CPCS);
        assert!(!bench.line(line), "reading the status releases it");
        bench.run(200);
        assert!(bench.line(line));
        bench.write(base + IDR, CPCS);
        assert!(!bench.line(line));
    }
}

#[test]
fn a_flag_that_is_already_there_interrupts_when_it_is_enabled() {
    let mut bench = started(WAVE);
    bench.write(RA, 5);
    bench.run(100);
    bench.write(IER, CPAS);
    assert!(bench.line("irq0"));
}

#[test]
fn the_overflow_and_captures_interrupt_too() {
    let mut bench = started(WAVE);
    bench.write(IER, COVFS);
    bench.run(2 + 2 * 0x1_0000);
    assert!(bench.line("irq0"));

    let mut bench = started(1 << 16);
    bench.write(IER, LDRAS);
    bench.input(TIOA0, true);
    assert!(bench.line("irq0"));
}

#[test]
fn a_running_counter_without_interrupts_costs_no_events() {
    let mut bench = started(WAVE | CPCTRG);
    bench.write(RC, 10);
    bench.write(RA, 5);
    assert_eq!(bench.pending_events(), 0);
    bench.run(1_000_000);
    assert_eq!(bench.events_run, 0);
    // RB is 0, where the counter begins again.
    assert_eq!(bench.read(SR) & 0xff, CPAS | CPBS | CPCS);
}

#[test]
fn one_event_for_each_interrupt() {
    let mut bench = started(WAVE | CPCTRG);
    bench.write(RC, 1000);
    bench.write(RA, 10);
    bench.write(IER, CPCS);
    for interrupt in 1..=10 {
        bench.run(2 * 1000 + 2);
        assert!(bench.line("irq0"));
        bench.read(SR);
        assert_eq!(bench.events_run, interrupt);
        assert_eq!(bench.pending_events(), 1);
    }
}

#[test]
fn nothing_is_scheduled_for_a_match_that_cannot_come() {
    let mut bench = started(WAVE | CPCTRG);
    bench.write(RC, 10);
    bench.write(RA, 20);
    bench.write(IER, CPAS);
    // It would be beyond RC, unless the counter is already there.
    assert_eq!(bench.pending_events(), 0);
    bench.write(CCR, 0b010);
    bench.write(IER, CPCS);
    assert_eq!(bench.pending_events(), 0, "the clock is disabled");
}

#[test]
fn moving_a_compare_moves_its_event() {
    let mut bench = started(WAVE);
    bench.write(IER, CPCS);
    bench.write(RC, 100);
    bench.run(50);
    bench.write(RC, 200);
    bench.run(2 + 2 * 200 - 51);
    assert!(!bench.line("irq0"));
    bench.run(1);
    assert!(bench.line("irq0"));
    assert_eq!(bench.events_run, 1);
}
