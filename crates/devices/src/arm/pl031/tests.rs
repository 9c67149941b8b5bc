use super::*;
use crate::bench::{Bench, Node};

fn run_until_ms(bench: &mut Bench, milliseconds: u64) {
    bench.run_until(Instant(milliseconds * 1_000_000_000));
}

#[test]
fn seconds_count_from_the_start_on() {
    let node = Node::default().cells(START_PROPERTY, &[1_700_000_000]);
    let mut bench = Bench::with("arm,pl031", node);
    run_until_ms(&mut bench, 2500);
    assert_eq!(bench.read(DATA), 1_700_000_000, "it is stopped");
    bench.write(CONTROL, 1);
    run_until_ms(&mut bench, 2999);
    assert_eq!(bench.read(DATA), 1_700_000_000);
    run_until_ms(&mut bench, 3000);
    assert_eq!(bench.read(DATA), 1_700_000_001);
    bench.write(CONTROL, 0);
    run_until_ms(&mut bench, 5000);
    assert_eq!(
        (bench.read(DATA), bench.read(CONTROL)),
        (1_700_000_003, 1),
        "it is not stopped again"
    );
}

#[test]
fn the_seconds_are_set_and_wrap() {
    let mut bench = Bench::new("arm,pl031");
    bench.write(CONTROL, 1);
    run_until_ms(&mut bench, 1500);
    bench.write(LOAD, u32::MAX);
    assert_eq!((bench.read(DATA), bench.read(LOAD)), (u32::MAX, u32::MAX));
    run_until_ms(&mut bench, 2000);
    assert_eq!((bench.read(DATA), bench.read(LOAD)), (0, u32::MAX));
}

#[test]
fn the_alarm_comes_with_its_second() {
    let mut bench = Bench::new("arm,pl031");
    bench.write(CONTROL, 1);
    run_until_ms(&mut bench, 100);
    bench.write(CLEAR, 1);
    bench.write(MATCH, 3);
    bench.write(MASK, 1);
    run_until_ms(&mut bench, 2999);
    assert!(!bench.line("interrupt"));
    run_until_ms(&mut bench, 3000);
    assert!(bench.line("interrupt"));
    assert_eq!((bench.read(RAW), bench.read(MASKED)), (1, 1));
    bench.write(MASK, 0);
    assert_eq!(
        (bench.read(RAW), bench.read(MASKED), bench.line("interrupt")),
        (1, 0, false)
    );
    bench.write(CLEAR, 1);
    assert_eq!(bench.read(RAW), 0);
}

#[test]
fn an_alarm_moves_with_the_counter() {
    let mut bench = Bench::new("arm,pl031");
    bench.write(MATCH, 100);
    bench.write(MASK, 1);
    bench.write(CONTROL, 1);
    bench.write(LOAD, 99);
    run_until_ms(&mut bench, 999);
    assert!(!bench.line("interrupt"));
    run_until_ms(&mut bench, 1000);
    assert!(bench.line("interrupt"));
    assert_eq!(bench.pending_events(), 0, "the next time is in 136 years");
}
