//! Whether a state is one of this machine: what it refers to by number must be there.

use super::error::RestoreError;
use super::saved::{Saved, identity};
use crate::machine::Machine;
use crate::system::bus::{Attention, FIRST_PORT_EVENT};
use socscope_memory::{Region, Target};
use socscope_time::{Clock, Instant};

/// Cycles that DMA may hold the core at once.
const STALL_CYCLES_MAX: u64 = 1 << 40;

impl Machine {
    pub(super) fn check(&self, saved: &Saved) -> Result<(), RestoreError> {
        self.bus.space.accepts(&saved.memory)?;
        self.check_devices(saved)?;
        let refuse = |section: &str, reason: &str| {
            Err(RestoreError::Section {
                section: section.into(),
                reason: reason.into(),
            })
        };
        let ports = self.bus.ports.iter();
        let ports = ports.map(|port| (port.device, port.index, port.name.as_str()));
        if !ports.eq(saved.ports.iter().map(|port| port.identity())) {
            return refuse("ports", "are not those of the platform");
        }
        self.check_cores(saved)?;
        if self.bus.core_clock.instant_of(saved.cycle) == Instant::FOREVER {
            return refuse("cycle", "is behind the end of time");
        }
        // Not covered by the state's hash, but it follows from what is.
        let processors = saved.processors.iter().zip(&self.clocks);
        let reached = processors.map(|(processor, clock)| clock.instant_of(processor.cycle));
        let reached = reached.min().unwrap_or(Instant::ZERO);
        if saved.cycle != self.bus.core_clock.cycles_at(reached) {
            return refuse("cycle", "is not the one that all cores have reached");
        }
        if saved.stall_cycles > STALL_CYCLES_MAX {
            return refuse("stall_cycles", "are more than any transfer takes");
        }
        let devices = saved.devices.len();
        let device = |number: u16| usize::from(number) < devices;
        let target = |target: Target| match target {
            Target::Memory { memory, .. } => (memory.0 as usize) < saved.memory.memories().len(),
            Target::Device(number) => device(number),
            Target::Stub | Target::Unmapped => true,
        };
        let mut regions = saved.memory.map().regions().iter();
        let count = self.regions().len().min(usize::from(u16::MAX));
        if saved.memory.map().regions().len() < count.min(self.nominal.regions().len())
            || !regions.all(|region| target(region.target) && self.has_core(region))
        {
            return refuse("memory", "has regions of something that is not there");
        }
        let attention = |attention: &Attention| match *attention {
            Attention::AfterNextInstruction { device: number, .. } => device(number),
            Attention::Magic(_) | Attention::Reset => true,
        };
        if !saved.attention.iter().all(attention) {
            return refuse("attention", "is for a device that is not there");
        }
        self.check_past(saved)?;
        let port = |number: u16| usize::from(number - FIRST_PORT_EVENT) < saved.ports.len();
        let due = |number: u16| device(number) || (number >= FIRST_PORT_EVENT && port(number));
        if !saved.events.payloads().all(|event| due(event.device)) {
            return refuse("events", "are of a device or port that is not there");
        }
        if !(saved.traces.waiting.iter()).all(|&(number, _, _)| device(number)) {
            return refuse("traces", "are of a device that is not there");
        }
        let platform = self.bus.slots.iter().filter(|slot| !slot.added());
        let inputs: Vec<usize> = platform
            .map(|slot| slot.model.description().inputs.len())
            .collect();
        let inputs = |number: u16| {
            let added = device(number).then_some(usize::MAX);
            inputs.get(usize::from(number)).copied().or(added)
        };
        if !saved.lines.fits(inputs, self.processors.len()) {
            return refuse("lines", "go to a device or input that is not there");
        }
        Ok(())
    }

    /// Whether the core that a region is private to is one of the machine's.
    fn has_core(&self, region: &Region) -> bool {
        let core = region.core.map(usize::from);
        core.is_none_or(|core| core < self.processors.len())
    }

    /// The cores are those of the platform, and so are their timing models.
    fn check_cores(&self, saved: &Saved) -> Result<(), RestoreError> {
        let refuse = |section: &str, reason: &str| {
            Err(RestoreError::Section {
                section: section.into(),
                reason: reason.into(),
            })
        };
        let count = self.processors.len();
        if saved.processors.len() != count
            || saved.signals.len() != count
            || usize::from(saved.turn.core) >= count
        {
            return refuse("processors", "are not those of the platform");
        }
        let own = self.processors.iter().zip(&self.clocks);
        for ((own, clock), saved) in own.zip(&saved.processors) {
            if !own.state.is_like(&saved.state) {
                return refuse("processors", "are not those of the platform");
            }
            if !own.timing.takes(&saved.timing) {
                return refuse(
                    "processors",
                    "have another timing model than the platform's",
                );
            }
            if clock.instant_of(saved.cycle) == Instant::FOREVER {
                return refuse("processors", "are behind the end of time");
            }
        }
        Ok(())
    }

    /// What has been is no part of the state's hash: nothing of it comes after the present, and inputs are in the order of time.
    fn check_past(&self, saved: &Saved) -> Result<(), RestoreError> {
        let refuse = |section: &str, reason: String| {
            Err(RestoreError::Section {
                section: section.into(),
                reason,
            })
        };
        let mut before = 0;
        for (number, recorded) in saved.inputs.iter().enumerate() {
            let cycle = recorded.moment.cycle;
            if cycle < before || cycle > saved.cycle {
                let reason =
                    format!("number {number} at cycle {cycle} is not in the order of time");
                return refuse("inputs", reason);
            }
            before = cycle;
        }
        for (number, mark) in saved.marks.iter().enumerate() {
            let core = saved.processors.get(usize::from(mark.core));
            if core.is_none_or(|core| mark.cycle > core.cycle) {
                let (core, cycle) = (mark.core, mark.cycle);
                let reason = format!(
                    "number {number} is of core {core} at cycle {cycle}, which it has not reached"
                );
                return refuse("marks", reason);
            }
        }
        Ok(())
    }

    /// The devices of the platform are the first ones, and the same.
    fn check_devices(&self, saved: &Saved) -> Result<(), RestoreError> {
        let platform = self.bus.slots.iter().filter(|slot| !slot.added());
        let mut count = 0;
        for (number, slot) in platform.enumerate() {
            count += 1;
            let title = slot.model.description().title;
            let expected = identity(&slot.name, title);
            let saved = saved.devices.get(number);
            let same = saved.is_some_and(|saved| {
                (&saved.name, &saved.path, &*saved.title, saved.clock_hz)
                    == (&slot.name, &slot.path, title, slot.clock.hz())
            });
            if !same {
                return Err(RestoreError::OtherDevice {
                    number,
                    expected,
                    found: saved.map_or("missing".into(), |saved| saved.identity()),
                });
            }
        }
        for device in &saved.devices[count..] {
            if !device.added() || Clock::new(device.clock_hz).is_none() {
                return Err(RestoreError::Section {
                    section: "devices".into(),
                    reason: format!("{} is not a device of the platform", device.identity()),
                });
            }
        }
        Ok(())
    }
}
