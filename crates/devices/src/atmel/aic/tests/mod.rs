mod registers;
mod service;
mod sources;
mod spurious;

use super::registers::{IECR, SMR, SMR_EDGE, SPU, SVR};
use crate::bench::Bench;

const EDGE: u32 = SMR_EDGE;

/// Sources 2 to 9 enabled, level-sensitive, source n with priority n - 2 and vector 0x100 * n.
fn bench() -> Bench {
    let mut bench = Bench::new("atmel,at91x40-aic");
    for source in 2..10 {
        bench.write(SMR + 4 * source, source - 2);
        bench.write(SVR + 4 * source, 0x100 * source);
    }
    bench.write(SPU, 0xbad0);
    bench.write(IECR, 0x3fc);
    bench
}
