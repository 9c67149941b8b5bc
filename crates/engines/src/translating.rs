//! Hot code as native code.

use crate::interpreting::ratio;
use crate::{Executing, Left, Timing};
use socscope_architectures::AnyCore;
use socscope_core::plain::{Plain, PlainCore};
use socscope_core::{Observer, Translation};
use socscope_isa::{LineTable, Lookups, StaticCycleModel};
use socscope_jit::plain;
use socscope_jit::powerpc::{self, Ended};
use socscope_jit::{Memories, Statistics, Translator};
use socscope_powerpc::{Class, CoreModel};
use socscope_timing::{Arm7Tdmi, CacheModel, FixedCpi};
use socscope_toy::Toy;
use std::collections::{BTreeMap, BTreeSet};

/// The translators of the cores, made when first used: one for each ARM by the core's number and its timing model, and one for all other cores of a
/// model for which the same code is right. They are no part of the machine's state.
pub struct Translators {
    arm7tdmi: Pool<usize, Translator<Arm7Tdmi>>,
    fixed_cpi: Pool<usize, Translator<FixedCpi>>,
    powerpc: Pool<CoreModel, powerpc::Translator<FixedCpi>>,
    cached_powerpc: Pool<(CoreModel, LookedUp), powerpc::Translator<CacheModel>>,
    toy: PlainPools<Toy>,
    threshold: Option<u32>,
}

/// What code knows of caches: their tables, and parts of a cycle.
type LookedUp = ([LineTable; 3], u32);

fn looked_up(model: &CacheModel) -> LookedUp {
    (model.tables(), model.base().instructions())
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
struct Pool<K, T> {
    made: BTreeMap<K, Lazy<T>>,
    /// No closure where it is used: so translators, with all that they are made of, are compiled once and not with each observer.
    make: fn(Option<u32>) -> Option<T>,
}

impl<K: Ord, T> Pool<K, T> {
    fn new(make: fn(Option<u32>) -> Option<T>) -> Pool<K, T> {
        let made = BTreeMap::new();
        Pool { made, make }
    }

    fn get(&mut self, key: K, threshold: Option<u32>) -> Option<&mut T> {
        let lazy = self.made.entry(key).or_default();
        if matches!(lazy, Lazy::Unasked) {
            let made = (self.make)(threshold);
            *lazy = made.map_or(Lazy::Refused, |made| Lazy::Made(Box::new(made)));
        }
        match lazy {
            Lazy::Made(translator) => Some(translator),
            _ => None,
        }
    }

    fn statistics(&self, of: impl Fn(&T) -> Statistics) -> Statistics {
        let made = self.made.values().filter_map(Lazy::made);
        made.map(of).fold(Statistics::default(), Statistics::plus)
    }
}

/// Those of a plain architecture, by the names of its models.
struct PlainPools<A: Plain> {
    fixed_cpi: Pool<&'static str, plain::Translator<A, FixedCpi>>,
    cached: Pool<(&'static str, LookedUp), plain::Translator<A, CacheModel>>,
}

impl<A: Plain> PlainPools<A> {
    fn new() -> PlainPools<A> {
        PlainPools {
            fixed_cpi: Pool::new(plain_translator),
            cached: Pool::new(plain_translator),
        }
    }

    fn statistics(&self) -> Statistics {
        let fixed_cpi = self.fixed_cpi.statistics(plain::Translator::statistics);
        fixed_cpi.plus(self.cached.statistics(plain::Translator::statistics))
    }

    fn run<B: Memories, O: Observer>(
        &mut self,
        (core, number, threshold): (&mut PlainCore<A>, usize, Option<u32>),
        (timing, cycle): (&mut Timing, &mut u64),
        bus: &mut B,
        observer: &mut O,
        stops: &BTreeSet<u32>,
    ) -> Option<Left> {
        let (name, mmu) = (core.model.name(), &mut ());
        let ended = if let Timing::Caches(model) = timing {
            let translator = self.cached.get((name, looked_up(model)), threshold)?;
            translator.run(number, core, mmu, bus, model, observer, cycle, stops)
        } else {
            let translator = self.fixed_cpi.get(name, threshold)?;
            let model = ratio(timing);
            translator.run(number, core, mmu, bus, model, observer, cycle, stops)
        };
        Some(Left::from(ended))
    }
}

fn plain_translator<A: Plain, M: StaticCycleModel>(
    threshold: Option<u32>,
) -> Option<plain::Translator<A, M>> {
    let mut translator = plain::Translator::new()?;
    if let Some(threshold) = threshold {
        translator.set_threshold(threshold);
    }
    Some(translator)
}

fn arm_translator<M: StaticCycleModel<Ahead = M>>(threshold: Option<u32>) -> Option<Translator<M>> {
    let mut translator = Translator::new()?;
    if let Some(threshold) = threshold {
        translator.set_threshold(threshold);
    }
    Some(translator)
}

fn powerpc_translator<M: StaticCycleModel<Class>>(
    threshold: Option<u32>,
) -> Option<powerpc::Translator<M>> {
    let mut translator = powerpc::Translator::new()?;
    if let Some(threshold) = threshold {
        translator.set_threshold(threshold);
    }
    Some(translator)
}

impl Default for Translators {
    fn default() -> Translators {
        Translators {
            arm7tdmi: Pool::new(arm_translator),
            fixed_cpi: Pool::new(arm_translator),
            powerpc: Pool::new(powerpc_translator),
            cached_powerpc: Pool::new(powerpc_translator),
            toy: PlainPools::new(),
            threshold: None,
        }
    }
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
        let exact = self.arm7tdmi.statistics(Translator::statistics);
        let fixed = self.fixed_cpi.statistics(Translator::statistics);
        let powerpc = self.powerpc.statistics(powerpc::Translator::statistics);
        let cached = &self.cached_powerpc;
        let cached = cached.statistics(powerpc::Translator::statistics);
        let all = [fixed, powerpc, cached, self.toy.statistics()];
        all.into_iter().fold(exact, Statistics::plus)
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
        let threshold = self.threshold;
        match (core, timing) {
            (AnyCore::Arm(_), Timing::Caches(_)) => return None,
            (AnyCore::Arm(core), Timing::Arm7Tdmi(model)) => {
                let translator = self.arm7tdmi.get(number, threshold)?;
                translator.run(core, bus, model, observer, cycle, stops);
            }
            (AnyCore::Arm(core), Timing::FixedCpi(model)) => {
                let translator = self.fixed_cpi.get(number, threshold)?;
                translator.run(core, bus, model, observer, cycle, stops);
            }
            (AnyCore::PowerPc(processor), Timing::Caches(model)) => {
                let key = (processor.core.model(), looked_up(model));
                let translator = self.cached_powerpc.get(key, threshold)?;
                let (core, mmu) = (&mut processor.core, &mut processor.mmu);
                let ended = translator.run(number, core, mmu, bus, model, observer, cycle, stops);
                return Some(Left::from(ended));
            }
            (AnyCore::PowerPc(processor), timing) => {
                let key = processor.core.model();
                let translator = self.powerpc.get(key, threshold)?;
                let model = ratio(timing);
                let (core, mmu) = (&mut processor.core, &mut processor.mmu);
                let ended = translator.run(number, core, mmu, bus, model, observer, cycle, stops);
                return Some(Left::from(ended));
            }
            (AnyCore::Toy(core), timing) => {
                let core = (&mut **core, number, threshold);
                return self.toy.run(core, (timing, cycle), bus, observer, stops);
            }
        }
        Some(Left::Ready)
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
