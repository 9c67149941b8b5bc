//! Guests that can never go on: exceptions that raise themselves, and endless loops that no interrupt ends.

use crate::machine::Machine;
use crate::running::exception_trail::Raised;
use crate::running::run::Stop;
use socscope_architectures::AnyCore;
use socscope_core::{BranchToSelf, Handler};
use socscope_memory::Bus;

impl Machine {
    /// Whether the guest is in a place that it cannot leave; endless loops are looked for when `loops` is set.
    pub(crate) fn stuck(&mut self, loops: bool) -> Option<Stop> {
        if self.reaching {
            return None;
        }
        if let Some(stop) = self.given_up() {
            return Some(stop);
        }
        let exceptions = self.exception_loop();
        exceptions.or_else(|| loops.then(|| self.dead_end()).flatten())
    }

    /// A machine check that a core could not take.
    pub(crate) fn given_up(&self) -> Option<Stop> {
        let signals = self.bus.signals.iter();
        let core = signals
            .take(self.processors.len())
            .position(|one| one.given_up)?;
        let why = self.processors[core].state.checkstop()?;
        Some(Stop::Stuck(format!("core {core} is {why}")))
    }

    /// The core that a guest which is stuck is stuck for.
    pub fn stuck_core(&self) -> usize {
        let cores = self.bus.signals.iter().take(self.processors.len());
        let given_up = cores.into_iter().position(|one| one.given_up);
        let faulting = || self.fault_that_repeats().map(|it| usize::from(it.core));
        given_up.or_else(faulting).unwrap_or(self.turn())
    }

    /// The core that raised an exception.
    fn raising(&self, raised: Raised) -> &AnyCore {
        let processor = self.processors.get(usize::from(raised.core));
        &processor.unwrap_or(self.current()).state
    }

    /// The same instruction of a core raised its last exceptions in a row, each from within the mode of its own handler: the way back is lost.
    fn fault_that_repeats(&self) -> Option<Raised> {
        (0..self.processors.len()).find_map(|core| {
            let recent = self.bus.exceptions.of(core).repeated()?;
            let nested = self.raising(recent).is_nested_fault(recent.vector);
            nested.then_some(recent)
        })
    }

    fn exception_loop(&self) -> Option<Stop> {
        let recent = self.fault_that_repeats()?;
        let trail = self.bus.exceptions.of(usize::from(recent.core));
        let first = trail.first.map_or(String::new(), |first| {
            format!(
                "; the first exception was a {} at {:#010x}",
                self.raising(first).fault_name(first.vector),
                first.pc
            )
        });
        Some(Stop::Stuck(format!(
            "the {} at {:#010x} happens again in its own handler{first}",
            self.raising(recent).fault_name(recent.vector),
            recent.pc
        )))
    }

    /// A branch to itself with all interrupts masked: how programs end, and what handlers of unexpected exceptions do.
    fn dead_end(&mut self) -> Option<Stop> {
        let alone = self.processors.len() == 1;
        let BranchToSelf {
            address,
            width,
            opcode,
        } = self.current().state.branch_to_self(alone)?;
        let word = self.bus.fetch(address, width).ok()?.value;
        if width.truncate(word) != opcode || self.bus.reset_possible() {
            return None;
        }
        match self.unexpected() {
            Some(exception) => Some(Stop::Stuck(format!(
                "{exception}, and its handler is an endless loop at {address:#010x}"
            ))),
            // What the program said last is still to come out.
            None => (!self.sends()).then_some(Stop::Loop(address)),
        }
    }

    fn sends(&self) -> bool {
        self.bus.slots.iter().any(|slot| slot.model.sends())
    }

    /// The exception whose handler the core is in.
    fn unexpected(&self) -> Option<String> {
        let core = &self.current().state;
        match core.handler() {
            Handler::None => None,
            Handler::Of(exception) => Some(format!("{exception} is not handled")),
            Handler::OfLatestFault => {
                let raised = self.bus.exceptions.of(self.turn()).latest()?;
                let fault = core.fault_name(raised.vector);
                Some(format!("the {fault} at {:#010x} is not handled", raised.pc))
            }
        }
    }
}
