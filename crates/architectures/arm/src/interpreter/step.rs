//! One instruction or exception entry at a time.

use super::access::picked;
use super::executor::{Executor, Leaving};
use crate::mmu::Abort;
use crate::{Core, Exception, InstructionSet, LINK, STACK};
use socscope_core::{Core as _, Observer, Purpose, Transfer};
use socscope_isa::{CycleClass, CycleModel};
use socscope_memory::{Access, Bus, RegionIndex, Width};

/// What [`step`] did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// Cycles taken, exception entry included.
    pub cycles: u64,
    /// What happened.
    pub outcome: Outcome,
}

/// What a step came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// An instruction was executed.
    Executed,
    /// The condition of an instruction failed.
    Passed,
    /// The instruction has made the core wait for an interrupt.
    Waits,
    /// An exception was taken: by the instruction, after it (data abort), or instead of one.
    Exception(Exception),
}

/// Executes one instruction, or takes one interrupt or prefetch abort, that starts at `cycle`.
#[inline]
pub fn step<B: Bus, M: CycleModel, O: Observer>(
    core: &mut Core,
    bus: &mut B,
    model: &mut M,
    observer: &mut O,
    cycle: u64,
) -> Step {
    let set = core.instruction_set();
    let address = set.width().align(core.program_counter());
    if bus.fiq() && !core.status().fiq_disabled {
        return interrupt(core, bus, model, observer, Exception::FastInterrupt);
    }
    if bus.irq() && !core.status().irq_disabled {
        return interrupt(core, bus, model, observer, Exception::Interrupt);
    }
    let (physical, opcode) = match fetch(core, bus, address, set.width()) {
        Ok(fetched) => fetched,
        Err(abort) => return prefetch_abort(core, bus, model, observer, abort),
    };
    let executor = Executor {
        core,
        bus,
        model,
        observer,
        cycle,
        address,
        set,
        word: opcode.value,
        leaving: Leaving::Falling,
        abort: None,
        unprivileged: false,
        waits: false,
    };
    let place = (physical, opcode.region);
    match set {
        InstructionSet::Arm => execute(executor, InstructionSet::Arm, place),
        InstructionSet::Thumb => execute(executor, InstructionSet::Thumb, place),
    }
}

/// The instruction, and where on the bus it lies.
#[inline(always)]
fn fetch<B: Bus>(
    core: &mut Core,
    bus: &mut B,
    address: u32,
    width: Width,
) -> Result<(u32, Access), Abort> {
    let unprivileged = core.is_unprivileged();
    let physical = core.translate(bus, address, Purpose::Fetch, unprivileged)?;
    let physical = physical ^ picked(core, width);
    match bus.fetch(physical, width) {
        Ok(access) => Ok((physical, access)),
        Err(fault) => {
            let status = core.external_abort(bus, address, true);
            let modified = core.control.modified(address);
            Err(Abort::external(modified, status, fault))
        }
    }
}

/// Steps until the bus's deadline, until the observer asks for a stop, or until the core waits for an interrupt; whether it does.
pub fn run<B: Bus, M: CycleModel, O: Observer>(
    core: &mut Core,
    bus: &mut B,
    model: &mut M,
    observer: &mut O,
    cycle: &mut u64,
) -> bool {
    while *cycle < bus.deadline() && !observer.stop() {
        let step = step(core, bus, model, observer, *cycle);
        *cycle += step.cycles;
        if step.outcome == Outcome::Waits {
            return true;
        }
    }
    false
}

