//! A wired machine: building it, loading an image, looking at it.

use crate::build::{build, cpu_node};
use crate::bus::SystemBus;
use crate::error::{LoadError, PlatformError};
use crate::image::{Expected, Image};
use crate::log::Log;
use crate::overrides;
use crate::port::BitErrors;
use crate::timing::Timing;
use crate::tree::Tree;
use socscope_device::{Context, Description, Device};
use socscope_isa::arm::{Core, InstructionSet, Status};
use socscope_memory::{AddressMap, Region, Target};
use socscope_time::{Clock, Instant};
use socscope_timing::AccuracyLabel;

/// A machine.
pub struct Machine {
    platform: String,
    pub(crate) core: Core,
    pub(crate) timing: Timing,
    pub(crate) cycle: u64,
    pub(crate) bus: SystemBus,
    pub(crate) marks: Vec<(u8, u64)>,
    /// The map that a boot loader sets up: where images are loaded.
    nominal: AddressMap,
    /// Where the core starts; `None` is the reset vector.
    entry: Option<u32>,
    console: Option<String>,
}

/// A device of a machine, for people.
pub struct DeviceEntry<'a> {
    /// Short name.
    pub name: &'a str,
    /// Path of its node.
    pub path: &'a str,
    /// Its manual page.
    pub description: &'static Description,
    /// First address; `None` when it has none.
    pub base: Option<u32>,
}

impl Machine {
    /// Builds a machine from a device-tree blob. `overrides` are `/path:property=value`.
    ///
    /// # Errors
    /// Everything that is wrong with the tree, with path and property.
    pub fn new(
        blob: &[u8],
        platform: &str,
        overrides: &[String],
    ) -> Result<Machine, PlatformError> {
        let mut tree = Tree::parse(blob, platform)?;
        for text in overrides {
            overrides::apply(&mut tree, text)?;
        }
        let timing = Timing::from_node(&tree, cpu_node(&tree)?)?;
        let bus = build(&tree, platform)?;
        let console = console_of(&tree);
        let nominal = bus.space.map.clone();
        let mut machine = Machine {
            platform: platform.into(),
            core: Core::default(),
            timing,
            cycle: 0,
            bus,
            marks: vec![],
            nominal,
            entry: None,
            console,
        };
        machine.reset();
        machine.boot_loader();
        machine.nominal = machine.bus.space.map.clone();
        machine.reset();
        Ok(machine)
    }

    /// Puts core and devices into their state after reset. Memories keep their contents, and time goes on.
    pub fn reset(&mut self) {
        self.reset_all(|model, context| model.reset(context));
    }

    /// The same, asked for by a device.
    pub(crate) fn reset_from_within(&mut self) {
        self.reset_all(|model, context| model.reset_from_within(context));
    }

    fn reset_all(&mut self, reset: impl Fn(&mut dyn Device, &mut Context)) {
        self.core = Core::default();
        self.timing.reset();
        self.bus.core_stopped = false;
        let now = self.now();
        for device in 0..self.bus.slots.len() as u16 {
            self.bus.call(device, now, &reset);
        }
        if let Some(entry) = self.entry {
            self.boot_loader();
            let instruction_set = if entry & 1 == 1 {
                InstructionSet::Thumb
            } else {
                InstructionSet::Arm
            };
            self.core.set_program_counter(entry & !1);
            self.core.set_status(Status {
                instruction_set,
                ..self.core.status()
            });
        }
    }

    fn boot_loader(&mut self) {
        let now = self.now();
        for device in 0..self.bus.slots.len() as u16 {
            self.bus
                .call(device, now, |model, context| model.boot_loader(context));
        }
    }

    /// Loads an ELF image at its physical addresses in the boot loader's map, and resets. The core starts at the reset vector when
    /// the image put something there, else at the image's entry with the boot loader's map in force.
    ///
    /// # Errors
    /// Files that are no image for this core, and segments outside every memory; nothing is loaded then.
    pub fn load_elf(&mut self, bytes: &[u8], path: &str) -> Result<(), LoadError> {
        let image = Image::parse(path, bytes, Expected::ARM_LITTLE_ENDIAN)?;
        let mut plan = vec![];
        for segment in &image.segments {
            let length = segment.bytes.len() as u64 + u64::from(segment.zero_bytes);
            plan.push((self.place(path, segment.physical_address, length)?, segment));
        }
        let at_reset = self.memory_at_reset();
        let mut boots_from_reset = false;
        for ((memory, offset), segment) in plan {
            let target =
                &mut self.bus.space.memories[memory as usize].bytes_mut()[offset as usize..];
            let (data, zeros) = target.split_at_mut(segment.bytes.len());
            data.copy_from_slice(&segment.bytes);
            zeros[..segment.zero_bytes as usize].fill(0);
            boots_from_reset |= !segment.bytes.is_empty() && Some((memory, offset)) == at_reset;
        }
        self.entry = (!boots_from_reset).then_some(image.entry);
        self.reset();
        Ok(())
    }

