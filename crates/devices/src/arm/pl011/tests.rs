use super::*;
use crate::bench::Bench;
use socscope_device::TraceEvent;

/// 40 MHz divided by 16 * (10 + 3 / 64): a bit of 160.75 cycles of 25 ns.
const IBRD_10: u32 = 10;
const FBRD_3: u32 = 3;
const BIT_PS: u64 = 160_750 * 25;
const ON: u32 = cr::ENABLE | cr::TRANSMIT | cr::RECEIVE;
const EIGHT_BITS: u32 = 3 << lcr::LENGTH_SHIFT;

fn port(line_control: u32, control: u32) -> Bench {
    let mut bench = Bench::new("arm,pl011");
    bench.write(IBRD, IBRD_10);
    bench.write(FBRD, FBRD_3);
    bench.write(LCR_H, EIGHT_BITS | line_control);
    bench.write(CR, control);
    bench
}

fn run_bits(bench: &mut Bench, bits: u64) {
    let time = bench.now.after_ps(bits * BIT_PS);
    bench.run_until(time);
}

fn arrive(bench: &mut Bench, data: u16) {
    let format = bench.line_format(0).unwrap();
    let waveform = Waveform::character(bench.now, format, data);
    bench.receive(0, waveform);
    run_bits(bench, 11);
}

fn sent(bench: &Bench) -> Vec<u16> {
    let of_trace = |event: &TraceEvent| match event {
        TraceEvent::CharacterSent { data } => Some(*data),
        _ => None,
    };
    bench.traces.iter().filter_map(of_trace).collect()
}

#[test]
fn the_divisor_counts_in_64ths_once_the_line_control_is_written() {
    let mut bench = port(0, ON);
    let format = bench.line_format(0).unwrap();
    assert_eq!(format.bit_time_ps, BIT_PS);
    assert_eq!(
        (format.data_bits, format.parity, format.stop_half_bits),
        (8, Parity::None, 2)
    );
    bench.write(IBRD, 20);
    assert_eq!(bench.line_format(0).unwrap().bit_time_ps, BIT_PS, "not yet");
    bench.write(LCR_H, lcr::PARITY | lcr::EVEN | lcr::STOP);
    let format = bench.line_format(0).unwrap();
    assert_eq!(format.bit_time_ps, 320_750 * 25);
    assert_eq!(
        (format.data_bits, format.parity, format.stop_half_bits),
        (5, Parity::Even, 4)
    );
    bench.write(IBRD, 0);
    bench.write(LCR_H, EIGHT_BITS);
    assert_eq!(bench.line_format(0), None, "less than 1 divides nothing");
}

#[test]
fn the_transmit_interrupt_comes_as_the_fifo_falls_to_its_mark() {
    let mut bench = port(lcr::FIFO, ON);
    bench.write(IMSC, interrupt::SENT);
    for character in 0..12 {
        bench.write(DR, character);
    }
    // One is in the shift register: 11 wait, and the mark is 8.
    assert_eq!(bench.read(FR), fr::BUSY | fr::RECEIVER_EMPTY);
    run_bits(&mut bench, 29);
    assert!(!bench.line("interrupt"), "two characters later nine wait");
    run_bits(&mut bench, 2);
    assert!(bench.line("interrupt"));
    bench.write(ICR, interrupt::SENT);
    assert!(!bench.line("interrupt"));
    run_bits(&mut bench, 200);
    assert!(!bench.line("interrupt"), "the mark is passed once");
    assert_eq!(sent(&bench), (0..12).collect::<Vec<u16>>());
    assert_eq!(bench.read(FR), fr::RESET);
}

#[test]
fn a_full_transmitter_says_so_and_loses_what_is_written() {
    let mut bench = port(lcr::FIFO, ON);
    for character in 0..17 {
        bench.write(DR, character);
    }
    assert_eq!(
        bench.read(FR),
        fr::BUSY | fr::RECEIVER_EMPTY | fr::TRANSMITTER_FULL
    );
    bench.write(DR, 99);
    assert_eq!(
        bench.warnings,
        ["UARTDR = 0x63 is written while it is full: a character is lost"]
    );
    let mut bench = port(0, ON);
    bench.write(IMSC, interrupt::SENT);
    bench.write(DR, 1);
    bench.write(DR, 2);
    assert_eq!(bench.read(FR) & fr::TRANSMITTER_FULL, fr::TRANSMITTER_FULL);
    bench.write(ICR, interrupt::SENT);
    run_bits(&mut bench, 11);
    assert!(bench.line("interrupt"), "without the FIFO the mark is 0");
}

#[test]
fn the_receive_interrupt_goes_with_the_mark() {
    for (field, mark) in [(0, 2), (1, 4), (2, 8), (3, 12), (4, 14)] {
        let mut bench = port(lcr::FIFO, ON);
        bench.write(IFLS, field << 3);
        bench.write(IMSC, interrupt::RECEIVED);
        for character in 1..mark {
            arrive(&mut bench, character);
        }
        assert!(!bench.line("interrupt"), "{mark}");
        arrive(&mut bench, mark);
        assert!(bench.line("interrupt"), "{mark}");
        assert_eq!(bench.read(DR), 1);
        assert!(!bench.line("interrupt"), "one below the mark");
    }
    let mut bench = port(0, ON);
    bench.write(IMSC, interrupt::RECEIVED);
    arrive(&mut bench, 0x41);
    assert!(bench.line("interrupt"));
    assert_eq!(
        bench.read(FR) & (fr::RECEIVER_FULL | fr::RECEIVER_EMPTY),
        fr::RECEIVER_FULL
    );
    assert_eq!(bench.read_width(DR, Width::Half), 0x41);
    assert!(!bench.line("interrupt"));
}

