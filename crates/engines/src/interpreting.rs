//! One instruction at a time.

use crate::{Executing, Left, Timing};
use socscope_architectures::AnyCore;
use socscope_arm::interpreter as arm;
use socscope_core::Observer;
use socscope_core::plain::{self, Plain, PlainCore};
use socscope_isa::CycleModel;
use socscope_memory::Bus;
use socscope_powerpc::interpreter::Outcome;
use socscope_powerpc::{Class, Processor};
use socscope_timing::FixedCpi;

/// Interprets up to the bus's deadline, until the observer asks for a stop, or until the core waits.
pub fn interpret<B: Bus, O: Observer>(executing: Executing, bus: &mut B, observer: &mut O) -> Left {
    let Executing {
        core,
        timing,
        cycle,
    } = executing;
    match (core, timing) {
        (AnyCore::Arm(core), Timing::Arm7Tdmi(model)) => {
            left(arm::run(core, bus, model, observer, cycle))
        }
        (AnyCore::Arm(core), Timing::FixedCpi(model)) => {
            left(arm::run(core, bus, model, observer, cycle))
        }
        (AnyCore::Arm(core), Timing::Caches(model)) => {
            left(arm::run(core, bus, &mut **model, observer, cycle))
        }
        (AnyCore::Arm(core), Timing::Arm9(model)) => {
            left(arm::run(core, bus, model, observer, cycle))
        }
        (AnyCore::Arm(core), Timing::CachedArm9(model)) => {
            left(arm::run(core, bus, &mut **model, observer, cycle))
        }
        (AnyCore::PowerPc(processor), Timing::Caches(model)) => {
            run_powerpc(processor, bus, &mut **model, observer, cycle)
        }
        (AnyCore::PowerPc(processor), timing) => {
            run_powerpc(processor, bus, ratio(timing), observer, cycle)
        }
        (AnyCore::Toy(core), timing) => run_plain(core, bus, timing, observer, cycle),
    }
}

/// How a core is left that waits for an interrupt, or does not.
fn left(waits: bool) -> Left {
    match waits {
        true => Left::Asleep,
        false => Left::Ready,
    }
}

/// Interprets one instruction, or takes one exception.
pub fn step<B: Bus, O: Observer>(executing: Executing, bus: &mut B, observer: &mut O) -> Left {
    let Executing {
        core,
        timing,
        cycle,
    } = executing;
    let step = match (core, timing) {
        (AnyCore::Arm(core), Timing::Arm7Tdmi(model)) => {
            arm::step(core, bus, model, observer, *cycle)
        }
        (AnyCore::Arm(core), Timing::FixedCpi(model)) => {
            arm::step(core, bus, model, observer, *cycle)
        }
        (AnyCore::Arm(core), Timing::Caches(model)) => {
            arm::step(core, bus, &mut **model, observer, *cycle)
        }
        (AnyCore::Arm(core), Timing::Arm9(model)) => arm::step(core, bus, model, observer, *cycle),
        (AnyCore::Arm(core), Timing::CachedArm9(model)) => {
            arm::step(core, bus, &mut **model, observer, *cycle)
        }
        (AnyCore::PowerPc(processor), Timing::Caches(model)) => {
            return step_powerpc(processor, bus, &mut **model, observer, cycle);
        }
        (AnyCore::PowerPc(processor), timing) => {
            return step_powerpc(processor, bus, ratio(timing), observer, cycle);
        }
        (AnyCore::Toy(core), timing) => {
            return step_plain(core, bus, timing, observer, cycle);
        }
    };
    *cycle += step.cycles;
    left(step.outcome == arm::Outcome::Waits)
}

/// The timing model of a core without one of its own and without caches; a platform with another one is refused when it is built.
pub(crate) fn ratio(timing: &mut Timing) -> &mut FixedCpi {
    match timing {
        Timing::FixedCpi(model) => model,
        Timing::Arm7Tdmi(_) | Timing::Caches(_) | Timing::Arm9(_) | Timing::CachedArm9(_) => {
            unreachable!("it is another core's own, or has caches")
        }
    }
}

fn run_powerpc<B: Bus, M: CycleModel<Class>, O: Observer>(
    processor: &mut Processor,
    bus: &mut B,
    model: &mut M,
    observer: &mut O,
    cycle: &mut u64,
) -> Left {
    while *cycle < bus.deadline() && !observer.stop() {
        let left = step_powerpc(processor, bus, model, observer, cycle);
        if left != Left::Ready {
            return left;
        }
    }
    Left::Ready
}

fn step_powerpc<B: Bus, M: CycleModel<Class>, O: Observer>(
    processor: &mut Processor,
    bus: &mut B,
    model: &mut M,
    observer: &mut O,
    cycle: &mut u64,
) -> Left {
    let Processor { core, mmu } = processor;
    let step = socscope_powerpc::interpreter::step(core, bus, mmu, model, observer, *cycle);
    *cycle += step.cycles;
    Left::from(step.outcome)
}

fn run_plain<A: Plain, B: Bus, O: Observer>(
    core: &mut PlainCore<A>,
    bus: &mut B,
    timing: &mut Timing,
    observer: &mut O,
    cycle: &mut u64,
) -> Left {
    while *cycle < bus.deadline() && !observer.stop() {
        let left = step_plain(core, bus, timing, observer, cycle);
        if left != Left::Ready {
            return left;
        }
    }
    Left::Ready
}

fn step_plain<A: Plain, B: Bus, O: Observer>(
    core: &mut PlainCore<A>,
    bus: &mut B,
    timing: &mut Timing,
    observer: &mut O,
    cycle: &mut u64,
) -> Left {
    let step = match timing {
        Timing::Caches(model) => plain::step(core, bus, &mut **model, observer, *cycle),
        timing => plain::step(core, bus, ratio(timing), observer, *cycle),
    };
    *cycle += step.cycles;
    match step.outcome {
        plain::Outcome::Waits => Left::Asleep,
        plain::Outcome::Executed | plain::Outcome::Exception(_) => Left::Ready,
    }
}

impl From<Outcome> for Left {
    fn from(outcome: Outcome) -> Left {
        match outcome {
            Outcome::Checkstop => Left::GivenUp,
            Outcome::Stopped => Left::Asleep,
            Outcome::Executed | Outcome::Exception(_) => Left::Ready,
        }
    }
}
