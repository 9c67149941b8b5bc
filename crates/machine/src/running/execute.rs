//! The core whose turn it is executes instructions, interpreted.

use crate::machine::Machine;
use crate::platform::timing::Timing;
use crate::running::observer::MachineObserver;
use crate::running::processor::{CORES_MAX, Processor};
use crate::system::bus::SystemBus;
use socscope_architectures::AnyCore;
use socscope_isa::CycleModel;
use socscope_memory::Bus;
use socscope_powerpc as powerpc;
use socscope_powerpc::Class;
use socscope_powerpc::interpreter::{self, Outcome};
use socscope_timing::FixedCpi;

impl Machine {
    /// Interprets up to the bus's deadline.
    pub(crate) fn run_core<O: MachineObserver>(&mut self, observer: &mut O) {
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
    pub(crate) fn step_core<O: MachineObserver>(&mut self, observer: &mut O) {
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

fn run_powerpc<M: CycleModel<Class>, O: MachineObserver>(
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

fn step_powerpc<M: CycleModel<Class>, O: MachineObserver>(
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
