//! What a debugger asks for, without side effects.

use crate::machine::Machine;

impl Machine {
    /// What a read of a device's register would give now; `None` where that cannot be said. `device` is the index in [`Machine::devices`].
    pub fn peek_register(&mut self, device: u16, offset: u32) -> Option<u32> {
        if usize::from(device) >= self.bus.slots.len() {
            return None;
        }
        let now = self.now();
        self.bus
            .enter(device, now, |model, context| model.peek(offset, context))
    }

    /// Whether a core's lines of the normal and of the fast interrupt request are active.
    pub fn interrupt_lines(&self, core: usize) -> (bool, bool) {
        let signals = self.bus.signals.get(core).copied().unwrap_or_default();
        (signals.interrupt, signals.fast_interrupt)
    }
}
