//! The core whose turn it is executes instructions, interpreted.

use crate::machine::Machine;
use crate::platform::timing::Timing;
use crate::running::processor::{CORES_MAX, Processor};
use crate::system::bus::SystemBus;
use socscope_architectures::AnyCore;
use socscope_core::{AnyObserver, Observer};
use socscope_isa::CycleModel;
use socscope_memory::Bus;
use socscope_powerpc as powerpc;
use socscope_powerpc::Class;
use socscope_powerpc::interpreter::{self, Outcome};
use socscope_timing::FixedCpi;
use std::collections::BTreeSet;

/// How far the core whose turn it is executes.
#[derive(Clone, Copy, Debug)]
pub enum Execution<'a> {
    /// Up to its bus's deadline, or to an instruction at one of these addresses, or until the observer asks for a stop.
    Run(&'a BTreeSet<u32>),
    /// One instruction, interpreted, or the entry of an exception.
    OneStep,
}

impl Machine {
    /// Executes with the engine in use. It is for implementations of [`crate::MachineObserver::execute`], and nobody else's.
    pub fn execute<O: Observer>(&mut self, how: Execution, observer: &mut O) {
        match how {
            Execution::OneStep => self.step_core(observer),
            Execution::Run(stops) if self.run_translated(stops, observer) => {}
            Execution::Run(stops) if stops.is_empty() => self.run_core(observer),
            Execution::Run(stops) => self.run_core_to(stops, observer),
        }
    }

    /// The same for an observer whose speed matters little: the engines are not compiled for it.
    #[inline(never)]
    pub fn execute_for_any(&mut self, how: Execution, observer: &mut dyn Observer) {
        self.execute(how, &mut AnyObserver(observer));
    }

    fn run_core_to<O: Observer>(&mut self, addresses: &BTreeSet<u32>, observer: &mut O) {
        while self.current().cycle < self.bus.deadline() {
            self.step_core(observer);
            if addresses.contains(&self.pc()) || observer.stop() {
                return;
            }
        }
    }

    /// Interprets up to the bus's deadline.
    fn run_core<O: Observer>(&mut self, observer: &mut O) {
        self.in_turn(|processor, bus| {
            let Processor {
                state,
                timing,
                cycle,
            } = processor;
            match (state, timing) {
                (AnyCore::Arm(core), Timing::Arm7Tdmi(model)) => {
                    socscope_arm::interpreter::run(core, bus, model, observer, cycle);
                }
                (AnyCore::Arm(core), Timing::FixedCpi(model)) => {
                    socscope_arm::interpreter::run(core, bus, model, observer, cycle);
                }
                (AnyCore::Arm(core), Timing::Caches(model)) => {
                    socscope_arm::interpreter::run(core, bus, &mut **model, observer, cycle);
                }
                (AnyCore::PowerPc(processor), Timing::Caches(model)) => {
                    run_powerpc(processor, bus, &mut **model, observer, cycle);
                }
                (AnyCore::PowerPc(processor), timing) => {
                    run_powerpc(processor, bus, powerpc_model(timing), observer, cycle);
                }
            }
        });
    }

    /// Interprets one instruction, or takes one exception.
    fn step_core<O: Observer>(&mut self, observer: &mut O) {
        self.in_turn(|processor, bus| {
            let Processor {
                state,
                timing,
                cycle,
            } = processor;
            match (state, timing) {
                (AnyCore::Arm(core), Timing::Arm7Tdmi(model)) => {
                    *cycle +=
                        socscope_arm::interpreter::step(core, bus, model, observer, *cycle).cycles;
                }
                (AnyCore::Arm(core), Timing::FixedCpi(model)) => {
                    *cycle +=
                        socscope_arm::interpreter::step(core, bus, model, observer, *cycle).cycles;
                }
                (AnyCore::Arm(core), Timing::Caches(model)) => {
                    let model = &mut **model;
                    *cycle +=
                        socscope_arm::interpreter::step(core, bus, model, observer, *cycle).cycles;
                }
                (AnyCore::PowerPc(processor), Timing::Caches(model)) => {
                    step_powerpc(processor, bus, &mut **model, observer, cycle);
                }
                (AnyCore::PowerPc(processor), timing) => {
                    step_powerpc(processor, bus, powerpc_model(timing), observer, cycle);
                }
            }
        });
    }

    /// Lets the core whose turn it is act on the bus.
    pub(crate) fn in_turn<R>(
        &mut self,
        action: impl FnOnce(&mut Processor, &mut SystemBus) -> R,
    ) -> R {
        let turn = self.turn();
        self.bus.core = self.bus.turn;
        let result = action(&mut self.processors[turn], &mut self.bus);
        self.bus.core = 0;
        result
    }
}

/// The timing model of a PowerPC without caches; a platform with another one is refused when it is built.
pub(crate) fn powerpc_model(timing: &mut Timing) -> &mut FixedCpi {
    match timing {
        Timing::FixedCpi(model) => model,
        Timing::Arm7Tdmi(_) | Timing::Caches(_) => unreachable!("it is for ARM, or has caches"),
    }
}

fn run_powerpc<M: CycleModel<Class>, O: Observer>(
    processor: &mut powerpc::Processor,
    bus: &mut SystemBus,
    model: &mut M,
    observer: &mut O,
    cycle: &mut u64,
) {
    while *cycle < bus.deadline() && !observer.stop() {
        step_powerpc(processor, bus, model, observer, cycle);
    }
}

fn step_powerpc<M: CycleModel<Class>, O: Observer>(
    processor: &mut powerpc::Processor,
    bus: &mut SystemBus,
    model: &mut M,
    observer: &mut O,
    cycle: &mut u64,
) {
    let powerpc::Processor { core, mmu } = processor;
    let step = interpreter::step(core, bus, mmu, model, observer, *cycle);
    *cycle += step.cycles;
    bus.take_outcome(step.outcome);
}

impl SystemBus {
    /// What a step of the core that executes came to: it may wait for an interrupt now, or be in checkstop.
    pub(crate) fn take_outcome(&mut self, outcome: Outcome) {
        let signals = &mut self.signals[usize::from(self.core) % CORES_MAX];
        match outcome {
            Outcome::Checkstop => signals.given_up = true,
            Outcome::Stopped => signals.asleep = true,
            Outcome::Executed | Outcome::Exception(_) => return,
        }
        self.refresh_deadline();
    }
}
