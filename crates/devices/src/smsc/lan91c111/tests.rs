use super::*;
use crate::bench::Bench;

fn chip() -> Bench {
    Bench::new("smsc,lan91c111")
}

/// A register by its offset behind its bank.
fn write(bench: &mut Bench, place: u32, value: u16) {
    bench.write_width(BANK, Width::Half, place >> 4);
    bench.write_width(place & 0xf, Width::Half, u32::from(value));
}

fn read(bench: &mut Bench, place: u32) -> u16 {
    bench.write_width(BANK, Width::Half, place >> 4);
    bench.read_width(place & 0xf, Width::Half) as u16
}

/// A bit on the management wires, as the driver of Linux sends it.
fn clock(bench: &mut Bench, wires: u16) -> bool {
    let level = read(bench, MANAGEMENT) & wire::IN != 0;
    write(bench, MANAGEMENT, wires);
    write(bench, MANAGEMENT, wires | wire::CLOCK);
    level
}

fn send(bench: &mut Bench, bits: u32, count: u32) {
    for bit in (0..count).rev() {
        let out = if bits >> bit & 1 != 0 { wire::OUT } else { 0 };
        clock(bench, wire::DRIVE | out);
    }
}

fn phy_read(bench: &mut Bench, address: u32, register: u32) -> u32 {
    send(bench, u32::MAX, 32);
    send(bench, 6 << 10 | address << 5 | register, 14);
    (0..18).fold(0, |value, _| value << 1 | u32::from(clock(bench, 0)))
}

fn phy_write(bench: &mut Bench, register: u32, value: u16) {
    send(bench, u32::MAX, 32);
    send(
        bench,
        5 << 28 | register << 18 | 2 << 16 | u32::from(value),
        32,
    );
}

#[test]
fn banks_say_what_the_chip_is() {
    let mut bench = chip();
    for bank in 0..4 {
        bench.write_width(BANK, Width::Half, bank);
        assert_eq!(bench.read_width(BANK, Width::Half), 0x3300 | bank);
    }
    assert_eq!(read(&mut bench, REVISION), 0x3391);
    assert_eq!(read(&mut bench, MEMORY), 0x0404, "four packets, four free");
    let address: Vec<u16> = (0..3)
        .map(|at| read(&mut bench, ADDRESS + 2 * at))
        .collect();
    assert_eq!(address, [0x0002, 0, 0x0100]);
    bench.write_width(ADDRESS & 0xf | 1, Width::Byte, 0x7f);
    assert_eq!(read(&mut bench, ADDRESS), 0x7f02, "bytes are written alone");
}

#[test]
fn packets_are_allocated_filled_and_lost() {
    let mut bench = chip();
    write(
        &mut bench,
        INTERRUPTS,
        (u16::from(interrupt::ALLOCATED)) << 8,
    );
    assert!(!bench.line("interrupt"));
    write(&mut bench, MMU, 1 << 5);
    assert!(bench.line("interrupt"));
    assert_eq!(read(&mut bench, PACKET) >> 8, 0);
    assert_eq!(read(&mut bench, MEMORY), 0x0304);
    for packet in 1..4 {
        write(&mut bench, MMU, 1 << 5);
        assert_eq!(read(&mut bench, PACKET) >> 8, packet);
    }
    write(&mut bench, MMU, 1 << 5);
    assert_eq!(read(&mut bench, PACKET) >> 8, 0x80, "none is free");
    write(&mut bench, PACKET, 2);
    write(&mut bench, POINTER, pointer::INCREMENT);
    bench.write(DATA & 0xf, 0x4433_2211);
    bench.write_width(DATA & 0xf, Width::Half, 0x6655);
    assert_eq!(read(&mut bench, POINTER), pointer::INCREMENT | 6);
    write(&mut bench, POINTER, pointer::INCREMENT | 2);
    assert_eq!(bench.read(DATA & 0xf), 0x6655_4433);
    write(&mut bench, INTERRUPTS, u16::from(interrupt::TX_EMPTY));
    write(&mut bench, MMU, 6 << 5);
    assert_eq!(read(&mut bench, INTERRUPTS) & 4, 4);
    assert_eq!(
        (read(&mut bench, PACKET) >> 8, read(&mut bench, MEMORY)),
        (2, 0x0004),
        "the allocation that waited takes it"
    );
    assert_eq!(read(&mut bench, INTERRUPTS) & 8, 8);
    assert_eq!(bench.warnings, ["a frame is lost: no cable is plugged in"]);
    write(&mut bench, MMU, 2 << 5);
    assert_eq!(read(&mut bench, MEMORY), 0x0404);
}

#[test]
fn the_transceiver_answers_at_its_address_alone() {
    let mut bench = chip();
    assert_eq!(
        (phy_read(&mut bench, 0, 2), phy_read(&mut bench, 0, 3)),
        (0x0016, 0xf840)
    );
    assert_eq!(
        phy_read(&mut bench, 1, 2),
        0x3_ffff,
        "nobody pulls the wire low"
    );
    assert_eq!(phy_read(&mut bench, 0, 1) & 4, 0, "no link");
    phy_write(&mut bench, 4, 0x0041);
    phy_write(&mut bench, 2, 0x1234);
    assert_eq!(
        (phy_read(&mut bench, 0, 4), phy_read(&mut bench, 0, 2)),
        (0x0041, 0x0016)
    );
    phy_write(&mut bench, 0, 0x8000);
    assert_eq!(
        (phy_read(&mut bench, 0, 0), phy_read(&mut bench, 0, 4)),
        (0x3000, 0x01e1)
    );
}

#[test]
fn a_soft_reset_keeps_the_address() {
    let mut bench = chip();
    write(&mut bench, ADDRESS, 0x1234);
    write(&mut bench, TCR, 1);
    write(&mut bench, INTERRUPTS, 0xff00);
    assert!(bench.line("interrupt"));
    write(&mut bench, RCR, RCR_SOFT_RESET);
    assert!(!bench.line("interrupt"));
    assert_eq!(
        (read(&mut bench, TCR), read(&mut bench, RCR)),
        (0, RCR_SOFT_RESET)
    );
    assert_eq!(read(&mut bench, ADDRESS), 0x1234);
    write(&mut bench, RCR, 0);
    assert_eq!(read(&mut bench, RCR), 0);
}
