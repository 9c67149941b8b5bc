//! External clocks, gates and chains.

use super::*;

/// Clock selections.
const XC0: u32 = 5;
const XC1: u32 = 6;

#[test]
fn an_external_clock_counts_its_rising_edges_or_its_falling_ones() {
    let mut bench = started(WAVE | XC0);
    // The first edge takes in the trigger.
    for _ in 0..6 {
        pulse(&mut bench, TCLK0);
    }
    assert_eq!(bench.read(CV), 5);
    bench.write(CMR, WAVE | 1 << 3 | XC0);
    bench.input(TCLK0, true);
    assert_eq!(bench.read(CV), 5);
    bench.input(TCLK0, false);
    assert_eq!(bench.read(CV), 6);
    bench.run(1000);
    assert_eq!(bench.read(CV), 6);
}

#[test]
fn a_gate_lets_the_clock_pass_while_it_is_high() {
    let mut bench = started(WAVE | 1 << 4);
    bench.run(100);
    assert_eq!(bench.read(CV), 0);
    bench.input(TCLK0, true);
    bench.run(2 + 2 * 10);
    assert_eq!(bench.read(CV), 10);
    bench.input(TCLK0, false);
    bench.run(100);
    assert_eq!(bench.read(CV), 10);
    bench.input(TCLK0, true);
    bench.run(2 * 5);
    assert_eq!(bench.read(CV), 15);
}

#[test]
fn a_closed_gate_schedules_nothing() {
    let mut bench = started(WAVE | 1 << 4);
    bench.write(RC, 100);
    bench.write(IER, CPCS);
    assert_eq!(bench.pending_events(), 0);
    bench.input(TCLK0, true);
    assert_eq!(bench.pending_events(), 1);
    bench.input(TCLK0, false);
    assert_eq!(bench.pending_events(), 0);
}

#[test]
fn channels_make_a_longer_counter() {
    let mut bench = Bench::new("atmel,at91x40-tc");
    // Channel 0 toggles TIOA0 every 10 edges; channel 1 counts its rising edges.
    bench.write(CMR, WAVE | CPCTRG | 3 << 18);
    bench.write(RC, 10);
    bench.write(0x40 + CMR, WAVE | XC1);
    bench.write(BMR, 2 << 2);
    bench.write(0x40 + CCR, START);
    bench.write(CCR, START);
    bench.run(2 + 2 * 20 * 8);
    // Eight rising edges, one of which took in the trigger.
    assert_eq!(bench.read(0x40 + CV), 7);
}

#[test]
fn the_block_mode_selects_each_channels_clock() {
    for (channel, field, others) in [(0u32, 0, [1u32, 2]), (1, 2, [0, 2]), (2, 4, [0, 1])] {
        let sources = [
            Some(channel),
            None,
            Some(3 + others[0]),
            Some(3 + others[1]),
        ];
        for (select, source) in sources.into_iter().enumerate() {
            let mut bench = Bench::new("atmel,at91x40-tc");
            bench.write(BMR, (select as u32) << field);
            bench.write(0x40 * channel + CMR, WAVE | (XC0 + channel));
            bench.write(0x40 * channel + CCR, START);
            for line in 0..6 {
                let before = bench.read(0x40 * channel + CV);
                pulse(&mut bench, line);
                pulse(&mut bench, line);
                let counted = bench.read(0x40 * channel + CV) != before;
                assert_eq!(
                    counted,
                    source == Some(line),
                    "channel {channel} select {select} line {line}"
                );
            }
        }
    }
}

#[test]
fn a_ring_of_channels_comes_to_rest() {
    let mut bench = Bench::new("atmel,at91x40-tc");
    bench.write(BMR, 3 | 2 << 2 | 3 << 4);
    for channel in 0..3 {
        bench.write(
            0x40 * channel + CMR,
            WAVE | CPCTRG | 3 << 22 | 3 << 18 | (XC0 + channel),
        );
        bench.write(0x40 * channel + RC, 1);
        bench.write(0x40 * channel + CCR, START);
    }
    bench.write(BCR, 1);
    bench.run(1000);
    assert_eq!(bench.events_run, 0);
}

#[test]
fn only_an_edge_of_the_selected_clock_counts() {
    let mut bench = started(WAVE | XC0);
    pulse(&mut bench, TCLK0);
    bench.input(TCLK0, true);
    assert_eq!(bench.read(CV), 1);
    for line in 1..9 {
        pulse(&mut bench, line);
    }
    assert_eq!(bench.read(CV), 1, "TCLK0 is high, but does not rise");
}
