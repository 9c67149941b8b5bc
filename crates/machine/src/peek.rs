//! What a debugger asks for, without side effects.

use crate::machine::Machine;
use socscope_memory::{RegionIndex, Viewer};

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
        let (space, viewer) = (&self.bus.space, Viewer::Core(core as u16));
        let state = &processor.state;
        let on_bus = |translated: bool| state.bus_address((space, viewer), address, translated);
        let there = |at: &u32| space.map().find_for(viewer, *at) != RegionIndex::UNMAPPED;
        on_bus(false)
            .filter(there)
            .or_else(|| on_bus(true))
            .filter(there)
    }
}
