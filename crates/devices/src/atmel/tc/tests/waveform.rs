//! Waveform mode: compares, effects on the outputs, stops, external events.

use super::*;

/// Effects: set 1, clear 2, toggle 3.
const fn acpa(effect: u32) -> u32 {
    effect << 16
}
const fn acpc(effect: u32) -> u32 {
    effect << 18
}
const fn aeevt(effect: u32) -> u32 {
    effect << 20
}
const fn aswtrg(effect: u32) -> u32 {
    effect << 22
}
const fn bcpb(effect: u32) -> u32 {
    effect << 24
}
const fn bcpc(effect: u32) -> u32 {
    effect << 26
}
/// External event XC0: TIOB is an output.
const EEVT_XC0: u32 = 1 << 10;

#[test]
fn each_compare_sets_its_flag_when_the_counter_arrives() {
    let mut bench = started(WAVE);
    bench.write(RA, 10);
    bench.write(RB, 20);
    bench.write(RC, 30);
    bench.run(2 + 2 * 10 - 1);
    assert_eq!(bench.read(SR) & 0xff, 0);
    bench.run(1);
    assert_eq!(bench.read(SR) & 0xff, CPAS);
    bench.run(20);
    assert_eq!(bench.read(SR) & 0xff, CPBS);
    bench.run(20);
    assert_eq!(bench.read(SR) & 0xff, CPCS);
    assert_eq!(bench.read(SR) & 0xff, 0);
}

#[test]
fn a_pulse_width_modulation_has_its_duty_cycle() {
    let mut bench = Bench::new("atmel,at91x40-tc");
    bench.write(
        CMR,
        WAVE | CPCTRG | EEVT_XC0 | acpa(2) | acpc(1) | aswtrg(1) | bcpb(1) | bcpc(2),
    );
    bench.write(RA, 25);
    bench.write(RB, 60);
    bench.write(RC, 100);
    bench.write(CCR, START);
    let (mut high_a, mut high_b) = (0, 0);
    bench.run(2);
    for _ in 0..10 * 200 {
        high_a += u32::from(bench.line("tioa0"));
        high_b += u32::from(bench.line("tiob0"));
        bench.run(1);
    }
    assert_eq!((high_a, high_b), (10 * 50, 10 * 80));
}

#[test]
fn toggles_make_a_square_wave() {
    let mut bench = Bench::new("atmel,at91x40-tc");
    bench.write(CMR, WAVE | CPCTRG | acpc(3));
    bench.write(RC, 20);
    bench.write(CCR, START);
    bench.run(2 + 40 * 10);
    assert_eq!(bench.edges[bench.output("tioa0")], 10);
    assert_eq!(bench.read(SR) & MTIOA, 0);
    bench.run(40);
    assert_eq!(bench.read(SR) & MTIOA, MTIOA);
}

#[test]
fn rc_compare_wins_over_ra_compare() {
    let mut bench = started(WAVE | acpa(1) | acpc(2));
    bench.write(RA, 10);
    bench.write(RC, 10);
    bench.run(2 + 2 * 10);
    assert_eq!(bench.read(SR) & (CPAS | CPCS | MTIOA), CPAS | CPCS);
}

#[test]
fn rc_compare_may_stop_the_clock_until_the_next_trigger() {
    let mut bench = started(WAVE | 1 << 6);
    bench.write(RC, 10);
    bench.run(1000);
    assert_eq!(
        (bench.read(CV), bench.read(SR) & (CPCS | CLKSTA)),
        (10, CPCS | CLKSTA)
    );
    bench.write(CCR, 0b100);
    bench.run(2 + 2 * 5);
    assert_eq!(bench.read(CV), 5);
}

#[test]
fn rc_compare_may_disable_the_clock_until_the_next_enable() {
    let mut bench = started(WAVE | 1 << 7);
    bench.write(RC, 10);
    bench.run(1000);
    assert_eq!(
        (bench.read(CV), bench.read(SR) & (CPCS | CLKSTA)),
        (10, CPCS)
    );
    bench.write(CCR, 0b100);
    bench.run(100);
    assert_eq!(bench.read(CV), 10, "a trigger does not help");
    bench.write(CCR, START);
    bench.run(2 + 2 * 5);
    assert_eq!(bench.read(CV), 5);
}

#[test]
fn an_external_event_acts_and_may_trigger() {
    // TIOB, rising edge, toggles TIOA.
    let mut bench = started(WAVE | 1 << 8 | aeevt(3));
    bench.run(100);
    bench.input(TIOB0, true);
    assert!(bench.line("tioa0"));
    assert_eq!(bench.read(SR) & ETRGS, ETRGS);
    bench.input(TIOB0, false);
    assert!(bench.line("tioa0"), "the falling edge does not count");
    bench.run(2);
    assert_eq!(bench.read(CV), 50, "it is no trigger");
    bench.write(CMR, WAVE | 1 << 8 | 1 << 12);
    bench.input(TIOB0, true);
    bench.run(2 + 2 * 4);
    assert_eq!(bench.read(CV), 4, "now it is");
}

#[test]
fn tiob_is_an_input_only_while_it_is_the_event() {
    let mut bench = started(WAVE | bcpb(1));
    bench.write(RB, 5);
    bench.run(100);
    assert!(!bench.line("tiob0"));
    bench.input(TIOB0, true);
    assert_eq!(bench.read(SR) & MTIOB, MTIOB);
    bench.write(CMR, WAVE | EEVT_XC0 | bcpb(1));
    assert_eq!(bench.read(SR) & MTIOB, 0);
    bench.write(CCR, 0b100);
    bench.run(100);
    assert!(bench.line("tiob0"));
    assert_eq!(bench.read(SR) & MTIOB, MTIOB);
}

#[test]
fn external_clocks_are_events_too() {
    // XC0 (TCLK0), falling edge, sets TIOA.
    let mut bench = started(WAVE | EEVT_XC0 | 2 << 8 | aeevt(1));
    bench.input(TCLK0, true);
    assert!(!bench.line("tioa0"));
    bench.input(TCLK0, false);
    assert!(bench.line("tioa0"));
}
