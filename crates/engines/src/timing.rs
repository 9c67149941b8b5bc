//! A core's timing model, of any kind.

use serde::{Deserialize, Serialize};
use socscope_arm::timing::{Arm7Tdmi, Sequences};
use socscope_memory::{AddressMap, Target};
use socscope_timing::{AccuracyLabel, Bursts, CacheModel, ExternalBus, FixedCpi};

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
}

impl Timing {
    /// The model that is one core's own, by the name that platforms give it.
    pub fn own(name: &str) -> Option<Timing> {
        (name == "arm7tdmi").then(|| Timing::Arm7Tdmi(Arm7Tdmi::default()))
    }

    /// Tells the model which regions are memories: caches hold them, and nothing else.
    pub fn know_regions(&mut self, map: &AddressMap) {
        if let Timing::Caches(model) = self {
            let regions = map.regions().iter();
            let is_memory = |target| matches!(target, Target::Memory { .. });
            model.set_cached(regions.map(|region| is_memory(region.target)).collect());
        }
    }

    /// What a saved model must be like.
    pub fn takes(&self, saved: &Timing) -> bool {
        match (self, saved) {
            (Timing::Arm7Tdmi(_), Timing::Arm7Tdmi(_)) => true,
            (Timing::FixedCpi(own), Timing::FixedCpi(saved)) => own.same_ratio(saved),
            (Timing::Caches(own), Timing::Caches(saved)) => own.takes(saved),
            _ => false,
        }
    }

    /// The core is reset.
    pub fn reset(&mut self) {
        match self {
            Timing::Arm7Tdmi(model) => *model = Arm7Tdmi::default(),
            Timing::FixedCpi(_) => {}
            Timing::Caches(model) => model.reset(),
        }
    }

    /// Parts of a cycle that [`Timing::part`] can tell apart.
    pub fn parts_per_cycle(&self) -> u64 {
        match self {
            Timing::Arm7Tdmi(_) => 1,
            Timing::FixedCpi(model) => u64::from(model.instructions()),
            Timing::Caches(model) => u64::from(model.base().instructions()),
        }
    }

    /// Tells several instructions apart that end at one cycle.
    pub fn part(&self) -> u32 {
        match self {
            Timing::Arm7Tdmi(_) => 0,
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
            Timing::FixedCpi(_) | Timing::Caches(_) => None,
        }
    }

    /// The caches, if it has any.
    pub fn caches(&self) -> Option<&CacheModel> {
        match self {
            Timing::Caches(model) => Some(model),
            Timing::Arm7Tdmi(_) | Timing::FixedCpi(_) => None,
        }
    }
}
