//! Capture mode: loads, overruns, stops, external triggers.

use super::*;

/// RA at rising edges of TIOA, RB at falling ones.
const LOADS: u32 = 1 << 16 | 2 << 18;

#[test]
fn a_pulse_is_measured() {
    let mut bench = started(LOADS);
    bench.write(RC, 0xffff);
    bench.run(2 + 2 * 100);
    bench.input(TIOA0, true);
    bench.run(2 * 40);
    bench.input(TIOA0, false);
    assert_eq!(bench.read(SR) & 0xff, LDRAS | LDRBS);
    assert_eq!((bench.read(RA), bench.read(RB)), (100, 140));
    bench.write(RA, 5);
    assert_eq!(bench.read(RA), 100, "captured registers are read-only");
    assert_eq!(bench.warnings.len(), 1);
}

#[test]
fn ra_waits_for_rb_and_rb_for_ra() {
    let mut bench = started(1 << 16 | 1 << 18);
    for time in 1..=4 {
        bench.run(2 * 10);
        pulse(&mut bench, TIOA0);
        let expected = [LDRAS, LDRBS][(time + 1) % 2];
        assert_eq!(bench.read(SR) & (LDRAS | LDRBS), expected, "edge {time}");
        bench.read(RA);
        bench.read(RB);
    }
}

#[test]
fn loading_over_an_unread_value_is_an_overrun() {
    let mut bench = started(LOADS);
    pulse(&mut bench, TIOA0);
    assert_eq!(bench.read(SR) & LOVRS, 0);
    bench.read(RA);
    bench.run(10);
    bench.input(TIOA0, true);
    assert_eq!(bench.read(SR) & LOVRS, 0, "RA was read");
    bench.input(TIOA0, false);
    assert_eq!(bench.read(SR) & LOVRS, LOVRS, "RB was not");
    assert_eq!(bench.read(SR) & LOVRS, 0);
}

#[test]
fn loading_rb_may_stop_or_disable_the_clock() {
    let mut bench = started(LOADS | 1 << 6);
    bench.run(2 + 2 * 20);
    pulse(&mut bench, TIOA0);
    bench.run(100);
    assert_eq!((bench.read(CV), bench.read(SR) & CLKSTA), (20, CLKSTA));
    bench.write(CCR, 0b100);
    bench.run(2 + 2 * 3);
    assert_eq!(bench.read(CV), 3);

    let mut bench = started(LOADS | 1 << 7);
    bench.run(2 + 2 * 20);
    pulse(&mut bench, TIOA0);
    bench.run(100);
    assert_eq!((bench.read(CV), bench.read(SR) & CLKSTA), (20, 0));
}

#[test]
fn an_external_trigger_restarts_the_counter() {
    // TIOB, then TIOA; rising, falling, both.
    for (line, select) in [(TIOB0, 0), (TIOA0, 1 << 10)] {
        for (edges, rising, falling) in [
            (0, false, false),
            (1, true, false),
            (2, false, true),
            (3, true, true),
        ] {
            let mut bench = started(select | edges << 8);
            for (level, expected) in [(true, rising), (false, falling)] {
                bench.run(2 + 2 * 50);
                bench.read(SR);
                bench.input(line, level);
                assert_eq!(bench.read(SR) & ETRGS != 0, expected);
                bench.run(2 + 2 * 5);
                assert_eq!(bench.read(CV) == 5, expected);
            }
        }
    }
}

#[test]
fn a_period_is_measured_by_loading_before_the_trigger() {
    // RA loads at the rising edge of TIOA, which is the trigger too.
    let mut bench = started(1 << 16 | 1 << 10 | 1 << 8);
    for _ in 0..3 {
        pulse(&mut bench, TIOA0);
        bench.run(2 * 30);
    }
    pulse(&mut bench, TIOA0);
    // The edge that makes the counter zero is one of the thirty.
    assert_eq!(bench.read(RA), 29);
}

#[test]
fn rc_compare_works_in_capture_mode_but_ra_and_rb_do_not() {
    let mut bench = started(CPCTRG);
    bench.write(RC, 50);
    bench.run(2 + 2 * 60);
    assert_eq!(bench.read(SR) & 0xff, CPCS);
    assert_eq!(bench.read(CV), 10);
}

#[test]
fn the_pins_are_seen_in_the_status() {
    let mut bench = started(0);
    assert_eq!(bench.read(SR) & (MTIOA | MTIOB), 0);
    bench.input(TIOA0, true);
    assert_eq!(bench.read(SR) & (MTIOA | MTIOB), MTIOA);
    bench.input(TIOB0, true);
    assert_eq!(bench.read(SR) & (MTIOA | MTIOB), MTIOA | MTIOB);
}

#[test]
fn a_read_of_rb_makes_room_for_the_next() {
    let mut bench = started(LOADS);
    for _ in 0..3 {
        pulse(&mut bench, TIOA0);
        bench.read(RA);
        bench.read(RB);
    }
    assert_eq!(bench.read(SR) & LOVRS, 0);
}

#[test]
fn a_trigger_makes_ra_the_next_to_load() {
    for by_compare in [false, true] {
        let mut bench = started(1 << 16 | 1 << 18 | CPCTRG);
        bench.write(RC, 50);
        bench.run(2 + 2 * 10);
        pulse(&mut bench, TIOA0);
        if by_compare {
            bench.run(2 * 50);
        } else {
            bench.write(CCR, 0b100);
            bench.run(2 + 2 * 10);
        }
        bench.read(SR);
        pulse(&mut bench, TIOA0);
        assert_eq!(bench.read(SR) & (LDRAS | LDRBS), LDRAS);
    }
}

#[test]
fn a_load_does_not_start_a_clock() {
    let mut bench = Bench::new("atmel,at91x40-tc");
    bench.write(CMR, LOADS);
    bench.write(CCR, 0b001);
    pulse(&mut bench, TIOA0);
    bench.run(100);
    assert_eq!(bench.read(CV), 0);
    bench.write(CCR, 0b010);
    pulse(&mut bench, TIOA0);
    assert_eq!(bench.read(SR) & CLKSTA, 0);
}
