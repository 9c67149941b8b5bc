//! Hot code as native code.

use crate::interpreting::ratio;
use crate::{Executing, Left, Timing};
use socscope_architectures::AnyCore;
use socscope_arm::CoreModel as ArmModel;
use socscope_arm::timing::{Arm7Tdmi, Arm9};
use socscope_core::plain::{Plain, PlainCore};
use socscope_core::{Observer, Translation};
use socscope_isa::{LineTable, Lookups};
use socscope_jit::arm::{self, Assumed, Learnt};
use socscope_jit::plain;
use socscope_jit::powerpc::{self, Ended};
use socscope_jit::{Memories, Statistics, Translates};
use socscope_powerpc::CoreModel;
use socscope_timing::{CacheModel, FixedCpi};
use socscope_toy::Toy;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The translators of the cores, made when first used. They are no part of the machine's state.
#[derive(Default)]
pub struct Translators {
    /// Shared with the machines that were made from this one, and used by one of them at a time: most of their code is the same.
    shared: Arc<Mutex<Common>>,
    machine: MachineName,
    /// What the shared ones did for this machine before another one used them.
    before: Arc<Mutex<Statistics>>,
    threshold: Option<u32>,
    /// The machine that had them when they were wanted last.
    lost_to: Option<MachineName>,
}

/// One for all cores of a model whose timing models ask for the same code, with a profile and without; cores with memories or devices of their own have theirs.
#[derive(Default)]
struct Common {
    arm7tdmi: Pool<(), arm::Translator<Learnt, Arm7Tdmi>>,
    fixed_cpi: Pool<Parts, arm::Translator<Learnt, FixedCpi>>,
    paged_arm: Pool<(ArmModel, Parts), arm::Translator<Assumed, FixedCpi>>,
    cached_arm: Pool<(ArmModel, LookedUp), arm::Translator<Assumed, CacheModel>>,
    arm9: Pool<ArmModel, arm::Translator<Learnt, Arm9>>,
    paged_arm9: Pool<ArmModel, arm::Translator<Assumed, Arm9>>,
    cached_arm9: Pool<(ArmModel, LookedUp), arm::Translator<Assumed, CacheModel<Arm9>>>,
    powerpc: Pool<(CoreModel, Parts), powerpc::Translator<FixedCpi>>,
    cached_powerpc: Pool<(CoreModel, LookedUp), powerpc::Translator<CacheModel>>,
    toy: PlainPools<Toy>,
    /// What the machine that uses them asks for.
    wanted: Wanted,
    /// The machine that has used them last, and where their statistics go when another one does.
    user: Option<(User, Arc<Mutex<Statistics>>)>,
}

/// What translators are asked for.
#[derive(Clone, Copy, Default)]
struct Wanted {
    /// How often code is reached before it is translated, if that was said.
    threshold: Option<u32>,
    purpose: Purpose,
}

/// What a translator's code is for.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Purpose {
    /// Runs with a profile and without one would take their code away from each other.
    profiled: bool,
    /// The core, where it alone sees some of its memories: at one address, others find other code there.
    own_view: Option<u16>,
}

/// Whether it has a profile tells apart who uses them.
type User = (MachineName, bool);

/// Who uses translators now.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Change {
    /// Another machine.
    OfMachine,
    /// The same machine, which has begun or ended a profile.
    OfUse,
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
        let all = [
            self.arm7tdmi.statistics(),
            self.fixed_cpi.statistics(),
            self.paged_arm.statistics(),
            self.cached_arm.statistics(),
            self.arm9.statistics(),
            self.paged_arm9.statistics(),
            self.cached_arm9.statistics(),
            self.powerpc.statistics(),
            self.cached_powerpc.statistics(),
            self.toy.statistics(),
        ];
        all.into_iter()
            .fold(Statistics::default(), Statistics::plus)
    }

    /// A machine uses them from now on.
    fn serve(&mut self, user: User, statistics: &Arc<Mutex<Statistics>>) {
        let (machine, _) = user;
        let user = (user, statistics.clone());
        let Some(((before, _), former)) = self.user.replace(user) else {
            return;
        };
        let change = match before == machine {
            true => Change::OfUse,
            false => Change::OfMachine,
        };
        if change == Change::OfMachine {
            let done = self.statistics();
            let mut former = locked(&former);
            *former = former.plus(done);
        }
        self.arm7tdmi.change(change);
        self.fixed_cpi.change(change);
        self.paged_arm.change(change);
        self.cached_arm.change(change);
        self.arm9.change(change);
        self.paged_arm9.change(change);
        self.cached_arm9.change(change);
        self.powerpc.change(change);
        self.cached_powerpc.change(change);
        self.toy.change(change);
    }
}

/// Statistics are whole even if somebody has panicked with the lock.
fn locked<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

/// In how many parts the code counts a cycle.
type Parts = u32;

/// What code knows of caches: their tables, and parts of a cycle.
type LookedUp = ([LineTable; 3], Parts);

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

    fn made_mut(&mut self) -> Option<&mut T> {
        match self {
            Lazy::Made(translator) => Some(translator),
            _ => None,
        }
    }
}

