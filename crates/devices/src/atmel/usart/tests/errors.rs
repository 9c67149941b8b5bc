use super::*;
use crate::atmel::usart::registers::IER;
use socscope_device::TraceEvent;

const ERRORS: u32 = status::OVRE | status::FRAME | status::PARE | status::RXBRK;

fn errors(bench: &mut Bench) -> u32 {
    csr(bench) & ERRORS
}

#[test]
fn an_unread_character_is_overrun_and_replaced() {
    let mut bench = port(MODE_8N1);
    bench.write(IER, status::OVRE);
    for data in [1, 2] {
        arrive(&mut bench, LINE_8N1, data);
        bench.run(10 * BIT);
    }
    assert!(bench.line("interrupt"));
    assert_eq!((errors(&mut bench), bench.read(RHR)), (status::OVRE, 2));
    assert_eq!(
        errors(&mut bench),
        status::OVRE,
        "it stays until it is reset"
    );
    bench.write(CR, RSTSTA);
    assert_eq!(errors(&mut bench), 0);
    assert!(!bench.line("interrupt"));
}

#[test]
fn reset_status_leaves_the_character() {
    let mut bench = port(MODE_8N1);
    arrive(&mut bench, LINE_8N1, 7);
    bench.run(10 * BIT);
    bench.write(CR, RSTSTA);
    assert_eq!(csr(&mut bench) & status::RXRDY, status::RXRDY);
}

#[test]
fn a_low_stop_bit_is_a_framing_error() {
    let mut bench = port(MODE_8N1);
    arrive_levels(&mut bench, BIT_PS, 0x41 << 1, 10);
    bench.run(RECEIVED);
    assert_eq!((errors(&mut bench), bench.read(RHR)), (status::FRAME, 0x41));
    let expected = TraceEvent::CharacterReceived {
        data: 0x41,
        error: true,
    };
    assert_eq!(bench.traces, [expected]);
}

#[test]
fn a_sender_at_another_speed_makes_framing_errors() {
    for (numerator, denominator) in [(1, 3), (4, 5), (5, 4), (2, 1)] {
        let line = LineFormat {
            bit_time_ps: BIT_PS * numerator / denominator,
            ..LINE_8N1
        };
        let mut bench = port(MODE_8N1);
        let mut seen = 0;
        let mut start = Instant::ZERO;
        for data in 0..100 {
            let waveform = Waveform::character(start, line, data * 37 % 256);
            bench.run_until(start);
            bench.receive(0, waveform);
            start = waveform.end();
            bench.read(RHR);
            seen |= errors(&mut bench);
        }
        assert_ne!(
            seen & status::FRAME,
            0,
            "sender's bits are {numerator}/{denominator} as long"
        );
    }
}

#[test]
fn a_wrong_parity_bit_is_noticed_for_every_kind_of_parity() {
    let kinds = [Parity::Even, Parity::Odd, Parity::Space, Parity::Mark];
    for (par, expected) in (0..).zip(kinds) {
        for sender in kinds {
            for data in [0x00, 0x01, 0x7f, 0xff] {
                let mut bench = port(3 << mode::CHRL_SHIFT | par << mode::PAR_SHIFT);
                let line = LineFormat {
                    parity: sender,
                    ..LINE_8N1
                };
                let right = LineFormat {
                    parity: expected,
                    ..LINE_8N1
                };
                let waveform = Waveform::character(bench.now, line, data);
                let wrong = waveform != Waveform::character(bench.now, right, data);
                bench.receive(0, waveform);
                bench.run(12 * BIT);
                let error = errors(&mut bench) == status::PARE;
                assert_eq!(error, wrong, "{expected:?} hears {sender:?} of {data:#x}");
                assert_eq!(bench.read(RHR), u32::from(data));
            }
        }
    }
}

#[test]
fn a_flipped_bit_is_a_parity_error() {
    let line = LineFormat {
        parity: Parity::Even,
        ..LINE_8N1
    };
    for flipped in 1..10 {
        let mut bench = port(3 << mode::CHRL_SHIFT);
        let mut waveform = Waveform::character(bench.now, line, 0x5c);
        waveform.levels ^= 1 << flipped;
        bench.receive(0, waveform);
        bench.run(11 * BIT);
        assert_eq!(errors(&mut bench), status::PARE, "bit {flipped}");
    }
}

#[test]
fn a_flipped_start_bit_moves_the_start() {
    let mut bench = port(MODE_8N1);
    let mut waveform = Waveform::character(bench.now, LINE_8N1, 0b1110_1111);
    waveform.levels |= 1;
    bench.receive(0, waveform);
    bench.run(20 * BIT);
    assert_eq!(
        bench.read(RHR),
        0xff,
        "the only low bit is taken for the start"
    );
}

#[test]
fn in_multi_drop_mode_pare_marks_addresses() {
    let multi_drop = 3 << mode::CHRL_SHIFT | 6 << mode::PAR_SHIFT;
    let (mut a, mut b) = (port(multi_drop), port(multi_drop));
    let mut exchange = |a: &mut Bench, data| {
        a.write(THR, data);
        let (_, waveform) = a.sent.pop().expect("it starts at once");
        b.receive(0, waveform);
        a.run(11 * BIT);
        b.run(11 * BIT);
        let seen = (b.read(RHR), errors(&mut b));
        b.write(CR, RSTSTA);
        seen
    };
    assert_eq!(exchange(&mut a, 0x10), (0x10, 0));
    a.write(CR, SENDA);
    assert_eq!(exchange(&mut a, 0x11), (0x11, status::PARE));
    assert_eq!(
        exchange(&mut a, 0x12),
        (0x12, 0),
        "only the next one is an address"
    );
    let expected = TraceEvent::CharacterReceived {
        data: 0x11,
        error: false,
    };
    assert!(b.traces.contains(&expected), "an address is no error");
    assert_eq!(
        a.line_format(0).map(|line| line.parity),
        Some(Parity::Space)
    );
}

#[test]
fn send_address_means_nothing_without_multi_drop() {
    let mut bench = port(MODE_8N1);
    bench.write(CR, SENDA);
    bench.write(MR, 3 << mode::CHRL_SHIFT | 6 << mode::PAR_SHIFT);
    bench.write(THR, 1);
    let (_, waveform) = bench.sent[0];
    assert_eq!(waveform.levels >> 9 & 1, 0);
}

#[test]
fn zeros_with_a_high_parity_bit_and_a_low_stop_bit_are_no_break() {
    let mut bench = port(3 << mode::CHRL_SHIFT | 1 << mode::PAR_SHIFT);
    arrive_levels(&mut bench, BIT_PS, 1 << 9, 11);
    bench.run(11 * BIT);
    assert_eq!(errors(&mut bench), status::FRAME);
}
