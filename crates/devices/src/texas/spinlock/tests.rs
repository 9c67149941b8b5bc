use crate::bench::Bench;
use socscope_memory::Width;

const SYSCONFIG: u32 = 0x10;
const SYSSTATUS: u32 = 0x14;
const LOCK: u32 = 0x800;

#[test]
fn the_first_reader_takes_a_lock_and_a_zero_gives_it_back() {
    let mut bench = Bench::new("ti,omap4-hwspinlock");
    assert_eq!([(); 3].map(|()| bench.read(LOCK + 4)), [0, 1, 1]);
    assert_eq!(bench.read(LOCK + 8), 0, "another lock");
    assert_eq!(bench.peek(LOCK + 12), Some(0), "a look takes nothing");
    assert_eq!(bench.read(LOCK + 12), 0);
    bench.write(LOCK + 4, 1);
    assert_eq!(bench.read(LOCK + 4), 1, "a one changes nothing");
    bench.write(LOCK + 4, 0);
    assert_eq!([(); 2].map(|()| bench.read(LOCK + 4)), [0, 1]);
    assert_eq!(bench.read_width(LOCK + 16, Width::Byte), 0);
    assert_eq!(bench.read(LOCK + 16), 1, "a byte takes it, too");
}

#[test]
fn the_status_tells_of_taken_locks_and_a_reset_frees_them() {
    let mut bench = Bench::new("ti,omap4-hwspinlock");
    assert_eq!(bench.read(SYSSTATUS), 0x0100_0001);
    bench.read(LOCK + 4 * 31);
    assert_eq!(bench.read(SYSSTATUS), 0x0100_0101);
    bench.write(SYSCONFIG, 0x02);
    assert_eq!(bench.read(SYSSTATUS), 0x0100_0001);
    assert_eq!(bench.read(LOCK + 4 * 31), 0);
    bench.write(SYSCONFIG, 0x1c);
    assert_eq!(bench.read(SYSCONFIG), 0x1c);
    bench.read(LOCK + 4 * 32);
    assert_eq!(bench.warnings.len(), 1, "there is no 33rd");
}
