use super::*;
use crate::atmel::usart::registers::{self, TTGR};
use socscope_device::TraceEvent;
use socscope_memory::Width;

const IDLE: u32 = status::TXRDY | status::TXEMPTY;

#[test]
fn a_disabled_transmitter_is_neither_ready_nor_empty() {
    let mut bench = Bench::new("atmel,at91x40-usart");
    assert_eq!(csr(&mut bench), 0);
    bench.write(CR, TXEN);
    assert_eq!(csr(&mut bench), IDLE);
    bench.write(CR, TXEN | TXDIS);
    assert_eq!(csr(&mut bench), 0, "disabling wins");
    bench.write(THR, 1);
    assert!(bench.sent.is_empty() && bench.warnings.len() == 1);
}

#[test]
fn holding_and_shift_register_follow_each_other_without_a_gap() {
    let mut bench = port(MODE_8N1);
    bench.write(THR, 0x41);
    assert_eq!(
        csr(&mut bench),
        status::TXRDY,
        "moved on to the shift register"
    );
    bench.write(THR, 0x42);
    assert_eq!(csr(&mut bench), 0);
    bench.write(THR, 0x43);
    assert_eq!(bench.warnings.len(), 1, "nowhere to put it");
    bench.run(10 * BIT - 1);
    assert_eq!(csr(&mut bench), 0);
    bench.run(1);
    assert_eq!(csr(&mut bench), status::TXRDY);
    bench.run(10 * BIT);
    assert_eq!(csr(&mut bench), IDLE);
    let second = bench.clock.instant_of(10 * BIT);
    let expected = [(Instant::ZERO, 0x41), (second, 0x42)];
    assert_eq!(sent(&bench, LINE_8N1), expected);
    let traced = [0x41, 0x42].map(|data| TraceEvent::CharacterSent { data });
    assert_eq!(bench.traces, traced);
}

#[test]
fn every_format_has_its_length_and_levels() {
    let parities = [
        Parity::Even,
        Parity::Odd,
        Parity::Space,
        Parity::Mark,
        Parity::None,
    ];
    for (chrl, par, stop) in formats() {
        let parity = parities[par as usize];
        let data_bits = if chrl == 4 { 9 } else { 5 + chrl as u8 };
        let nine = if chrl == 4 {
            mode::MODE9
        } else {
            chrl << mode::CHRL_SHIFT
        };
        let mut bench = port(nine | par << mode::PAR_SHIFT | stop << mode::NBSTOP_SHIFT);
        let line = LineFormat {
            bit_time_ps: BIT_PS,
            data_bits,
            parity,
            stop_half_bits: 2 + stop as u8,
        };
        assert_eq!(bench.line_format(0), Some(line));
        bench.write(THR, 0x1a6);
        assert_eq!(
            sent(&bench, line),
            [(Instant::ZERO, 0x1a6 & ((1 << data_bits) - 1))]
        );
        let half_bits = 2 + 2 * u64::from(data_bits) + 2 * u64::from(par < 4) + 2 + u64::from(stop);
        bench.run(half_bits * BIT / 2 - 1);
        assert_eq!(csr(&mut bench) & status::TXEMPTY, 0, "{line:?}");
        bench.run(1);
        assert_eq!(
            csr(&mut bench) & status::TXEMPTY,
            status::TXEMPTY,
            "{line:?}"
        );
    }
}

/// All combinations of CHRL (4 stands for MODE9), PAR and NBSTOP.
fn formats() -> impl Iterator<Item = (u32, u32, u32)> {
    (0..5 * 5 * 3).map(|number| (number % 5, number / 5 % 5, number / 25))
}

#[test]
fn without_a_baud_rate_a_character_waits() {
    let mut bench = port(MODE_8N1);
    bench.write(BRGR, 0);
    bench.write(THR, 0x55);
    bench.run(1000);
    assert!(bench.sent.is_empty());
    assert_eq!((csr(&mut bench), bench.line_format(0)), (0, None));
    bench.write(BRGR, 2);
    let start = bench.clock.instant_of(1000);
    let line = LineFormat {
        bit_time_ps: 2 * BIT_PS,
        ..LINE_8N1
    };
    assert_eq!(sent(&bench, line), [(start, 0x55)]);
}

#[test]
fn the_time_guard_is_part_of_the_character() {
    let mut bench = port(MODE_8N1);
    bench.write(TTGR, 5);
    bench.write(THR, 1);
    bench.write(THR, 2);
    bench.run(15 * BIT - 1);
    assert_eq!((bench.sent.len(), csr(&mut bench)), (1, 0));
    bench.run(1);
    assert_eq!((bench.sent.len(), csr(&mut bench)), (2, status::TXRDY));
    bench.run(15 * BIT - 1);
    assert_eq!(csr(&mut bench), status::TXRDY);
    bench.run(1);
    assert_eq!(csr(&mut bench), IDLE);
    assert_eq!(bench.read(TTGR), 5);
}

#[test]
fn a_disabled_transmitter_sends_what_it_has() {
    let mut bench = port(MODE_8N1);
    bench.write(THR, 1);
    bench.write(THR, 2);
    bench.write(CR, TXDIS);
    bench.run(30 * BIT);
    assert_eq!((bench.sent.len(), csr(&mut bench)), (2, 0));
}

#[test]
fn a_reset_transmitter_forgets_what_it_has_and_stays_enabled() {
    let mut bench = port(MODE_8N1);
    bench.write(THR, 1);
    bench.write(THR, 2);
    bench.write(CR, RSTTX);
    assert_eq!(csr(&mut bench), IDLE);
    bench.run(30 * BIT);
    assert_eq!((bench.sent.len(), bench.events_run), (2, 0));
    assert!(
        bench.sent[1].1.level_at(Instant::ZERO),
        "the line goes high"
    );
}

#[test]
fn narrow_writes_reach_the_low_bits() {
    let mut bench = port(MODE_8N1);
    bench.write_width(THR, Width::Byte, 0x5a);
    assert_eq!(sent(&bench, LINE_8N1)[0].1, 0x5a);
}

#[test]
fn the_transmit_interrupts_follow_their_bits() {
    let mut bench = Bench::new("atmel,at91x40-usart");
    bench.write(BRGR, 1);
    bench.write(MR, MODE_8N1);
    bench.write(registers::IER, IDLE);
    assert!(!bench.line("interrupt"));
    bench.write(CR, TXEN);
    assert!(bench.line("interrupt"));
    bench.write(THR, 1);
    bench.write(THR, 2);
    assert!(!bench.line("interrupt"));
    bench.run(10 * BIT);
    assert!(bench.line("interrupt"));
    bench.write(registers::IDR, status::TXRDY);
    assert!(!bench.line("interrupt"));
    bench.run(10 * BIT);
    assert!(bench.line("interrupt"), "TXEMPTY");
    assert_eq!(bench.read(registers::IMR), status::TXEMPTY);
}