/// Translators of one kind.
struct Pool<K, T>(BTreeMap<(K, Purpose), Lazy<T>>);

impl<K, T> Default for Pool<K, T> {
    fn default() -> Pool<K, T> {
        Pool(BTreeMap::new())
    }
}

impl<K: Ord, T: Translates> Pool<K, T> {
    fn get(&mut self, key: K, wanted: Wanted) -> Option<&mut T> {
        let key = (key, wanted.purpose);
        let lazy = self.0.entry(key).or_default();
        if matches!(lazy, Lazy::Unasked) {
            *lazy = match T::new() {
                None => Lazy::Refused,
                Some(mut made) => {
                    if let Some(times) = wanted.threshold {
                        made.set_threshold(times);
                    }
                    Lazy::Made(Box::new(made))
                }
            };
        }
        match lazy {
            Lazy::Made(translator) => Some(translator),
            _ => None,
        }
    }

    fn change(&mut self, change: Change) {
        for translator in self.0.values_mut().filter_map(Lazy::made_mut) {
            match change {
                Change::OfMachine => {
                    translator.take_statistics();
                    translator.change_machine();
                }
                Change::OfUse => translator.forget_pages(),
            }
        }
    }

    fn statistics(&self) -> Statistics {
        let made = self.0.values().filter_map(Lazy::made);
        made.map(T::statistics)
            .fold(Statistics::default(), Statistics::plus)
    }
}

