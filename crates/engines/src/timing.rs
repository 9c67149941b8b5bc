//! A core's timing model, of any kind.

use serde::{Deserialize, Serialize};
use socscope_arm::timing::{Arm7Tdmi, Arm9, Arm9Core, Sequences};
use socscope_memory::{AddressMap, Target};
use socscope_timing::{
    AccuracyLabel, BaseModel, Bursts, CacheCounts, CacheModel, CacheName, Caches, ExternalBus,
    FixedCpi,
};

/// What the next bus cycles, and their waits on the external bus, depend on.
#[derive(Clone, Debug)]
pub struct BusState {
    /// Which cycles come next.
    pub sequences: Sequences,
    /// Where the last accesses went.
    pub bursts: Bursts,
    /// How long ago the external bus was used.
    pub external_bus: ExternalBus,
}

impl BusState {
    /// Behind an instruction that did nothing but compute.
    pub fn running() -> BusState {
        BusState {
            sequences: Sequences::running(),
            bursts: Bursts::default(),
            external_bus: ExternalBus::default(),
        }
    }
}

/// A core's timing model. Saved states hold the variants by their places.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Timing {
    /// The bus cycles of an ARM7TDMI.
    Arm7Tdmi(Arm7Tdmi),
    /// Each instruction takes as long as any other.
    FixedCpi(FixedCpi),
    /// The same, and what caches add.
    Caches(Box<CacheModel>),
    /// The pipeline of an ARM9.
    Arm9(Arm9),
    /// The same, and what caches add.
    CachedArm9(Box<CacheModel<Arm9>>),
}

impl Timing {
    /// The model that is one core's own, by the name that platforms give it.
    pub fn own(name: &str) -> Option<Timing> {
        match arm9(name) {
            Some(core) => Some(Timing::Arm9(Arm9::new(core))),
            None => (name == "arm7tdmi").then(|| Timing::Arm7Tdmi(Arm7Tdmi::default())),
        }
    }

    /// That model between caches, if it can lie there.
    pub fn own_between(name: &str, caches: &Caches) -> Option<Timing> {
        let base = Arm9::behind_caches(arm9(name)?);
        let model = CacheModel::new(base, caches, vec![]);
        Some(Timing::CachedArm9(Box::new(model)))
    }

    /// Tells the model which regions are memories: caches hold them, and nothing else.
    pub fn know_regions(&mut self, map: &AddressMap) {
        let regions = map.regions().iter();
        let is_memory = |target| matches!(target, Target::Memory { .. });
        let cached = || regions.map(|region| is_memory(region.target)).collect();
        match self {
            Timing::Caches(model) => model.set_cached(cached()),
            Timing::CachedArm9(model) => model.set_cached(cached()),
            Timing::Arm7Tdmi(_) | Timing::FixedCpi(_) | Timing::Arm9(_) => {}
        }
    }

    /// What a saved model must be like.
    pub fn takes(&self, saved: &Timing) -> bool {
        match (self, saved) {
            (Timing::Arm7Tdmi(_), Timing::Arm7Tdmi(_)) => true,
            (Timing::FixedCpi(own), Timing::FixedCpi(saved)) => own.same_ratio(saved),
            (Timing::Caches(own), Timing::Caches(saved)) => own.takes(saved),
            (Timing::Arm9(own), Timing::Arm9(saved)) => own.takes(saved),
            (Timing::CachedArm9(own), Timing::CachedArm9(saved)) => own.takes(saved),
            _ => false,
        }
    }

    /// The core is reset.
    pub fn reset(&mut self) {
        match self {
            Timing::Arm7Tdmi(model) => *model = Arm7Tdmi::default(),
            Timing::FixedCpi(_) => {}
            Timing::Caches(model) => model.reset(),
            Timing::Arm9(model) => model.reset(),
            Timing::CachedArm9(model) => model.reset(),
        }
    }

    /// Parts of a cycle that [`Timing::part`] can tell apart.
    pub fn parts_per_cycle(&self) -> u64 {
        match self {
            Timing::Arm7Tdmi(_) | Timing::Arm9(_) | Timing::CachedArm9(_) => 1,
            Timing::FixedCpi(model) => u64::from(model.instructions()),
            Timing::Caches(model) => u64::from(model.base().instructions()),
        }
    }

    /// Tells several instructions apart that end at one cycle.
    pub fn part(&self) -> u32 {
        match self {
            Timing::Arm7Tdmi(_) | Timing::Arm9(_) | Timing::CachedArm9(_) => 0,
            Timing::FixedCpi(model) => model.owed(),
            Timing::Caches(model) => model.base().owed(),
        }
    }

    /// What its cycles are worth.
    pub fn accuracy(&self) -> AccuracyLabel {
        match self {
            Timing::Arm7Tdmi(model) => model.accuracy(),
            Timing::FixedCpi(model) => model.accuracy(),
            Timing::Caches(model) => model.accuracy(),
            Timing::Arm9(model) => model.accuracy(),
            Timing::CachedArm9(model) => model.accuracy(),
        }
    }

    /// What the next bus cycles, and their waits on the external bus, depend on; `None` if it does not count them.
    pub fn bus_cycles(&self) -> Option<BusState> {
        match self {
            Timing::Arm7Tdmi(model) => Some(BusState {
                sequences: model.sequences().clone(),
                bursts: *model.bursts(),
                external_bus: *model.external_bus(),
            }),
            _ => None,
        }
    }

    /// What its caches were asked for and had, if it has any.
    pub fn cache_counts(&self) -> Vec<(CacheName, CacheCounts)> {
        match self {
            Timing::Caches(model) => model.counts().collect(),
            Timing::CachedArm9(model) => model.counts().collect(),
            Timing::Arm7Tdmi(_) | Timing::FixedCpi(_) | Timing::Arm9(_) => vec![],
        }
    }
}

/// The core of the family whose model is called so.
fn arm9(name: &str) -> Option<Arm9Core> {
    Arm9Core::ALL.into_iter().find(|core| core.name() == name)
}
