//! The device against the standard, with a driver that keeps its rules and with some that do not.

use super::driver::*;
use crate::bench::{Bench, Node, RAM, ROM};
use proptest::prelude::*;
use socscope_memory::Width;

const NEEDS_RESET: u32 = 0x40;

/// Whether the device has given up, and starts again.
fn broken_and_mended(driver: &mut Driver) -> bool {
    let broken = driver.bench.read(STATUS) & NEEDS_RESET != 0;
    assert_eq!(broken, driver.bench.read(INTERRUPT) & 2 != 0);
    assert!(driver.bench.line("irq") || !broken);
    driver.start();
    assert!(!driver.bench.line("irq"));
    assert_eq!(driver.exchange(&version())[4], 101);
    broken
}

#[test]
fn the_device_tells_what_it_is() {
    let mut bench = Bench::new("virtio,mmio");
    let words = [0x0, 0x4, 0x8, 0x34].map(|offset| bench.read(offset));
    assert_eq!(words, [0x7472_6976, 2, 9, 256]);
    bench.write(0x14, 1);
    assert_eq!(bench.read(0x10), 1, "version 1");
    bench.write(0x14, 2);
    assert_eq!(bench.read(0x10), 0);
    assert_eq!(bench.read_width(0x100, Width::Half), 4);
    let tag = [0x102, 0x103, 0x104, 0x105].map(|offset| bench.read_width(offset, Width::Byte));
    assert_eq!(tag.map(|byte| byte as u8), *b"host");
    bench.write(0x30, 1);
    assert_eq!(bench.read(0x34), 0, "there is only one queue");
}

#[test]
fn a_driver_that_does_not_know_the_standard_gets_no_features() {
    let mut bench = Bench::new("virtio,mmio");
    bench.write(STATUS, 3);
    bench.write(STATUS, 11);
    assert_eq!(bench.read(STATUS), 3);
    bench.write(0x24, 1);
    bench.write(0x20, 3);
    bench.write(STATUS, 11);
    assert_eq!(bench.read(STATUS), 3, "a feature that was not offered");
    bench.write(0x20, 1);
    bench.write(STATUS, 11);
    assert_eq!(bench.read(STATUS), 11);
}

#[test]
fn requests_are_answered_after_the_latency() {
    let node = Node::default().cells("socscope,latency-ns", &[1_000]);
    let mut driver = Driver::new();
    assert_eq!(driver.exchange(&version()), message(101, &version()[7..]));
    assert_eq!(driver.exchange(&attach())[4], 105);
    assert_eq!(driver.bench.read(INTERRUPT), 1);
    assert!(driver.bench.line("irq"));
    driver.bench.write(ACKNOWLEDGE, 1);
    assert!(!driver.bench.line("irq"));
    driver.offer(0);
    driver.bench.write(NOTIFY, 0);
    driver.bench.write(NOTIFY, 0);
    assert_eq!(
        driver.bench.pending_events(),
        1,
        "told twice, looked at once"
    );
    driver.bench.run(799);
    assert_eq!(driver.take(), None, "20 us are 800 cycles");
    driver.bench.run(1);
    assert!(driver.take().is_some());
    assert!(Bench::with("virtio,mmio", node).pending_events() == 0);
}

#[test]
fn a_driver_may_not_want_interrupts() {
    let mut driver = Driver::new();
    driver.bench.load(AVAILABLE, &1u16.to_le_bytes());
    driver.exchange(&version());
    assert_eq!(driver.bench.read(INTERRUPT), 0);
    assert!(!driver.bench.line("irq"));
}

