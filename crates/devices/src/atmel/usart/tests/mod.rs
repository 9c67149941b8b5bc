mod activity;
mod breaks;
mod dma;
mod errors;
mod modes;
mod oversampling;
mod receive;
mod timing;
mod transmit;

use super::registers::{BRGR, CR, CSR, MR, RHR, THR, command::*, mode, status};
use crate::bench::Bench;
use socscope_device::{LineFormat, Parity, Waveform};
use socscope_time::Instant;

/// Cycles of a bit with divisor 1.
const BIT: u64 = 16;
/// Picoseconds of a bit with divisor 1.
const BIT_PS: u64 = 400_000;
/// Eight data bits, no parity, one stop bit.
const MODE_8N1: u32 = 3 << mode::CHRL_SHIFT | 4 << mode::PAR_SHIFT;
const LINE_8N1: LineFormat = LineFormat {
    bit_time_ps: BIT_PS,
    data_bits: 8,
    parity: Parity::None,
    stop_half_bits: 2,
};
/// Cycles from the start edge to the middle of the stop bit, eight data bits and no parity.
const RECEIVED: u64 = 9 * BIT + BIT / 2;

/// A port in `mode` at divisor 1, both halves enabled.
fn port(mode: u32) -> Bench {
    let mut bench = Bench::new("atmel,at91x40-usart");
    bench.write(BRGR, 1);
    bench.write(MR, mode);
    bench.write(CR, RXEN | TXEN);
    bench
}

/// Starts a character at RXD now.
fn arrive(bench: &mut Bench, line: LineFormat, data: u16) {
    let waveform = Waveform::character(bench.now, line, data);
    bench.receive(0, waveform);
}

/// Starts arbitrary levels at RXD now.
fn arrive_levels(bench: &mut Bench, bit_time_ps: u64, levels: u32, bits: u8) {
    let waveform = Waveform {
        start: bench.now,
        bit_time_ps,
        levels,
        bits,
    };
    bench.receive(0, waveform);
}

/// The status without the end-of-transfer bits, which are one without DMA.
fn csr(bench: &mut Bench) -> u32 {
    bench.read(CSR) & !(status::ENDRX | status::ENDTX)
}

/// The characters sent so far: start and data, checked against `line`.
fn sent(bench: &Bench, line: LineFormat) -> Vec<(Instant, u16)> {
    let decoded = bench.sent.iter().map(|(_, waveform)| {
        let data = (waveform.levels >> 1) as u16 & ((1 << line.data_bits) - 1);
        assert_eq!(*waveform, Waveform::character(waveform.start, line, data));
        (waveform.start, data)
    });
    decoded.collect()
}

#[test]
fn a_character_goes_from_port_to_port() {
    let (mut a, mut b) = (port(MODE_8N1), port(MODE_8N1));
    for byte in 0..=255 {
        a.write(THR, byte);
        let (_, waveform) = a.sent.pop().expect("it starts at once");
        b.receive(0, waveform);
        a.run(10 * BIT);
        b.run(10 * BIT);
        assert_eq!(
            csr(&mut b) & !(status::TXRDY | status::TXEMPTY),
            status::RXRDY
        );
        assert_eq!(b.read(RHR), byte);
    }
    assert_eq!(
        (a.events_run, b.events_run),
        (256, 256),
        "one event a character"
    );
}
