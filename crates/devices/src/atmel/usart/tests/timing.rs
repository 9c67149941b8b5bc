use super::*;
use crate::atmel::usart::registers::{IER, RTOR};

fn timed_out(bench: &mut Bench) -> bool {
    csr(bench) & status::TIMEOUT != 0
}

#[test]
fn the_time_out_runs_from_the_last_character() {
    let mut bench = port(MODE_8N1);
    bench.write(RTOR, 5);
    bench.write(IER, status::TIMEOUT);
    bench.run(1000 * BIT);
    assert!(!timed_out(&mut bench), "it waits for a first character");
    for data in 0..10 {
        arrive(&mut bench, LINE_8N1, data);
        bench.run(15 * BIT);
        bench.read(RHR);
        assert!(!timed_out(&mut bench));
    }
    // The last character was received 15 bits minus 9.5 ago; 20 bits are 5 units of four.
    bench.run(20 * BIT - (15 * BIT - RECEIVED) - 1);
    assert!(!timed_out(&mut bench));
    bench.run(1);
    assert!(timed_out(&mut bench) && bench.line("interrupt"));
    assert_eq!(bench.read(RTOR), 5);
}

#[test]
fn a_time_out_stays_until_the_next_start_and_then_waits_again() {
    for restart in [(CR, STTTO), (RTOR, 1)] {
        let mut bench = port(MODE_8N1);
        bench.write(RTOR, 1);
        arrive(&mut bench, LINE_8N1, 1);
        bench.run(RECEIVED + 4 * BIT);
        assert!(timed_out(&mut bench));
        bench.write(CR, RSTSTA);
        assert!(timed_out(&mut bench), "RSTSTA does not reach it");
        arrive(&mut bench, LINE_8N1, 2);
        bench.run(10 * BIT);
        assert!(timed_out(&mut bench), "nor does a character");
        bench.write(restart.0, restart.1);
        assert!(!timed_out(&mut bench));
        bench.run(1000 * BIT);
        assert!(!timed_out(&mut bench));
        arrive(&mut bench, LINE_8N1, 3);
        bench.run(RECEIVED + 4 * BIT - 1);
        assert!(!timed_out(&mut bench));
        bench.run(1);
        assert!(timed_out(&mut bench));
    }
}

#[test]
fn zero_switches_the_time_out_off() {
    let mut bench = port(MODE_8N1);
    bench.write(RTOR, 3);
    arrive(&mut bench, LINE_8N1, 1);
    bench.run(10 * BIT);
    bench.write(RTOR, 0);
    arrive(&mut bench, LINE_8N1, 2);
    bench.run(1000 * BIT);
    assert!(!timed_out(&mut bench));
}

#[test]
fn a_shorter_time_out_is_not_held_up_by_an_older_event() {
    let mut bench = port(MODE_8N1);
    bench.write(RTOR, 255);
    arrive(&mut bench, LINE_8N1, 1);
    bench.run(20 * BIT);
    bench.write(RTOR, 2);
    arrive(&mut bench, LINE_8N1, 2);
    bench.run(RECEIVED + 8 * BIT);
    assert!(timed_out(&mut bench));
}

#[test]
fn disabling_the_receiver_stops_the_time_out() {
    for command in [RXDIS, RSTRX] {
        let mut bench = port(MODE_8N1);
        bench.write(RTOR, 2);
        arrive(&mut bench, LINE_8N1, 1);
        bench.run(10 * BIT);
        bench.write(CR, command);
        bench.run(100 * BIT);
        assert!(!timed_out(&mut bench));
    }
}

#[test]
fn a_long_transfer_costs_few_events() {
    let mut bench = port(MODE_8N1);
    bench.write(RTOR, 255);
    for data in 0..1000 {
        arrive(&mut bench, LINE_8N1, data & 0xff);
        bench.run(10 * BIT);
        bench.read(RHR);
    }
    assert!(
        bench.events_run < 1020,
        "{} events for 1000 characters",
        bench.events_run
    );
    assert_eq!(bench.pending_events(), 1);
}

#[test]
fn after_a_time_out_characters_need_no_more_events_for_it() {
    let mut bench = port(MODE_8N1);
    bench.write(RTOR, 1);
    for data in 0..10 {
        arrive(&mut bench, LINE_8N1, data);
        bench.run(20 * BIT);
    }
    assert_eq!(bench.events_run, 11);
}
