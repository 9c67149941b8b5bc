//! One instruction or exception entry of a plain core at a time.

use super::executor::{Executor, Leaving};
use super::{Plain, PlainCore, cause, width};
use crate::{Observer, Transfer};
use socscope_isa::{CycleClass, CycleModel};
use socscope_memory::{Bus, Fault, RegionIndex, Width};

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
    /// An exception was taken: by the instruction, after it, or instead of one.
    Exception(u8),
    /// An instruction was executed that waits for an interrupt.
    Waits,
}

/// An instruction that was fetched.
struct Fetched {
    word: u32,
    width: Width,
    first: u32,
    /// The regions of its first and of its last unit.
    regions: [RegionIndex; 2],
}

/// Executes one instruction, or takes one interrupt or failed fetch, that starts at `cycle`. The bus has the byte order of the model.
///
/// Of the observer's hooks `begins`, `refills` and `multiplier` are not called: there is no pipeline.
#[inline]
pub fn step<A: Plain, B: Bus, M: CycleModel, O: Observer>(
    core: &mut PlainCore<A>,
    bus: &mut B,
    model: &mut M,
    observer: &mut O,
    cycle: u64,
) -> Step {
    // A saved state may say anything.
    let address = A::UNIT.align(core.program_counter());
    let executor = Executor {
        core,
        bus,
        model,
        observer,
        cycle,
        address,
        leaving: Leaving::Falling,
        linked: false,
        waits: false,
        exception: None,
    };
    if executor.bus.irq() && A::takes_interrupts(executor.core.slot(A::STATUS)) {
        return executor.enter(A::INTERRUPT, address, 0);
    }
    match fetch::<A, B>(executor.bus, address) {
        Ok(fetched) => executor.execute(&fetched),
        Err(fault) => {
            executor.core.last_fault = Some(fault);
            executor.enter(A::FAULT, address, 0)
        }
    }
}

#[inline(always)]
fn fetch<A: Plain, B: Bus>(bus: &mut B, address: u32) -> Result<Fetched, Fault> {
    let opcode = bus.fetch(address, A::UNIT)?;
    let (first, region) = (opcode.value, opcode.region);
    let width = width::<A>(first);
    let mut fetched = Fetched {
        word: first,
        width,
        first,
        regions: [region; 2],
    };
    if width != A::UNIT {
        let rest = bus.fetch(address.wrapping_add(A::UNIT.bytes()), A::UNIT)?;
        fetched.word = first << A::UNIT.bits() | rest.value;
        fetched.regions[1] = rest.region;
    }
    Ok(fetched)
}

impl<A: Plain, B: Bus, M: CycleModel, O: Observer> Executor<'_, A, B, M, O> {
    #[inline(always)]
    fn execute(mut self, fetched: &Fetched) -> Step {
        let &Fetched { word, width, .. } = fetched;
        let address = self.address;
        let next = address.wrapping_add(width.bytes());
        let [region, last] = fetched.regions;
        let instruction = A::instruction(fetched.first);
        self.observer.instruction(address, width, region);
        let cost = self.bus.cost(region);
        self.model.begin(instruction.class, region, cost, width);
        self.model.fetched(address, region);
        if width != A::UNIT {
            let rest = address.wrapping_add(A::UNIT.bytes());
            self.model.fetched(rest, last);
        }
        self.core.set_program_counter(next);
        (instruction.read)(&mut self, word);
        let cycles = self.model.end();
        self.observer.cycles(cycles);
        if let Some(number) = self.exception {
            let back = match cause::<A>(number).is_by_instruction() {
                true => next,
                false => address,
            };
            return self.enter(number, back, cycles);
        }
        if self.leaving != Leaving::Falling {
            let target = self.core.program_counter();
            let kind = match self.leaving {
                Leaving::Return => Transfer::ExceptionReturn,
                _ if self.linked && target != next => Transfer::Call,
                _ => Transfer::Jump,
            };
            let stack = self.core.slot(A::STACK);
            self.observer.transfer(address, target, kind, stack);
        }
        let outcome = match self.waits {
            true => Outcome::Waits,
            false => Outcome::Executed,
        };
        Step { cycles, outcome }
    }

    /// Takes an exception after `cycles` of its instruction; the interrupted code goes on at `back`.
    #[cold]
    #[inline(never)]
    fn enter(mut self, number: u8, back: u32, cycles: u64) -> Step {
        let stack = self.core.slot(A::STACK);
        self.observer.interrupted(number, back, stack);
        let target = A::enter(&mut self, number, back);
        self.core.set_program_counter(target);
        let target = self.core.program_counter();
        let region = self.bus.region(target);
        let cost = self.bus.cost(region);
        self.model
            .begin(CycleClass::Exception, region, cost, A::UNIT);
        let entry = self.model.end();
        self.bus.exception(number, self.address);
        let kind = Transfer::ExceptionEntry(number);
        let stack = self.core.slot(A::STACK);
        self.observer.transfer(self.address, target, kind, stack);
        self.observer.cycles(entry);
        Step {
            cycles: cycles + entry,
            outcome: Outcome::Exception(number),
        }
    }
}
