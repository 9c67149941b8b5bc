//! The cores of a machine, whatever their architecture.

use crate::platform::cores::{core_model, time_base};
use crate::platform::timing::timing_of;
use crate::platform::tree::{NodeIndex, Tree};
use serde::{Deserialize, Serialize};
use socscope_architectures::AnyCore;
use socscope_device::BuildError;
use socscope_engines::{Executing, Timing};

/// Cores that a machine can have.
pub(crate) const CORES_MAX: usize = 8;

/// A core in its place.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Processor {
    pub state: AnyCore,
    pub timing: Timing,
    /// How far it is.
    pub cycle: u64,
}

impl Processor {
    /// A core after power-on.
    pub fn from_node(tree: &Tree, cpu: NodeIndex, number: u16) -> Result<Processor, BuildError> {
        Ok(Processor {
            state: core_after_reset(tree, cpu, number)?,
            timing: timing_of(tree, cpu)?,
            cycle: 0,
        })
    }

    /// After a reset, as its node `cpu` says; `number` is its place in the machine.
    pub fn reset(&mut self, tree: &Tree, cpu: NodeIndex, number: u16) -> Result<(), BuildError> {
        self.state = core_after_reset(tree, cpu, number)?;
        self.timing.reset();
        Ok(())
    }

    /// For an engine.
    pub fn executing(&mut self) -> Executing<'_> {
        Executing {
            core: &mut self.state,
            timing: &mut self.timing,
            cycle: &mut self.cycle,
        }
    }

    /// What it has done since cycle `since`, in the least steps that its timing model knows.
    pub fn progress(&self, since: u64) -> u64 {
        let ahead = self.cycle.saturating_sub(since);
        ahead.saturating_mul(self.timing.parts_per_cycle()) + u64::from(self.timing.part())
    }
}

fn core_after_reset(tree: &Tree, cpu: NodeIndex, number: u16) -> Result<AnyCore, BuildError> {
    let model = core_model(tree, cpu)?;
    Ok(model.after_reset(number, time_base(tree, cpu)?))
}
