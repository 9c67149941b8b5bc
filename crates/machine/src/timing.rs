//! The timing model that a platform chooses: `socscope,timing` of the cpu node.

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
        match tree.string(cpu, "socscope,timing")?.as_deref() {
            None | Some("arm7tdmi") => Ok(Timing::Arm7Tdmi(Arm7Tdmi::default())),
            Some("fixed-cpi") => {
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
            Some(other) => {
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
