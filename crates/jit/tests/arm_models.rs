//! Random programs of every ARM model by both engines, with three timing models: the same state, memory, cycles and counts after every piece.

#[path = "powerpc/caches.rs"]
mod caches;
#[path = "powerpc/counted.rs"]
mod counted;
#[allow(dead_code)]
#[path = "plain/bus.rs"]
mod plain_bus;
#[path = "powerpc/random.rs"]
mod random;

use counted::Counted;
use plain_bus::{DEVICE, RAM_BYTES, TestBus};
use random::Random;
use socscope_arm::interpreter::step;
use socscope_arm::timing::Arm7Tdmi;
use socscope_arm::{
    Core, CoreModel, InstructionSet, Mode, Status, Version, control, decode, encodings,
};
use socscope_core::{Observer, Unobserved};
use socscope_isa::StaticCycleModel;
use socscope_jit::Translates;
use socscope_jit::arm::{Assumed, Learnt, Regions, Translator};
use socscope_memory::{Endianness, Width};
use socscope_timing::FixedCpi;
use std::collections::BTreeSet;
use std::fmt::Debug;

/// Where random ARM code begins, random Thumb code, and where that ends: behind the end of a page.
const ARM: u32 = 0x40;
const THUMB: u32 = 0xa00;
const END: u32 = 0x1400;
/// Data around which most addresses lie.
const DATA: u32 = 0x2000;

/// A word of an encoding that the model has; distances are mostly short, conditions mostly hold.
fn instruction(random: &mut Random, model: CoreModel, set: InstructionSet) -> u32 {
    loop {
        let all = encodings(model, set);
        let place = random.below(all.len() as u32) as usize;
        let mut word = all[place].pattern.instance(random.word());
        if set == InstructionSet::Arm {
            if all[place].pattern.mask >> 28 == 0 && !random.one_in(4) {
                word = word & 0x0fff_ffff | 0xe000_0000;
            }
            if word >> 25 & 7 == 5 {
                let distance = random.below(0x60).wrapping_sub(0x40);
                word = word & 0xff00_0000 | distance & 0x00ff_ffff;
            }
        }
        // Most programs end where a wild jump or a trap has led them.
        let leaves = footprint_leaves(model, set, word);
        if decode(model, set, word) == place && (!leaves || random.one_in(4)) {
            return word;
        }
    }
}

fn footprint_leaves(model: CoreModel, set: InstructionSet, word: u32) -> bool {
    let found = socscope_arm::footprint(model, set, ARM, word);
    !matches!(
        found.leave,
        None | Some(socscope_arm::Leave::Branch(socscope_arm::Value::Constant(
            _
        )))
    )
}

/// Vectors that lead into the code, and the code.
fn memory(random: &mut Random, model: CoreModel) -> Vec<u8> {
    let mut ram: Vec<u8> = (0..RAM_BYTES).map(|_| random.word() as u8).collect();
    let mut put = |at: u32, width: Width, word: u32| {
        let bytes = width.bytes() as usize;
        ram[at as usize..at as usize + bytes].copy_from_slice(&word.to_le_bytes()[..bytes]);
    };
    for vector in (0..ARM).step_by(4) {
        let target = ARM + 4 * random.below(0x200);
        put(
            vector,
            Width::Word,
            0xea00_0000 | (target - vector - 8) >> 2,
        );
    }
    for at in (ARM..THUMB).step_by(4) {
        put(
            at,
            Width::Word,
            instruction(random, model, InstructionSet::Arm),
        );
    }
    for at in (THUMB..END).step_by(2) {
        put(
            at,
            Width::Half,
            instruction(random, model, InstructionSet::Thumb),
        );
    }
    ram
}

/// A register's value: an address of data, of code, of the device, or any word.
fn value(random: &mut Random) -> u32 {
    match random.below(8) {
        0 => DEVICE + random.below(0x100),
        1 => ARM + 4 * random.below(0x240),
        2 => THUMB + 2 * random.below(0x400) + 1,
        3..6 => DATA + 4 * random.below(0x200),
        6 => random.below(64),
        _ => random.word(),
    }
}