#[test]
fn characters_that_wait_time_out_after_32_bits() {
    let mut bench = port(lcr::FIFO, ON);
    bench.write(IMSC, interrupt::TIMEOUT);
    let format = bench.line_format(0).unwrap();
    let waveform = Waveform::character(bench.now, format, 7);
    bench.receive(0, waveform);
    // The stop bit is sampled 9.5 bits after the start, and from there it takes 32 bits.
    let half_ps = BIT_PS / 2;
    let expected = bench.now.after_ps(41 * BIT_PS + half_ps);
    bench.run_until(expected.after_ps(0).max(bench.now));
    assert!(bench.line("interrupt"));
    let mut early = port(lcr::FIFO, ON);
    early.write(IMSC, interrupt::TIMEOUT);
    let waveform = Waveform::character(early.now, format, 7);
    early.receive(0, waveform);
    let time = early.now.after_ps(41 * BIT_PS);
    early.run_until(time);
    assert!(!early.line("interrupt"));
    assert_eq!(bench.read(DR), 7);
    assert!(!bench.line("interrupt"), "the FIFO is empty");
}

#[test]
fn errors_come_with_their_character() {
    let mut bench = port(lcr::FIFO | lcr::PARITY, ON);
    let mut wrong = bench.line_format(0).unwrap();
    wrong.parity = Parity::Even;
    let waveform = Waveform::character(bench.now, wrong, 0x55);
    bench.receive(0, waveform);
    run_bits(&mut bench, 12);
    assert_eq!(bench.read(RIS) & interrupt::PARITY, interrupt::PARITY);
    assert_eq!((bench.read(RSR_ECR), bench.read(DR)), (0, 0x255));
    assert_eq!(bench.read(RSR_ECR), 2);
    bench.write(RSR_ECR, 0);
    assert_eq!(bench.read(RSR_ECR), 0);
    bench.write(ICR, interrupt::PARITY);
    assert_eq!(bench.read(RIS) & interrupt::PARITY, 0);
    let low = Waveform {
        start: bench.now,
        bit_time_ps: BIT_PS,
        levels: 0,
        bits: 14,
    };
    bench.receive(0, low);
    run_bits(&mut bench, 20);
    assert_eq!(bench.read(DR), 0x500, "a break is a framing error, too");
    assert_eq!(bench.read(RIS) & interrupt::BREAK, interrupt::BREAK);
}

#[test]
fn what_arrives_at_a_full_fifo_is_lost() {
    let mut bench = port(lcr::FIFO, ON);
    for character in 0..17 {
        arrive(&mut bench, character);
    }
    assert_eq!(bench.read(RIS) & interrupt::OVERRUN, interrupt::OVERRUN);
    assert_eq!(bench.read(DR), 0x800);
    assert_eq!(bench.read(RSR_ECR), 8);
    let rest: Vec<u32> = (0..15).map(|_| bench.read(DR) & 0xff).collect();
    assert_eq!(rest, (1..16).collect::<Vec<u32>>());
    assert_eq!(bench.read(FR) & fr::RECEIVER_EMPTY, fr::RECEIVER_EMPTY);
}

#[test]
fn loopback_brings_back_characters_and_modem_lines() {
    let mut bench = port(lcr::FIFO, ON | cr::LOOPBACK | cr::RTS | cr::OUT2);
    assert_eq!(bench.read(FR) & 0x107, 0x101, "CTS is RTS, RI is OUT2");
    assert!(!bench.line("rts"), "the pins are cut off");
    bench.write(DR, 0x5a);
    run_bits(&mut bench, 11);
    assert_eq!(bench.read(DR), 0x5a);
    assert!(bench.sent.is_empty());
}

#[test]
fn cts_holds_characters_back_and_rts_follows_the_fifo() {
    let mut bench = port(lcr::FIFO, ON | cr::CTS_FLOW | cr::RTS_FLOW);
    bench.write(IFLS, 0);
    assert!(bench.line("rts"));
    bench.write(DR, 1);
    run_bits(&mut bench, 20);
    assert!(bench.sent.is_empty());
    bench.input(CTS as u32, true);
    assert_eq!(bench.sent.len(), 1);
    assert_eq!(bench.read(RIS) & 2, 2, "CTS has changed");
    arrive(&mut bench, 1);
    assert!(bench.line("rts"));
    arrive(&mut bench, 2);
    assert!(!bench.line("rts"), "the mark is 2");
    bench.read(DR);
    assert!(bench.line("rts"));
}

#[test]
fn halves_that_are_off_neither_send_nor_receive() {
    let mut bench = port(lcr::FIFO, cr::TRANSMIT | cr::RECEIVE);
    bench.write(DR, 1);
    arrive(&mut bench, 2);
    assert!(bench.sent.is_empty());
    assert_eq!(bench.read(FR), fr::BUSY | fr::RECEIVER_EMPTY);
    bench.write(CR, cr::ENABLE | cr::RECEIVE);
    assert!(bench.sent.is_empty());
    bench.write(CR, ON);
    assert_eq!(bench.sent.len(), 1);
}
