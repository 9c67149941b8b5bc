//! Which engine executes the core's instructions. Both give the same state, counts and cycles.

use crate::machine::Machine;
use crate::platform::timing::Timing;
use crate::running::execute::powerpc_model;
use crate::running::processor::Processor;
use crate::system::bus::SystemBus;
use socscope_architectures::AnyCore;
use socscope_core::{Observer, Translation};
use socscope_isa::StaticCycleModel;
use socscope_jit::powerpc;
use socscope_jit::{Memories, Statistics, Translator};
use socscope_memory::AddressSpace;
use socscope_timing::{Arm7Tdmi, FixedCpi};
use std::collections::BTreeSet;

/// An engine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Engine {
    /// One instruction at a time.
    Interpreted,
    /// Hot code is translated to native code.
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

/// The translators of the cores: one for each architecture and timing model, made when first used. They are no part of the machine's state.
#[derive(Default)]
pub(crate) struct Translators {
    arm7tdmi: Lazy<Translator<Arm7Tdmi>>,
    fixed_cpi: Lazy<Translator<FixedCpi>>,
    powerpc: Lazy<powerpc::Translator<FixedCpi>>,
    threshold: Option<u32>,
}

/// A translator, unless the host refused one.
#[derive(Default)]
enum Lazy<T> {
    #[default]
    Unasked,
    Refused,
    Made(Box<T>),
}

impl<T> Lazy<T> {
    fn get(&mut self, make: impl FnOnce() -> Option<T>) -> Option<&mut T> {
        if matches!(self, Lazy::Unasked) {
            *self = make().map_or(Lazy::Refused, |made| Lazy::Made(Box::new(made)));
        }
        match self {
            Lazy::Made(translator) => Some(translator),
            _ => None,
        }
    }

    fn made(&self) -> Option<&T> {
        match self {
            Lazy::Made(translator) => Some(translator),
            _ => None,
        }
    }
}

/// These are no closures where they are used: so translators, with all that they are made of, are compiled once and not with each observer.
impl Translators {
    #[inline(never)]
    fn arm7tdmi(&mut self) -> Option<&mut Translator<Arm7Tdmi>> {
        let threshold = self.threshold;
        self.arm7tdmi.get(|| arm_translator(threshold))
    }

    #[inline(never)]
    fn fixed_cpi(&mut self) -> Option<&mut Translator<FixedCpi>> {
        let threshold = self.threshold;
        self.fixed_cpi.get(|| arm_translator(threshold))
    }

    #[inline(never)]
    fn powerpc(&mut self) -> Option<&mut powerpc::Translator<FixedCpi>> {
        let threshold = self.threshold;
        self.powerpc.get(|| powerpc_translator(threshold))
    }
}

fn arm_translator<M: StaticCycleModel>(threshold: Option<u32>) -> Option<Translator<M>> {
    let mut translator = Translator::new()?;
    if let Some(threshold) = threshold {
        translator.set_threshold(threshold);
    }
    Some(translator)
}

fn powerpc_translator(threshold: Option<u32>) -> Option<powerpc::Translator<FixedCpi>> {
    let mut translator = powerpc::Translator::new()?;
    if let Some(threshold) = threshold {
        translator.set_threshold(threshold);
    }
    Some(translator)
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
        let powerpc = || {
            let made = translators.powerpc.made();
            made.map(powerpc::Translator::statistics)
        };
        let exact = translators.arm7tdmi.made().map(Translator::statistics);
        exact.or_else(fixed).or_else(powerpc).unwrap_or_default()
    }

    /// Runs the core up to its bus's deadline, or before an instruction at one of `stops`; whether translated code could be used.
    pub(super) fn run_translated<O: Observer>(
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
        let (bus, translators) = (&mut self.bus, &mut self.translators);
        match (state, timing) {
            // What a cache costs depends on all accesses before.
            (_, Timing::Caches(_)) => return false,
            (AnyCore::Arm(core), Timing::Arm7Tdmi(model)) => match translators.arm7tdmi() {
                Some(translator) => translator.run(core, bus, model, observer, cycle, stops),
                None => return false,
            },
            (AnyCore::Arm(core), Timing::FixedCpi(model)) => match translators.fixed_cpi() {
                Some(translator) => translator.run(core, bus, model, observer, cycle, stops),
                None => return false,
            },
            (AnyCore::PowerPc(processor), timing) => {
                let Some(translator) = translators.powerpc() else {
                    return false;
                };
                let model = powerpc_model(timing);
                bus.core = bus.turn;
                let ended = translator.run(
                    turn,
                    &mut processor.core,
                    &mut processor.mmu,
                    bus,
                    model,
                    observer,
                    cycle,
                    stops,
                );
                if let powerpc::Ended::Outcome(outcome) = ended {
                    bus.take_outcome(outcome);
                }
                bus.core = 0;
            }
        }
        true
    }
}
