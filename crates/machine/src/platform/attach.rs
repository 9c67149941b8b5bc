//! Devices that are put into a machine which is built already, and taken out of it again.
//!
//! A device is code, an input is data: an attachment names a device that the machine was given before. So a run can be repeated by a
//! machine that was given the same devices.

use crate::inputs::input::{Input, InputError};
use crate::machine::Machine;
use crate::platform::error::PlatformError;
use crate::running::core_signals::CoreSignal;
use crate::running::signals::CoreLine;
use crate::system::bus::{Attention, FIRST_PORT_EVENT, Slot, SystemBus};
use crate::system::failure::Failure;
use crate::system::wiring::Sink;
use serde::{Deserialize, Serialize};
use socscope_device::{Device, RestoreError};
use socscope_memory::{AccessCost, AddressMap, MapError, Region, Target};
use socscope_time::Clock;
use thiserror::Error;

/// Where an output line of a device ends.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum LineEnd {
    /// The first core's (normal) interrupt request, as earlier versions noted it.
    CoreIrq,
    /// The fast interrupt request likewise.
    CoreFiq,
    /// An input of another device.
    Input {
        /// Its name; `None` is the platform's interrupt controller.
        device: Option<String>,
        /// Number of the input.
        input: u32,
    },
    /// A line of a core.
    Core {
        /// Number of the core.
        core: u16,
        /// Its name at the core: `irq`.
        line: String,
    },
}

impl std::fmt::Display for LineEnd {
    fn fmt(&self, formatter: &mut std::fmt::Formatter) -> std::fmt::Result {
        match self {
            LineEnd::CoreIrq => formatter.write_str("cpu0.irq"),
            LineEnd::CoreFiq => formatter.write_str("cpu0.fiq"),
            LineEnd::Core { core, line } => write!(formatter, "cpu{core}.{line}"),
            LineEnd::Input { device, input } => {
                let device = device.as_deref().unwrap_or("the interrupt controller");
                write!(formatter, "input {input} of {device}")
            }
        }
    }
}

/// Where a device is put.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attachment {
    /// Name that it gets in the machine.
    pub name: String,
    /// What it is: the title of its description.
    pub kind: String,
    /// First address.
    pub base: u32,
    /// Bytes.
    pub size: u32,
    /// Wait states of an access.
    pub wait_states: u16,
    /// Frequency of its clock; `None` is the core's.
    pub clock_hz: Option<u64>,
    /// Output lines by name, and where they end.
    pub lines: Vec<(String, LineEnd)>,
}

/// A device that cannot be put there, or not be taken out.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum AttachError {
    /// Two devices of one name.
    #[error("{platform}: the name {name} is taken; give the device another one")]
    NameTaken {
        /// Name of the platform.
        platform: String,
        /// The name.
        name: String,
    },
    /// A device that was never given.
    #[error(
        "device {name} is missing: it was written in Python and is no part of the platform; add it with the same class"
    )]
    Missing {
        /// Its name.
        name: String,
    },
    /// Its place is taken, or is no place.
    #[error("device {name}: {reason}")]
    Place {
        /// Its name.
        name: String,
        /// What is wrong.
        reason: MapError,
    },
    /// Registers need aligned words.
    #[error("device {name} at {base:#010x} of {size:#x} bytes: give multiples of 4")]
    Unaligned {
        /// Its name.
        name: String,
        /// Its first address.
        base: u32,
        /// Its bytes.
        size: u32,
    },
    /// A frequency that no clock has.
    #[error("device {name}: a clock of {clock_hz} Hz is not possible")]
    Clock {
        /// Its name.
        name: String,
        /// The frequency.
        clock_hz: u64,
    },
    /// A line that the device does not have.
    #[error("device {name} has no output line {output}; there are: {known}")]
    NoOutput {
        /// Its name.
        name: String,
        /// The line.
        output: String,
        /// Its lines.
        known: String,
    },
    /// Nothing at the other end.
    #[error("device {name}: its line {output} goes to {end}, which is not there; {remedy}")]
    NoEnd {
        /// Its name.
        name: String,
        /// Its line.
        output: String,
        /// The other end.
        end: String,
        /// What to do.
        remedy: String,
    },
    /// A state of another kind of device.
    #[error(transparent)]
    State(#[from] RestoreError),
    /// A device of the platform.
    #[error("device {name} is a part of the platform; only devices that were added can be removed")]
    OfPlatform {
        /// Its name.
        name: String,
    },
    /// More devices than a machine can have.
    #[error("device {name}: the machine has as many devices as it can")]
    TooMany {
        /// Its name.
        name: String,
    },
}

impl Machine {
    /// Gives the machine a device that an attachment or a saved state may name.
    pub fn give_device(&mut self, name: &str, device: Box<dyn Device>) {
        self.bus.given.insert(name, device);
    }

