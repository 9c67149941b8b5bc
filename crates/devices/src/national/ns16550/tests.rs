use super::registers::*;
use crate::bench::{Bench, Node};
use socscope_device::{LineFormat, Parity, TraceEvent, Waveform};
use socscope_time::Instant;

/// A clock of 40 MHz and this divisor: a bit of 16 * 10 cycles, 4 µs.
const DIVISOR: u32 = 10;
const BIT: u64 = 16 * DIVISOR as u64;
const BIT_PS: u64 = BIT * 25_000;
const LINE_8N1: LineFormat = LineFormat {
    bit_time_ps: BIT_PS,
    data_bits: 8,
    parity: Parity::None,
    stop_half_bits: 2,
};
const CHARACTER: u64 = 10 * BIT;

fn write(bench: &mut Bench, register: u32, value: u8) {
    bench.write(register, u32::from(value));
}

fn read(bench: &mut Bench, register: u32) -> u8 {
    bench.read(register) as u8
}

fn set_line(bench: &mut Bench, control: u8) {
    write(bench, LCR, lcr::DLAB | control);
    bench.write(RBR_THR_DLL, DIVISOR & 0xff);
    bench.write(IER_DLM, DIVISOR >> 8);
    write(bench, LCR, control);
}

/// 8 bits, no parity, 1 stop bit; FCR as given.
fn port(fifo: u8) -> Bench {
    let mut bench = Bench::new("ns16550");
    set_line(&mut bench, 3);
    write(&mut bench, IIR_FCR, fifo);
    bench
}

fn arrive(bench: &mut Bench, format: LineFormat, data: u16) {
    let waveform = Waveform::character(bench.now, format, data);
    bench.receive(0, waveform);
    bench.run(11 * BIT);
}

fn sent(bench: &Bench) -> Vec<u16> {
    let of_trace = |event: &TraceEvent| match event {
        TraceEvent::CharacterSent { data } => Some(*data),
        _ => None,
    };
    bench.traces.iter().filter_map(of_trace).collect()
}

#[test]
fn the_divisor_hides_behind_dlab() {
    let mut bench = Bench::new("fsl,ns16550");
    assert_eq!(bench.line_format(0), None, "no divisor, no bits");
    write(&mut bench, LCR, lcr::DLAB | 3);
    bench.write(RBR_THR_DLL, 0x34);
    bench.write(IER_DLM, 0x12);
    assert_eq!(
        (read(&mut bench, RBR_THR_DLL), read(&mut bench, IER_DLM)),
        (0x34, 0x12)
    );
    write(&mut bench, LCR, 3);
    assert_eq!(read(&mut bench, IER_DLM), 0);
    let format = bench.line_format(0).unwrap();
    assert_eq!(format.bit_time_ps, 16 * 0x1234 * 25_000);
    assert!(bench.warnings.is_empty() && bench.sent.is_empty());
}

#[test]
fn the_nodes_frequency_and_register_distance_hold() {
    let node = Node::default();
    let node = node.cells("clock-frequency", &[400_000_000]);
    let mut bench = Bench::with("ns16550", node.cells("reg-shift", &[2]));
    bench.write(LCR << 2, 0x83);
    bench.write(RBR_THR_DLL << 2, 217);
    bench.write(LCR << 2, 3);
    let bit_ps = bench.line_format(0).unwrap().bit_time_ps;
    assert_eq!(bit_ps, 16 * 217 * 2_500, "115200 bit/s of 400 MHz, nearly");
    assert_eq!(bench.read(LSR << 2), 0x60);
    let error = (bench.model.build)(&Node::default().cells("reg-shift", &[4]));
    let error = error.err().expect("too far apart").to_string();
    assert_eq!(
        error,
        "/bench/device@0: property reg-shift: registers that are 2 to the 4 bytes apart are not known; give 0 to 3"
    );
}

