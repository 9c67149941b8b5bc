//! What callers and probes ask a PowerPC.

use crate::{Core, Msr};
use socscope_core::{ExecutionState, LinuxCore};

/// r1, the stack pointer of the calling convention.
pub const STACK: u32 = 1;
/// r3, the first argument of the calling convention.
pub(crate) const ARGUMENT: u32 = 3;

impl Msr {
    /// Whose code a core with this machine state executes.
    pub fn execution_state(self) -> ExecutionState {
        ExecutionState {
            user: self.has(Msr::PROBLEM),
            translated: self.has(Msr::INSTRUCTION_TRANSLATION),
        }
    }
}

impl socscope_core::Core for Core {
    fn program_counter(&self) -> u32 {
        Core::program_counter(self)
    }

    fn stack_pointer(&self) -> u32 {
        self.register(STACK)
    }

    fn first_argument(&self) -> u32 {
        self.register(ARGUMENT)
    }

    fn status_word(&self) -> u32 {
        self.msr().0
    }

    fn execution_state(&self) -> ExecutionState {
        self.msr().execution_state()
    }

    fn mode_name(&self) -> String {
        match self.msr().has(Msr::PROBLEM) {
            true => "user".into(),
            false => "supervisor".into(),
        }
    }

    fn linux(&self) -> Option<&dyn LinuxCore> {
        Some(self)
    }
}
