//! Hot code as native code.

use crate::interpreting::ratio;
use crate::{Executing, Left, Timing};
use socscope_architectures::AnyCore;
use socscope_core::plain::Plain;
use socscope_core::{Observer, Translation};
use socscope_isa::StaticCycleModel;
use socscope_jit::arm;
use socscope_jit::plain;
use socscope_jit::powerpc::{self, Ended};
use socscope_jit::{Memories, Statistics};
use socscope_powerpc::CoreModel;
use socscope_timing::{Arm7Tdmi, FixedCpi};
use socscope_toy::Toy;
use std::collections::{BTreeMap, BTreeSet};

/// The translators of the cores, made when first used: one for all cores of a model, by their timing model. They are no part of the machine's state.
#[derive(Default)]
pub struct Translators {
    arm7tdmi: Pool<(), arm::Translator<Arm7Tdmi>>,
    fixed_cpi: Pool<(), arm::Translator<FixedCpi>>,
    powerpc: Pool<CoreModel, powerpc::Translator<FixedCpi>>,
    toy: Pool<&'static str, plain::Translator<Toy, FixedCpi>>,
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
    fn made(&self) -> Option<&T> {
        match self {
            Lazy::Made(translator) => Some(translator),
            _ => None,
        }
    }
}

/// Translators of one kind.
struct Pool<K, T>(BTreeMap<K, Lazy<T>>);

impl<K, T> Default for Pool<K, T> {
    fn default() -> Pool<K, T> {
        Pool(BTreeMap::new())
    }
}

impl<K: Ord, T> Pool<K, T> {
    fn get(&mut self, key: K, make: impl FnOnce() -> Option<T>) -> Option<&mut T> {
        let lazy = self.0.entry(key).or_default();
        if matches!(lazy, Lazy::Unasked) {
            *lazy = make().map_or(Lazy::Refused, |made| Lazy::Made(Box::new(made)));
        }
        match lazy {
            Lazy::Made(translator) => Some(translator),
            _ => None,
        }
    }

    fn statistics(&self, of: impl Fn(&T) -> Statistics) -> Statistics {
        let made = self.0.values().filter_map(Lazy::made);
        made.map(of).fold(Statistics::default(), Statistics::plus)
    }
}

/// These are no closures where they are used: so translators, with all that they are made of, are compiled once and not with each observer.
impl Translators {
    #[inline(never)]
    fn arm7tdmi(&mut self) -> Option<&mut arm::Translator<Arm7Tdmi>> {
        let threshold = self.threshold;
        self.arm7tdmi.get((), || arm_translator(threshold))
    }

    #[inline(never)]
    fn fixed_cpi(&mut self) -> Option<&mut arm::Translator<FixedCpi>> {
        let threshold = self.threshold;
        self.fixed_cpi.get((), || arm_translator(threshold))
    }

    #[inline(never)]
    fn toy(&mut self, model: Toy) -> Option<&mut plain::Translator<Toy, FixedCpi>> {
        let threshold = self.threshold;
        self.toy.get(model.name(), || plain_translator(threshold))
    }

    #[inline(never)]
    fn powerpc(&mut self, model: CoreModel) -> Option<&mut powerpc::Translator<FixedCpi>> {
        let threshold = self.threshold;
        self.powerpc.get(model, || powerpc_translator(threshold))
    }
}

fn plain_translator<A: Plain>(threshold: Option<u32>) -> Option<plain::Translator<A, FixedCpi>> {
    let mut translator = plain::Translator::new()?;
    if let Some(threshold) = threshold {
        translator.set_threshold(threshold);
    }
    Some(translator)
}

fn arm_translator<M: StaticCycleModel>(threshold: Option<u32>) -> Option<arm::Translator<M>> {
    let mut translator = arm::Translator::new()?;
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

impl Translators {
    /// Those that translate code when it has been reached so often.
    pub fn with_threshold(times: u32) -> Translators {
        Translators {
            threshold: Some(times),
            ..Translators::default()
        }
    }

    /// What was done so far, by all of them.
    pub fn statistics(&self) -> Statistics {
        let exact = self.arm7tdmi.statistics(arm::Translator::statistics);
        let fixed = self.fixed_cpi.statistics(arm::Translator::statistics);
        let powerpc = self.powerpc.statistics(powerpc::Translator::statistics);
        let plain = self.toy.statistics(plain::Translator::statistics);
        exact.plus(fixed).plus(powerpc).plus(plain)
    }

    /// Runs core `number` up to its bus's deadline, or before an instruction at one of `stops`; `None` if that is the interpreter's.
    pub fn run<B: Memories, O: Observer>(
        &mut self,
        number: usize,
        executing: Executing,
        bus: &mut B,
        observer: &mut O,
        stops: &BTreeSet<u32>,
    ) -> Option<Left> {
        if matches!(observer.translation(), Translation::Impossible) {
            return None;
        }
        let Executing {
            core,
            timing,
            cycle,
        } = executing;
        let ended = match (core, timing) {
            // What a cache costs depends on all accesses before.
            (_, Timing::Caches(_)) => return None,
            (AnyCore::Arm(core), Timing::Arm7Tdmi(model)) => {
                let (translator, mmu) = (self.arm7tdmi()?, &mut ());
                translator.run(number, core, mmu, bus, model, observer, cycle, stops)
            }
            (AnyCore::Arm(core), Timing::FixedCpi(model)) => {
                let (translator, mmu) = (self.fixed_cpi()?, &mut ());
                translator.run(number, core, mmu, bus, model, observer, cycle, stops)
            }
            (AnyCore::PowerPc(processor), timing) => {
                let translator = self.powerpc(processor.core.model())?;
                let model = ratio(timing);
                let (core, mmu) = (&mut processor.core, &mut processor.mmu);
                translator.run(number, core, mmu, bus, model, observer, cycle, stops)
            }
            (AnyCore::Toy(core), timing) => {
                let translator = self.toy(core.model)?;
                let (model, mmu) = (ratio(timing), &mut ());
                translator.run(number, core, mmu, bus, model, observer, cycle, stops)
            }
        };
        Some(Left::from(ended))
    }
}

impl From<Ended> for Left {
    fn from(ended: Ended) -> Left {
        match ended {
            Ended::Deadline | Ended::Stop => Left::Ready,
            Ended::Asleep => Left::Asleep,
            Ended::GivenUp => Left::GivenUp,
        }
    }
}