#[test]
fn every_format_goes_out_and_comes_in() {
    let parities = [
        (0, Parity::None),
        (lcr::PARITY, Parity::Odd),
        (lcr::PARITY | lcr::EVEN, Parity::Even),
        (lcr::PARITY | lcr::STICK, Parity::Mark),
        (lcr::PARITY | lcr::STICK | lcr::EVEN, Parity::Space),
    ];
    for (bits, parity) in parities {
        for length in 0..4 {
            for stop in [0, lcr::STOP] {
                let mut bench = Bench::new("ns16550");
                set_line(&mut bench, length | bits | stop);
                let line = bench.line_format(0).unwrap();
                let stop_half_bits = if stop == 0 {
                    2
                } else if length == 0 {
                    3
                } else {
                    4
                };
                let expected = LineFormat {
                    bit_time_ps: BIT_PS,
                    data_bits: 5 + length,
                    parity,
                    stop_half_bits,
                };
                assert_eq!(line, expected);
                let data = 0x1b5 & ((1 << line.data_bits) - 1);
                write(&mut bench, RBR_THR_DLL, 0xb5);
                let start = bench.now;
                assert_eq!(bench.sent, [(0, Waveform::character(start, line, data))]);
                arrive(&mut bench, line, data);
                assert_eq!(read(&mut bench, LSR) & 0x1f, lsr::DATA_READY, "{line:?}");
                assert_eq!(u16::from(read(&mut bench, RBR_THR_DLL)), data);
            }
        }
    }
}

#[test]
fn characters_follow_each_other_without_a_gap() {
    let mut bench = port(0);
    write(&mut bench, RBR_THR_DLL, 1);
    assert_eq!(
        read(&mut bench, LSR),
        lsr::HOLDING_EMPTY,
        "it is in the shift register"
    );
    write(&mut bench, RBR_THR_DLL, 2);
    assert_eq!(read(&mut bench, LSR), 0);
    bench.run(CHARACTER);
    assert_eq!(read(&mut bench, LSR), lsr::HOLDING_EMPTY);
    bench.run(CHARACTER);
    assert_eq!(
        read(&mut bench, LSR),
        lsr::HOLDING_EMPTY | lsr::TRANSMITTER_EMPTY
    );
    let starts: Vec<Instant> = bench
        .sent
        .iter()
        .map(|(_, waveform)| waveform.start)
        .collect();
    assert_eq!(starts[1].ps_since(starts[0]), 10 * BIT_PS);
    write(&mut bench, RBR_THR_DLL, 3);
    write(&mut bench, RBR_THR_DLL, 4);
    write(&mut bench, RBR_THR_DLL, 5);
    bench.run(2 * CHARACTER);
    assert_eq!(
        sent(&bench),
        [1, 2, 3, 5],
        "the holding register was overwritten"
    );
    assert_eq!(
        bench.warnings,
        ["THR = 0x05 is written while it is full: a character is lost"]
    );
}

#[test]
fn the_fifo_sends_sixteen_and_interrupts_when_empty() {
    let mut bench = port(fcr::ENABLE);
    write(&mut bench, IER_DLM, ier::EMPTY);
    assert!(bench.line("interrupt"), "enabled while empty");
    assert_eq!(read(&mut bench, IIR_FCR), 0xc2);
    assert!(!bench.line("interrupt"), "reading it takes it back");
    for character in 0..18 {
        write(&mut bench, RBR_THR_DLL, character);
    }
    assert_eq!(
        bench.warnings.len(),
        1,
        "one is shifted, sixteen wait, one is lost"
    );
    bench.run(16 * CHARACTER - 1);
    assert!(!bench.line("interrupt"));
    bench.run(1);
    assert!(
        bench.line("interrupt"),
        "the last one is in the shift register"
    );
    write(&mut bench, RBR_THR_DLL, 99);
    assert!(!bench.line("interrupt"), "writing takes it back");
    bench.run(3 * CHARACTER);
    let expected: Vec<u16> = (0..17).chain([99]).collect();
    assert_eq!(sent(&bench), expected);
}

#[test]
fn trigger_levels_and_the_time_out_interrupt() {
    for (bits, level) in [(0, 1), (1, 4), (2, 8), (3, 14)] {
        let mut bench = port(fcr::ENABLE | bits << fcr::TRIGGER_SHIFT);
        write(&mut bench, IER_DLM, ier::RECEIVED);
        for received in 1..=level {
            assert!(!bench.line("interrupt"), "{received} of {level}");
            arrive(&mut bench, LINE_8N1, received);
        }
        assert_eq!(read(&mut bench, IIR_FCR), 0xc4);
        assert_eq!(read(&mut bench, RBR_THR_DLL), 1);
        assert!(!bench.line("interrupt"), "below the trigger level");
        if level > 1 {
            bench.run(4 * CHARACTER - 1);
            assert!(!bench.line("interrupt"));
            bench.run(1);
            assert_eq!(read(&mut bench, IIR_FCR), 0xcc, "four character times");
            assert_eq!(read(&mut bench, RBR_THR_DLL), 2);
            assert!(!bench.line("interrupt"), "a read begins them anew");
            bench.run(4 * CHARACTER);
            assert!(bench.line("interrupt"));
        }
    }
}

