//! What callers and probes ask an ARM.

use crate::{Core, Mode, STACK};
use socscope_core::{ExecutionState, LinuxCore};

/// r0, the first argument of the procedure call standard.
pub(crate) const ARGUMENT: u32 = 0;

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
        self.status().bits()
    }

    fn execution_state(&self) -> ExecutionState {
        ExecutionState {
            user: self.status().mode == Mode::User,
            translated: self.control.translates(),
        }
    }

    fn mode_name(&self) -> String {
        format!("{:?} mode", self.status().mode).to_lowercase()
    }

    fn linux(&self) -> Option<&dyn LinuxCore> {
        let has_mmu = self.model().has_system_control();
        has_mmu.then_some(self as &dyn LinuxCore)
    }
}
