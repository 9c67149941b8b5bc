//! A machine's probes, each of which may be off, for machines that run together.

use crate::Profile;
use crate::linux::Linux;
use crate::marker::{Marker, Point};
use socscope_core::{Core, ExecutionState, Observer, Shared, Transfer, Translation};
use socscope_device::TraceEvent;
use socscope_machine::{AnyCore, Input, MachineObserver, Mark, Moves};
use socscope_memory::{AddressSpace, Direction, Region, RegionIndex, Width};
use socscope_time::Instant;
use std::collections::BTreeSet;

/// A profile, or none; and awareness of a Linux kernel, or none.
#[derive(Default)]
pub struct ProbeSet {
    profile: Option<Box<Profile>>,
    linux: Option<Box<Linux>>,
    /// A return from an exception that the profile is not told of yet: from, to, stack pointer.
    returned: Option<(u32, u32, u32)>,
    marker: Option<Box<Marker>>,
    /// Where marks are set and tasks change.
    addresses: BTreeSet<u32>,
}

impl ProbeSet {
    /// A profile that is on.
    pub fn on(profile: Profile) -> ProbeSet {
        ProbeSet {
            profile: Some(Box::new(profile)),
            ..ProbeSet::default()
        }
    }

    /// Switches a profile on.
    pub fn set(&mut self, profile: Profile) {
        self.profile = Some(Box::new(profile));
    }

    /// The profile.
    pub fn get(&self) -> Option<&Profile> {
        self.profile.as_deref()
    }

    /// The profile.
    pub fn get_mut(&mut self) -> Option<&mut Profile> {
        self.profile.as_deref_mut()
    }

    /// Switches the profile off; what it has counted.
    pub fn take_profile(&mut self) -> Option<Profile> {
        self.profile.take().map(|profile| *profile)
    }

    /// Switches awareness of a Linux kernel on.
    pub fn set_linux(&mut self, linux: Linux) {
        self.linux = Some(Box::new(linux));
        self.gather_addresses();
    }

    /// Marks at addresses and of devices.
    pub fn marker(&self) -> Option<&Marker> {
        self.marker.as_deref()
    }

    /// Marks this too, from now on.
    pub fn mark(&mut self, point: Point) {
        self.marker.get_or_insert_default().add(point);
        self.gather_addresses();
    }

    fn gather_addresses(&mut self) {
        let marked = self.marker.iter().filter_map(|marker| marker.addresses());
        let changed = self.linux.iter().filter_map(|linux| linux.addresses());
        self.addresses = marked.chain(changed).flatten().copied().collect();
    }

    /// Takes over what of another's is no part of a checkpoint: all but the profile.
    pub fn adopt_others(&mut self, other: &ProbeSet) {
        self.linux.clone_from(&other.linux);
        self.marker.clone_from(&other.marker);
        self.addresses.clone_from(&other.addresses);
    }

    /// Whether there is more than a profile.
    pub fn is_more_than_profile(&self) -> bool {
        self.linux.is_some() || self.marker.is_some()
    }

    /// Awareness of a Linux kernel.
    pub fn linux(&self) -> Option<&Linux> {
        self.linux.as_deref()
    }
}

impl Observer for ProbeSet {
    fn instruction(&mut self, pc: u32, width: Width, region: RegionIndex) {
        if let Some(marker) = &mut self.marker {
            marker.instruction(pc, width, region);
        }
        if let Some(profile) = &mut self.profile {
            profile.instruction(pc, width, region);
        }
    }