    fn place(&self, path: &str, address: u32, length: u64) -> Result<(u16, u32), LoadError> {
        let region = self.nominal.region(self.nominal.find(address));
        let offset = address.wrapping_sub(region.base);
        match region.target {
            Target::Memory { memory, .. }
                if u64::from(offset) + length <= u64::from(region.size) =>
            {
                Ok((memory.0, offset))
            }
            _ => Err(LoadError::OutsideMemory {
                image: path.into(),
                address,
                length,
                memories: self.memory_list(),
            }),
        }
    }

    fn memory_at_reset(&self) -> Option<(u16, u32)> {
        let region = self.bus.space.map.region(self.bus.space.map.find(0));
        match region.target {
            Target::Memory { memory, .. } => Some((memory.0, 0u32.wrapping_sub(region.base))),
            _ => None,
        }
    }

    fn memory_list(&self) -> String {
        let memories = self
            .nominal
            .regions()
            .iter()
            .filter(|region| matches!(region.target, Target::Memory { .. }));
        let text = |region: &Region| {
            format!(
                "{} {:#010x} to {:#010x}",
                region.name,
                region.base,
                region.base + (region.size - 1)
            )
        };
        memories
            .filter(|region| region.enabled)
            .map(text)
            .collect::<Vec<_>>()
            .join(", ")
    }

    /// Name of the platform.
    pub fn platform(&self) -> &str {
        &self.platform
    }

    /// Core cycles since power-on.
    pub fn cycle(&self) -> u64 {
        self.cycle
    }

    /// Time since power-on.
    pub fn now(&self) -> Instant {
        self.bus.core_clock.instant_of(self.cycle)
    }

    /// The core's clock.
    pub fn clock(&self) -> Clock {
        self.bus.core_clock
    }

    /// The core.
    pub fn core(&self) -> &Core {
        &self.core
    }

    /// Address of the next instruction.
    pub fn pc(&self) -> u32 {
        self.core.program_counter()
    }

    /// The address map now.
    pub fn regions(&self) -> &[Region] {
        self.bus.space.map.regions()
    }

    /// How far the cycles can be trusted.
    pub fn accuracy(&self) -> AccuracyLabel {
        self.timing.accuracy()
    }

    /// Messages of devices and of accesses without a model.
    pub fn log(&self) -> &Log {
        &self.bus.log
    }

    /// Magic instructions so far: number and cycle.
    pub fn marks(&self) -> &[(u8, u64)] {
        &self.marks
    }

