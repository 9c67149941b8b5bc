use super::*;
use crate::bench::Bench;

#[test]
fn core_1_waits_for_its_bit() {
    let mut bench = Bench::new("fsl,mcm");
    assert!(bench.line("enable0") && !bench.line("enable1"));
    let before = bench.read(PCR);
    bench.write(PCR, before | 1 << 25);
    assert!(bench.line("enable0") && bench.line("enable1"));
    bench.write_width(PCR, Width::Byte, 0x02);
    assert!(!bench.line("enable0") && bench.line("enable1"));
    bench.call(|device, context| device.reset(context));
    assert!(bench.line("enable0") && !bench.line("enable1"));
}

#[test]
fn registers_keep_what_is_written_but_errors_do_not_occur() {
    let mut bench = Bench::new("fsl,mpc8641-mcm");
    bench.write(ABCR, 0x1234_5678);
    assert_eq!(bench.read(ABCR), 0x1234_5678);
    assert_eq!(bench.read_width(ABCR + 1, Width::Byte), 0x34);
    bench.write(EDR, u32::MAX);
    assert_eq!(bench.read(EDR), 0);
    assert!(bench.warnings.is_empty());
    bench.write(EATR, 1);
    assert_eq!(bench.read(EATR), 0);
    assert_eq!(bench.warnings.len(), 1);
}
