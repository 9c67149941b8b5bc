use super::*;
use crate::atmel::usart::registers::{RCR, RPR, RTOR, TCR, TPR, TTGR};
use crate::bench::RAM;

/// Both directions by DMA with a time-guard and a time-out, and a break in between.
fn busy(step: impl Fn(&mut Bench)) -> Bench {
    let mut bench = port(MODE_8N1);
    let bytes: Vec<u8> = (0..64).map(|index| (index * 7) as u8).collect();
    bench.load(RAM, &bytes);
    bench.write(RTOR, 2);
    bench.write(TTGR, 3);
    bench.write(TPR, RAM);
    bench.write(RPR, RAM + 0x100);
    bench.write(RCR, 20);
    bench.write(TCR, 8);
    for round in 0..30u16 {
        arrive(&mut bench, LINE_8N1, round * 5);
        for _ in 0..11 {
            bench.run(BIT - 3);
            step(&mut bench);
            bench.run(3);
        }
        if round == 10 {
            bench.write(CR, STTBRK | STTTO);
            arrive_levels(&mut bench, BIT_PS, 0, 30);
            bench.run(17 * BIT);
            step(&mut bench);
            bench.run(20 * BIT);
            bench.write(CR, STPBRK);
        }
        if round == 15 {
            bench.write(TCR, 8);
        }
    }
    bench
}

#[test]
fn a_port_restored_in_the_middle_of_everything_goes_on() {
    let straight = busy(|_| {});
    let restored = busy(Bench::save_and_restore);
    assert_eq!(straight.sent, restored.sent);
    assert_eq!(straight.traces, restored.traces);
    assert_eq!(straight.events_run, restored.events_run);
    assert_eq!(straight.device.save(), restored.device.save());
    assert_eq!(
        straight.space.memories()[0].to_vec(),
        restored.space.memories()[0].to_vec()
    );
    assert!(
        straight.sent.len() > 16 && straight.traces.len() > 60,
        "it was busy"
    );
}
