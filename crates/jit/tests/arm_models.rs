//! Random programs of every ARM model by both engines, with the timing models that it can have: the same state, memory, cycles and counts after every piece.

mod arm;

use arm::counted::Counted;
use arm::plain_bus::RAM_BYTES;
use arm::{Kind, compare, program};
use socscope_arm::CoreModel;
use socscope_core::Unobserved;

const KIND: Kind = Kind {
    memory: |random, model| {
        program::memory(random, RAM_BYTES, |random, set| {
            program::instruction(random, model, set)
        })
    },
    core: |random, model| program::core(random, model, program::value),
    disturb: |_, _| Box::new(|_| ()),
};

fn all(probe: impl Fn((CoreModel, u64)) -> (u64, u64)) {
    for model in CoreModel::ALL {
        let mut sums = (0, 0);
        for seed in 1..40 {
            let (cycles, interpreted) = probe((model, seed));
            sums = (sums.0 + cycles, sums.1 + interpreted);
        }
        let (cycles, interpreted) = sums;
        println!("{model:?}: {interpreted} interpreted in {cycles} cycles");
        assert!(cycles > 200_000, "{cycles}");
        assert!(interpreted < cycles / 4, "{interpreted} of {cycles}");
    }
}

#[test]
fn both_engines_do_the_same() {
    all(|seed| compare(&KIND, seed, || Unobserved, |_| ()));
}

#[test]
fn both_engines_count_the_same() {
    all(|seed| compare(&KIND, seed, Counted::new, Counted::all));
}
