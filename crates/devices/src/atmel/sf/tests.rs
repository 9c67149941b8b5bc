use crate::bench::{Bench, Node};

const CIDR: u32 = 0x00;
const EXID: u32 = 0x04;
const RSR: u32 = 0x08;
const MMR: u32 = 0x0c;
const PMR: u32 = 0x18;

#[test]
fn the_chip_identity_comes_from_the_tree() {
    let node = Node::default()
        .cells("atmel,cidr", &[0x4400_0840])
        .cells("atmel,exid", &[5]);
    let mut bench = Bench::with("atmel,at91x40-sf", node);
    assert_eq!((bench.read(CIDR), bench.read(EXID)), (0x4400_0840, 5));
    assert_eq!(Bench::new("atmel,at91x40-sf").read(CIDR), 0x1408_0044);
    assert_eq!(bench.read(RSR), 0x6c);
}

#[test]
fn protect_mode_needs_the_key() {
    let mut bench = Bench::new("atmel,at91x40-sf");
    bench.write(PMR, 0x20);
    assert!(!bench.line("protect"));
    assert_eq!(bench.warnings.len(), 1);
    bench.write(PMR, 0x27a8_0020);
    assert!(bench.line("protect"));
    assert_eq!(bench.read(PMR), 0x20, "the key reads as zero");
    bench.write(PMR, 0x27a8_0000);
    assert!(!bench.line("protect"));
    bench.write(PMR, 0x27a8_0020);
    bench.call(|device, context| device.reset(context));
    assert!(!bench.line("protect"));
}

#[test]
fn the_memory_mode_register_has_one_bit() {
    let mut bench = Bench::new("atmel,at91x40-sf");
    bench.write(MMR, u32::MAX);
    assert_eq!(bench.read(MMR), 1);
}

#[test]
fn the_cause_of_the_last_reset_is_told() {
    let mut bench = Bench::new("atmel,at91x40-sf");
    bench.call(|device, context| device.reset_from_within(context));
    assert_eq!(bench.read(RSR), 0x53, "the watchdog");
    bench.call(|device, context| device.reset(context));
    assert_eq!(bench.read(RSR), 0x6c, "the pin");
}
