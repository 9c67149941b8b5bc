use super::*;
use crate::atmel::usart::registers::{IDR, IER};
use socscope_device::TraceEvent;

#[test]
fn a_character_is_ready_at_the_middle_of_its_stop_bit() {
    let mut bench = port(MODE_8N1);
    arrive(&mut bench, LINE_8N1, 0xa5);
    bench.run(RECEIVED - 1);
    assert_eq!(csr(&mut bench) & status::RXRDY, 0);
    bench.run(1);
    assert_eq!(csr(&mut bench) & status::RXRDY, status::RXRDY);
    assert_eq!(bench.peek(RHR), Some(0xa5));
    assert_eq!(
        csr(&mut bench) & status::RXRDY,
        status::RXRDY,
        "a peek takes nothing"
    );
    assert_eq!(bench.read(RHR), 0xa5);
    assert_eq!(csr(&mut bench) & status::RXRDY, 0);
    let expected = TraceEvent::CharacterReceived {
        data: 0xa5,
        error: false,
    };
    assert_eq!(bench.traces, [expected]);
}

#[test]
fn every_format_arrives() {
    for (nine, data_bits) in [(0, 5), (1, 6), (2, 7), (3, 8), (4, 9)] {
        let length = if nine == 4 {
            mode::MODE9
        } else {
            nine << mode::CHRL_SHIFT
        };
        for (par, parity) in [
            (0, Parity::Even),
            (1, Parity::Odd),
            (2, Parity::Space),
            (3, Parity::Mark),
            (5, Parity::None),
        ] {
            let line = LineFormat {
                bit_time_ps: BIT_PS,
                data_bits,
                parity,
                stop_half_bits: 2,
            };
            let mut bench = port(length | par << mode::PAR_SHIFT);
            for data in [0, 1, 0x0b, 0x155, 0x1ff].map(|data: u16| data & ((1 << data_bits) - 1)) {
                arrive(&mut bench, line, data);
                bench.run(13 * BIT);
                assert_eq!(
                    csr(&mut bench) & 0xff & !status::TXRDY,
                    status::RXRDY,
                    "{line:?} {data}"
                );
                assert_eq!(bench.read(RHR), u32::from(data), "{line:?}");
            }
        }
    }
}

#[test]
fn the_interrupt_follows_rxrdy() {
    let mut bench = port(MODE_8N1);
    bench.write(IER, status::RXRDY);
    arrive(&mut bench, LINE_8N1, 1);
    bench.run(RECEIVED);
    assert!(bench.line("interrupt"));
    bench.read(RHR);
    assert!(!bench.line("interrupt"));
    arrive(&mut bench, LINE_8N1, 2);
    bench.write(IDR, status::RXRDY);
    bench.run(10 * BIT);
    assert!(!bench.line("interrupt"));
}

#[test]
fn characters_back_to_back_keep_their_places_up_to_four_percent_of_speed_difference() {
    for percent in [96, 98, 100, 102, 104] {
        let line = LineFormat {
            bit_time_ps: BIT_PS * percent / 100,
            ..LINE_8N1
        };
        let mut bench = port(MODE_8N1);
        let mut start = Instant::ZERO;
        for data in 0..50u16 {
            bench.run_until(start);
            if data > 0 {
                assert_eq!(bench.read(RHR), u32::from(data - 1), "{percent} %");
            }
            let waveform = Waveform::character(start, line, data);
            bench.receive(0, waveform);
            start = waveform.end();
        }
        bench.run_until(start.after_ps(BIT_PS));
        assert_eq!(
            (bench.read(RHR), csr(&mut bench) & 0xe4),
            (49, 0),
            "{percent} %"
        );
    }
}

#[test]
fn the_middle_of_each_bit_is_what_counts() {
    let mut bench = port(MODE_8N1);
    // Sixteen times as many levels as bits: start low, then data bits whose middle alone is right.
    let levels = |bit: u32| if bit == 0 { 0xffff_u32 } else { 0 };
    for (index, pattern) in [(0u64, 0u32), (1, 1 << 8), (2, !(1 << 8) & 0xffff)].into_iter() {
        let start = Instant(index * 20 * BIT_PS);
        bench.run_until(start);
        let fine = BIT_PS / 16;
        let mut put = |bit: u64, levels: u32| {
            bench.receive(
                0,
                Waveform {
                    start: start.after_ps(bit * BIT_PS),
                    bit_time_ps: fine,
                    levels,
                    bits: 16,
                },
            );
        };
        put(0, 0);
        for bit in 1..9 {
            put(bit, pattern);
        }
        put(9, levels(0));
        bench.run_until(start.after_ps(12 * BIT_PS));
        let expected = if pattern & (1 << 8) != 0 { 0xff } else { 0 };
        assert_eq!(bench.read(RHR), expected, "pattern {pattern:#x}");
    }
}

