use super::*;
use crate::bench::Bench;

/// The card's clock is a quarter of the block's.
fn interface() -> Bench {
    let mut bench = Bench::new("arm,pl180");
    bench.write(CLOCK, clock::ENABLE | 1);
    bench
}

#[test]
fn a_command_without_response_is_sent_after_its_48_bits() {
    let mut bench = interface();
    bench.write(MASK_0, status::COMMAND_SENT);
    bench.write(COMMAND, command::ENABLE);
    bench.run(4 * 48 - 1);
    assert_eq!(
        (bench.read(STATUS), bench.line("interrupt0")),
        (status::COMMAND_ACTIVE, false)
    );
    bench.run(1);
    assert_eq!(
        (bench.read(STATUS), bench.line("interrupt0")),
        (status::COMMAND_SENT, true)
    );
    bench.write(CLEAR, status::COMMAND_SENT);
    assert_eq!((bench.read(STATUS), bench.line("interrupt0")), (0, false));
}

#[test]
fn a_response_is_awaited_for_64_clocks() {
    let mut bench = interface();
    bench.write(MASK_1, status::COMMAND_TIMEOUT);
    bench.write(COMMAND, command::ENABLE | command::RESPONSE | 8);
    bench.run(4 * (48 + 64) - 1);
    assert_eq!(bench.read(STATUS), status::COMMAND_ACTIVE);
    bench.run(1);
    assert_eq!(bench.read(STATUS), status::COMMAND_TIMEOUT);
    assert!(bench.line("interrupt1") && !bench.line("interrupt0"));
}

#[test]
fn data_time_out_by_their_timer() {
    for (direction, active) in [(0, status::SENDING), (data::FROM_CARD, status::RECEIVING)] {
        let mut bench = interface();
        bench.write(DATA_TIMER, 100);
        bench.write(DATA_LENGTH, 512);
        bench.write(DATA_CONTROL, data::ENABLE | direction);
        bench.run(399);
        assert_eq!((bench.read(STATUS), bench.read(DATA_COUNT)), (active, 512));
        bench.run(1);
        assert_eq!(bench.read(STATUS), status::DATA_TIMEOUT);
    }
}

#[test]
fn nothing_goes_on_without_the_cards_clock() {
    let mut bench = Bench::new("arm,pl181");
    bench.write(COMMAND, command::ENABLE);
    bench.write(DATA_CONTROL, data::ENABLE);
    let waiting = status::COMMAND_ACTIVE | status::SENDING;
    assert_eq!((bench.read(STATUS), bench.pending_events()), (waiting, 0));
    bench.write(DATA_CONTROL, 0);
    bench.write(CLOCK, clock::ENABLE | clock::BYPASS | 0xff);
    bench.run(20);
    bench.write(CLOCK, 0);
    bench.run(1000);
    assert_eq!(bench.read(STATUS), status::COMMAND_ACTIVE);
    bench.write(CLOCK, clock::ENABLE);
    bench.run(2 * 28 - 1);
    assert_eq!(bench.read(STATUS), status::COMMAND_ACTIVE);
    bench.run(1);
    assert_eq!(
        bench.read(STATUS),
        status::COMMAND_SENT,
        "20 bits undivided, 28 at half the clock"
    );
}
