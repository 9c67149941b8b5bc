//! One instruction or exception entry at a time.

use super::executor::{Executor, Leaving};
use crate::facts::STACK;
use crate::{Class, Core, Exception, Msr, Translate};
use socscope_core::{Observer, Purpose, Transfer};
use socscope_isa::{CycleClass, CycleModel};
use socscope_memory::{Bus, RegionIndex, Width};

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
    Exception(Exception),
    /// A machine check while MSR\[ME\] is clear: the core stops until it is reset.
    Checkstop,
    /// The core executes nothing before an interrupt, because this instruction or one before it stopped it; then it took no cycles.
    Stopped,
}

/// Executes one instruction, or takes one interrupt or failed fetch, that starts at `cycle`. The bus is big-endian.
///
/// Of the observer's hooks `refills` and `multiplier` are not called, and `begins` knows no classes but that of exceptions: they are for
/// another architecture's pipeline.
#[inline]
pub fn step<B: Bus, T: Translate, M: CycleModel<Class>, O: Observer>(
    core: &mut Core,
    bus: &mut B,
    translation: &mut T,
    model: &mut M,
    observer: &mut O,
    cycle: u64,
) -> Step {
    let address = core.program_counter();
    let mut executor = Executor {
        core,
        bus,
        translation,
        model,
        observer,
        cycle,
        address,
        word: 0,
        leaving: Leaving::Falling,
        linked: false,
        exception: None,
    };
    executor.core.notice_time(cycle);
    if let Some(exception) = executor.core.pending(executor.bus.irq()) {
        executor.begins(CycleClass::Exception);
        return executor.enter(exception, address, 0);
    }
    if executor.core.is_stopped() {
        return Step {
            cycles: 0,
            outcome: Outcome::Stopped,
        };
    }
    match executor.fetch() {
        Ok((physical, region)) => executor.execute(physical, region),
        Err(exception) => {
            executor.begins(CycleClass::Exception);
            executor.enter(exception, address, 0)
        }
    }
}

/// Steps until the bus's deadline, a checkstop, a stop of the core, or until the observer asks for a stop.
pub fn run<B: Bus, T: Translate, M: CycleModel<Class>, O: Observer>(
    core: &mut Core,
    bus: &mut B,
    translation: &mut T,
    model: &mut M,
    observer: &mut O,
    cycle: &mut u64,
) {
    while *cycle < bus.deadline() && !observer.stop() {
        let step = step(core, bus, translation, model, observer, *cycle);
        *cycle += step.cycles;
        if matches!(step.outcome, Outcome::Checkstop | Outcome::Stopped) {
            break;
        }
    }
}

impl<B: Bus, T: Translate, M: CycleModel<Class>, O: Observer> Executor<'_, B, T, M, O> {
    #[inline(always)]
    fn begins(&mut self, class: CycleClass) {
        self.observer
            .begins(class, self.address, Width::Word, &*self.core);
    }

    #[inline(always)]
    fn fetch(&mut self) -> Result<(u32, RegionIndex), Exception> {
        let physical = self
            .translation
            .translate(self.core, self.bus, self.address, Purpose::Fetch)
            .map_err(|fault| fault.exception(self.address, Purpose::Fetch))?;
        match self.bus.fetch(physical, Width::Word) {
            Ok(access) => {
                self.word = access.value;
                Ok((physical, access.region))
            }
            Err(fault) => {
                self.core.last_fault = Some(fault);
                Err(Exception::MachineCheck)
            }
        }
    }

    #[inline(always)]
    fn execute(mut self, physical: u32, region: RegionIndex) -> Step {
        let address = self.address;
        let next = address.wrapping_add(4);
        let before = self.core.msr();
        let instruction = crate::instruction(self.word);
        self.observer.instruction(address, Width::Word, region);
        self.begins(CycleClass::Data);
        self.model.begin(
            instruction.class,
            region,
            self.bus.cost(region),
            Width::Word,
        );
        self.model.fetched(physical, region);
        self.core.set_program_counter(next);
        let word = self.word;
        (instruction.read)(&mut self, word);
        let cycles = self.model.end();
        self.observer.cycles(cycles);
        if let Some(exception) = self.exception {
            let from = match exception {
                Exception::SystemCall => next,
                _ => address,
            };
            return self.enter(exception, from, cycles);
        }
        if self.leaving != Leaving::Falling {
            let target = self.core.program_counter();
            let kind = match self.leaving {
                Leaving::Return => Transfer::ExceptionReturn,
                _ if self.linked && target != next => Transfer::Call,
                _ => Transfer::Jump,
            };
            let stack = self.core.register(STACK);
            self.observer.transfer(address, target, kind, stack);
        }
        let traced = before.has(Msr::SINGLE_STEP)
            || before.has(Msr::BRANCH_TRACE) && instruction.class == Class::Branch;
        if traced && self.leaving != Leaving::Return {
            let next = self.core.program_counter();
            return self.enter(Exception::Trace, next, cycles);
        }
        let outcome = if self.core.is_stopped() {
            Outcome::Stopped
        } else {
            Outcome::Executed
        };
        Step { cycles, outcome }
    }

    /// Takes an exception after `cycles` of its instruction; SRR0 becomes `from`.
    #[cold]
    #[inline(never)]
    fn enter(self, exception: Exception, from: u32, cycles: u64) -> Step {
        if exception == Exception::MachineCheck && !self.core.msr().has(Msr::MACHINE_CHECK_ENABLE) {
            self.core.set_program_counter(from);
            let outcome = Outcome::Checkstop;
            return Step { cycles, outcome };
        }
        let region = self.bus.region(exception.vector());
        self.model
            .begin(Class::Exception, region, self.bus.cost(region), Width::Word);
        let stack = self.core.register(STACK);
        self.observer.interrupted(exception.number(), from, stack);
        self.core.enter(exception, from);
        self.observer
            .execution_state(self.core.msr().execution_state());
        let entry = self.model.end();
        self.bus.exception(exception.number(), self.address);
        let target = self.core.program_counter();
        let kind = Transfer::ExceptionEntry(exception.number());
        self.observer.transfer(self.address, target, kind, stack);
        self.observer.cycles(entry);
        Step {
            cycles: cycles + entry,
            outcome: Outcome::Exception(exception),
        }
    }
}