    /// The devices, by index.
    pub fn devices(&self) -> impl Iterator<Item = DeviceEntry<'_>> {
        self.bus
            .slots
            .iter()
            .enumerate()
            .map(|(index, slot)| DeviceEntry {
                name: &slot.name,
                path: &slot.path,
                description: slot.model.description(),
                base: self
                    .regions()
                    .iter()
                    .find(|region| region.target == Target::Device(index as u16))
                    .map(|region| region.base),
            })
    }

    /// Names of the serial ports, the console first.
    pub fn ports(&self) -> Vec<&str> {
        let mut names: Vec<&str> = self
            .bus
            .ports
            .iter()
            .map(|port| port.name.as_str())
            .collect();
        names.sort_by_key(|name| Some(*name) != self.console.as_deref());
        names
    }

    pub(crate) fn port(&self, name: &str) -> Result<u16, PlatformError> {
        let found = self.bus.ports.iter().position(|port| port.name == name);
        found
            .map(|index| index as u16)
            .ok_or_else(|| PlatformError::UnknownName {
                platform: self.platform.clone(),
                kind: "port",
                name: name.into(),
                known: self.ports().join(", "),
            })
    }

    /// Queues bytes for a port. They go onto the line in the guest's own format as soon as its receiver is on.
    pub fn serial_input(&mut self, port: &str, bytes: &[u8]) -> Result<(), PlatformError> {
        let index = self.port(port)?;
        self.bus.ports[index as usize].input.extend(bytes);
        let now = self.now();
        self.bus.offer_input(index, now);
        Ok(())
    }

    /// Takes the bytes that a port has sent completely by now.
    pub fn take_serial_output(&mut self, port: &str) -> Result<Vec<u8>, PlatformError> {
        let index = self.port(port)?;
        let now = self.now();
        let output = &mut self.bus.ports[index as usize].output;
        let complete = output.iter().take_while(|(time, _)| *time <= now).count();
        Ok(output.drain(..complete).map(|(_, byte)| byte).collect())
    }

    /// Every character of a port, in the order of time: its end, whether the guest sent it, and its value.
    pub fn serial_log(&self, port: &str) -> Result<Vec<(Instant, bool, u8)>, PlatformError> {
        let index = self.port(port)?;
        let mut log = self.bus.ports[index as usize].log.clone();
        log.sort_by_key(|&(time, sent, _)| (time, sent));
        Ok(log)
    }

    /// The bytes that a port has sent completely by now, from entry `cursor` of its log on; moves the cursor behind them.
    pub fn sent_since(&self, port: &str, cursor: &mut usize) -> Result<Vec<u8>, PlatformError> {
        let index = self.port(port)?;
        let now = self.now();
        let log = &self.bus.ports[index as usize].log;
        let complete = log
            .iter()
            .skip(*cursor)
            .take_while(|(time, sent, _)| !sent || *time <= now);
        let (mut passed, mut bytes) = (0, vec![]);
        for &(_, sent, byte) in complete {
            passed += 1;
            bytes.extend(sent.then_some(byte));
        }
        *cursor += passed;
        Ok(bytes)
    }

    /// Disturbs a port's wire in both directions: each bit flips with probability `rate`. Zero switches it off.
    pub fn set_bit_errors(
        &mut self,
        port: &str,
        rate: f64,
        seed: u64,
    ) -> Result<(), PlatformError> {
        let index = self.port(port)?;
        self.bus.ports[index as usize].errors = (rate > 0.0).then(|| BitErrors::new(rate, seed));
        Ok(())
    }

    /// Bits that were flipped on a port's wire.
    pub fn bits_flipped(&self, port: &str) -> Result<u64, PlatformError> {
        let index = self.port(port)?;
        Ok(self.bus.ports[index as usize]
            .errors
            .map_or(0, |errors| errors.flipped))
    }

    /// Where an image was linked for what is at `address` now: before a remap, memories answer elsewhere.
    pub fn nominal_address(&self, address: u32) -> u32 {
        let region = self.bus.space.map.region(self.bus.space.map.find(address));
        let Target::Memory { memory, .. } = region.target else {
            return address;
        };
        let behind = |nominal: &&Region| matches!(nominal.target, Target::Memory { memory: other, .. } if other == memory);
        let nominal = self
            .nominal
            .regions()
            .iter()
            .filter(|nominal| nominal.enabled)
            .find(behind);
        nominal.map_or(address, |nominal| nominal.base + (address - region.base))
    }

    /// Memory at `address`, without side effects; shorter than `size` where no memory answers.
    pub fn peek(&self, address: u32, size: u32) -> Vec<u8> {
        let byte = |offset| {
            self.bus
                .space
                .read_memory(address.checked_add(offset)?, socscope_memory::Width::Byte)
                .ok()
        };
        (0..size)
            .map_while(byte)
            .map(|(value, _)| value as u8)
            .collect()
    }

    /// Changes memory, ROM too. Gives the number of bytes that were written.
    pub fn poke(&mut self, address: u32, bytes: &[u8]) -> usize {
        for (offset, &byte) in bytes.iter().enumerate() {
            let at = address.wrapping_add(offset as u32);
            let region = self
                .bus
                .space
                .map
                .region(self.bus.space.map.find(at))
                .clone();
            let Target::Memory { memory, .. } = region.target else {
                return offset;
            };
            let memory = &mut self.bus.space.memories[memory.0 as usize];
            memory.write(
                at - region.base,
                socscope_memory::Width::Byte,
                u32::from(byte),
                self.bus.space.endianness,
            );
        }
        bytes.len()
    }

    /// Drives an input line of a device by name, as the board around the chip would.
    pub fn set_input(
        &mut self,
        device: &str,
        line: &str,
        level: bool,
    ) -> Result<(), PlatformError> {
        let unknown = |kind, name: &str, known: Vec<&str>| PlatformError::UnknownName {
            platform: self.platform.clone(),
            kind,
            name: name.into(),
            known: known.join(", "),
        };
        let Some(index) = self.bus.slots.iter().position(|slot| slot.name == device) else {
            return Err(unknown(
                "device",
                device,
                self.bus
                    .slots
                    .iter()
                    .map(|slot| slot.name.as_str())
                    .collect(),
            ));
        };
        let inputs = self.bus.slots[index].model.description().inputs;
        let Some(input) = inputs.iter().position(|name| *name == line) else {
            return Err(unknown("input line", line, inputs.to_vec()));
        };
        let now = self.now();
        self.bus.call(index as u16, now, |model, context| {
            model.input(input as u32, level, context)
        });
        Ok(())
    }
}

fn console_of(tree: &Tree) -> Option<String> {
    let chosen = tree.find("/chosen")?;
    let path = tree.string(chosen, "stdout-path").ok()??;
    let node = tree.find(path.split(':').next()?)?;
    Some(tree.short_name(node))
}