#[inline(always)]
fn execute<B: Bus, M: CycleModel, O: Observer>(
    mut executor: Executor<'_, B, M, O>,
    set: InstructionSet,
    (physical, region): (u32, RegionIndex),
) -> Step {
    executor.set = set;
    let (address, word) = (executor.address, executor.word);
    let width = set.width();
    let model = executor.core.model();
    let instruction = crate::instruction(model, set, word);
    let code = crate::condition_code(model, set, word);
    let holds = code == crate::ALWAYS || crate::condition(&mut executor, code);
    let class = if holds {
        instruction.class
    } else {
        CycleClass::NotExecuted
    };
    executor.observer.instruction(address, width, region);
    executor
        .model
        .begin(class, region, executor.bus.cost(region), width);
    if M::WANTS_OPERANDS {
        let operands = crate::operands(model, set, word);
        executor.model.operands(&operands);
    }
    executor.model.fetched(physical, region);
    executor
        .observer
        .begins(class, address, width, executor.core);
    executor
        .core
        .set_program_counter(address.wrapping_add(width.bytes()));
    if holds {
        (instruction.read)(&mut executor, word);
    }
    let Executor {
        core,
        bus,
        model,
        observer,
        leaving,
        abort,
        waits,
        ..
    } = executor;
    if leaving != Leaving::Falling {
        refill(core, bus, model, observer);
    }
    let cycles = model.end();
    observer.cycles(cycles);
    if let Leaving::Exception(exception) = leaving {
        bus.exception(exception.number(), address);
    }
    if leaving != Leaving::Falling {
        let kind = kind(core, leaving, address.wrapping_add(width.bytes()));
        observer.transfer(address, core.program_counter(), kind, core.register(STACK));
    }
    if let Some(abort) = abort {
        return data_abort(core, bus, model, observer, (address, width), abort, cycles);
    }
    let outcome = match leaving {
        Leaving::Exception(exception) => Outcome::Exception(exception),
        _ if waits => Outcome::Waits,
        _ if holds => Outcome::Executed,
        _ => Outcome::Passed,
    };
    Step { cycles, outcome }
}

/// A jump that leaves the address of the next instruction in LR is a call, whichever instruction it is
/// (BL, but also `mov lr, pc` and `bx`).
#[inline(always)]
fn kind(core: &Core, leaving: Leaving, next: u32) -> Transfer {
    match leaving {
        Leaving::Exception(exception) => Transfer::ExceptionEntry(exception.number()),
        Leaving::Return => Transfer::ExceptionReturn,
        _ if core.register(LINK) & !1 == next => Transfer::Call,
        _ => Transfer::Jump,
    }
}

#[inline(always)]
fn refill<B: Bus, M: CycleModel, O: Observer>(
    core: &Core,
    bus: &B,
    model: &mut M,
    observer: &mut O,
) {
    let (target, width) = (core.program_counter(), core.instruction_set().width());
    let region = bus.region(target);
    model.refill(region, bus.cost(region), width);
    observer.refills(target, width);
}

#[cold]
#[inline(never)]
fn interrupt<B: Bus, M: CycleModel, O: Observer>(
    core: &mut Core,
    bus: &mut B,
    model: &mut M,
    observer: &mut O,
    exception: Exception,
) -> Step {
    let next = core.program_counter();
    let width = core.instruction_set().width();
    let cycles = enter(core, bus, model, observer, exception, (next, next, width));
    Step {
        cycles,
        outcome: Outcome::Exception(exception),
    }
}

#[cold]
#[inline(never)]
fn prefetch_abort<B: Bus, M: CycleModel, O: Observer>(
    core: &mut Core,
    bus: &mut B,
    model: &mut M,
    observer: &mut O,
    abort: Abort,
) -> Step {
    core.take_prefetch_abort(abort);
    interrupt(core, bus, model, observer, Exception::PrefetchAbort)
}

#[cold]
#[inline(never)]
fn data_abort<B: Bus, M: CycleModel, O: Observer>(
    core: &mut Core,
    bus: &mut B,
    model: &mut M,
    observer: &mut O,
    (address, width): (u32, Width),
    abort: Abort,
    cycles: u64,
) -> Step {
    core.take_data_abort(abort);
    let exception = Exception::DataAbort;
    let next = address.wrapping_add(width.bytes());
    let entry = enter(
        core,
        bus,
        model,
        observer,
        exception,
        (address, next, width),
    );
    Step {
        cycles: cycles + entry,
        outcome: Outcome::Exception(exception),
    }
}

/// Takes an exception for the instruction at `address`, with `next` fetched in vain.
fn enter<B: Bus, M: CycleModel, O: Observer>(
    core: &mut Core,
    bus: &mut B,
    model: &mut M,
    observer: &mut O,
    exception: Exception,
    (address, next, width): (u32, u32, Width),
) -> u64 {
    let region = bus.region(next);
    model.begin(CycleClass::Exception, region, bus.cost(region), width);
    observer.begins(CycleClass::Exception, next, width, core);
    observer.interrupted(exception.number(), address, core.register(STACK));
    core.enter(exception, address);
    if core.model().has_system_control() {
        observer.execution_state(core.execution_state());
    }
    bus.exception(exception.number(), address);
    refill(core, bus, model, observer);
    let cycles = model.end();
    let kind = Transfer::ExceptionEntry(exception.number());
    observer.transfer(address, core.program_counter(), kind, core.register(STACK));
    observer.cycles(cycles);
    cycles
}
