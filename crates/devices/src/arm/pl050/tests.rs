use super::*;
use crate::bench::Bench;

#[test]
fn what_is_sent_waits_for_a_keyboard() {
    let mut bench = Bench::new("arm,pl050");
    bench.write(CONTROL, control::ENABLE | control::TRANSMIT_INTERRUPT);
    assert_eq!(
        (bench.read(INTERRUPTS), bench.line("interrupt")),
        (TRANSMIT, true)
    );
    bench.write(DATA, 0xf2);
    // Both wires high, transmitter busy and not empty (DDI 0143, table 3-4).
    assert_eq!(bench.read(STATUS), 0x23);
    assert_eq!(
        (bench.read(INTERRUPTS), bench.line("interrupt")),
        (0, false)
    );
    bench.run(40_000_000);
    assert_eq!(bench.read(STATUS), 0x23, "a second later, too");
    bench.write(CONTROL, 0);
    assert_eq!(bench.read(STATUS), 0x43);
}

#[test]
fn a_block_that_is_off_sends_nothing() {
    let mut bench = Bench::new("arm,pl050");
    bench.write(DATA, 0xff);
    assert_eq!(bench.read(STATUS), status::RESET);
}

#[test]
fn software_pulls_the_wires() {
    let mut bench = Bench::new("arm,pl050");
    bench.write(CONTROL, control::CLOCK_LOW);
    assert_eq!(bench.read(STATUS), status::EMPTY | status::DATA_IN);
    bench.write(CONTROL, control::DATA_LOW);
    assert_eq!(bench.read(STATUS), status::EMPTY | status::CLOCK_IN);
}
