//! What a debugger asks for, without side effects.

use crate::machine::Machine;
use socscope_core::InterruptRequest;
use socscope_memory::RegionIndex;

impl Machine {
    /// What a read of a device's register would give now; `None` where that cannot be said. `device` is the index in [`Machine::devices`].
    pub fn peek_register(&mut self, device: u16, offset: u32) -> Option<u32> {
        if usize::from(device) >= self.bus.slots.len() {
            return None;
        }
        let now = self.now();
        self.bus
            .look(device, now, |model, context| model.peek(offset, context))
    }

    /// Where on the bus a core's data address lies for its present program, privileged or not; of a core whose translation is off at this
    /// moment (as in the first instructions of a handler), where it would lie with it, if the address itself is nowhere.
    pub fn translate(&self, core: usize, address: u32) -> Option<u32> {
        let processor = self.processors.get(core)?;
        if !processor.state.has_translation() {
            return Some(address);
        }
        let on_bus = |translated: bool| {
            processor
                .state
                .bus_address(&self.bus.space, address, translated)
        };
        let there = |at: &u32| self.bus.space.map().find(*at) != RegionIndex::UNMAPPED;
        on_bus(false)
            .filter(there)
            .or_else(|| on_bus(true))
            .filter(there)
    }

    /// The interrupt requests of a core, as they are now.
    pub fn interrupt_requests(&self, core: usize) -> Vec<InterruptRequest> {
        let signals = self.bus.signals.get(core).copied().unwrap_or_default();
        self.core(core)
            .interrupt_requests(signals.interrupt_lines())
    }
}