    /// Puts a device into the machine, now, and resets it. Nothing is changed when that is not possible.
    pub fn add_device(
        &mut self,
        attachment: Attachment,
        device: Box<dyn Device>,
    ) -> Result<(), InputError> {
        let (name, kind) = (attachment.name.clone(), attachment.kind.clone());
        let state = device.save();
        let before = self.bus.given.insert(&name, device);
        let outcome = self.apply(Input::Attach { attachment, state });
        if outcome.is_err() {
            self.bus.given.take(&name, &kind);
        }
        if let Some(before) = before {
            self.bus.given.insert(&name, before);
        }
        outcome
    }

    /// Takes a device that was added out of the machine: its addresses are free, its lines are low, its events do not happen.
    pub fn remove_device(&mut self, name: &str) -> Result<(), InputError> {
        self.apply(Input::Detach {
            device: name.into(),
        })
    }

    /// A model's failure, which ended the run.
    pub fn failure(&self) -> Option<&Failure> {
        self.bus.failure.as_ref()
    }

    /// An attribute of a device, or what else it shows by name, in the encoding of the device.
    pub fn device_attribute(
        &self,
        device: &str,
        name: &str,
    ) -> Result<Option<Vec<u8>>, PlatformError> {
        let number = self.device(device)?;
        Ok(self.bus.slots[number as usize].model.attribute(name))
    }

    pub(crate) fn attach(
        &mut self,
        attachment: &Attachment,
        state: &[u8],
    ) -> Result<(), AttachError> {
        let Attachment {
            name,
            kind,
            base,
            size,
            wait_states,
            clock_hz,
            lines,
        } = attachment;
        let name = name.clone();
        if self.bus.present_device(&name).is_some() {
            let platform = self.platform.clone();
            return Err(AttachError::NameTaken { platform, name });
        }
        if self.bus.slots.len() >= usize::from(FIRST_PORT_EVENT) {
            return Err(AttachError::TooMany { name });
        }
        let (base, size) = (*base, *size);
        if base % 4 != 0 || size % 4 != 0 {
            return Err(AttachError::Unaligned { name, base, size });
        }
        let clock = match *clock_hz {
            None => self.bus.core_clock,
            Some(clock_hz) => match Clock::new(clock_hz) {
                Some(clock) => clock,
                None => return Err(AttachError::Clock { name, clock_hz }),
            },
        };
        // When a run is repeated, each time that the device comes is an input.
        if self.bus.given.get(&name, kind).is_none()
            && let Some(model) = self.bus.another(&name, kind)
        {
            self.bus.given.insert(&name, model);
        }
        let device = self.bus.given.get(&name, kind);
        let device = device.ok_or_else(|| AttachError::Missing { name: name.clone() })?;
        device.restore(state)?;
        let outputs = device.description().outputs;
        let mut sinks = vec![];
        for (output, end) in lines {
            let found = outputs.iter().position(|known| known == output);
            let number = found.ok_or_else(|| AttachError::NoOutput {
                name: name.clone(),
                output: output.clone(),
                known: outputs.join(", "),
            })?;
            sinks.push((number as u32, self.sink(&name, output, end)?));
        }
        let number = self.bus.slots.len() as u16;
        let region = Region {
            name: name.clone(),
            base,
            size,
            enabled: true,
            core: None,
            target: Target::Device(number),
            cost: AccessCost::with_wait_states(32, *wait_states, *wait_states),
        };
        let map = with_region(self.bus.space.map(), region).map_err(|reason| {
            let name = name.clone();
            AttachError::Place { name, reason }
        })?;
        *self.bus.space.map_mut() = map;
        let Some(model) = self.bus.given.take(&name, kind) else {
            return Err(AttachError::Missing { name });
        };
        self.bus.slots.push(Slot {
            name,
            path: String::new(),
            node: [].into(),
            model,
            clock,
            order: self.bus.first_order,
            latest: self.now(),
        });
        for (output, sink) in sinks {
            self.bus.wiring.connect(number, output, sink);
        }
        let now = self.now();
        self.bus
            .call(number, now, |model, context| model.reset(context));
        Ok(())
    }

    fn sink(&self, name: &str, output: &str, end: &LineEnd) -> Result<Sink, AttachError> {
        let (core, line) = match end {
            LineEnd::Input { device, input } => {
                return self.bus.sink((name, output), device.as_ref(), *input);
            }
            LineEnd::CoreIrq => (0, Some(CoreLine::Interrupt)),
            // Earlier versions took a fast interrupt of any core.
            LineEnd::CoreFiq => (0, Some(CoreLine::FastInterrupt)),
            LineEnd::Core { core, line } => (*core, self.line_of_core(*core, line)),
        };
        let found = line.map(|line| Sink::Core { core, line });
        found.ok_or_else(|| {
            let signals = self.core_signals();
            let known: Vec<String> = signals.iter().map(CoreSignal::name).collect();
            AttachError::NoEnd {
                name: name.into(),
                output: output.into(),
                end: end.to_string(),
                remedy: format!("there are: {}", known.join(", ")),
            }
        })
    }

