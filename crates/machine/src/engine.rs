//! Which engine executes the core's instructions. Both give the same state, counts and cycles.

use crate::bus::SystemBus;
use crate::machine::Machine;
use crate::observer::MachineObserver;
use crate::processor::{CoreState, Processor};
use crate::timing::Timing;
use socscope_interpreter::Translation;
use socscope_isa::Foreseeable;
use socscope_jit::{Memories, Statistics, Translator};
use socscope_memory::AddressSpace;
use socscope_timing::{Arm7Tdmi, FixedCpi};
use std::collections::BTreeSet;

/// An engine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Engine {
    /// One instruction at a time.
    Interpreted,
    /// Hot code is translated to code of the host.
    #[default]
    Translated,
}

impl Memories for SystemBus {
    #[inline]
    fn space(&self) -> &AddressSpace {
        &self.space
    }

    #[inline]
    fn space_mut(&mut self) -> &mut AddressSpace {
        &mut self.space
    }
}

/// The translators of a core: one for each timing model, made when first used. They are no part of the machine's state.
#[derive(Default)]
pub(crate) struct Translators {
    arm7tdmi: Lazy<Arm7Tdmi>,
    fixed_cpi: Lazy<FixedCpi>,
    threshold: Option<u32>,
}

/// A translator, unless the host refused one.
#[derive(Default)]
enum Lazy<M: Foreseeable> {
    #[default]
    Unasked,
    Refused,
    Made(Box<Translator<M>>),
}

impl<M: Foreseeable> Lazy<M> {
    fn get(&mut self, threshold: Option<u32>) -> Option<&mut Translator<M>> {
        if matches!(self, Lazy::Unasked) {
            *self = Translator::new().map_or(Lazy::Refused, |mut translator| {
                if let Some(threshold) = threshold {
                    translator.set_threshold(threshold);
                }
                Lazy::Made(Box::new(translator))
            });
        }
        match self {
            Lazy::Made(translator) => Some(translator),
            _ => None,
        }
    }

    fn made(&self) -> Option<&Translator<M>> {
        match self {
            Lazy::Made(translator) => Some(translator),
            _ => None,
        }
    }
}

impl Machine {
    /// The engine in use.
    pub fn engine(&self) -> Engine {
        self.engine
    }

    /// Chooses the engine, between two runs.
    pub fn set_engine(&mut self, engine: Engine) {
        self.engine = engine;
    }

    /// How often code must be reached before it is translated, from now on; what is translated already is dropped.
    pub fn set_translation_threshold(&mut self, times: u32) {
        self.bus.space.forget_code();
        self.translators = Translators {
            threshold: Some(times),
            ..Translators::default()
        };
    }

    /// What the translating engine did so far.
    pub fn engine_statistics(&self) -> Statistics {
        let translators = &self.translators;
        let fixed = || translators.fixed_cpi.made().map(Translator::statistics);
        let exact = translators.arm7tdmi.made().map(Translator::statistics);
        exact.or_else(fixed).unwrap_or_default()
    }

    /// Runs the core up to its bus's deadline, or before an instruction at one of `stops`; whether translated code could be used.
    pub(crate) fn run_translated<O: MachineObserver>(
        &mut self,
        stops: &BTreeSet<u32>,
        observer: &mut O,
    ) -> bool {
        if self.engine != Engine::Translated
            || matches!(observer.translation(), Translation::Impossible)
        {
            return false;
        }
        let turn = self.turn();
        let Processor {
            state,
            timing,
            cycle,
        } = &mut self.processors[turn];
        let CoreState::Arm(core) = state else {
            return false;
        };
        let threshold = self.translators.threshold;
        let bus = &mut self.bus;
        match timing {
            Timing::Arm7Tdmi(model) => match self.translators.arm7tdmi.get(threshold) {
                Some(translator) => translator.run(core, bus, model, observer, cycle, stops),
                None => return false,
            },
            Timing::FixedCpi(model) => match self.translators.fixed_cpi.get(threshold) {
                Some(translator) => translator.run(core, bus, model, observer, cycle, stops),
                None => return false,
            },
        }
        true
    }
}