    fn cycles(&mut self, cycles: u64) {
        if let Some(profile) = &mut self.profile {
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
        if let Some(profile) = &mut self.profile {
            profile.data(pc, address, width, direction, region);
        }
    }

    fn interrupted(&mut self, number: u8, next: u32, stack_pointer: u32) {
        if let Some(profile) = &mut self.profile {
            profile.interrupted(number, next, stack_pointer);
        }
    }

    fn transfer(&mut self, from: u32, to: u32, kind: Transfer, stack_pointer: u32) {
        if let Some(linux) = &mut self.linux {
            linux.transfer(from, to, kind, stack_pointer);
        }
        if let Some(profile) = &mut self.profile {
            // Whose programs go on is known only when the core was looked at, before its next instruction.
            if self.linux.is_some() && kind == Transfer::ExceptionReturn {
                self.returned = Some((from, to, stack_pointer));
            } else {
                profile.transfer(from, to, kind, stack_pointer);
            }
        }
    }

    fn executed(&mut self, pc: u32, next: u32) {
        if let Some(profile) = &mut self.profile {
            profile.executed(pc, next);
        }
    }

    fn special_written(&mut self, number: u32, value: u32) {
        if let Some(linux) = &mut self.linux {
            linux.special_written(number, value);
        }
    }

    fn execution_state(&mut self, state: ExecutionState) {
        if let Some(profile) = &mut self.profile {
            profile.execution_state(state);
        }
    }

    #[inline]
    fn stop(&self) -> bool {
        self.linux.as_ref().is_some_and(|linux| linux.stop())
    }

    fn look(&mut self, cycle: u64, core: &dyn Core, space: &AddressSpace) {
        let Some(linux) = &mut self.linux else {
            return;
        };
        linux.look(cycle, core, space);
        if let Some(profile) = &mut self.profile {
            if let Some((core, task)) = linux.task() {
                profile.runs(core, task);
            }
            if let Some((from, to, sp)) = self.returned.take() {
                profile.transfer(from, to, Transfer::ExceptionReturn, sp);
            }
        }
    }

    fn translation(&mut self) -> Translation<'_> {
        let linux = self.linux.as_mut().map(|linux| linux.translation());
        match (&mut self.profile, linux) {
            (None, None) => Translation::Nothing,
            (None, Some(linux)) => linux,
            (Some(profile), None) => profile.translation(),
            (Some(profile), Some(linux)) => match (profile.translation(), linux) {
                (Translation::Profile(shared), Translation::Exceptions(special_registers)) => {
                    Translation::Profile(Shared {
                        special_registers,
                        ..shared
                    })
                }
                (profile, _) => profile,
            },
        }
    }

    fn follows(&self, pc: u32) -> bool {
        self.profile
            .as_ref()
            .is_none_or(|profile| profile.follows(pc))
    }

    fn ran(&mut self, cycles: u64, address: u32, region: Option<RegionIndex>) {
        if let Some(profile) = &mut self.profile {
            Observer::ran(profile.as_mut(), cycles, address, region);
        }
    }
}

impl MachineObserver for ProbeSet {
    socscope_machine::executes_here!();

    fn input(&mut self, input: &Input) {
        if let Some(profile) = &mut self.profile {
            profile.input(input);
        }
    }

    fn mapped(&mut self, regions: &[Region], moved: &Moves) {
        if let Some(profile) = &mut self.profile {
            profile.mapped(regions, moved);
        }
    }

    fn wants_traces(&self) -> bool {
        let marker = self.marker.as_ref();
        let marks = marker.is_some_and(|marker| marker.wants_traces());
        self.profile.is_some() || self.linux.is_some() || marks
    }

    fn wants_registers(&self) -> bool {
        let marker = self.marker.as_ref();
        marker.is_some_and(|marker| marker.wants_registers())
    }

    fn addresses(&self) -> Option<&BTreeSet<u32>> {
        Some(&self.addresses).filter(|addresses| !addresses.is_empty())
    }

    fn reaches(&mut self, core: u16, cycle: u64, processor: &AnyCore) {
        if let Some(marker) = &mut self.marker {
            marker.reaches(core, cycle, processor);
        }
        if let Some(linux) = &mut self.linux {
            linux.reaches(processor.program_counter());
        }
    }

    fn trace(&mut self, device: u16, time: Instant, cycle: u64, event: TraceEvent) {
        if let Some(profile) = &mut self.profile {
            profile.trace(device, time, cycle, event);
        }
        if let Some(linux) = &mut self.linux {
            linux.device(event);
        }
        if let Some(marker) = &mut self.marker {
            marker.trace(device, time, cycle, event);
        }
    }

    fn turn(&mut self, core: u16) {
        if let Some(profile) = &mut self.profile {
            profile.turn(core);
        }
        if let Some(linux) = &mut self.linux {
            linux.turn(core);
        }
        if let Some(marker) = &mut self.marker {
            marker.turn(core);
        }
    }

    fn reset(&mut self, pc: u32) {
        if let Some(profile) = &mut self.profile {
            profile.reset(pc);
        }
    }

    fn asleep(&mut self, core: u16, cycles: u64) {
        if let Some(profile) = &mut self.profile {
            profile.asleep(core, cycles);
        }
    }

    fn bus_held(&mut self, core: u16, cycles: u64) {
        if let Some(profile) = &mut self.profile {
            profile.bus_held(core, cycles);
        }
    }

    fn mark(&mut self, mark: Mark, end: u64) {
        if let Some(profile) = &mut self.profile {
            profile.mark(mark, end);
        }
    }
}