#[test]
fn several_chains_are_answered_in_order() {
    let mut driver = Driver::new();
    driver.bench.load(BUFFERS, &version());
    let length = version().len() as u32;
    for head in [0u16, 2, 4] {
        let answer = u64::from(BUFFERS) + 0x1000 + 0x100 * u64::from(head);
        driver.describe(DESCRIPTORS, head, (BUFFERS.into(), length, NEXT, head + 1));
        driver.describe(DESCRIPTORS, head + 1, (answer, 0x100, WRITE, 0));
    }
    for round in 0..20 {
        for head in [4, 0, 2] {
            driver.offer(head);
        }
        driver.notify();
        let heads = [(); 3].map(|()| driver.take().map(|(head, _)| head));
        assert_eq!(heads, [Some(4), Some(0), Some(2)], "round {round}");
    }
}

#[test]
fn buffers_may_be_split_and_have_a_table_of_their_own() {
    let mut driver = Driver::new();
    let (request, table) = (version(), RAM + 0x3000);
    let answer = RAM + 0x4000;
    driver.bench.load(BUFFERS, &request);
    let pieces = [
        (u64::from(BUFFERS), 3, NEXT, 1),
        (u64::from(BUFFERS) + 3, request.len() as u32 - 3, NEXT, 2),
        (u64::from(answer), 5, NEXT | WRITE, 3),
        (u64::from(answer) + 0x100, 100, WRITE, 0),
    ];
    for (number, row) in pieces.into_iter().enumerate() {
        driver.describe(table, number as u16, row);
    }
    driver.describe(DESCRIPTORS, 7, (table.into(), 64, INDIRECT, 0));
    driver.offer(7);
    driver.notify();
    let expected = message(101, &request[7..]);
    assert_eq!(driver.take(), Some((7, expected.len() as u32)));
    let seen = driver.bench.ram(answer);
    assert_eq!(seen[..5], expected[..5]);
    assert_eq!(seen[0x100..0x100 + expected.len() - 5], expected[5..]);
}

#[test]
fn an_answer_without_room_becomes_an_error() {
    let mut driver = Driver::new();
    driver.bench.load(BUFFERS, &version());
    let length = version().len() as u32;
    driver.describe(DESCRIPTORS, 0, (BUFFERS.into(), length, NEXT, 1));
    for (room, written, kind) in [(19, 11, 7), (11, 11, 7), (10, 0, 0)] {
        let answer = BUFFERS + 0x1000;
        driver.bench.load(answer, &[0; 16]);
        driver.describe(DESCRIPTORS, 1, (answer.into(), room, WRITE, 0));
        driver.offer(0);
        driver.notify();
        assert_eq!(driver.take(), Some((0, written)));
        assert_eq!(driver.bench.ram(answer)[4], kind);
    }
}

#[test]
fn broken_queues_stop_the_device_until_it_is_reset() {
    let mut driver = Driver::new();
    let buffer = u64::from(BUFFERS);
    type Row = (u64, u32, u16, u16);
    let rows: [(&[Row], &str); 11] = [
        (&[(buffer, 8, NEXT, 0)], "a chain without an end"),
        (&[(buffer, 8, NEXT, 200)], "a number that is not there"),
        (&[(u64::MAX, 8, 0, 0)], "an address beyond the bus"),
        (&[(0x10, 8, 0, 0)], "no memory"),
        (&[(buffer, u32::MAX, 0, 0)], "longer than any message"),
        (&[(u64::from(ROM), 64, WRITE, 0)], "an answer into ROM"),
        (
            &[(buffer, 8, WRITE | NEXT, 1), (buffer, 8, 0, 0)],
            "to write before to read",
        ),
        (&[(buffer, 33, INDIRECT, 0)], "half a row"),
        (&[(buffer, 0, INDIRECT, 0)], "an empty table"),
        (
            &[(u64::from(DESCRIPTORS), 16, INDIRECT, 0)],
            "a table in a table",
        ),
        (
            &[(buffer, 16, INDIRECT | NEXT, 1), (buffer, 8, 0, 0)],
            "a table with a next",
        ),
    ];
    for (rows, what) in rows {
        driver.bench.load(BUFFERS, &version());
        for (number, &row) in rows.iter().enumerate() {
            driver.describe(DESCRIPTORS, number as u16, row);
        }
        if what.contains("ROM") {
            driver.describe(DESCRIPTORS, 0, (buffer, 21, NEXT, 1));
            driver.describe(DESCRIPTORS, 1, (ROM.into(), 64, WRITE, 0));
        }
        driver.offer(0);
        driver.notify();
        assert!(broken_and_mended(&mut driver), "{what}");
    }
    driver.bench.load(AVAILABLE + 2, &100u16.to_le_bytes());
    driver.notify();
    assert!(broken_and_mended(&mut driver), "more than the ring holds");
    driver.bench.write(0x38, 3);
    driver.bench.write(0x44, 1);
    assert!(broken_and_mended(&mut driver), "not a power of two");
    for size in [0, u32::MAX] {
        driver.bench.write(0x38, size);
        driver.notify();
        assert!(broken_and_mended(&mut driver), "another size while in use");
    }
    driver.bench.write(0x94, 1);
    driver.notify();
    assert!(broken_and_mended(&mut driver), "a ring beyond the bus");
}

