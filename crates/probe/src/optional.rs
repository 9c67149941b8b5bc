//! A profile that may be off, for machines that run together.

use crate::Profile;
use socscope_device::TraceEvent;
use socscope_interpreter::{Observer, Transfer, Translation};
use socscope_machine::{Input, MachineObserver, Mark};
use socscope_memory::{Direction, Region, RegionIndex, Width};
use socscope_time::Instant;

/// A profile, or none.
#[derive(Default)]
pub struct Optional(Option<Box<Profile>>);

impl Optional {
    /// A profile that is on.
    pub fn on(profile: Profile) -> Optional {
        Optional(Some(Box::new(profile)))
    }

    /// The profile.
    pub fn get(&self) -> Option<&Profile> {
        self.0.as_deref()
    }

    /// The profile.
    pub fn get_mut(&mut self) -> Option<&mut Profile> {
        self.0.as_deref_mut()
    }
}

impl Observer for Optional {
    fn instruction(&mut self, pc: u32, width: Width, region: RegionIndex) {
        if let Some(profile) = &mut self.0 {
            profile.instruction(pc, width, region);
        }
    }

    fn cycles(&mut self, cycles: u64) {
        if let Some(profile) = &mut self.0 {
            profile.cycles(cycles);
        }
    }

    fn data(
        &mut self,
        pc: u32,
        address: u32,
        width: Width,
        direction: Direction,
        region: RegionIndex,
    ) {
        if let Some(profile) = &mut self.0 {
            profile.data(pc, address, width, direction, region);
        }
    }

    fn transfer(&mut self, from: u32, to: u32, kind: Transfer, stack_pointer: u32) {
        if let Some(profile) = &mut self.0 {
            profile.transfer(from, to, kind, stack_pointer);
        }
    }

    fn translation(&mut self) -> Translation<'_> {
        match &mut self.0 {
            Some(profile) => profile.translation(),
            None => Translation::Nothing,
        }
    }

    fn follows(&self, pc: u32) -> bool {
        self.0.as_ref().is_none_or(|profile| profile.follows(pc))
    }

    fn ran(&mut self, cycles: u64, address: u32, region: Option<RegionIndex>) {
        if let Some(profile) = &mut self.0 {
            Observer::ran(profile.as_mut(), cycles, address, region);
        }
    }
}

impl MachineObserver for Optional {
    fn input(&mut self, input: &Input) {
        if let Some(profile) = &mut self.0 {
            profile.input(input);
        }
    }

    fn mapped(&mut self, regions: &[Region]) {
        if let Some(profile) = &mut self.0 {
            profile.mapped(regions);
        }
    }

    fn wants_traces(&self) -> bool {
        self.0.is_some()
    }

    fn trace(&mut self, device: u16, time: Instant, cycle: u64, event: TraceEvent) {
        if let Some(profile) = &mut self.0 {
            profile.trace(device, time, cycle, event);
        }
    }

    fn reset(&mut self, pc: u32) {
        if let Some(profile) = &mut self.0 {
            profile.reset(pc);
        }
    }

    fn stopped(&mut self, cycles: u64) {
        if let Some(profile) = &mut self.0 {
            profile.stopped(cycles);
        }
    }

    fn bus_held(&mut self, cycles: u64) {
        if let Some(profile) = &mut self.0 {
            profile.bus_held(cycles);
        }
    }

    fn mark(&mut self, mark: Mark, end: u64) {
        if let Some(profile) = &mut self.0 {
            profile.mark(mark, end);
        }
    }
}