#[test]
fn a_full_receiver_overruns() {
    let mut bench = port(fcr::ENABLE);
    write(&mut bench, IER_DLM, ier::LINE_STATUS);
    for character in 0..17 {
        arrive(&mut bench, LINE_8N1, character);
    }
    assert_eq!(read(&mut bench, IIR_FCR), 0xc6);
    assert_eq!(read(&mut bench, LSR) & 0x1f, lsr::OVERRUN | lsr::DATA_READY);
    assert!(!bench.line("interrupt"), "reading takes it back");
    let received: Vec<u8> = (0..16).map(|_| read(&mut bench, RBR_THR_DLL)).collect();
    assert_eq!(
        received,
        (0..16).collect::<Vec<u8>>(),
        "the last one is lost"
    );
    assert_eq!(read(&mut bench, LSR) & lsr::DATA_READY, 0);
    let mut bench = port(0);
    arrive(&mut bench, LINE_8N1, 1);
    arrive(&mut bench, LINE_8N1, 2);
    assert_eq!(read(&mut bench, LSR) & lsr::OVERRUN, lsr::OVERRUN);
    assert_eq!(
        read(&mut bench, RBR_THR_DLL),
        2,
        "without the FIFO the first one is lost"
    );
}

#[test]
fn errors_belong_to_their_character() {
    let mut bench = port(fcr::ENABLE);
    set_line(&mut bench, 3 | lcr::PARITY);
    let odd = LineFormat {
        parity: Parity::Odd,
        ..LINE_8N1
    };
    arrive(&mut bench, odd, 1);
    arrive(
        &mut bench,
        LineFormat {
            parity: Parity::Even,
            ..LINE_8N1
        },
        2,
    );
    assert_eq!(
        read(&mut bench, LSR) & 0x9f,
        lsr::FIFO_ERROR | lsr::DATA_READY
    );
    assert_eq!(read(&mut bench, RBR_THR_DLL), 1);
    assert_eq!(read(&mut bench, LSR) & 0x1e, lsr::PARITY);
    assert_eq!(read(&mut bench, LSR) & 0x9e, 0, "reading clears");
    assert_eq!(read(&mut bench, RBR_THR_DLL), 2);
    let low = Waveform {
        start: bench.now,
        bit_time_ps: BIT_PS,
        levels: 0,
        bits: 15,
    };
    bench.receive(0, low);
    bench.run(20 * BIT);
    let all_low = lsr::BREAK | lsr::PARITY | lsr::DATA_READY;
    assert_eq!(read(&mut bench, LSR) & 0x1f, all_low, "zeros are even");
    assert_eq!(read(&mut bench, RBR_THR_DLL), 0);
    arrive(&mut bench, odd, 7);
    assert_eq!(
        read(&mut bench, LSR) & 0x1f,
        lsr::DATA_READY,
        "one character for a break"
    );
}

#[test]
fn a_low_stop_bit_is_a_framing_error() {
    let mut bench = port(0);
    let start = bench.now;
    bench.receive(
        0,
        Waveform {
            start,
            bit_time_ps: BIT_PS,
            levels: 0x01 << 1,
            bits: 10,
        },
    );
    bench.run(11 * BIT);
    assert_eq!(read(&mut bench, LSR) & 0x1f, lsr::FRAMING | lsr::DATA_READY);
}

