//! What a boot loader leaves in the core when it jumps to an image.

use crate::machine::Machine;
use crate::processor::CoreState;
use serde::{Deserialize, Serialize};
use socscope_isa::arm::{InstructionSet, Status};

/// Where and how the first core starts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Start {
    /// Address of the first instruction; for an ARM, bit 0 means Thumb.
    pub entry: u32,
    /// Registers from r3 on, of a PowerPC.
    pub arguments: Vec<u32>,
    /// The boot loader has put more into memory than the image: a reset needs it again.
    pub loaded: bool,
}

impl Machine {
    /// Whether a boot loader's work is in memory, which a reset would need again.
    pub(crate) fn is_loaded(&self) -> bool {
        self.start.as_ref().is_some_and(|start| start.loaded)
    }
}

impl Start {
    /// At an address, with nothing in the registers.
    pub fn at(entry: u32) -> Start {
        Start {
            entry,
            arguments: vec![],
            loaded: false,
        }
    }

    /// Sets the registers of a core after its reset.
    pub fn apply(&self, state: &mut CoreState) {
        match state {
            CoreState::Arm(core) => {
                let instruction_set = if self.entry & 1 == 1 {
                    InstructionSet::Thumb
                } else {
                    InstructionSet::Arm
                };
                core.set_program_counter(self.entry & !1);
                core.set_status(Status {
                    instruction_set,
                    ..core.status()
                });
            }
            CoreState::PowerPc(core, _) => {
                core.set_program_counter(self.entry);
                for (register, value) in (3..32).zip(&self.arguments) {
                    core.set_register(register, *value);
                }
            }
        }
    }
}
