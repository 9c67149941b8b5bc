//! The timing model that a platform chooses: `socscope,timing` of the cpu node.

mod caches;

use crate::platform::cores::{CoreKind, core_kind};
use crate::platform::error::property_error;
use crate::platform::tree::{NodeIndex, Tree};
use serde::{Deserialize, Serialize};
use socscope_device::{BuildError, Declared};
use socscope_memory::{AddressMap, Target};
use socscope_timing::{AccuracyLabel, Arm7Tdmi, CacheModel, FixedCpi};

pub(crate) use caches::{CACHE_PROPERTIES, CPU_CACHE_PROPERTIES};
pub(crate) const CPU_PROPERTIES: &[Declared] = &[
    (
        "socscope,timing",
        "The timing model: \"arm7tdmi\" (ARM only, and there when absent), \"fixed-cpi\" (of a PowerPC when absent) or \"caches\".",
    ),
    (
        "socscope,cpi",
        "For \"fixed-cpi\" and \"caches\": <cycles instructions>; a cycle an instruction when absent.",
    ),
];

/// A core's timing model.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum Timing {
    Arm7Tdmi(Arm7Tdmi),
    FixedCpi(FixedCpi),
    Caches(Box<CacheModel>),
}

impl Timing {
    pub fn from_node(tree: &Tree, cpu: NodeIndex) -> Result<Timing, BuildError> {
        let path = &tree.node(cpu).path;
        let kind = core_kind(tree, cpu)?;
        match (tree.string(cpu, "socscope,timing")?.as_deref(), kind) {
            (None | Some("arm7tdmi"), CoreKind::Arm7Tdmi) => {
                Ok(Timing::Arm7Tdmi(Arm7Tdmi::default()))
            }
            (Some("fixed-cpi"), _) => {
                let ratio = tree.cells(cpu, "socscope,cpi")?;
                Ok(Timing::FixedCpi(fixed_cpi(path, &ratio)?))
            }
            (Some("caches"), _) => {
                let base = match tree.cells(cpu, "socscope,cpi")?[..] {
                    [] => FixedCpi::SINGLE_CYCLE,
                    ref ratio => fixed_cpi(path, ratio)?,
                };
                let caches = caches::caches_of(tree, cpu)?;
                let model = CacheModel::new(base, &caches, vec![]);
                Ok(Timing::Caches(Box::new(model)))
            }
            (None, CoreKind::PowerPc(_)) => Ok(Timing::FixedCpi(FixedCpi::SINGLE_CYCLE)),
            (Some("arm7tdmi"), CoreKind::PowerPc(_)) => Err(property_error(
                path,
                "socscope,timing",
                "\"arm7tdmi\" is not for a PowerPC",
                "choose \"fixed-cpi\" or \"caches\"",
            )),
            (Some(other), _) => {
                let reason = format!("no timing model is called {other:?}");
                Err(property_error(
                    path,
                    "socscope,timing",
                    reason,
                    "choose \"arm7tdmi\", \"fixed-cpi\" or \"caches\"",
                ))
            }
        }
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

    pub fn accuracy(&self) -> AccuracyLabel {
        match self {
            Timing::Arm7Tdmi(model) => model.accuracy(),
            Timing::FixedCpi(model) => model.accuracy(),
            Timing::Caches(model) => model.accuracy(),
        }
    }
}

/// The cost of an instruction, as `socscope,cpi` gives it.
fn fixed_cpi(path: &str, ratio: &[u32]) -> Result<FixedCpi, BuildError> {
    const PROPERTY: &str = "socscope,cpi";
    let &[cycles, instructions] = ratio else {
        let reason = format!("{} cells where two are expected", ratio.len());
        let remedy = "give <cycles instructions>";
        return Err(property_error(path, PROPERTY, reason, remedy));
    };
    FixedCpi::new(cycles, instructions)
        .map_err(|error| property_error(path, PROPERTY, error.to_string(), "give a positive ratio"))
}
