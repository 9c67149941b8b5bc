//! What a boot loader leaves in the cores when it jumps to an image.

use crate::machine::Machine;
use crate::processor::CoreState;
use serde::{Deserialize, Serialize};
use socscope_arm::{InstructionSet, Status};
use socscope_powerpc::{Msr, Translate};

/// Where a core of a PowerPC starts that the first one releases: the vector of a system reset.
const RELEASED_AT: u32 = 0x100;
/// HID0, and what a boot loader sets there: the time base counts, the caches are on.
const HID0: u32 = 1008;
const HID0_BITS: u32 = 0x0400_c000;
const STACK: u32 = 1;

/// Where and how the first core starts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Start {
    /// Address of the first instruction; for an ARM, bit 0 means Thumb.
    pub entry: u32,
    /// The first address behind the image.
    pub image_end: u32,
    /// r1 of a PowerPC.
    pub stack: u32,
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
    /// Sets the registers of core `number` after its reset at `cycle`.
    pub fn apply(&self, state: &mut CoreState, number: usize, cycle: u64) {
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
            CoreState::PowerPc(core, mmu) => {
                core.set_msr(Msr(Msr::MACHINE_CHECK_ENABLE));
                core.set_special_at(HID0, HID0_BITS, cycle);
                mmu.registers_changed();
                if number > 0 {
                    core.set_program_counter(RELEASED_AT);
                    return;
                }
                core.set_program_counter(self.entry);
                core.set_register(STACK, self.stack);
                for (register, value) in (3..32).zip(&self.arguments) {
                    core.set_register(register, *value);
                }
            }
        }
    }
}
