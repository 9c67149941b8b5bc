use super::*;
use crate::atmel::usart::registers::{IER, RCR, RPR, TCR, TPR};
use crate::bench::{RAM, RAM_REGION, ROM};
use socscope_device::TraceEvent;
use socscope_memory::{Direction, Width};

fn access(direction: Direction, address: u32) -> TraceEvent {
    TraceEvent::DmaAccess {
        direction,
        address,
        width: Width::Byte,
        region: RAM_REGION,
    }
}

fn is_dma(event: &TraceEvent) -> bool {
    use TraceEvent::*;
    matches!(
        event,
        DmaStarted { .. } | DmaAccess { .. } | DmaEnded { .. }
    )
}

#[test]
fn a_buffer_is_sent_without_gaps() {
    let mut bench = port(MODE_8N1);
    bench.load(RAM + 0x101, b"hello");
    bench.write(TPR, RAM + 0x101);
    assert_eq!(bench.read(CSR) & status::ENDTX, status::ENDTX);
    bench.write(TCR, 5);
    assert_eq!(bench.read(CSR) & status::ENDTX, 0);
    assert_eq!(
        (bench.read(TPR), bench.read(TCR)),
        (RAM + 0x103, 3),
        "shift and holding register"
    );
    bench.write(IER, status::ENDTX);
    bench.run(30 * BIT - 1);
    assert!(!bench.line("interrupt"));
    bench.run(1);
    assert!(
        bench.line("interrupt"),
        "the last byte is in the holding register"
    );
    assert_eq!((bench.read(TPR), bench.read(TCR)), (RAM + 0x106, 0));
    assert_eq!(csr(&mut bench) & status::TXEMPTY, 0);
    bench.run(20 * BIT);
    assert_eq!(csr(&mut bench) & status::TXEMPTY, status::TXEMPTY);
    let text: Vec<u8> = sent(&bench, LINE_8N1)
        .iter()
        .map(|(_, data)| *data as u8)
        .collect();
    assert_eq!(text, b"hello");
    assert_eq!(bench.events_run, 5);
    assert_eq!(bench.bus_held_cycles, 5);
    let seen: Vec<TraceEvent> = bench.traces.iter().copied().filter(is_dma).collect();
    let direction = Direction::Read;
    let mut expected = vec![TraceEvent::DmaStarted {
        direction,
        length: 5,
    }];
    expected.extend((0..5).map(|index| access(direction, RAM + 0x101 + index)));
    expected.push(TraceEvent::DmaEnded {
        direction,
        length: 5,
    });
    assert_eq!(seen, expected);
}

#[test]
fn a_buffer_is_received_and_rxrdy_is_never_seen() {
    let mut bench = port(MODE_8N1);
    bench.write(RPR, RAM + 0x200);
    bench.write(RCR, 3);
    bench.write(IER, status::RXRDY);
    for byte in *b"abcd" {
        arrive(&mut bench, LINE_8N1, u16::from(byte));
        bench.run(10 * BIT);
        if byte < b'd' {
            assert!(!bench.line("interrupt"));
        }
    }
    assert!(
        bench.line("interrupt"),
        "the fourth finds the channel at its end"
    );
    assert_eq!(bench.ram(RAM + 0x200)[..4], *b"abc\0");
    assert_eq!((bench.read(RPR), bench.read(RCR)), (RAM + 0x203, 0));
    assert_eq!(bench.read(CSR) & status::ENDRX, status::ENDRX);
    let direction = Direction::Write;
    let ended = TraceEvent::DmaEnded {
        direction,
        length: 3,
    };
    assert!(
        bench.traces.contains(&ended) && bench.traces.contains(&access(direction, RAM + 0x202))
    );
    assert_eq!(bench.edges[0], 1, "ready and taken within the same instant");
}

#[test]
fn a_new_counter_takes_the_waiting_character() {
    let mut bench = port(MODE_8N1);
    arrive(&mut bench, LINE_8N1, 0x77);
    bench.run(10 * BIT);
    bench.write(RPR, RAM);
    bench.write(RCR, 1);
    assert_eq!(
        (bench.ram(RAM)[0], csr(&mut bench) & status::RXRDY),
        (0x77, 0)
    );
    assert_eq!(bench.read(CSR) & status::ENDRX, status::ENDRX);
}