    pub(crate) fn detach(&mut self, name: &str) -> Result<(), InputError> {
        let number = self.device(name)?;
        if !self.bus.slots[number as usize].added() {
            return Err(AttachError::OfPlatform { name: name.into() }.into());
        }
        let now = self.now();
        let outputs = self.bus.slots[number as usize].model.description().outputs;
        self.bus.call(number, now, |_, context| {
            for output in 0..outputs.len() {
                context.set_line(output as u32, false);
            }
        });
        let bus = &mut self.bus;
        bus.wiring.disconnect(number);
        bus.events.retain(|event| event.device != number);
        bus.attention.retain(|attention| {
            !matches!(attention, Attention::AfterNextInstruction { device, .. } if *device == number)
        });
        let freed = without_device(bus.space.map(), number);
        if let Ok(map) = freed {
            *bus.space.map_mut() = map;
        }
        bus.refresh_deadline();
        Ok(())
    }
}

/// A map with one more region. Stubs that lie within it make room.
fn with_region(map: &AddressMap, region: Region) -> Result<AddressMap, MapError> {
    let mut map = map.clone();
    let covered = covered_by(&region);
    map.change_all(|regions| {
        for stub in regions.iter_mut().filter(|stub| covered(stub)) {
            stub.enabled = false;
        }
    })?;
    map.add(region)?;
    Ok(map)
}

/// A map without a device's region; stubs under it answer again.
fn without_device(map: &AddressMap, device: u16) -> Result<AddressMap, MapError> {
    let mut map = map.clone();
    let target = Target::Device(device);
    let found = map
        .regions()
        .iter()
        .find(|region| region.target == target && region.enabled)
        .cloned();
    if let Some(found) = found {
        let covered = covered_by(&found);
        map.change_all(|regions| {
            for region in regions.iter_mut() {
                region.enabled = (region.enabled || covered(region)) && region.target != target;
            }
        })?;
    }
    Ok(map)
}

fn covered_by(cover: &Region) -> impl Fn(&Region) -> bool + use<> {
    let last = |region: &Region| u64::from(region.base) + u64::from(region.size);
    let (base, end) = (cover.base, last(cover));
    let core = cover.core;
    move |region| {
        region.core == core
            && region.target == Target::Stub
            && region.base >= base
            && last(region) <= end
    }
}

impl Slot {
    /// Whether the device was added, and is no part of the platform.
    pub(crate) fn added(&self) -> bool {
        self.path.is_empty()
    }
}

impl SystemBus {
    /// Whether a device is in the machine: one that was removed keeps its number.
    pub(crate) fn present(&self, device: u16) -> bool {
        let answers = |region: &Region| region.enabled && region.target == Target::Device(device);
        !self.slots[device as usize].added() || self.space.map().regions().iter().any(answers)
    }

    /// The device of a name.
    pub(crate) fn present_device(&self, name: &str) -> Option<u16> {
        let mut slots = self.slots.iter().enumerate();
        let found = slots.find(|(number, slot)| slot.name == name && self.present(*number as u16));
        found.map(|(number, _)| number as u16)
    }

    fn sink(
        &self,
        (name, output): (&str, &str),
        device: Option<&String>,
        input: u32,
    ) -> Result<Sink, AttachError> {
        let missing = |end: String, remedy: String| AttachError::NoEnd {
            name: name.into(),
            output: output.into(),
            end,
            remedy,
        };
        let controllers = || {
            (0..self.slots.len() as u16).filter(|&number| {
                let outputs = self.slots[number as usize].model.description().outputs;
                let interrupts = |name: &&str| {
                    matches!(CoreLine::of_output(name), Some((_, CoreLine::Interrupt)))
                };
                self.present(number) && outputs.iter().any(interrupts)
            })
        };
        let number = match device {
            Some(device) => self.present_device(device).ok_or_else(|| {
                let present = (0..self.slots.len()).filter(|&number| self.present(number as u16));
                let known: Vec<&str> = present.map(|number| &*self.slots[number].name).collect();
                missing(device.clone(), format!("there are: {}", known.join(", ")))
            })?,
            None => match (controllers().next(), controllers().nth(1)) {
                (Some(only), None) => only,
                _ => {
                    let remedy = "the platform has not exactly one: name the device, or a core's line as \"cpu0.irq\"";
                    return Err(missing("the interrupt controller".into(), remedy.into()));
                }
            },
        };
        let slot = &self.slots[number as usize];
        let inputs = slot.model.description().inputs.len();
        if input as usize >= inputs {
            return Err(missing(
                format!("input {input} of {}", slot.name),
                format!("it has the inputs 0 to {}", inputs.saturating_sub(1)),
            ));
        }
        Ok(Sink::Device {
            device: number,
            input,
        })
    }
}
