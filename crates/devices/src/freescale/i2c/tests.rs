use super::*;
use crate::bench::Bench;

const MASTER: u32 = 0xf0;

#[test]
fn nobody_acknowledges_an_address() {
    let mut bench = Bench::new("fsl-i2c");
    bench.write(CR, MASTER);
    assert_eq!(bench.read(SR), 0xa1, "busy");
    bench.write(DR, 0xa0);
    assert_eq!(bench.read(SR), 0x21, "on its way");
    bench.run(9 * 384 - 1);
    assert!(!bench.line("interrupt"));
    bench.run(1);
    assert!(bench.line("interrupt"));
    assert_eq!(bench.read(SR), 0xa3, "complete, not acknowledged");
    bench.write(SR, 0);
    assert!(!bench.line("interrupt"));
    bench.write(CR, 0x80);
    assert_eq!(bench.read(SR), 0x81, "stopped");
}

#[test]
fn pull_ups_are_what_is_received() {
    let mut bench = Bench::new("fsl-i2c");
    bench.write(CR, MASTER & !0x10);
    assert_eq!(bench.read(DR), 0);
    bench.run(9 * 384);
    assert_eq!(bench.peek(DR), Some(0xff));
}

#[test]
fn the_divider_follows_both_registers() {
    for (fdr, dfsrr, divider) in [
        (0, 16, 384),
        (0x20, 16, 256),
        (0x07, 16, 1024),
        (0x3f, 1, 32768),
        (0, 0, 288),
    ] {
        let i2c = I2c {
            divider: fdr,
            filter: dfsrr,
            ..I2c::default()
        };
        assert_eq!(i2c.divider(), divider, "FDR {fdr:#x}, DFSRR {dfsrr}");
    }
}

#[test]
fn a_stop_drops_the_byte_on_the_bus() {
    let mut bench = Bench::new("fsl-i2c");
    bench.write(CR, MASTER);
    bench.write(DR, 1);
    bench.write(CR, 0);
    assert_eq!((bench.pending_events(), bench.read(SR)), (0, 0x81));
    bench.write(DR, 1);
    assert_eq!(bench.pending_events(), 0, "no master");
}