#[test]
fn a_low_pulse_of_seven_sixteenths_is_no_start_bit() {
    for (sixteenths, received) in [(7, false), (8, true)] {
        let mut bench = port(MODE_8N1);
        arrive_levels(&mut bench, sixteenths * BIT_PS / 16, 0, 1);
        bench.run(12 * BIT);
        let ready = csr(&mut bench) & status::RXRDY != 0;
        assert_eq!(ready, received, "{sixteenths}/16 of a bit");
        if received {
            assert_eq!(bench.read(RHR), 0xff);
        }
    }
}

#[test]
fn a_disabled_receiver_hears_nothing() {
    let mut bench = port(MODE_8N1);
    assert!(bench.device.listens(0));
    arrive(&mut bench, LINE_8N1, 1);
    bench.run(10 * BIT);
    bench.write(CR, RXDIS);
    assert_eq!(
        csr(&mut bench) & status::RXRDY,
        0,
        "RXRDY is zero while disabled"
    );
    assert!(!bench.device.listens(0));
    arrive(&mut bench, LINE_8N1, 2);
    bench.run(10 * BIT);
    bench.write(CR, RXEN | RXDIS);
    assert!(!bench.device.listens(0), "disabling wins");
    bench.write(CR, RXEN);
    assert_eq!(csr(&mut bench) & status::RXRDY, 0);
    arrive(&mut bench, LINE_8N1, 3);
    bench.run(10 * BIT);
    assert_eq!(bench.read(RHR), 3);
}

#[test]
fn a_receiver_enabled_in_mid_character_takes_a_low_bit_for_a_start() {
    let mut bench = port(MODE_8N1);
    bench.write(CR, RXDIS);
    arrive(&mut bench, LINE_8N1, 0b0000_1111);
    bench.run(2 * BIT);
    bench.write(CR, RXEN);
    bench.run(20 * BIT);
    // Data bit 4 is the first low one; behind it come three zeros and the idle line.
    assert_eq!(bench.read(RHR), 0b1111_1000);
}

#[test]
fn a_reset_receiver_forgets_and_goes_on() {
    let mut bench = port(MODE_8N1);
    arrive(&mut bench, LINE_8N1, 1);
    bench.run(10 * BIT);
    arrive(&mut bench, LINE_8N1, 0xff);
    bench.run(5 * BIT);
    bench.write(CR, RSTRX);
    bench.run(10 * BIT);
    assert_eq!(csr(&mut bench) & status::RXRDY, 0);
    arrive(&mut bench, LINE_8N1, 3);
    bench.run(10 * BIT);
    assert_eq!((bench.read(RHR), csr(&mut bench) & status::OVRE), (3, 0));
}

#[test]
fn a_new_format_applies_from_the_next_character_on() {
    let mut bench = port(MODE_8N1);
    arrive(&mut bench, LINE_8N1, 0x81);
    bench.run(3 * BIT);
    bench.write(BRGR, 4);
    bench.run(10 * BIT);
    assert_eq!(bench.read(RHR), 0x81);
    let slow = LineFormat {
        bit_time_ps: 4 * BIT_PS,
        ..LINE_8N1
    };
    arrive(&mut bench, slow, 0x42);
    bench.run(40 * BIT);
    assert_eq!(bench.read(RHR), 0x42);
}

#[test]
fn a_line_too_fast_to_be_heard_is_forgotten() {
    let mut bench = port(MODE_8N1);
    bench.write(BRGR, 10);
    let idle = bench.device.save().len();
    for _ in 0..500 {
        arrive(&mut bench, LINE_8N1, 0x55);
        bench.run(10 * BIT);
    }
    assert_eq!(bench.events_run, 0, "all pulses are below 7/16 of a bit");
    assert!(bench.device.save().len() < idle + 300);
}