#[test]
fn a_break_holds_the_line_low_until_it_is_taken_back() {
    let mut bench = port(0);
    write(&mut bench, LCR, 3 | lcr::BREAK);
    bench.run(100 * BIT);
    let level = |bench: &Bench, cycle: u64| {
        let at = bench.clock.instant_of(cycle);
        let holds = bench
            .sent
            .iter()
            .rev()
            .find(|(_, waveform)| waveform.start <= at);
        holds.is_none_or(|(_, waveform)| waveform.level_at(at))
    };
    assert!((1..100).all(|bit| !level(&bench, bit * BIT)), "no gap");
    write(&mut bench, RBR_THR_DLL, 0xff);
    write(&mut bench, LCR, 3);
    let end = bench.cycle();
    bench.run(100 * BIT);
    assert!(level(&bench, end + 1) && level(&bench, end + 90 * BIT));
    assert_eq!(sent(&bench), [0xff], "shifted, but not seen");
    assert_eq!(bench.pending_events(), 0);
}

#[test]
fn loopback_cuts_the_pins_off() {
    let mut bench = port(fcr::ENABLE);
    write(&mut bench, MCR, mcr::RTS | mcr::DTR);
    assert!(bench.line("rts") && bench.line("dtr"));
    write(&mut bench, MCR, mcr::LOOPBACK | mcr::RTS | mcr::OUT2);
    assert!(!bench.line("rts") && !bench.line("dtr"));
    assert_eq!(
        read(&mut bench, MSR),
        0x99,
        "RTS is CTS, OUT2 is DCD, and both changed"
    );
    write(&mut bench, RBR_THR_DLL, 0x5a);
    arrive(&mut bench, LINE_8N1, 0x77);
    assert_eq!(read(&mut bench, RBR_THR_DLL), 0x5a);
    assert_eq!(read(&mut bench, LSR) & lsr::DATA_READY, 0);
    assert!(bench.sent.is_empty());
    assert!(!bench.call(|device, _| device.listens(0)));
}

#[test]
fn changes_of_modem_lines_interrupt() {
    let mut bench = port(0);
    write(&mut bench, IER_DLM, ier::MODEM_STATUS);
    bench.input(0, true);
    assert_eq!(read(&mut bench, IIR_FCR), 0);
    assert_eq!(read(&mut bench, MSR), 0x11);
    assert_eq!(read(&mut bench, MSR), 0x10);
    assert!(!bench.line("interrupt"));
    bench.input(2, true);
    assert!(
        !bench.line("interrupt"),
        "only the end of a ring is a change"
    );
    bench.input(2, false);
    assert!(bench.line("interrupt"));
    assert_eq!(read(&mut bench, MSR), 0x14);
}

#[test]
fn switching_the_fifo_empties_it() {
    let mut bench = port(fcr::ENABLE);
    arrive(&mut bench, LINE_8N1, 1);
    write(&mut bench, IIR_FCR, fcr::ENABLE | fcr::RESET_RECEIVER);
    assert_eq!(read(&mut bench, LSR) & lsr::DATA_READY, 0);
    arrive(&mut bench, LINE_8N1, 2);
    write(&mut bench, IIR_FCR, 0xf0);
    assert_eq!(read(&mut bench, LSR) & lsr::DATA_READY, 0);
    assert_eq!(read(&mut bench, IIR_FCR), 0x01);
    write(&mut bench, IIR_FCR, fcr::ENABLE);
    for character in 1..4 {
        write(&mut bench, RBR_THR_DLL, character);
    }
    write(&mut bench, IIR_FCR, fcr::ENABLE | fcr::RESET_TRANSMITTER);
    bench.run(5 * CHARACTER);
    assert_eq!(sent(&bench), [1]);
}

#[test]
fn dma_status_follows_the_fifos() {
    let mut bench = port(fcr::ENABLE | fcr::DMA_MODE | 1 << fcr::TRIGGER_SHIFT);
    assert_eq!(read(&mut bench, UDSR), udsr::NOTHING_RECEIVED);
    for _ in 0..4 {
        arrive(&mut bench, LINE_8N1, 1);
    }
    assert_eq!(read(&mut bench, UDSR), 0);
    for _ in 0..17 {
        write(&mut bench, RBR_THR_DLL, 1);
    }
    assert_eq!(read(&mut bench, UDSR), udsr::NO_ROOM);
    let mut bench = port(0);
    write(&mut bench, RBR_THR_DLL, 1);
    write(&mut bench, RBR_THR_DLL, 1);
    assert_eq!(
        read(&mut bench, UDSR),
        udsr::NO_ROOM | udsr::NOTHING_RECEIVED
    );
}
