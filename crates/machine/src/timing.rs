//! The timing model that a platform chooses: `socscope,timing` of the cpu node.

use crate::cores::{CoreKind, core_kind};
use crate::error::property_error;
use crate::tree::{NodeIndex, Tree};
use serde::{Deserialize, Serialize};
use socscope_device::BuildError;
use socscope_timing::{AccuracyLabel, Arm7Tdmi, FixedCpi};

/// A core's timing model.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum Timing {
    Arm7Tdmi(Arm7Tdmi),
    FixedCpi(FixedCpi),
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
                let [cycles, instructions] = ratio[..] else {
                    let reason = format!("{} cells where two are expected", ratio.len());
                    return Err(property_error(
                        path,
                        "socscope,cpi",
                        reason,
                        "give <cycles instructions>",
                    ));
                };
                let model = FixedCpi::new(cycles, instructions).map_err(|error| {
                    property_error(
                        path,
                        "socscope,cpi",
                        error.to_string(),
                        "give a positive ratio",
                    )
                })?;
                Ok(Timing::FixedCpi(model))
            }
            (None, CoreKind::PowerPc(_)) => Ok(Timing::FixedCpi(FixedCpi::SINGLE_CYCLE)),
            (Some("arm7tdmi"), CoreKind::PowerPc(_)) => Err(property_error(
                path,
                "socscope,timing",
                "\"arm7tdmi\" is not for a PowerPC",
                "choose \"fixed-cpi\"",
            )),
            (Some(other), _) => {
                let reason = format!("no timing model is called {other:?}");
                Err(property_error(
                    path,
                    "socscope,timing",
                    reason,
                    "choose \"arm7tdmi\" or \"fixed-cpi\"",
                ))
            }
        }
    }

    /// The core is reset.
    pub fn reset(&mut self) {
        match self {
            Timing::Arm7Tdmi(model) => *model = Arm7Tdmi::default(),
            Timing::FixedCpi(_) => {}
        }
    }

    /// Parts of a cycle that [`Timing::part`] can tell apart.
    pub fn parts_per_cycle(&self) -> u64 {
        match self {
            Timing::Arm7Tdmi(_) => 1,
            Timing::FixedCpi(model) => u64::from(model.instructions()),
        }
    }

    /// Tells several instructions apart that end at one cycle.
    pub fn part(&self) -> u32 {
        match self {
            Timing::Arm7Tdmi(_) => 0,
            Timing::FixedCpi(model) => model.owed(),
        }
    }

    pub fn accuracy(&self) -> AccuracyLabel {
        match self {
            Timing::Arm7Tdmi(model) => model.accuracy(),
            Timing::FixedCpi(model) => model.accuracy(),
        }
    }
}
