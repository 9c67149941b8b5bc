use crate::bench::Bench;
use socscope_memory::Width;
use socscope_time::Instant;

const PER: u32 = 0x00;
const PDR: u32 = 0x04;
const PSR: u32 = 0x08;
const OER: u32 = 0x10;
const ODR: u32 = 0x14;
const IFER: u32 = 0x20;
const IFDR: u32 = 0x24;
const SODR: u32 = 0x30;
const CODR: u32 = 0x34;
const ODSR: u32 = 0x38;
const PDSR: u32 = 0x3c;
const IER: u32 = 0x40;
const IDR: u32 = 0x44;
const ISR: u32 = 0x4c;
const MDER: u32 = 0x50;
const MDDR: u32 = 0x54;

fn bench() -> Bench {
    Bench::new("atmel,at91x40-pio")
}

#[test]
fn each_bit_has_an_enable_a_disable_and_a_status_register() {
    for (enable, disable, status, reset) in [
        (PER, PDR, PSR, 0x01ff_ffff),
        (OER, ODR, 0x18, 0),
        (IFER, IFDR, 0x28, 0),
        (SODR, CODR, ODSR, 0),
        (IER, IDR, 0x48, 0),
        (MDER, MDDR, 0x58, 0),
    ] {
        let mut bench = bench();
        bench.write(enable, 0x8000_0001);
        assert_eq!(bench.read(status), reset | 0x8000_0001);
        bench.write(disable, 0x0000_0003);
        assert_eq!(bench.read(status), (reset | 0x8000_0001) & !3);
        bench.write(enable, 0);
        assert_eq!(
            bench.read(status),
            (reset | 0x8000_0001) & !3,
            "zeros do nothing"
        );
    }
}

#[test]
fn an_output_drives_its_pin_while_the_port_controls_it() {
    let mut bench = bench();
    bench.write(SODR, 1 << 5);
    assert!(!bench.line("p5"), "no output yet");
    bench.write(OER, 1 << 5);
    assert!(bench.line("p5"));
    assert_eq!(bench.read(PDSR), 1 << 5);
    bench.write(PDR, 1 << 5);
    assert!(!bench.line("p5"));
    bench.write(PER, 1 << 5);
    bench.write(CODR, 1 << 5);
    assert!(!bench.line("p5"));
    assert_eq!(bench.read(PDSR), 0);
}

#[test]
fn a_low_only_output_leaves_the_high_level_to_others() {
    let mut bench = bench();
    bench.write(OER, 1);
    bench.write(MDER, 1);
    bench.write(SODR, 1);
    assert_eq!(bench.read(PDSR) & 1, 0, "nobody drives it high");
    bench.input(0, true);
    assert_eq!(bench.read(PDSR) & 1, 1);
    bench.write(CODR, 1);
    assert_eq!(bench.read(PDSR) & 1, 0);
    bench.write(MDDR, 1);
    bench.write(SODR, 1);
    assert!(bench.line("p0"));
}

#[test]
fn a_change_of_an_input_interrupts_until_the_status_is_read() {
    let mut bench = bench();
    bench.write(IER, 1 << 9);
    bench.input(8, true);
    assert!(!bench.line("irq"), "pin 8 is not enabled");
    bench.input(9, true);
    assert!(bench.line("irq"));
    assert_eq!(bench.read(ISR), 1 << 9 | 1 << 8);
    assert!(!bench.line("irq"));
    assert_eq!(bench.read(ISR), 0);
    bench.input(9, true);
    assert_eq!(bench.read(ISR), 0, "no change");
    bench.input(9, false);
    assert!(bench.line("irq"), "both edges count");
    bench.write(IDR, 1 << 9);
    assert!(!bench.line("irq"));
}

#[test]
fn changes_of_outputs_and_of_peripheral_pins_count_too() {
    let mut bench = bench();
    bench.write(OER, 1);
    bench.write(SODR, 1);
    assert_eq!(bench.read(ISR), 1);
    bench.write(PDR, 2);
    bench.input(1, true);
    assert_eq!(bench.read(ISR), 2);
}

#[test]
fn a_filter_swallows_what_is_shorter_than_a_cycle() {
    let mut bench = bench();
    bench.write(IFER, 1);
    bench.run(10);
    // One cycle is 25000 ps.
    let start = bench.now;
    bench.input(0, true);
    bench.run_until(start.after_ps(20_000));
    bench.input(0, false);
    bench.run_until(start.after_ps(200_000));
    assert_eq!((bench.read(ISR), bench.read(PDSR)), (0, 0));

    bench.input(0, true);
    assert_eq!(bench.read(PDSR), 0, "not yet");
    bench.run_until(Instant(bench.now.0 + 25_000));
    assert_eq!((bench.read(ISR), bench.read(PDSR)), (1, 1));
}

#[test]
fn without_a_filter_a_level_passes_at_once() {
    let mut bench = bench();
    bench.input(0, true);
    assert_eq!(bench.read(PDSR), 1);
    bench.write(IFER, 2);
    bench.input(1, true);
    bench.write(IFDR, 2);
    assert_eq!(bench.read(PDSR), 3);
}

#[test]
fn a_reset_keeps_the_levels_from_outside() {
    let mut bench = bench();
    bench.input(3, true);
    bench.write(OER, 1);
    bench.write(SODR, 1);
    bench.call(|device, context| device.reset(context));
    assert_eq!((bench.read(PDSR), bench.read(ISR)), (1 << 3, 0));
    assert!(!bench.line("p0"));
}

#[test]
fn narrow_accesses_reach_the_word() {
    let mut bench = bench();
    bench.write_width(SODR, Width::Byte, 0x81);
    assert_eq!(bench.read(ODSR), 0x8181_8181);
    assert_eq!(bench.read_width(PSR + 3, Width::Byte), 0x01);
}
