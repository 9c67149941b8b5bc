//! A wired machine.

use crate::build::{build, cpu_node};
use crate::bus::{Attention, SystemBus};
use crate::chronicle::Chronicle;
use crate::engine::{Engine, Translators};
use crate::error::PlatformError;
use crate::input_log::InputLog;
use crate::log::Log;
use crate::origin::Origin;
use crate::overrides;
use crate::timing::Timing;
use crate::tree::Tree;
use socscope_device::{Context, Device};
use socscope_isa::arm::{Core, InstructionSet, Status};
use socscope_memory::{AddressMap, Region};
use socscope_time::{Clock, Instant};
use socscope_timing::AccuracyLabel;
use std::sync::Arc;

/// A machine.
pub struct Machine {
    pub(crate) origin: Arc<Origin>,
    pub(crate) platform: String,
    pub(crate) core: Core,
    pub(crate) timing: Timing,
    pub(crate) cycle: u64,
    pub(crate) bus: SystemBus,
    pub(crate) marks: Chronicle<(u8, u64)>,
    /// The map that a boot loader sets up: where images are loaded.
    pub(crate) nominal: AddressMap,
    /// Where the core starts; `None` is the reset vector.
    pub(crate) entry: Option<u32>,
    pub(crate) console: Option<String>,
    pub(crate) engine: Engine,
    pub(crate) translators: Translators,
    pub(crate) inputs: InputLog,
    /// A run to a moment that is known to come: nothing else ends it.
    pub(crate) reaching: bool,
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
        Machine::from_origin(Arc::new(Origin {
            platform: platform.into(),
            blob: blob.into(),
            overrides: overrides.into(),
            tree,
        }))
    }

    pub(crate) fn from_origin(origin: Arc<Origin>) -> Result<Machine, PlatformError> {
        let Origin { platform, tree, .. } = &*origin;
        let timing = Timing::from_node(tree, cpu_node(tree)?)?;
        let bus = build(tree, platform)?;
        let console = console_of(tree);
        let nominal = bus.space.map().clone();
        let mut machine = Machine {
            platform: platform.clone(),
            origin: origin.clone(),
            core: Core::default(),
            timing,
            cycle: 0,
            bus,
            marks: Chronicle::default(),
            nominal,
            entry: None,
            console,
            engine: Engine::default(),
            translators: Translators::default(),
            inputs: InputLog::default(),
            reaching: false,
        };
        machine.reset();
        machine.boot_loader();
        machine.nominal = machine.bus.space.map().clone();
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
        self.bus
            .attention
            .retain(|attention| matches!(attention, Attention::Magic { .. }));
        let now = self.now();
        for device in 0..self.bus.slots.len() as u16 {
            if self.bus.present(device) {
                self.bus.call(device, now, &reset);
            }
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
            if self.bus.present(device) {
                self.bus
                    .call(device, now, |model, context| model.boot_loader(context));
            }
        }
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
        self.bus.space.map().regions()
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
    pub fn marks(&self) -> &Chronicle<(u8, u64)> {
        &self.marks
    }
}

fn console_of(tree: &Tree) -> Option<String> {
    let chosen = tree.find("/chosen")?;
    let path = tree.string(chosen, "stdout-path").ok()??;
    let node = tree.find(path.split(':').next()?)?;
    Some(tree.short_name(node))
}