fn core(random: &mut Random, model: CoreModel) -> Core {
    let mut core = Core::new(model);
    for mode in Mode::ALL {
        for index in 0..15 {
            core.set_register_of(mode, index, value(random));
        }
        let bits = random.word() & 0xf90f_01e0 | Mode::ALL[random.below(7) as usize] as u32;
        core.set_saved_status_of(mode, Status::RESET.with_bits_of(model, bits));
    }
    let modes = [Mode::Supervisor, Mode::System, Mode::User, Mode::Interrupt];
    let bits = random.word() & 0xf80f_01c0 | random.pick(&modes) as u32;
    let thumb = random.one_in(2);
    core.set_status(Status {
        instruction_set: InstructionSet::ALL[usize::from(thumb)],
        ..Status::RESET.with_bits_of(model, bits)
    });
    core.set_program_counter(if thumb { THUMB } else { ARM } + 4 * random.below(0x100));
    let control = &mut core.control;
    if model.has(Version::V6) {
        control.set_control(control::UNALIGNED, random.one_in(2));
        control.set_control(control::BIG_ENDIAN_EXCEPTIONS, random.one_in(8));
    }
    let checked = model.has_system_control() && random.one_in(4);
    control.set_control(control::ALIGNMENT, checked);
    core
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
            self.cycle += step(core, bus, model, &mut self.probe, self.cycle).cycles;
        }
    }

    fn translate<R: Regions>(&mut self, translator: &mut Translator<R, M>) {
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
    (model, seed): (CoreModel, u64),
    probe: impl Fn() -> O,
    told: impl Fn(&O) -> T,
) -> (u64, u64) {
    let random = &mut Random::new(seed);
    let base = FixedCpi::new(3, 2).expect("a ratio");
    if let Some(timing) = caches::some(random, &base) {
        return run::<Assumed, _, _, _>((model, seed), &timing, probe, told);
    }
    match random.one_in(2) {
        true => run::<Learnt, _, _, _>((model, seed), &base, probe, told),
        false => run::<Learnt, _, _, _>((model, seed), &Arm7Tdmi::default(), probe, told),
    }
}

fn run<R: Regions, M: StaticCycleModel + Debug, O: Observer, T: PartialEq + Debug>(
    (model, seed): (CoreModel, u64),
    timing: &M,
    probe: impl Fn() -> O,
    told: impl Fn(&O) -> T,
) -> (u64, u64) {
    let random = &mut Random::new(seed ^ 0x1234_5678);
    let ram = memory(random, model);
    let core = core(random, model);
    let [mut slow, mut fast] = [(); 2].map(|()| Run {
        core: core.clone(),
        bus: TestBus::new(&ram, Endianness::Little),
        model: timing.clone(),
        probe: probe(),
        cycle: 0,
    });
    let mut translator = Translator::<R, M>::new().expect("a compiler for this host");
    translator.set_threshold(random.pick(&[1, 1, 3]));
    for piece in 0..30 {
        let deadline = slow.cycle + 1 + u64::from(random.below(600));
        let irq = random.one_in(10);
        // A program that hangs somewhere goes on elsewhere.
        let again = random.one_in(4).then(|| random.below(0x200));
        for run in [&mut slow, &mut fast] {
            run.bus.deadline = deadline;
            run.bus.irq = irq;
            if let Some(place) = again {
                let thumb = run.core.instruction_set() == InstructionSet::Thumb;
                run.core
                    .set_program_counter(if thumb { THUMB } else { ARM } + 4 * place);
            }
        }
        slow.interpret();
        fast.translate(&mut translator);
        let place = format!("{model:?}, seed {seed}, piece {piece}, up to cycle {deadline}");
        assert_eq!(slow.core, fast.core, "{place}");
        assert_eq!(slow.cycle, fast.cycle, "{place}");
        assert_eq!(slow.model, fast.model, "{place}");
        assert_eq!(slow.bus.seen, fast.bus.seen, "{place}: the device");
        assert_eq!(told(&slow.probe), told(&fast.probe), "{place}: told");
        assert!(slow.bus.memory() == fast.bus.memory(), "{place}: memory");
    }
    (slow.cycle, translator.statistics().interpreted)
}

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
    all(|seed| compare(seed, || Unobserved, |_| ()));
}

#[test]
fn both_engines_count_the_same() {
    all(|seed| compare(seed, Counted::new, Counted::all));
}
