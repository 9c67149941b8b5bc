//! What a run works on.

use socscope_arm::Core;
use socscope_core::Observer;
use socscope_memory::Bus;

/// A core with all that belongs to it while it runs.
pub(super) struct Guest<'a, B, M, O> {
    pub core: &'a mut Core,
    pub bus: &'a mut B,
    /// The timing model.
    pub model: &'a mut M,
    pub observer: &'a mut O,
    /// Cycles so far.
    pub cycle: &'a mut u64,
}

impl<B: Bus, M, O: Observer> Guest<'_, B, M, O> {
    /// Address of the next instruction.
    #[inline]
    pub fn address(&self) -> u32 {
        self.core.program_counter()
    }

    /// Address of the instruction behind it.
    pub fn next_address(&self) -> u32 {
        let bytes = self.core.instruction_set().width().bytes();
        self.address().wrapping_add(bytes)
    }

    /// Whether neither the deadline nor the observer ends the run here.
    #[inline]
    pub fn goes_on(&self) -> bool {
        *self.cycle < self.bus.deadline() && !self.observer.stop()
    }

    /// Whether an interrupt comes instead of the next instruction.
    pub fn interrupt_is_due(&self) -> bool {
        let status = self.core.status();
        self.bus.fiq() && !status.fiq_disabled || self.bus.irq() && !status.irq_disabled
    }
}
