use super::*;
use crate::atmel::usart::registers::SCK_PROPERTY;
use crate::bench::{Node, model};

const ECHO: u32 = 1 << mode::CHMODE_SHIFT;
const LOCAL: u32 = 2 << mode::CHMODE_SHIFT;
const REMOTE: u32 = 3 << mode::CHMODE_SHIFT;

#[test]
fn automatic_echo_receives_and_sends_the_input_on() {
    let mut bench = port(MODE_8N1 | ECHO);
    bench.write(THR, 0x99);
    bench.run(10 * BIT);
    assert!(bench.sent.is_empty(), "the transmitter is cut off");
    let waveform = Waveform::character(bench.now, LINE_8N1, 0x31);
    bench.receive(0, waveform);
    assert_eq!(bench.sent, [(0, waveform)]);
    bench.run(10 * BIT);
    assert_eq!(bench.read(RHR), 0x31);
    assert!(bench.device.listens(0));
}

#[test]
fn local_loopback_keeps_to_itself() {
    let mut bench = port(MODE_8N1 | LOCAL);
    assert!(!bench.device.listens(0));
    arrive(&mut bench, LINE_8N1, 0x31);
    bench.run(20 * BIT);
    assert_eq!(csr(&mut bench) & status::RXRDY, 0, "RXD is cut off");
    for byte in [0x00, 0x5a, 0xff] {
        bench.write(THR, byte);
        bench.run(10 * BIT);
        assert_eq!(bench.read(RHR), byte);
    }
    assert!(bench.sent.is_empty(), "so is TXD");
    assert_eq!(csr(&mut bench) & 0xe4, 0);
}

#[test]
fn local_loopback_carries_breaks() {
    let mut bench = port(MODE_8N1 | LOCAL);
    bench.write(CR, STTBRK);
    bench.run(35 * BIT);
    assert_eq!(csr(&mut bench) & status::RXBRK, status::RXBRK);
    bench.write(CR, RSTSTA | STPBRK);
    bench.run(1);
    assert_eq!(csr(&mut bench) & status::RXBRK, 0);
    bench.run(1);
    assert_eq!(csr(&mut bench) & status::RXBRK, status::RXBRK);
}

#[test]
fn remote_loopback_only_sends_the_input_on() {
    let mut bench = port(MODE_8N1 | REMOTE);
    assert!(bench.device.listens(0));
    let waveform = Waveform::character(bench.now, LINE_8N1, 0x31);
    bench.receive(0, waveform);
    bench.write(THR, 0x99);
    bench.run(20 * BIT);
    assert_eq!(bench.sent, [(0, waveform)]);
    assert_eq!(csr(&mut bench) & status::RXRDY, 0);
}

#[test]
fn synchronous_characters_take_a_divided_clock_cycle_a_bit() {
    let mut bench = port(MODE_8N1 | mode::SYNC);
    bench.write(BRGR, 4);
    let line = LineFormat {
        bit_time_ps: 100_000,
        ..LINE_8N1
    };
    assert_eq!(bench.line_format(0), Some(line));
    bench.write(THR, 0x96);
    assert_eq!(sent(&bench, line), [(Instant::ZERO, 0x96)]);
    bench.run(40);
    assert_eq!(csr(&mut bench) & status::TXEMPTY, status::TXEMPTY);
    arrive(&mut bench, line, 0x69);
    bench.run(38);
    assert_eq!(bench.read(RHR), 0x69);
}

#[test]
fn an_external_clock_comes_from_the_tree() {
    let node = Node::default().cells(SCK_PROPERTY, &[1_000_000]);
    let mut bench = Bench::with("atmel,at91x40-usart", node);
    bench.write(MR, MODE_8N1 | mode::SYNC | 2 << mode::USCLKS_SHIFT);
    bench.write(CR, RXEN | TXEN);
    bench.run(10);
    bench.write(THR, 0x12);
    let line = LineFormat {
        bit_time_ps: 1_000_000,
        ..LINE_8N1
    };
    assert_eq!(
        sent(&bench, line),
        [(Instant(1_000_000), 0x12)],
        "at the clock's next edge"
    );
    arrive(&mut bench, line, 0xa7);
    bench.run(500);
    assert_eq!(bench.read(RHR), 0xa7);
    bench.write(MR, MODE_8N1 | 3 << mode::USCLKS_SHIFT);
    bench.write(BRGR, 2);
    assert_eq!(
        bench.line_format(0).map(|line| line.bit_time_ps),
        Some(32_000_000)
    );
}

#[test]
fn a_clock_at_rest_sends_nothing_and_zero_hertz_is_refused() {
    let mut bench = port(MODE_8N1 | 2 << mode::USCLKS_SHIFT);
    bench.write(THR, 1);
    assert!(bench.sent.is_empty() && bench.line_format(0).is_none());
    let node = Node::default().cells(SCK_PROPERTY, &[0]);
    let error = (model("atmel,at91x40-usart").build)(&node)
        .err()
        .expect("0 Hz is no clock");
    assert!(error.to_string().contains("0 Hz"), "{error}");
}

#[test]
fn reserved_modes_warn_and_reserved_bits_stay_zero() {
    let mut bench = port(MODE_8N1);
    bench.write(MR, u32::MAX);
    assert_eq!(bench.read(MR), 0x0006_fff0);
    assert_eq!(bench.warnings.len(), 1);
    bench.write(BRGR, u32::MAX);
    assert_eq!(bench.read(BRGR), 0xffff);
}

#[test]
fn another_input_starts_from_an_idle_line() {
    let mut bench = port(MODE_8N1);
    bench.write(CR, RXDIS);
    arrive(&mut bench, LINE_8N1, 0);
    bench.write(MR, MODE_8N1 | LOCAL);
    bench.write(CR, RXEN);
    bench.run(20 * BIT);
    assert_eq!(csr(&mut bench) & (status::RXRDY | status::RXBRK), 0);
}
