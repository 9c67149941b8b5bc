//! The core whose turn it is executes instructions.

use crate::machine::Machine;
use crate::running::engine::Engine;
use crate::running::processor::{CORES_MAX, Processor};
use crate::system::bus::SystemBus;
use socscope_core::{AnyObserver, Observer};
use socscope_engines::{Left, interpret, step};
use socscope_memory::Bus;
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
            Execution::Run(stops) if stops.is_empty() => self.interpret(observer),
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

    /// Whether translated code could be used.
    fn run_translated<O: Observer>(&mut self, stops: &BTreeSet<u32>, observer: &mut O) -> bool {
        if self.engine != Engine::Translated {
            return false;
        }
        let turn = self.turn();
        let (bus, translators) = (&mut self.bus, &mut self.translators);
        bus.core = bus.turn;
        let executing = self.processors[turn].executing();
        let left = translators.run(turn, executing, bus, observer, stops);
        if let Some(left) = left {
            bus.take_left(left);
        }
        bus.core = 0;
        left.is_some()
    }

    /// Interprets up to the bus's deadline.
    fn interpret<O: Observer>(&mut self, observer: &mut O) {
        self.in_turn(|processor, bus| {
            let left = interpret(processor.executing(), bus, observer);
            bus.take_left(left);
        });
    }

    /// Interprets one instruction, or takes one exception.
    fn step_core<O: Observer>(&mut self, observer: &mut O) {
        self.in_turn(|processor, bus| {
            let left = step(processor.executing(), bus, observer);
            bus.take_left(left);
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

impl SystemBus {
    /// How an engine left the core that executes.
    fn take_left(&mut self, left: Left) {
        let signals = &mut self.signals[usize::from(self.core) % CORES_MAX];
        match left {
            Left::Ready => return,
            Left::Asleep => signals.asleep = true,
            Left::GivenUp => signals.given_up = true,
        }
        self.refresh_deadline();
    }
}
