//! Random programs of the toy by both engines, in either byte order: the same state, memory, cycles and counts after every piece.

#[path = "powerpc/caches.rs"]
mod caches;
#[path = "powerpc/counted.rs"]
mod counted;
#[path = "plain/bus.rs"]
mod plain_bus;
#[path = "powerpc/random.rs"]
mod random;

use counted::Counted;
use plain_bus::{DEVICE, RAM_BYTES, TestBus};
use random::Random;
use socscope_core::plain::{Outcome, step};
use socscope_core::{Observer, Unobserved};
use socscope_isa::StaticCycleModel;
use socscope_jit::Translates;
use socscope_jit::plain::Translator;
use socscope_memory::Endianness;
use socscope_timing::FixedCpi;
use socscope_toy::{Core, RESET, Toy, encodings, slot};
use std::collections::BTreeSet;
use std::fmt::Debug;

/// Where the random code ends: behind the end of a page.
const CODE_END: usize = 0x1400;

/// Halves of instructions; distances are mostly short.
fn code(random: &mut Random) -> Vec<u32> {
    let mut halves = vec![];
    while halves.len() < CODE_END / 2 {
        let place = random.below(encodings().len() as u32) as usize;
        let row = &encodings()[place];
        let mut word = row.pattern.instance(random.word());
        if row.pattern.bits == 16 {
            halves.push(word);
            continue;
        }
        if !random.one_in(4) {
            let mask = match row.pattern.mask {
                0xf000_0000 => 0x0fff_ffff,
                _ => 0xffff,
            };
            let distance = random.below(0x80).wrapping_sub(0x40);
            word = word & !mask | distance & mask;
        }
        halves.extend([word >> 16, word & 0xffff]);
    }
    halves
}

struct Run<M, O> {
    core: Core,
    bus: TestBus,
    model: M,
    probe: O,
    cycle: u64,
}

impl<M: StaticCycleModel, O: Observer> Run<M, O> {
    fn interpret(&mut self) {
        while self.cycle < self.bus.deadline {
            let (core, bus, model) = (&mut self.core, &mut self.bus, &mut self.model);
            let step = step(core, bus, model, &mut self.probe, self.cycle);
            self.cycle += step.cycles;
            if step.outcome == Outcome::Waits {
                return;
            }
        }
    }

    fn translate(&mut self, translator: &mut Translator<Toy, M>) {
        translator.run(
            0,
            &mut self.core,
            &mut (),
            &mut self.bus,
            &mut self.model,
            &mut self.probe,
            &mut self.cycle,
            &BTreeSet::new(),
        );
    }
}

/// Cycles, and how many instructions were interpreted.
fn compare<O: Observer, T: PartialEq + Debug>(
    seed: u64,
    probe: impl Fn() -> O,
    told: impl Fn(&O) -> T,
) -> (u64, u64) {
    let ratio = Random::new(seed ^ 0x5555_5555).pick(&[(1, 1), (3, 2), (2, 3)]);
    let base = FixedCpi::new(ratio.0, ratio.1).expect("a ratio");
    match caches::some(&mut Random::new(seed ^ 0x7777_7777), &base) {
        Some(timing) => compare_models(seed, &timing, probe, told),
        None => compare_models(seed, &base, probe, told),
    }
}

fn compare_models<M: StaticCycleModel + Debug, O: Observer, T: PartialEq + Debug>(
    seed: u64,
    timing: &M,
    probe: impl Fn() -> O,
    told: impl Fn(&O) -> T,
) -> (u64, u64) {
    let random = &mut Random::new(seed);
    let (model, order) = match random.one_in(2) {
        true => (Toy::Little, Endianness::Little),
        false => (Toy::Big, Endianness::Big),
    };
    let mut ram = vec![0; RAM_BYTES];
    for (place, half) in code(random).into_iter().enumerate().take(CODE_END / 2) {
        let half = half as u16;
        let bytes = match order {
            Endianness::Little => half.to_le_bytes(),
            Endianness::Big => half.to_be_bytes(),
        };
        ram[2 * place..2 * place + 2].copy_from_slice(&bytes);
    }
    let mut core = Core::new(model);
    for register in 0..slot::COUNT as u32 {
        let value = match random.below(4) {
            0 => DEVICE + random.below(0x100),
            1 => random.below(CODE_END as u32),
            2 => 0x2000 + 4 * random.below(64),
            _ => random.word(),
        };
        core.set_slot(register, value);
    }
    core.set_program_counter(RESET + 2 * random.below(0x700));
    let [mut slow, mut fast] = [(); 2].map(|()| Run {
        core: core.clone(),
        bus: TestBus::new(&ram, order),
        model: timing.clone(),
        probe: probe(),
        cycle: 0,
    });
    let mut translator = Translator::new().expect("a compiler for this host");
    translator.set_threshold(random.pick(&[1, 1, 3]));
    for piece in 0..40 {
        let deadline = slow.cycle + 1 + u64::from(random.below(400));
        let irq = random.one_in(10);
        for run in [&mut slow, &mut fast] {
            run.bus.deadline = deadline;
            run.bus.irq = irq;
        }
        slow.interpret();
        fast.translate(&mut translator);
        let place = format!("seed {seed}, piece {piece}, up to cycle {deadline}");
        assert_eq!(slow.core, fast.core, "{place}");
        assert_eq!(slow.cycle, fast.cycle, "{place}");
        assert_eq!(slow.model, fast.model, "{place}");
        assert_eq!(slow.bus.seen, fast.bus.seen, "{place}: the device");
        assert_eq!(told(&slow.probe), told(&fast.probe), "{place}: told");
        assert!(slow.bus.memory() == fast.bus.memory(), "{place}: memory");
    }
    (slow.cycle, translator.statistics().interpreted)
}

fn all(probe: impl Fn(u64) -> (u64, u64)) {
    let mut sums = (0, 0);
    for seed in 1..300 {
        let (cycles, interpreted) = probe(seed);
        sums = (sums.0 + cycles, sums.1 + interpreted);
    }
    let (cycles, interpreted) = sums;
    assert!(cycles > 500_000, "{cycles}");
    assert!(interpreted < cycles / 2, "{interpreted} of {cycles}");
}

#[test]
fn both_engines_do_the_same() {
    all(|seed| compare(seed, || Unobserved, |_| ()));
}

#[test]
fn both_engines_count_the_same() {
    all(|seed| compare(seed, Counted::new, Counted::all));
}
