//! Hot code as native code.

use crate::interpreting::ratio;
use crate::{Executing, Left, Timing};
use socscope_architectures::AnyCore;
use socscope_core::plain::Plain;
use socscope_core::{Observer, Translation};
use socscope_isa::StaticCycleModel;
use socscope_jit::plain;
use socscope_jit::powerpc::{self, Ended};
use socscope_jit::{Memories, Statistics, Translator};
use socscope_powerpc::CoreModel;
use socscope_timing::{Arm7Tdmi, FixedCpi};
use socscope_toy::Toy;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The translators of the cores, made when first used. They are no part of the machine's state.
#[derive(Default)]
pub struct Translators {
    own: Own,
    /// Shared with the machines that were made from this one, and used by one of them at a time: most of their code is the same.
    shared: Arc<Mutex<Common>>,
    machine: MachineName,
    /// What the shared ones did for this machine before another one used them.
    before: Arc<Mutex<Statistics>>,
    threshold: Option<u32>,
}

/// One for each core by its number and its timing model.
#[derive(Default)]
struct Own {
    arm7tdmi: Pool<usize, Translator<Arm7Tdmi>>,
    fixed_cpi: Pool<usize, Translator<FixedCpi>>,
}

/// One for all cores of a model.
#[derive(Default)]
struct Common {
    powerpc: Pool<CoreModel, powerpc::Translator<FixedCpi>>,
    toy: Pool<&'static str, plain::Translator<Toy, FixedCpi>>,
    /// The machine that has used them last, and where their statistics go when another one does.
    user: Option<(MachineName, Arc<Mutex<Statistics>>)>,
}

/// Tells machines of this process apart.
#[derive(Clone, Copy, PartialEq, Eq)]
struct MachineName(u64);

impl Default for MachineName {
    fn default() -> MachineName {
        static NAMES: AtomicU64 = AtomicU64::new(0);
        MachineName(NAMES.fetch_add(1, Ordering::Relaxed))
    }
}

impl Common {
    fn statistics(&self) -> Statistics {
        let powerpc = self.powerpc.statistics(powerpc::Translator::statistics);
        powerpc.plus(self.toy.statistics(plain::Translator::statistics))
    }

    /// A machine uses them from now on.
    fn serve(&mut self, machine: MachineName, statistics: &Arc<Mutex<Statistics>>) {
        let user = (machine, statistics.clone());
        let Some((_, former)) = self.user.replace(user) else {
            return;
        };
        let done = self.statistics();
        let mut former = locked(&former);
        *former = former.plus(done);
        for translator in self.powerpc.all() {
            translator.take_statistics();
            translator.change_machine();
        }
        for translator in self.toy.all() {
            translator.take_statistics();
            translator.change_machine();
        }
    }
}

/// Nobody dies while it is locked.
fn locked<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
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

    fn made_mut(&mut self) -> Option<&mut T> {
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

    fn all(&mut self) -> impl Iterator<Item = &mut T> {
        self.0.values_mut().filter_map(Lazy::made_mut)
    }

    fn statistics(&self, of: impl Fn(&T) -> Statistics) -> Statistics {
        let made = self.0.values().filter_map(Lazy::made);
        made.map(of).fold(Statistics::default(), Statistics::plus)
    }
}

/// These are no closures where they are used: so translators, with all that they are made of, are compiled once and not with each observer.
impl Own {
    #[inline(never)]
    fn arm7tdmi(
        &mut self,
        core: usize,
        threshold: Option<u32>,
    ) -> Option<&mut Translator<Arm7Tdmi>> {
        self.arm7tdmi.get(core, || arm_translator(threshold))
    }

    #[inline(never)]
    fn fixed_cpi(
        &mut self,
        core: usize,
        threshold: Option<u32>,
    ) -> Option<&mut Translator<FixedCpi>> {
        self.fixed_cpi.get(core, || arm_translator(threshold))
    }
}

impl Common {
    #[inline(never)]
    fn toy(
        &mut self,
        model: Toy,
        threshold: Option<u32>,
    ) -> Option<&mut plain::Translator<Toy, FixedCpi>> {
        self.toy.get(model.name(), || plain_translator(threshold))
    }

    #[inline(never)]
    fn powerpc(
        &mut self,
        model: CoreModel,
        threshold: Option<u32>,
    ) -> Option<&mut powerpc::Translator<FixedCpi>> {
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

impl Translators {
    /// Those that translate code when it has been reached so often.
    pub fn with_threshold(times: u32) -> Translators {
        Translators {
            threshold: Some(times),
            ..Translators::default()
        }
    }

    /// Translators for a machine that is made from this one: what this machine has translated is not translated again where both have the same code.
    /// While one of them runs, the other one makes its own.
    pub fn sibling(&self) -> Translators {
        Translators {
            shared: self.shared.clone(),
            threshold: self.threshold,
            ..Translators::default()
        }
    }

    /// What was done for this machine so far, by all of them.
    pub fn statistics(&self) -> Statistics {
        let exact = self.own.arm7tdmi.statistics(Translator::statistics);
        let fixed = self.own.fixed_cpi.statistics(Translator::statistics);
        let now = self.shared.try_lock().ok().and_then(|shared| {
            let mine = matches!(&shared.user, Some((user, _)) if *user == self.machine);
            mine.then(|| shared.statistics())
        });
        let before = *locked(&self.before);
        exact.plus(fixed).plus(before).plus(now.unwrap_or_default())
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
        let (common, fresh) = (self.shared.clone(), Arc::<Mutex<Common>>::default());
        // Another machine runs with them, or has died while it did.
        let mut shared = common.try_lock().unwrap_or_else(|_| {
            self.shared = fresh.clone();
            locked(&fresh)
        });
        if !matches!(&shared.user, Some((user, _)) if *user == self.machine) {
            shared.serve(self.machine, &self.before);
        }
        match (core, timing) {
            // What a cache costs depends on all accesses before.
            (_, Timing::Caches(_)) => return None,
            (AnyCore::Arm(core), Timing::Arm7Tdmi(model)) => {
                let translator = self.own.arm7tdmi(number, threshold)?;
                translator.run(core, bus, model, observer, cycle, stops);
            }
            (AnyCore::Arm(core), Timing::FixedCpi(model)) => {
                let translator = self.own.fixed_cpi(number, threshold)?;
                translator.run(core, bus, model, observer, cycle, stops);
            }
            (AnyCore::PowerPc(processor), timing) => {
                let translator = shared.powerpc(processor.core.model(), threshold)?;
                let model = ratio(timing);
                let (core, mmu) = (&mut processor.core, &mut processor.mmu);
                let ended = translator.run(number, core, mmu, bus, model, observer, cycle, stops);
                return Some(Left::from(ended));
            }
            (AnyCore::Toy(core), timing) => {
                let translator = shared.toy(core.model, threshold)?;
                let (model, mmu) = (ratio(timing), &mut ());
                let ended = translator.run(number, core, mmu, bus, model, observer, cycle, stops);
                return Some(Left::from(ended));
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
