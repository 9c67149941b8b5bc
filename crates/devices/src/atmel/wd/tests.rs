use crate::bench::Bench;

const OMR: u32 = 0x00;
const CMR: u32 = 0x04;
const CR: u32 = 0x08;
const SR: u32 = 0x0c;
const RESTART: u32 = 0xc071;

/// A watchdog that runs with these bits of WD_OMR and WD_CMR.
fn started(omr: u32, cmr: u32) -> Bench {
    let mut bench = Bench::new("atmel,at91x40-wd");
    bench.write(OMR, 0x2340);
    bench.write(CMR, 0x3700 | cmr);
    bench.write(CR, RESTART);
    bench.write(OMR, 0x2340 | 1 | omr);
    bench
}

#[test]
fn every_register_has_a_key() {
    let mut bench = Bench::new("atmel,at91x40-wd");
    bench.write(OMR, 0x1235);
    bench.write(CMR, 0x003f);
    bench.write(CR, 0x0001);
    assert_eq!((bench.read(OMR), bench.read(CMR)), (0, 0));
    assert_eq!(bench.warnings.len(), 3);
    bench.write(OMR, 0x234f);
    bench.write(CMR, 0x373f);
    assert_eq!(
        (bench.read(OMR), bench.read(CMR)),
        (0xf, 0x3f),
        "keys read as zero"
    );
}

#[test]
fn it_underflows_after_hpcv_and_twelve_ones_of_each_clock() {
    for (select, divisor) in [(0, 8), (1, 32), (2, 128), (3, 1024)] {
        for hpcv in [0, 3, 15] {
            let mut bench = started(0, hpcv << 2 | select);
            let cycles = (u64::from(hpcv) + 1) * 0x1000 * divisor;
            bench.run(cycles - 1);
            assert_eq!(bench.read(SR), 0, "MCK/{divisor}, HPCV {hpcv}");
            bench.run(1);
            assert_eq!(bench.read(SR), 1, "MCK/{divisor}, HPCV {hpcv}");
        }
    }
}

#[test]
fn an_underflow_interrupts_and_pulses_the_pin_for_eight_cycles() {
    let mut bench = started(0b1100, 0);
    bench.run(0x1000 * 8);
    assert!(bench.line("irq") && bench.line("nwdovf"));
    bench.run(7);
    assert!(bench.line("irq"));
    bench.run(1);
    assert!(!bench.line("irq") && !bench.line("nwdovf"));
    assert!(bench.resets.is_empty());
}

#[test]
fn an_underflow_resets_the_system_when_enabled() {
    let mut bench = started(0b0010, 0);
    bench.run(0x1000 * 8);
    assert_eq!(bench.resets, ["watchdog underflow"]);
    assert!(bench.device.may_reset());
    bench.write(OMR, 0x2341);
    assert!(!bench.device.may_reset());
}

#[test]
fn a_restart_starts_over_and_clears_the_flag() {
    let mut bench = started(0, 0);
    for _ in 0..5 {
        bench.run(0x1000 * 8 - 1);
        bench.write(CR, RESTART);
    }
    assert_eq!(bench.read(SR), 0);
    bench.run(0x1000 * 8);
    assert_eq!(bench.read(SR), 1);
    bench.write(CR, RESTART);
    assert_eq!(bench.read(SR), 0);
}

#[test]
fn a_disabled_watchdog_stands_still() {
    let mut bench = started(0, 0);
    bench.run(0x0800 * 8);
    bench.write(OMR, 0x2340);
    bench.run(1_000_000);
    assert_eq!((bench.read(SR), bench.pending_events()), (0, 0));
    bench.write(OMR, 0x2341);
    bench.run(0x0800 * 8 - 1);
    assert_eq!(bench.read(SR), 0);
    bench.run(8);
    assert_eq!(bench.read(SR), 1);
}

#[test]
fn after_an_underflow_it_counts_on_from_the_top() {
    let mut bench = started(0b0100, 0);
    bench.run(0x1000 * 8);
    assert_eq!(bench.edges[bench.output("irq")], 1);
    bench.run(0x1_0000 * 8);
    assert_eq!(bench.edges[bench.output("irq")], 3);
}

#[test]
fn each_consequence_has_its_own_enable() {
    for (omr, irq, pin) in [
        (0, false, false),
        (0b0100, true, false),
        (0b1000, false, true),
    ] {
        let mut bench = started(omr, 0);
        assert!(!bench.line("irq") && !bench.line("nwdovf"));
        bench.run(0x1000 * 8);
        assert_eq!((bench.line("irq"), bench.line("nwdovf")), (irq, pin));
        bench.call(|device, context| device.reset(context));
        assert!(
            !bench.line("irq") && !bench.line("nwdovf"),
            "a reset ends the pulse"
        );
        assert_eq!(bench.pending_events(), 0);
    }
}
