//! The cores of a machine, whatever their architecture.

use crate::cores::{CoreKind, core_kind, time_base};
use crate::timing::Timing;
use crate::tree::{NodeIndex, Tree};
use serde::{Deserialize, Serialize};
use socscope_arm as arm;
use socscope_device::BuildError;
use socscope_powerpc as powerpc;

/// Cores that a machine can have.
pub(crate) const CORES_MAX: usize = 8;

/// The first argument of each architecture's programs.
const ARM_ARGUMENT: u32 = 0;
const POWERPC_ARGUMENT: u32 = 3;
/// The stack pointer of a PowerPC's programs: r1.
const POWERPC_STACK: u32 = 1;

/// A core's registers, and what else it remembers between two instructions.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum CoreState {
    Arm(Box<arm::Core>),
    PowerPc(Box<powerpc::Core>, Box<powerpc::Mmu>),
}

/// A core in its place.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Processor {
    pub state: CoreState,
    pub timing: Timing,
    /// How far it is.
    pub cycle: u64,
}

/// A core to look at.
#[derive(Clone, Copy, Debug)]
pub enum CoreView<'a> {
    /// An ARM.
    Arm(&'a arm::Core),
    /// A PowerPC.
    PowerPc(&'a powerpc::Core),
}

impl<'a> CoreView<'a> {
    /// The ARM's state; none of another architecture.
    pub fn arm(self) -> Option<&'a arm::Core> {
        match self {
            CoreView::Arm(core) => Some(core),
            CoreView::PowerPc(_) => None,
        }
    }

    /// The PowerPC's state; none of another architecture.
    pub fn powerpc(self) -> Option<&'a powerpc::Core> {
        match self {
            CoreView::Arm(_) => None,
            CoreView::PowerPc(core) => Some(core),
        }
    }

    /// Address of the next instruction.
    pub fn program_counter(self) -> u32 {
        match self {
            CoreView::Arm(core) => core.program_counter(),
            CoreView::PowerPc(core) => core.program_counter(),
        }
    }

    /// The stack pointer, by convention of the architecture's programs.
    pub fn stack_pointer(self) -> u32 {
        match self {
            CoreView::Arm(core) => core.register(arm::STACK),
            CoreView::PowerPc(core) => core.register(POWERPC_STACK),
        }
    }

    /// The register of the first argument, by convention of the architecture's programs: r0 on ARM, r3 on PowerPC.
    pub fn first_argument(self) -> u32 {
        match self {
            CoreView::Arm(core) => core.register(ARM_ARGUMENT),
            CoreView::PowerPc(core) => core.register(POWERPC_ARGUMENT),
        }
    }

    /// What the core does, in a word or two: the mode that it is in.
    pub fn mode(self) -> String {
        match self {
            CoreView::Arm(core) => format!("{:?} mode", core.status().mode).to_lowercase(),
            CoreView::PowerPc(core) if core.msr().has(powerpc::Msr::PROBLEM) => "user".into(),
            CoreView::PowerPc(_) => "supervisor".into(),
        }
    }
}

impl CoreState {
    /// Whether another state is one of a core of the same kind.
    pub fn is_like(&self, other: &CoreState) -> bool {
        match (self, other) {
            (CoreState::Arm(_), CoreState::Arm(_)) => true,
            (CoreState::PowerPc(own, _), CoreState::PowerPc(other, _)) => {
                own.model() == other.model()
            }
            _ => false,
        }
    }

    /// A core after reset.
    fn from_node(tree: &Tree, cpu: NodeIndex, number: u16) -> Result<CoreState, BuildError> {
        match core_kind(tree, cpu)? {
            CoreKind::Arm7Tdmi => Ok(CoreState::Arm(Box::default())),
            CoreKind::PowerPc(model) => {
                let mut core = powerpc::Core::new(model);
                core.set_number(u32::from(number));
                let (ticks_hz, clock_hz) = time_base(tree, cpu)?;
                core.set_time_base_frequency(ticks_hz, clock_hz);
                let mmu = powerpc::Mmu::new(model);
                Ok(CoreState::PowerPc(Box::new(core), Box::new(mmu)))
            }
        }
    }
}

impl Processor {
    /// A core after power-on.
    pub fn from_node(tree: &Tree, cpu: NodeIndex, number: u16) -> Result<Processor, BuildError> {
        Ok(Processor {
            state: CoreState::from_node(tree, cpu, number)?,
            timing: Timing::from_node(tree, cpu)?,
            cycle: 0,
        })
    }

    /// The core to look at.
    pub fn view(&self) -> CoreView<'_> {
        match &self.state {
            CoreState::Arm(core) => CoreView::Arm(core),
            CoreState::PowerPc(core, _) => CoreView::PowerPc(core),
        }
    }

    /// After a reset, as its node `cpu` says; `number` is its place in the machine.
    pub fn reset(&mut self, tree: &Tree, cpu: NodeIndex, number: u16) -> Result<(), BuildError> {
        self.state = CoreState::from_node(tree, cpu, number)?;
        self.timing.reset();
        Ok(())
    }

    /// What it has done since cycle `since`, in the least steps that its timing model knows.
    pub fn progress(&self, since: u64) -> u64 {
        let ahead = self.cycle.saturating_sub(since);
        ahead.saturating_mul(self.timing.parts_per_cycle()) + u64::from(self.timing.part())
    }
}
