use super::*;
use crate::bench::{Bench, Node};
use socscope_time::Instant;

/// Two blocks of each chip.
const SIZE: u32 = 4 * BLOCK_BYTES;
const MICROSECOND: u64 = 1_000_000;

fn bank() -> Bench {
    let node = Node::default().cells("reg", &[0x2400_0000, SIZE]);
    Bench::with("cfi-flash", node.cells("bank-width", &[4]))
}

fn both(command: u32) -> u32 {
    command | command << 16
}

fn pass(bench: &mut Bench, microseconds: u64) {
    let time = bench.now.after_ps(microseconds * MICROSECOND);
    bench.run_until(time);
}

#[test]
fn the_query_table_says_what_the_chips_are() {
    let mut bench = bank();
    bench.write(4 * 0x55, both(0x98));
    let words: Vec<u32> = (0x10..0x40).map(|word| bench.read(4 * word)).collect();
    assert!(words.iter().all(|word| word >> 16 == word & 0xffff));
    let bytes: Vec<u8> = words.iter().map(|word| *word as u8).collect();
    assert_eq!(&bytes[..3], b"QRY");
    assert_eq!(1u32 << bytes[0x27 - 0x10], 16 << 20, "bytes of a chip");
    let blocks = u32::from(bytes[0x2d - 0x10]) + 1;
    let block = u32::from(bytes[0x30 - 0x10]) * 256 * 256;
    assert_eq!(
        (blocks, block, blocks * block),
        (128, BLOCK_BYTES, 16 << 20)
    );
    let vendor = usize::from(bytes[0x15 - 0x10]) - 0x10;
    assert_eq!(&bytes[vendor..vendor + 5], b"PRI11");
    bench.write(0, both(0x90));
    assert_eq!((bench.read(0), bench.read(4)), (0x0089_0089, 0x0018_0018));
    bench.write(0, both(0xff));
    assert_eq!(bench.read(0), u32::MAX, "erased");
}

#[test]
fn programming_clears_bits_and_takes_its_time() {
    let mut bench = bank();
    for (value, expected) in [(0x1234_ff0f, 0x1234_ff0f), (0xff34_5678, 0x1234_5608)] {
        bench.write(0x100, both(0x40));
        bench.write(0x100, value);
        assert_eq!(bench.read(0x100), 0, "both are busy");
        pass(&mut bench, 127);
        assert_eq!(bench.read(0x100), 0);
        pass(&mut bench, 1);
        assert_eq!(bench.read(0x100), both(0x80));
        bench.write(0, both(0xff));
        assert_eq!(bench.read(0x100), expected);
    }
    bench.call(|device, context| device.reset(context));
    assert_eq!(bench.read(0x100), 0x1234_5608, "it outlives the reset");
    assert_eq!(bench.read_width(0x102, Width::Half), 0x1234);
}

#[test]
fn a_half_word_is_one_chips() {
    let mut bench = bank();
    bench.write_width(0x202, Width::Half, 0x40);
    bench.write_width(0x202, Width::Half, 0xabcd);
    assert_eq!(
        bench.read(0x200),
        0x0000_ffff,
        "the other one shows its array"
    );
    pass(&mut bench, 128);
    bench.write_width(2, Width::Half, 0xff);
    assert_eq!(bench.read(0x200), 0xabcd_ffff);
}

#[test]
fn a_buffer_is_programmed_once_it_is_confirmed() {
    let mut bench = bank();
    bench.write(0x40, both(0xe8));
    assert_eq!(bench.read(0x40), both(0x80), "the buffer is free");
    bench.write(0x40, both(2));
    for word in 0..3 {
        bench.write(0x40 + 4 * word, both(word + 1));
    }
    bench.write(0x40, both(0xd0));
    pass(&mut bench, 128);
    bench.write(0, both(0xff));
    let words: Vec<u32> = (0..4).map(|word| bench.read(0x40 + 4 * word)).collect();
    assert_eq!(words, [both(1), both(2), both(3), u32::MAX]);
}

#[test]
fn a_block_is_erased_and_no_other() {
    let mut bench = bank();
    let second = 2 * BLOCK_BYTES;
    for at in [0, second - 4, second] {
        bench.write(at, both(0x40));
        bench.write(at, 0);
        pass(&mut bench, 128);
    }
    bench.write(0x1000, both(0x20));
    bench.write(0x1000, both(0xd0));
    pass(&mut bench, 1_023_999);
    assert_eq!(bench.read(0), 0);
    pass(&mut bench, 1);
    assert_eq!(bench.read(0), both(0x80));
    bench.write(0, both(0xff));
    let words = [0, second - 4, second].map(|at| bench.read(at));
    assert_eq!(words, [u32::MAX, u32::MAX, 0]);
}

#[test]
fn a_wrong_sequence_is_an_error_until_it_is_cleared() {
    let mut bench = bank();
    for (first, second) in [(0x20, 0x20), (0x60, 0x70), (0xe8, 16)] {
        bench.write(0, both(first));
        bench.write(0, both(second));
        assert_eq!(bench.read(0), both(0xb0), "{first:#x}");
        bench.write(0, both(0x50));
        assert_eq!(bench.read(0), both(0x80));
    }
    assert_eq!(bench.pending_events(), 0);
}

#[test]
fn a_busy_chip_takes_no_commands_and_a_reset_ends_it() {
    let mut bench = bank();
    bench.write(0, both(0x20));
    bench.write(0, both(0xd0));
    bench.write(0, both(0xff));
    assert_eq!(bench.read(0), 0);
    bench.call(|device, context| device.reset(context));
    assert_eq!((bench.read(0), bench.pending_events()), (u32::MAX, 0));
    assert_eq!(bench.now, Instant::ZERO);
}

#[test]
fn what_is_no_such_bank_is_refused() {
    let build = |node: Node| (MODEL.build)(&node).err().map(|error| error.to_string());
    assert_eq!(
        build(Node::default().cells("bank-width", &[2])).unwrap(),
        "/bench/device@0: property bank-width: a bank of 2 bytes is not known; give 4: two chips of 16 bits"
    );
    assert_eq!(
        build(Node::default().cells("reg", &[0, 0x102])).unwrap(),
        "/bench/device@0: property reg: 0x102 bytes are no whole words; give a multiple of 4"
    );
}
