use super::*;
use crate::bench::{Bench, Node};

/// The frequency that a pair of dividers gives (ICS525: 24 MHz * 2 * (v + 8) / ((22 + 2) * divider of s), DUI 0157A, 3.4).
fn hz(v: u32, s: u32) -> u32 {
    let divider = [10, 2, 8, 4, 5, 7, 9, 6][s as usize];
    24_000_000 * 2 / 24 * (v + 8) / divider
}

#[test]
fn the_oscillators_come_up_at_the_platforms_clocks() {
    let mut bench = Bench::new("arm,core-module-integrator");
    let word = bench.read(OSC);
    assert_eq!(hz(word & 0xff, word >> 8 & 7), 160_000_000);
    assert_eq!(hz(word >> 12 & 0xff, word >> 20 & 7), 32_000_000);
    let node = Node::default().cells(OSC_PROPERTY, &[0x0100_0048]);
    let mut bench = Bench::with("arm,core-module-integrator", node);
    let word = bench.read(OSC);
    assert_eq!(
        (word, hz(word & 0xff, word >> 8 & 7)),
        (0x0100_0048, 16_000_000)
    );
}

#[test]
fn the_lock_guards_oscillators_and_init() {
    let mut bench = Bench::new("arm,core-module-integrator");
    for (register, bits) in [(OSC, OSC_BITS), (AUXOSC, AUXOSC_BITS), (INIT, u32::MAX)] {
        let before = bench.read(register);
        bench.write(register, !before);
        assert_eq!(bench.read(register), before);
        bench.write(LOCK, UNLOCKING);
        assert_eq!(bench.read(LOCK), 0x1_a05f);
        bench.write(register, !before);
        assert_eq!(bench.read(register), !before & bits);
        bench.write(LOCK, 0);
        assert_eq!(bench.read(LOCK), 0);
    }
    assert_eq!(bench.warnings.len(), 3);
    assert_eq!(
        bench.warnings[0],
        "write of 0xffbb7e67 to offset 0x008 ignored: it is locked; write 0xa05f to CM_LOCK first"
    );
}

#[test]
fn the_reference_counts_24_mhz() {
    let mut bench = Bench::new("arm,core-module-integrator");
    // 40 MHz on the bench: 40 000 cycles are a millisecond.
    bench.run(40_000);
    assert_eq!(bench.read(REFERENCE), 24_000);
}

#[test]
fn control_keeps_the_light_and_resets() {
    let mut bench = Bench::new("arm,core-module-integrator");
    bench.write(CTRL, 1);
    assert_eq!(bench.read(CTRL), 1 | NO_MOTHERBOARD);
    assert!(bench.resets.is_empty());
    bench.write(CTRL, RESET);
    assert_eq!(bench.resets, ["reset bit of the core module (CM_CTRL)"]);
    assert_eq!(
        bench.read(CTRL),
        NO_MOTHERBOARD,
        "the request does not stay"
    );
    bench.call(|device, context| device.boot_loader(context));
    assert_eq!(bench.read(CTRL), NO_MOTHERBOARD | REMAP);
}

#[test]
fn some_flags_outlive_a_reset_from_within() {
    let mut bench = Bench::new("arm,core-module-integrator");
    for (set, clear) in [(FLAGS, FLAGS_CLEAR), (NV_FLAGS, NV_FLAGS_CLEAR)] {
        bench.write(set, 0b110);
        bench.write(set, 0b001);
        bench.write(clear, 0b010);
        assert_eq!(bench.read(set), 0b101);
    }
    bench.call(|device, context| device.reset_from_within(context));
    assert_eq!((bench.read(FLAGS), bench.read(NV_FLAGS)), (0, 0b101));
    bench.call(|device, context| device.reset(context));
    assert_eq!(bench.read(NV_FLAGS), 0);
}
