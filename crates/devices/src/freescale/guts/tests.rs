use super::*;
use crate::bench::{Bench, Node};

#[test]
fn a_reset_is_requested() {
    let mut bench = Bench::new("fsl,mpc8641-guts");
    bench.write(RSTCR, 1);
    assert!(bench.resets.is_empty());
    bench.write(RSTCR, HRST_REQ);
    let expected = "reset request of the global utilities (RSTCR)";
    assert_eq!(bench.resets, [expected]);
    assert_eq!(bench.read(RSTCR), 0);
}

#[test]
fn clock_ratios_come_from_the_node() {
    let node = Node::default().cells(PLL_PROPERTY, &[0x0014_0010]);
    let mut bench = Bench::with("fsl,mpc8641-guts", node);
    assert_eq!(bench.read(PORPLLSR), 0x0014_0010);
    bench.write(0x60, 0xff);
    bench.call(|device, context| device.reset(context));
    assert_eq!((bench.read(PORPLLSR), bench.read(0x60)), (0x0014_0010, 0));
}

#[test]
fn there_are_no_machine_checks_to_clear() {
    let mut bench = Bench::new("fsl,mpc8641-guts");
    bench.write(MCPSUMR, u32::MAX);
    assert_eq!(bench.read(MCPSUMR), 0);
}