/// Those of a plain architecture, by the names of its models.
struct PlainPools<A: Plain> {
    fixed_cpi: Pool<(&'static str, Parts), plain::Translator<A, FixedCpi>>,
    cached: Pool<(&'static str, LookedUp), plain::Translator<A, CacheModel>>,
}

impl<A: Plain> Default for PlainPools<A> {
    fn default() -> PlainPools<A> {
        PlainPools {
            fixed_cpi: Pool::default(),
            cached: Pool::default(),
        }
    }
}

impl<A: Plain> PlainPools<A> {
    fn statistics(&self) -> Statistics {
        self.fixed_cpi.statistics().plus(self.cached.statistics())
    }

    fn change(&mut self, change: Change) {
        self.fixed_cpi.change(change);
        self.cached.change(change);
    }

    fn run<B: Memories, O: Observer>(
        &mut self,
        (core, number, wanted): (&mut PlainCore<A>, usize, Wanted),
        (timing, cycle): (&mut Timing, &mut u64),
        bus: &mut B,
        observer: &mut O,
        stops: &BTreeSet<u32>,
    ) -> Option<Ended> {
        let (name, mmu) = (core.model.name(), &mut ());
        Some(if let Timing::Caches(model) = timing {
            let translator = self.cached.get((name, looked_up(model)), wanted)?;
            translator.run(number, core, mmu, bus, model, observer, cycle, stops)
        } else {
            let model = ratio(timing);
            let key = (name, model.instructions());
            let translator = self.fixed_cpi.get(key, wanted)?;
            translator.run(number, core, mmu, bus, model, observer, cycle, stops)
        })
    }
}

/// These are no closures where they are used: so translators, with all that they are made of, are compiled once and not with each observer.
impl Common {
    #[inline(never)]
    fn arm7tdmi(&mut self) -> Option<&mut arm::Translator<Learnt, Arm7Tdmi>> {
        self.arm7tdmi.get((), self.wanted)
    }

    #[inline(never)]
    fn fixed_cpi(&mut self, timing: &FixedCpi) -> Option<&mut arm::Translator<Learnt, FixedCpi>> {
        self.fixed_cpi.get(timing.instructions(), self.wanted)
    }

    #[inline(never)]
    fn paged_arm(
        &mut self,
        model: ArmModel,
        timing: &FixedCpi,
    ) -> Option<&mut arm::Translator<Assumed, FixedCpi>> {
        let key = (model, timing.instructions());
        self.paged_arm.get(key, self.wanted)
    }

    #[inline(never)]
    fn cached_arm(
        &mut self,
        model: ArmModel,
        timing: &CacheModel,
    ) -> Option<&mut arm::Translator<Assumed, CacheModel>> {
        self.cached_arm.get((model, looked_up(timing)), self.wanted)
    }

    #[inline(never)]
    fn arm9(&mut self, model: ArmModel) -> Option<&mut arm::Translator<Learnt, Arm9>> {
        self.arm9.get(model, self.wanted)
    }

    #[inline(never)]
    fn paged_arm9(&mut self, model: ArmModel) -> Option<&mut arm::Translator<Assumed, Arm9>> {
        self.paged_arm9.get(model, self.wanted)
    }

    #[inline(never)]
    fn cached_arm9(
        &mut self,
        model: ArmModel,
        timing: &CacheModel<Arm9>,
    ) -> Option<&mut arm::Translator<Assumed, CacheModel<Arm9>>> {
        let key = (model, (timing.tables(), 1));
        self.cached_arm9.get(key, self.wanted)
    }

    #[inline(never)]
    fn powerpc(
        &mut self,
        model: CoreModel,
        timing: &FixedCpi,
    ) -> Option<&mut powerpc::Translator<FixedCpi>> {
        let key = (model, timing.instructions());
        self.powerpc.get(key, self.wanted)
    }

    #[inline(never)]
    fn cached_powerpc(
        &mut self,
        model: CoreModel,
        timing: &CacheModel,
    ) -> Option<&mut powerpc::Translator<CacheModel>> {
        let key = (model, looked_up(timing));
        self.cached_powerpc.get(key, self.wanted)
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
        // Held from here on, so that nothing moves from one to the other in between.
        let before = locked(&self.before);
        let now = self.shared.try_lock().ok().and_then(|shared| {
            let user = shared.user.as_ref();
            let mine = user.is_some_and(|((machine, _), _)| *machine == self.machine);
            mine.then(|| shared.statistics())
        });
        before.plus(now.unwrap_or_default())
    }

    /// Whether the same machine has them again: to look at all code again in each turn takes longer than to have one's own.
    fn takes_turns(&mut self, shared: &Common) -> bool {
        match shared.user {
            Some(((other, _), _)) if other != self.machine => {
                self.lost_to.replace(other) == Some(other)
            }
            _ => false,
        }
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
        let common = self.shared.clone();
        let fresh;
        let mut shared = match common.try_lock() {
            Ok(shared) if !self.takes_turns(&shared) => shared,
            // Another machine runs with them, now or again and again, or has panicked while it did.
            _ => {
                fresh = Arc::<Mutex<Common>>::default();
                self.shared = fresh.clone();
                locked(&fresh)
            }
        };
        let wanted = Wanted {
            threshold: self.threshold,
            purpose: Purpose {
                profiled: matches!(observer.translation(), Translation::Profile(_)),
                own_view: own_view(number, bus),
            },
        };
        shared.wanted = wanted;
        // A core tells each change of its translations of addresses once: those that did not run have missed it.
        let user = (self.machine, wanted.purpose.profiled);
        if !matches!(&shared.user, Some((last, _)) if *last == user) {
            shared.serve(user, &self.before);
        }
        let ended = match (core, timing) {
            (AnyCore::Arm(core), Timing::Caches(model)) => {
                let (translator, mmu) = (shared.cached_arm(core.model(), model)?, &mut ());
                translator.run(number, core, mmu, bus, model, observer, cycle, stops)
            }
            (AnyCore::Arm(core), Timing::Arm7Tdmi(model)) => {
                let (translator, mmu) = (shared.arm7tdmi()?, &mut ());
                translator.run(number, core, mmu, bus, model, observer, cycle, stops)
            }
            (AnyCore::Arm(core), Timing::FixedCpi(model)) if core.model().has_system_control() => {
                let (translator, mmu) = (shared.paged_arm(core.model(), model)?, &mut ());
                translator.run(number, core, mmu, bus, model, observer, cycle, stops)
            }
            (AnyCore::Arm(core), Timing::FixedCpi(model)) => {
                let (translator, mmu) = (shared.fixed_cpi(model)?, &mut ());
                translator.run(number, core, mmu, bus, model, observer, cycle, stops)
            }
            (AnyCore::Arm(core), Timing::CachedArm9(model)) => {
                let (translator, mmu) = (shared.cached_arm9(core.model(), model)?, &mut ());
                translator.run(number, core, mmu, bus, model, observer, cycle, stops)
            }
            // Regions are told apart by addresses on the bus alone, where the memory management maps none.
            (AnyCore::Arm(core), Timing::Arm9(model)) if bus.space().map().is_single_cycle() => {
                let (translator, mmu) = (shared.paged_arm9(core.model())?, &mut ());
                translator.run(number, core, mmu, bus, model, observer, cycle, stops)
            }
            (AnyCore::Arm(core), Timing::Arm9(model)) => {
                let (translator, mmu) = (shared.arm9(core.model())?, &mut ());
                translator.run(number, core, mmu, bus, model, observer, cycle, stops)
            }
            (AnyCore::PowerPc(processor), Timing::Caches(model)) => {
                let translator = shared.cached_powerpc(processor.core.model(), model)?;
                let (core, mmu) = (&mut processor.core, &mut processor.mmu);
                translator.run(number, core, mmu, bus, model, observer, cycle, stops)
            }
            (AnyCore::PowerPc(processor), timing) => {
                let model = ratio(timing);
                let translator = shared.powerpc(processor.core.model(), model)?;
                let (core, mmu) = (&mut processor.core, &mut processor.mmu);
                translator.run(number, core, mmu, bus, model, observer, cycle, stops)
            }
            (AnyCore::Toy(core), timing) => {
                let core = (&mut **core, number, wanted);
                shared
                    .toy
                    .run(core, (timing, cycle), bus, observer, stops)?
            }
        };
        Some(Left::from(ended))
    }
}

/// The core of this number, if it sees more than what all share.
fn own_view<B: Memories>(number: usize, bus: &B) -> Option<u16> {
    let core = number as u16;
    bus.space().map().has_own_view(core).then_some(core)
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
