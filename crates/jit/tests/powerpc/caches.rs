//! Small caches, so that lines come and go, changed ones too.

use super::Random;
use socscope_timing::{BaseModel, CacheModel, Caches, Geometry, Latencies, Replacement};

/// Of the test's bus: nothing, memory, ROM and device.
const CACHED: [bool; 4] = [false, true, true, false];

/// Caches before a core of `base` cost, half of the time.
pub fn some<B: BaseModel + Clone>(random: &mut Random, base: &B) -> Option<CacheModel<B>> {
    if random.one_in(2) {
        return None;
    }
    let caches = Caches {
        instruction: geometry(random),
        data: geometry(random),
        second_level: random.one_in(2).then(|| geometry(random)),
        latencies: Latencies {
            fetch_hit_cycles: random.pick(&[0, 0, 1]),
            data_hit_cycles: random.pick(&[0, 0, 1, 3]),
            second_level_cycles: random.below(12),
            memory_cycles: random.below(60),
            write_back_cycles: random.below(9),
        },
    };
    Some(CacheModel::new(base.clone(), &caches, CACHED.into()))
}

fn geometry(random: &mut Random) -> Geometry {
    let line = random.pick(&[4, 8, 16, 32, 64]);
    let sets = random.pick(&[1, 2, 4, 16, 128]);
    let (ways, replacement) = match random.one_in(2) {
        true => (random.pick(&[1, 2, 4, 8]), Replacement::Tree),
        false => (1 + random.below(16), Replacement::LeastRecentlyUsed),
    };
    Geometry::new(sets * line * ways, line, sets, replacement).expect("it is one")
}
