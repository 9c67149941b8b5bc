use super::*;
use crate::bench::Bench;

const RUN: u32 = control::ENABLE | control::WIDE | control::INTERRUPT;

fn timer(control: u32, load: u32) -> Bench {
    let mut bench = Bench::new("arm,integrator-cp-timer");
    bench.write(LOAD, load);
    bench.write(CONTROL, control);
    bench
}

#[test]
fn a_period_is_the_loaded_value_and_zero() {
    let mut bench = timer(RUN | control::PERIODIC, 3);
    let counts: Vec<u32> = (0..10)
        .map(|_| {
            let count = bench.read(VALUE);
            bench.run(1);
            count
        })
        .collect();
    assert_eq!(counts, [3, 2, 1, 0, 3, 2, 1, 0, 3, 2]);
    assert!(bench.line("interrupt"));
    assert_eq!(bench.edges[0], 1, "it stays until it is cleared");
    bench.write(CLEAR, 0);
    assert!(!bench.line("interrupt"));
    bench.run(1);
    assert!(bench.line("interrupt"), "the next zero");
}

#[test]
fn a_zero_is_told_once_whatever_control_is_written_meanwhile() {
    let mut bench = timer(RUN | control::PERIODIC | 2 << control::PRESCALE_SHIFT, 1);
    bench.run(256);
    bench.write(CLEAR, 0);
    let prescaled = RUN | control::PERIODIC | 1 << control::PRESCALE_SHIFT;
    bench.write(CONTROL, prescaled);
    bench.run(15);
    assert_eq!((bench.read(VALUE), bench.read(RAW)), (0, 0));
    bench.run(1);
    assert_eq!((bench.read(VALUE), bench.read(RAW)), (1, 0));
    let mut bench = timer(RUN | control::ONE_SHOT, 1);
    bench.run(1);
    bench.write(CLEAR, 0);
    bench.write(CONTROL, RUN | control::ONE_SHOT);
    bench.run(100);
    assert_eq!((bench.read(RAW), bench.pending_events()), (0, 0));
    bench.write(LOAD, 0);
    bench.run(1);
    assert_eq!(bench.read(RAW), 1, "zero that was loaded is told");
}

#[test]
fn a_one_shot_stays_at_zero_until_it_is_loaded() {
    let mut bench = timer(RUN | control::ONE_SHOT, 5);
    bench.run(4);
    assert!(!bench.line("interrupt"));
    bench.run(1);
    assert!(bench.line("interrupt"));
    bench.run(1000);
    assert_eq!((bench.read(VALUE), bench.pending_events()), (0, 0));
    bench.write(CLEAR, 1);
    bench.write(LOAD, 2);
    bench.run(2);
    assert!(bench.line("interrupt"));
}

#[test]
fn a_free_running_counter_wraps_at_its_size() {
    let mut bench = timer(RUN, 1);
    bench.run(1);
    assert_eq!((bench.read(VALUE), bench.read(RAW)), (0, 1));
    bench.run(1);
    assert_eq!(bench.read(VALUE), u32::MAX);
    let mut bench = timer(control::ENABLE, 0x5_0001);
    assert_eq!(bench.read(VALUE), 1, "16 bits count");
    bench.run(2);
    assert_eq!(bench.read(VALUE), 0xffff);
    bench.run(0xffff);
    assert_eq!(
        (bench.read(VALUE), bench.read(RAW), bench.read(MASKED)),
        (0, 1, 0)
    );
    assert!(!bench.line("interrupt"), "it is not enabled");
}

#[test]
fn the_prescaler_divides_by_16_and_256() {
    for (field, cycles) in [(0, 1), (1, 16), (2, 256)] {
        let mut bench = timer(
            RUN | control::PERIODIC | field << control::PRESCALE_SHIFT,
            4,
        );
        bench.run(4 * cycles - 1);
        assert_eq!((bench.read(VALUE), bench.line("interrupt")), (1, false));
        bench.run(1);
        assert_eq!((bench.read(VALUE), bench.line("interrupt")), (0, true));
        bench.run(cycles);
        assert_eq!(bench.read(VALUE), 4);
    }
}

#[test]
fn the_background_value_waits_for_the_next_period() {
    let mut bench = timer(RUN | control::PERIODIC, 2);
    bench.run(1);
    bench.write(BACKGROUND, 7);
    assert_eq!((bench.read(VALUE), bench.read(LOAD)), (1, 7));
    bench.run(1);
    assert_eq!(bench.read(VALUE), 0);
    bench.run(1);
    assert_eq!(bench.read(VALUE), 7);
    bench.write(LOAD, 9);
    assert_eq!(bench.read(VALUE), 9, "TIMERLOAD is taken at once");
}

#[test]
fn a_stopped_counter_keeps_its_count() {
    let mut bench = timer(RUN, 100);
    bench.run(30);
    bench.write(CONTROL, control::WIDE);
    bench.run(50);
    assert_eq!((bench.read(VALUE), bench.pending_events()), (70, 0));
    bench.write(CONTROL, RUN);
    bench.run(10);
    assert_eq!(bench.read(VALUE), 60);
}

#[test]
fn zero_loaded_interrupts_at_once() {
    let mut bench = timer(RUN | control::ONE_SHOT, 0);
    bench.run(0);
    assert!(bench.line("interrupt"));
}
