use crate::bench::Bench;

const CR: u32 = 0x00;
const PCER: u32 = 0x04;
const PCDR: u32 = 0x08;
const PCSR: u32 = 0x0c;

#[test]
fn a_one_stops_the_core() {
    let mut bench = Bench::new("atmel,at91x40-ps");
    bench.write(CR, 0);
    assert_eq!(bench.core_stops, 0);
    bench.write(CR, 1);
    assert_eq!(bench.core_stops, 1);
}

#[test]
fn clocks_of_peripherals_are_switched_one_by_one() {
    let mut bench = Bench::new("atmel,at91x40-ps");
    bench.write(PCDR, 0x0000_0014);
    assert_eq!(bench.read(PCSR), 0x0000_0168);
    assert_eq!(bench.warnings.len(), 1, "the model goes on working");
    bench.write(PCER, 0x0000_0010);
    assert_eq!(bench.read(PCSR), 0x0000_0178);
    bench.write(PCER, u32::MAX);
    assert_eq!(bench.read(PCSR), 0x0000_017c, "only those that exist");
}
