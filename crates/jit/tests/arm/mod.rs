//! The same random programs by both engines: the same state, memory, cycles and counts after every piece.

#[path = "../powerpc/caches.rs"]
mod caches;
#[path = "../powerpc/counted.rs"]
pub mod counted;
#[allow(dead_code)]
#[path = "../plain/bus.rs"]
pub mod plain_bus;
pub mod program;
#[path = "../powerpc/random.rs"]
pub mod random;

use plain_bus::TestBus;
use program::{ARM, THUMB};
use random::Random;
use socscope_arm::interpreter::step;
use socscope_arm::timing::{Arm7Tdmi, Arm9, Arm9Core};
use socscope_arm::{Core, CoreModel, InstructionSet};
use socscope_core::Observer;
use socscope_isa::StaticCycleModel;
use socscope_jit::Translates;
use socscope_jit::arm::{Assumed, Learnt, Regions, Translator};
use socscope_memory::{AccessCost, Endianness};
use socscope_timing::FixedCpi;
use std::collections::BTreeSet;
use std::fmt::Debug;

/// What happens to a core.
pub type Disturbance = Box<dyn Fn(&mut Core)>;

/// What programs are made of.
pub struct Kind {
    pub memory: fn(&mut Random, CoreModel) -> Vec<u8>,
    pub core: fn(&mut Random, CoreModel) -> Core,
    /// What happens to the core between two pieces.
    pub disturb: fn(&mut Random, CoreModel) -> Disturbance,
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
        // A core that waits for an interrupt goes on here, as it does in the interpreter above.
        while self.cycle < self.bus.deadline {
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
}

/// Cycles, and how many instructions were interpreted.
pub fn compare<O: Observer, T: PartialEq + Debug>(
    kind: &Kind,
    (model, seed): (CoreModel, u64),
    probe: impl Fn() -> O,
    told: impl Fn(&O) -> T,
) -> (u64, u64) {
    let random = &mut Random::new(seed);
    let base = FixedCpi::new(3, 2).expect("a ratio");
    if let Some(core) = pipeline(model)
        && random.one_in(2)
    {
        return pipelined(kind, (model, seed, core), random, probe, told);
    }
    if let Some(timing) = caches::some(random, &base) {
        return run::<Assumed, _, _, _>(kind, (model, seed), &timing, probe, told);
    }
    // Granules are those of addresses on the bus, and the ARM7TDMI's cycles are its own.
    if model.has_system_control() {
        return run::<Assumed, _, _, _>(kind, (model, seed), &base, probe, told);
    }
    match random.one_in(2) {
        true => run::<Learnt, _, _, _>(kind, (model, seed), &base, probe, told),
        false => run::<Learnt, _, _, _>(kind, (model, seed), &Arm7Tdmi::default(), probe, told),
    }
}

/// The pipeline of a model.
fn pipeline(model: CoreModel) -> Option<Arm9Core> {
    match model {
        CoreModel::Arm920T => Some(Arm9Core::Tdmi),
        CoreModel::Arm926EjS => Some(Arm9Core::EjS),
        _ => None,
    }
}

/// Between caches; where every access takes a cycle; and with wait states, where regions are learnt.
fn pipelined<O: Observer, T: PartialEq + Debug>(
    kind: &Kind,
    (model, seed, core): (CoreModel, u64, Arm9Core),
    random: &mut Random,
    probe: impl Fn() -> O,
    told: impl Fn(&O) -> T,
) -> (u64, u64) {
    let named = (model, seed);
    if let Some(timing) = caches::some(random, &Arm9::behind_caches(core)) {
        return run::<Assumed, _, _, _>(kind, named, &timing, probe, told);
    }
    let timing = Arm9::new(core);
    let single = AccessCost::SINGLE_CYCLE;
    let [some, many] =
        [(1, 0), (3, 2)].map(|(first, next)| AccessCost::with_wait_states(16, first, next));
    match random.one_in(2) {
        true => run_at::<Assumed, _, _, _>(kind, named, (&timing, [single; 3]), probe, told),
        false => {
            let costs = random.pick(&[[single, some, many], [some, single, single]]);
            run_at::<Learnt, _, _, _>(kind, named, (&timing, costs), probe, told)
        }
    }
}

fn run<R: Regions, M: StaticCycleModel + Debug, O: Observer, T: PartialEq + Debug>(
    kind: &Kind,
    (model, seed): (CoreModel, u64),
    timing: &M,
    probe: impl Fn() -> O,
    told: impl Fn(&O) -> T,
) -> (u64, u64) {
    let single = AccessCost::SINGLE_CYCLE;
    let costs = [single, single, AccessCost::with_wait_states(16, 2, 1)];
    run_at::<R, _, _, _>(kind, (model, seed), (timing, costs), probe, told)
}

/// With these costs of RAM, ROM and device.
fn run_at<R: Regions, M: StaticCycleModel + Debug, O: Observer, T: PartialEq + Debug>(
    kind: &Kind,
    (model, seed): (CoreModel, u64),
    (timing, costs): (&M, [AccessCost; 3]),
    probe: impl Fn() -> O,
    told: impl Fn(&O) -> T,
) -> (u64, u64) {
    let random = &mut Random::new(seed ^ 0x1234_5678);
    let ram = (kind.memory)(random, model);
    let core = (kind.core)(random, model);
    let [mut slow, mut fast] = [(); 2].map(|()| Run {
        core: core.clone(),
        bus: TestBus::costing(&ram, Endianness::Little, costs),
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
        let disturb = (kind.disturb)(random, model);
        for run in [&mut slow, &mut fast] {
            run.bus.deadline = deadline;
            run.bus.irq = irq;
            disturb(&mut run.core);
            if let Some(place) = again {
                let thumb = run.core.instruction_set() == InstructionSet::Thumb;
                run.core
                    .set_program_counter(if thumb { THUMB } else { ARM } + 4 * place);
            }
        }
        slow.interpret();
        fast.translate(&mut translator);
        let place = format!("{model:?}, seed {seed}, piece {piece}, up to cycle {deadline}");
        let place = format!("{place}, {timing:?}");
        assert_eq!(slow.cycle, fast.cycle, "{place}");
        assert_eq!(slow.core, fast.core, "{place}");
        assert_eq!(slow.model, fast.model, "{place}");
        assert_eq!(slow.bus.seen, fast.bus.seen, "{place}: the device");
        assert_eq!(told(&slow.probe), told(&fast.probe), "{place}: told");
        assert!(slow.bus.memory() == fast.bus.memory(), "{place}: memory");
    }
    (slow.cycle, translator.statistics().interpreted)
}
