use super::*;
use crate::atmel::usart::registers::TTGR;

const TRANSMIT: u32 = status::TXRDY | status::TXEMPTY;

#[test]
fn a_break_is_received_with_its_beginning_and_its_end() {
    let mut bench = port(MODE_8N1);
    arrive_levels(&mut bench, BIT_PS, 0, 25);
    bench.run(RECEIVED);
    let receive = |bench: &mut Bench| csr(bench) & !TRANSMIT;
    assert_eq!(
        receive(&mut bench),
        status::RXBRK | status::RXRDY,
        "no framing error"
    );
    assert_eq!(bench.read(RHR), 0);
    bench.write(CR, RSTSTA);
    bench.run(25 * BIT + 1 - RECEIVED);
    assert_eq!(receive(&mut bench), 0, "high, but not for long enough");
    bench.run(1);
    assert_eq!(
        receive(&mut bench),
        status::RXBRK,
        "high for two sixteenths of a bit"
    );
    bench.write(CR, RSTSTA);
    arrive(&mut bench, LINE_8N1, 0x33);
    bench.run(10 * BIT);
    assert_eq!(bench.read(RHR), 0x33);
}

#[test]
fn a_high_pulse_below_two_sixteenths_does_not_end_a_break() {
    for (sixteenths, ended) in [(1, false), (2, true)] {
        let mut bench = port(MODE_8N1);
        arrive_levels(&mut bench, BIT_PS, 0, 12);
        bench.run(12 * BIT + sixteenths);
        bench.write(CR, RSTSTA);
        arrive_levels(&mut bench, BIT_PS, 0, 3);
        bench.run(2 * BIT);
        let again = csr(&mut bench) & status::RXBRK != 0;
        assert!(!again, "the end of the first break was reset");
        bench.run(20 * BIT);
        let events =
            csr(&mut bench) & (status::RXBRK | status::RXRDY | status::OVRE | status::FRAME);
        let low_is_a_start = status::RXRDY | status::OVRE;
        let expected = if ended {
            low_is_a_start
        } else {
            status::RXBRK | status::RXRDY
        };
        assert_eq!(events, expected, "{sixteenths}/16 of a bit");
    }
}

#[test]
fn a_break_with_odd_parity_is_a_parity_error_too() {
    let mut bench = port(3 << mode::CHRL_SHIFT | 1 << mode::PAR_SHIFT);
    arrive_levels(&mut bench, BIT_PS, 0, 12);
    bench.run(11 * BIT);
    let expected = status::RXBRK | status::RXRDY | status::PARE;
    assert_eq!(csr(&mut bench) & !TRANSMIT, expected);
}

#[test]
fn start_break_waits_for_the_shift_register_and_blocks_the_holding_register() {
    let mut bench = port(MODE_8N1);
    bench.write(THR, 0x55);
    bench.write(CR, STTBRK);
    assert_eq!(csr(&mut bench), 0, "pending");
    bench.write(THR, 1);
    assert_eq!(bench.warnings.len(), 1, "ignored while pending");
    bench.run(10 * BIT);
    assert_eq!(csr(&mut bench), status::TXRDY, "started");
    let (_, waveform) = bench.sent[1];
    assert_eq!((waveform.start, waveform.levels), (Instant(10 * BIT_PS), 0));
}

/// The line's level in each bit.
fn levels(bench: &Bench, bits: u64) -> Vec<bool> {
    let level = |instant: Instant| {
        let begun = bench
            .sent
            .iter()
            .rfind(|(_, waveform)| waveform.start <= instant);
        begun.is_none_or(|(_, waveform)| waveform.level_at(instant))
    };
    (0..bits)
        .map(|bit| level(Instant(bit * BIT_PS + BIT_PS / 2)))
        .collect()
}

#[test]
fn a_break_lasts_until_it_is_stopped_and_then_the_line_is_high_for_twelve_bits() {
    for length in [10, 11, 25, 26, 27, 75] {
        let mut bench = port(MODE_8N1);
        bench.write(CR, STTBRK);
        bench.run(length * BIT);
        bench.write(THR, 1);
        assert_eq!(bench.warnings.len(), 1, "not permitted during a break");
        bench.write(CR, STPBRK);
        bench.write(CR, STTBRK);
        bench.write(THR, 0xff);
        bench.run(23 * BIT);
        let mut expected = vec![false; length as usize];
        expected.extend([true; 12]);
        expected.push(false);
        expected.extend([true; 10]);
        assert_eq!(
            levels(&bench, length + 23),
            expected,
            "a break of {length} bits"
        );
        assert_eq!(csr(&mut bench), TRANSMIT);
    }
}