#[test]
fn a_reset_ends_the_session_and_keeps_the_folder() {
    let mut driver = Driver::new();
    driver.exchange(&version());
    driver.exchange(&attach());
    let set = |driver: &mut Driver, value: &[u8]| {
        driver
            .bench
            .call(|device, context| device.set_attribute("folder", value, context))
    };
    let folder = driver.bench.device.attribute("folder").expect("one");
    let error = set(&mut driver, &folder).expect_err("it is mounted");
    assert!(error.contains("unmount"), "{error}");
    driver.bench.save_and_restore();
    assert_eq!(driver.exchange(&message(24, &[0; 12]))[4], 25);
    driver.offer(0);
    driver.bench.write(NOTIFY, 0);
    driver.start();
    driver.bench.run(10_000);
    assert_eq!(driver.take(), None, "a reset takes back what was asked");
    assert_eq!(driver.exchange(&attach())[7], 71, "no session");
    assert_eq!(
        driver.bench.device.attribute("folder"),
        Some(folder.clone())
    );
    assert_eq!(set(&mut driver, &folder), Ok(()));
    assert_eq!(set(&mut driver, &[]), Ok(()));
    let error = set(&mut driver, &[1, 2, 3]).expect_err("no folder");
    assert!(!error.is_empty());
    let other = driver
        .bench
        .call(|device, context| device.set_attribute("size", &[], context));
    assert!(other.expect_err("no such attribute").contains("folder"));
}

#[test]
fn narrow_writes_and_other_queues_are_told() {
    let mut driver = Driver::new();
    driver.bench.write_width(STATUS, Width::Byte, 0);
    driver.bench.write(NOTIFY, 1);
    driver.bench.write(0x30, 1);
    driver.bench.write(0x38, 8);
    assert_eq!(
        driver.bench.warnings.len(),
        3,
        "{:?}",
        driver.bench.warnings
    );
    driver.bench.write(0x30, 0);
    assert_eq!(driver.exchange(&version())[4], 101);
}

proptest! {
    #[test]
    fn no_ring_breaks_the_device(
        bytes in prop::collection::vec(prop_oneof![3 => 0..4u8, 1 => any::<u8>()], 0x900),
        rows in prop::collection::vec((0..0x3000u64, 0..200u32, 0..8u16, 0..9u16), 8),
    ) {
        let mut driver = Driver::new();
        driver.bench.load(RAM, &bytes);
        for (number, (offset, length, flags, next)) in rows.into_iter().enumerate() {
            let row = (u64::from(RAM) + offset, length, flags, next);
            driver.describe(DESCRIPTORS, number as u16, row);
        }
        driver.bench.load(AVAILABLE + 2, &3u16.to_le_bytes());
        driver.notify();
        driver.bench.save_and_restore();
        broken_and_mended(&mut driver);
    }
}