#[test]
fn the_receive_interrupt_comes_with_the_last_byte() {
    let mut bench = port(MODE_8N1);
    bench.write(RPR, RAM);
    bench.write(RCR, 2);
    bench.write(IER, status::ENDRX);
    arrive(&mut bench, LINE_8N1, 1);
    bench.run(10 * BIT);
    assert!(!bench.line("interrupt"));
    arrive(&mut bench, LINE_8N1, 2);
    bench.run(RECEIVED);
    assert!(bench.line("interrupt"));
    bench.write(RCR, 8);
    assert!(!bench.line("interrupt"));
}

#[test]
fn a_stopped_transfer_tells_what_it_moved() {
    let mut bench = port(MODE_8N1);
    bench.write(TPR, RAM);
    bench.write(TCR, 100);
    bench.run(10 * BIT);
    bench.write(TCR, 0);
    bench.run(100 * BIT);
    assert_eq!(bench.sent.len(), 3);
    let direction = Direction::Read;
    let ended = TraceEvent::DmaEnded {
        direction,
        length: 3,
    };
    assert_eq!(
        bench.traces.iter().filter(|event| **event == ended).count(),
        1
    );
    assert_eq!(bench.read(TPR), RAM + 3);
    bench.write(TCR, 2);
    bench.write(TCR, 3);
    let started = |length| TraceEvent::DmaStarted { direction, length };
    assert!(bench.traces.contains(&started(2)) && bench.traces.contains(&started(3)));
}

#[test]
fn a_transfer_waits_for_the_transmitter() {
    let mut bench = port(MODE_8N1);
    bench.write(CR, TXDIS);
    bench.write(TPR, RAM);
    bench.write(TCR, 1);
    assert_eq!((bench.sent.len(), bench.read(TCR)), (0, 1));
    bench.write(CR, TXEN);
    assert_eq!((bench.sent.len(), bench.read(TCR)), (1, 0));
}

#[test]
fn a_break_holds_a_transfer_up() {
    let mut bench = port(MODE_8N1);
    bench.write(CR, STTBRK);
    bench.write(TPR, RAM);
    bench.write(TCR, 1);
    bench.run(15 * BIT);
    assert_eq!(bench.read(TCR), 1);
    bench.write(CR, STPBRK);
    bench.sent.clear();
    bench.run(40 * BIT);
    assert_eq!((sent(&bench, LINE_8N1)[0].1, bench.read(TCR)), (0, 0));
}

#[test]
fn nine_bits_stop_both_channels() {
    let mut bench = port(MODE_8N1 | mode::MODE9);
    bench.write(TCR, 1);
    bench.write(RCR, 1);
    let line = LineFormat {
        data_bits: 9,
        ..LINE_8N1
    };
    arrive(&mut bench, line, 0x155);
    bench.run(12 * BIT);
    assert_eq!(
        (bench.read(TCR), bench.read(RCR), bench.sent.len()),
        (1, 1, 0)
    );
    assert_eq!(bench.read(RHR), 0x155);
}

#[test]
fn counters_have_sixteen_bits() {
    let mut bench = port(MODE_8N1);
    bench.write(RCR, 0x1_0000);
    assert_eq!(bench.read(RCR), 0);
    bench.write(RCR, 0x1_ffff);
    assert_eq!(bench.read(RCR), 0xffff);
}

#[test]
fn a_bus_fault_is_logged_once_and_the_transfer_goes_on() {
    let mut bench = port(MODE_8N1);
    bench.write(RPR, ROM);
    bench.write(RCR, 3);
    for data in 0..3 {
        arrive(&mut bench, LINE_8N1, data);
        bench.run(10 * BIT);
    }
    assert_eq!((bench.read(RPR), bench.read(RCR)), (ROM + 3, 0));
    assert_eq!(bench.warnings.len(), 1);
    assert!(
        bench.warnings[0].contains("receive channel"),
        "{}",
        bench.warnings[0]
    );
    bench.write(TPR, 0xf000_0000);
    bench.write(TCR, 2);
    assert_eq!((bench.read(TPR), bench.warnings.len()), (0xf000_0002, 2));
    assert_eq!(sent(&bench, LINE_8N1)[0].1, 0, "reads as zero");
}