#[test]
fn a_break_that_is_stopped_at_once_lasts_a_character() {
    let mut bench = port(MODE_8N1);
    bench.write(CR, STTBRK);
    bench.write(CR, STPBRK);
    bench.run(22 * BIT - 1);
    assert_eq!(csr(&mut bench), status::TXRDY);
    bench.run(1);
    assert_eq!(csr(&mut bench), TRANSMIT);
    assert_eq!(
        levels(&bench, 12),
        [[false; 10].as_slice(), &[true; 2]].concat()
    );
}

#[test]
fn a_reset_transmitter_ends_a_break_at_once() {
    let mut bench = port(MODE_8N1);
    bench.write(CR, STTBRK);
    bench.run(3 * BIT);
    bench.write(CR, RSTTX);
    bench.run(10 * BIT);
    assert_eq!(
        levels(&bench, 12),
        [[false; 3].as_slice(), &[true; 9]].concat()
    );
    assert_eq!(csr(&mut bench), TRANSMIT);
}

#[test]
fn a_longer_time_guard_holds_after_a_break() {
    let mut bench = port(MODE_8N1);
    bench.write(TTGR, 20);
    bench.write(CR, STTBRK);
    bench.write(CR, STPBRK);
    bench.run(30 * BIT - 1);
    assert_eq!(csr(&mut bench) & status::TXEMPTY, 0);
    bench.run(1);
    assert_eq!(csr(&mut bench) & status::TXEMPTY, status::TXEMPTY);
}

#[test]
fn break_commands_out_of_place_are_ignored() {
    let mut bench = port(MODE_8N1);
    bench.write(CR, STPBRK);
    bench.write(CR, STTBRK | STPBRK);
    assert_eq!(
        (bench.sent.len(), csr(&mut bench), bench.warnings.len()),
        (0, TRANSMIT, 1)
    );
    bench.write(THR, 1);
    bench.write(THR, 2);
    bench.write(CR, STTBRK);
    bench.run(40 * BIT);
    assert_eq!(csr(&mut bench), TRANSMIT, "STTBRK needs TXRDY");
    bench.write(CR, TXDIS);
    bench.write(CR, STTBRK);
    bench.run(40 * BIT);
    assert_eq!(bench.sent.len(), 2);
}

#[test]
fn a_break_goes_from_port_to_port() {
    let (mut a, mut b) = (port(MODE_8N1), port(MODE_8N1));
    // A frequency of which a bit is no whole number of picoseconds: 66 MHz.
    let clock = socscope_time::Clock::new(66_000_000).unwrap();
    (a.clock, b.clock) = (clock, clock);
    a.write(CR, STTBRK);
    for _ in 0..(100 * BIT) {
        for (_, waveform) in std::mem::take(&mut a.sent) {
            b.run_until(waveform.start);
            b.receive(0, waveform);
        }
        a.run(1);
        if a.cycle() == 55 * BIT {
            a.write(CR, STPBRK);
        }
        b.run_until(a.now);
        if b.cycle() == 11 * BIT {
            assert_eq!((b.read(RHR), csr(&mut b) & !TRANSMIT), (0, status::RXBRK));
            b.write(CR, RSTSTA);
        }
        if b.cycle() == 55 * BIT {
            assert_eq!(csr(&mut b) & !TRANSMIT, 0, "one long break");
        }
    }
    assert_eq!(csr(&mut b) & !TRANSMIT, status::RXBRK, "its end");
}

#[test]
fn a_break_without_a_baud_rate_waits_and_the_transmitter_is_not_empty() {
    let mut bench = port(MODE_8N1);
    bench.write(BRGR, 0);
    bench.write(CR, STTBRK);
    assert_eq!((csr(&mut bench), bench.sent.len()), (0, 0));
    bench.write(BRGR, 1);
    assert_eq!((csr(&mut bench), bench.sent.len()), (status::TXRDY, 1));
    bench.write(BRGR, 0);
    bench.run(100 * BIT);
    assert_eq!(csr(&mut bench), status::TXRDY);
}
