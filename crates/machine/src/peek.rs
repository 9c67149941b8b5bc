//! What a debugger asks for, without side effects.

use crate::machine::Machine;
use crate::processor::CoreState;
use socscope_isa::powerpc::{Msr, Purpose, Translate};
use socscope_memory::{
    Access, AccessCost, AddressSpace, Bus, Fault, FaultReason, RegionIndex, When, Width,
};

/// Memory to look page tables up in: what a translation writes there is dropped.
struct Looking<'a>(&'a AddressSpace);

impl Bus for Looking<'_> {
    fn fetch(&mut self, address: u32, width: Width) -> Result<Access, Fault> {
        self.read(address, width, |_, _| 0)
    }

    fn read(&mut self, address: u32, width: Width, _: impl When) -> Result<Access, Fault> {
        let (value, region) = self.0.read_memory(address, width)?;
        Ok(Access { value, region })
    }

    fn write(
        &mut self,
        address: u32,
        _width: Width,
        _value: u32,
        _: impl When,
    ) -> Result<RegionIndex, Fault> {
        match self.region(address) {
            RegionIndex::UNMAPPED => Err(Fault {
                address,
                reason: FaultReason::Unmapped,
            }),
            region => Ok(region),
        }
    }

    fn region(&self, address: u32) -> RegionIndex {
        self.0.map().find(address)
    }

    fn cost(&self, region: RegionIndex) -> &AccessCost {
        &self.0.map().region(region).cost
    }

    fn deadline(&self) -> u64 {
        u64::MAX
    }

    fn irq(&self) -> bool {
        false
    }

    fn fiq(&self) -> bool {
        false
    }
}

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
        let CoreState::PowerPc(state, mmu) = &processor.state else {
            return Some(address);
        };
        let translated = |on: bool| {
            let (mut state, mut mmu) = (state.clone(), mmu.clone());
            let on = u32::from(on) * Msr::DATA_TRANSLATION;
            state.set_msr(Msr((state.msr().0 | on) & !Msr::PROBLEM));
            let bus = &mut Looking(&self.bus.space);
            mmu.translate(&state, bus, address, Purpose::Read).ok()
        };
        let there = |at: &u32| self.bus.space.map().find(*at) != RegionIndex::UNMAPPED;
        translated(false)
            .filter(there)
            .or_else(|| translated(true))
            .filter(there)
    }

    /// Whether a core's lines of the normal and of the fast interrupt request are active.
    pub fn interrupt_lines(&self, core: usize) -> (bool, bool) {
        let signals = self.bus.signals.get(core).copied().unwrap_or_default();
        (signals.interrupt, signals.fast_interrupt)
    }
}
