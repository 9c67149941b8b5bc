//! Clocks, triggers and the counter.

use super::*;

#[test]
fn every_divided_clock_counts_at_its_rate() {
    for (select, divisor) in [(0, 2), (1, 8), (2, 32), (3, 128), (4, 1024)] {
        let mut bench = started(WAVE | select);
        // The edge after the trigger makes the counter zero.
        bench.run(divisor);
        assert_eq!(bench.read(CV), 0, "MCK/{divisor}");
        bench.run(100 * divisor - 1);
        assert_eq!(bench.read(CV), 99, "MCK/{divisor}");
        bench.run(1);
        assert_eq!(bench.read(CV), 100, "MCK/{divisor}");
    }
}

#[test]
fn an_inverted_clock_counts_half_a_period_apart() {
    let mut bench = started(WAVE | 1 << 3 | 1);
    bench.run(4);
    assert_eq!(bench.read(CV), 0);
    bench.run(7);
    assert_eq!(bench.read(CV), 0);
    bench.run(1);
    assert_eq!(bench.read(CV), 1);
}

#[test]
fn a_counter_needs_an_enable_and_a_trigger() {
    let mut bench = Bench::new("atmel,at91x40-tc");
    bench.write(CMR, WAVE);
    bench.write(CCR, 0b100);
    bench.run(100);
    assert_eq!(
        (bench.read(CV), bench.read(SR) & CLKSTA),
        (0, 0),
        "a trigger alone"
    );
    bench.write(CCR, 0b001);
    bench.run(100);
    assert_eq!(
        (bench.read(CV), bench.read(SR) & CLKSTA),
        (0, CLKSTA),
        "an enable alone"
    );
    bench.write(CCR, 0b100);
    bench.run(102);
    assert_eq!(bench.read(CV), 50);
    bench.write(CCR, 0b011);
    bench.run(100);
    assert_eq!(
        (bench.read(CV), bench.read(SR) & CLKSTA),
        (50, 0),
        "CLKDIS wins over CLKEN"
    );
}

#[test]
fn a_trigger_takes_effect_at_the_next_edge_of_a_slow_clock() {
    let mut bench = started(WAVE | 4);
    bench.run(1024 * 11);
    assert_eq!(bench.read(CV), 10);
    bench.run(5);
    bench.write(CCR, 0b100);
    assert_eq!(bench.read(CV), 10, "the old value, until the edge");
    bench.run(1024 - 5);
    assert_eq!(bench.read(CV), 0);
    bench.run(1024);
    assert_eq!(bench.read(CV), 1);
}

#[test]
fn the_counter_overflows_after_65536() {
    let mut bench = started(WAVE);
    bench.write(RC, 0x8000);
    bench.run(2 + 2 * 0xffff);
    assert_eq!(bench.read(CV), 0xffff);
    assert_eq!(bench.read(SR) & COVFS, 0);
    bench.run(2);
    assert_eq!(bench.read(CV), 0);
    assert_eq!(bench.read(SR) & COVFS, COVFS);
    assert_eq!(bench.read(SR) & COVFS, 0, "reading clears");
}

#[test]
fn rc_compare_as_trigger_makes_a_period_of_rc() {
    let mut bench = Bench::new("atmel,at91x40-tc");
    bench.write(CMR, WAVE | CPCTRG);
    bench.write(RC, 100);
    bench.write(CCR, START);
    bench.run(2 + 2 * 99);
    assert_eq!(bench.read(CV), 99);
    assert_eq!(bench.read(SR) & CPCS, 0);
    bench.run(2);
    assert_eq!(bench.read(CV), 0);
    assert_eq!(bench.read(SR) & (CPCS | COVFS), CPCS);
    bench.run(2 * 100 * 12_345 + 2 * 7);
    assert_eq!(bench.read(CV), 7);
}

#[test]
fn a_counter_beyond_rc_goes_around_first() {
    let mut bench = started(WAVE | CPCTRG);
    bench.write(RC, 0x9000);
    bench.run(2 + 2 * 0x5000);
    bench.write(RC, 0x100);
    bench.run(2 * 0xb000);
    assert_eq!(bench.read(CV), 0);
    assert_eq!(bench.read(SR) & (COVFS | CPCS), COVFS);
    bench.run(2 * 0x100);
    assert_eq!(bench.read(SR) & (COVFS | CPCS), CPCS);
    bench.run(2 * 0x1_0000);
    assert_eq!(
        bench.read(SR) & (COVFS | CPCS),
        CPCS,
        "no overflow any more"
    );
}

#[test]
fn a_long_look_away_changes_nothing() {
    let mut bench = started(WAVE | CPCTRG);
    bench.write(RC, 7);
    bench.write(RA, 3);
    bench.write(RB, 50);
    // More edges than could be counted one by one in a test.
    let edges = 3_000_000_000_000u64;
    bench.run(2 + 2 * edges);
    assert_eq!(u64::from(bench.read(CV)), edges % 7);
    assert_eq!(bench.read(SR) & 0xff, CPAS | CPCS, "RB lies beyond RC");
}

#[test]
fn the_block_command_triggers_all_channels_at_once() {
    let mut bench = Bench::new("atmel,at91x40-tc");
    for channel in 0..3 {
        bench.write(0x40 * channel + CMR, WAVE);
        bench.write(0x40 * channel + CCR, START);
        bench.run(50);
    }
    bench.write(BCR, 0);
    bench.write(BCR, 1);
    bench.run(2 + 2 * 30);
    for channel in 0..3 {
        assert_eq!(bench.read(0x40 * channel + CV), 30);
    }
}

#[test]
fn registers_are_16_bits_wide_and_masks_8() {
    let mut bench = started(WAVE);
    for register in [RA, RB, RC] {
        bench.write(register, 0x1234_5678);
        assert_eq!(bench.read(register), 0x5678);
    }
    bench.write(IER, u32::MAX);
    assert_eq!(bench.read(IMR), 0xff);
    bench.write(IDR, 0x0f);
    assert_eq!(bench.read(IMR), 0xf0);
}

#[test]
fn a_long_look_away_from_a_free_counter_changes_nothing() {
    let mut bench = started(WAVE);
    bench.write(RC, 7000);
    let edges = 1_000_000_000_123u64;
    bench.run(2 + 2 * edges);
    assert_eq!(u64::from(bench.read(CV)), edges % 0x1_0000);
    assert_eq!(bench.read(SR) & (CPCS | COVFS), CPCS | COVFS);
}

#[test]
fn flags_and_enables_add_up() {
    let mut bench = started(WAVE);
    bench.write(RA, 5);
    bench.write(RB, 6);
    bench.write(RC, 7);
    bench.run(2 + 2 * 0x1_0000);
    assert_eq!(bench.read(SR) & 0xff, COVFS | CPAS | CPBS | CPCS);
    bench.write(IER, CPAS);
    bench.write(IER, CPBS);
    assert_eq!(bench.read(IMR), CPAS | CPBS);
}
