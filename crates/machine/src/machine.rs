//! A wired machine.

use crate::boot::image_map;
use crate::boot::linked::{ImageMap, Linked};
use crate::boot::others::{Loaded, OtherStarts};
use crate::boot::start::Start;
use crate::inputs::input_log::InputLog;
use crate::platform::build::build;
use crate::platform::cores::{cpu_nodes, quantum_cycles};
use crate::platform::error::PlatformError;
use crate::platform::nodes::check;
use crate::platform::origin::Origin;
use crate::platform::overrides;
use crate::platform::tree::Tree;
use crate::platform::view::clock_of;
use crate::running::core_cycles::CoreRecord;
use crate::running::engine::Engine;
use crate::running::observer::Marks;
use crate::running::processor::Processor;
use crate::system::bus::{Attention, SystemBus};
use crate::system::log::Log;
use socscope_architectures::AnyCore;
use socscope_device::{Context, Declared, Device};
use socscope_engines::Translators;
use socscope_memory::{AddressMap, Region};
use socscope_time::{Clock, Instant};
use socscope_timing::AccuracyLabel;
use std::sync::Arc;

pub(crate) const CHOSEN_PROPERTIES: &[Declared] = &[(
    "stdout-path",
    "The console: path, label or alias of a serial port, and what follows a colon is left to the guest.",
)];

/// A machine.
pub struct Machine {
    pub(crate) origin: Arc<Origin>,
    pub(crate) platform: String,
    pub(crate) processors: Vec<Processor>,
    /// The clock of each core.
    pub(crate) clocks: Vec<Clock>,
    pub(crate) core_records: Vec<CoreRecord>,
    /// How far all cores are, in cycles of the first one; time passes by itself for those that are stopped.
    pub(crate) cycle: u64,
    /// How far all cores are, of a machine with several.
    pub(crate) reached: Instant,
    /// The cycle at which the present turn ends, of a machine with several cores.
    pub(crate) turn_end: u64,
    pub(crate) quantum_cycles: u64,
    pub(crate) bus: SystemBus,
    pub(crate) marks: Marks,
    /// The map at reset.
    pub(crate) at_reset: AddressMap,
    /// The map that a boot loader sets up.
    pub(crate) nominal: AddressMap,
    /// The map that images shall be loaded in, where the platform says it.
    pub(crate) image_map_wanted: Option<ImageMap>,
    /// Where the image was linked for.
    pub(crate) linked: Linked,
    /// Where the first core starts, and with what; `None` is the reset vector.
    pub(crate) start: Option<Start>,
    /// Where other cores start that have images of their own.
    pub(crate) other_starts: OtherStarts,
    /// What was loaded before the machine ran.
    pub(crate) loaded: Vec<Loaded>,
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
        check(&tree)?;
        Machine::from_origin(Arc::new(Origin {
            platform: platform.into(),
            blob: blob.into(),
            overrides: overrides.into(),
            tree,
        }))
    }

    /// From a tree that was checked.
    pub(crate) fn from_origin(origin: Arc<Origin>) -> Result<Machine, PlatformError> {
        let Origin { platform, tree, .. } = &*origin;
        let (mut processors, mut clocks) = (vec![], vec![]);
        for (number, cpu) in cpu_nodes(tree)?.into_iter().enumerate() {
            processors.push(Processor::from_node(tree, cpu, number as u16)?);
            clocks.push(clock_of(tree, cpu)?);
        }
        let bus = build(tree, platform)?;
        let console = console_of(tree);
        let nominal = bus.space.map().clone();
        let mut machine = Machine {
            platform: platform.clone(),
            origin: origin.clone(),
            core_records: CoreRecord::begin(&processors),
            processors,
            clocks,
            cycle: 0,
            reached: Instant::ZERO,
            turn_end: 0,
            quantum_cycles: quantum_cycles(tree)?,
            bus,
            marks: Marks::default(),
            at_reset: nominal.clone(),
            nominal,
            image_map_wanted: image_map::wanted(tree)?,
            linked: Linked::default(),
            start: None,
            other_starts: OtherStarts::default(),
            loaded: vec![],
            console,
            engine: Engine::default(),
            translators: Translators::default(),
            inputs: InputLog::default(),
            reaching: false,
        };
        machine.reset();
        // A first reset may add mirrors of memories.
        let map = machine.bus.space.map();
        for processor in &mut machine.processors {
            processor.timing.know_regions(map);
        }
        machine.at_reset = map.clone();
        machine.boot_loader();
        machine.nominal = machine.bus.space.map().clone();
        machine.reset();
        Ok(machine)
    }

    /// Puts cores and devices into their state after reset. Memories keep their contents, and time goes on.
    pub fn reset(&mut self) {
        self.reset_all(|model, context| model.reset(context));
    }

    /// The same, asked for by a device.
    pub(crate) fn reset_from_within(&mut self) {
        self.reset_all(|model, context| model.reset_from_within(context));
    }

    fn reset_all(&mut self, reset: impl Fn(&mut dyn Device, &mut Context)) {
        let origin = self.origin.clone();
        let tree = &origin.tree;
        let cpus = cpu_nodes(tree).unwrap_or_default();
        for (number, (processor, cpu)) in self.processors.iter_mut().zip(cpus).enumerate() {
            match processor.reset(tree, cpu, number as u16) {
                Ok(()) => {}
                Err(error) => unreachable!("the machine was built from the same tree: {error}"),
            }
        }
        for signals in &mut self.bus.signals {
            signals.reset();
        }
        self.bus
            .attention
            .retain(|attention| matches!(attention, Attention::Magic(_)));
        let now = self.now();
        for device in 0..self.bus.slots.len() as u16 {
            if self.bus.present(device) {
                self.bus.call(device, now, &reset);
            }
        }
        if self.start.is_some() {
            self.boot_loader();
        }
        self.start_cores();
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

    /// Cycles of the first core's clock since power-on: how far all cores are that are not stopped.
    pub fn cycle(&self) -> u64 {
        self.cycle
    }

    /// Time since power-on.
    pub fn now(&self) -> Instant {
        match &self.processors[..] {
            [_] => self.bus.core_clock.instant_of(self.cycle),
            _ => self.reached,
        }
    }

    /// The clock of the first core, whose cycles are the machine's.
    pub fn clock(&self) -> Clock {
        self.bus.core_clock
    }

    /// How many cores it has.
    pub fn cores(&self) -> usize {
        self.processors.len()
    }

    /// A core, by number from 0; the last one for numbers behind it.
    pub fn core(&self, number: usize) -> &AnyCore {
        &self.processors[number.min(self.processors.len() - 1)].state
    }

    /// How far a core is, in its own cycles.
    pub fn cycle_of(&self, number: usize) -> u64 {
        self.processors[number.min(self.processors.len() - 1)].cycle
    }

    /// The core that executes the next instruction.
    pub fn current_core(&self) -> &AnyCore {
        &self.current().state
    }

    /// Address of the next instruction.
    pub fn pc(&self) -> u32 {
        self.current_core().program_counter()
    }

    /// The address map now.
    pub fn regions(&self) -> &[Region] {
        self.bus.space.map().regions()
    }

    /// How far the cycles can be trusted.
    pub fn accuracy(&self) -> AccuracyLabel {
        let mut label = self.accuracy_of_cores();
        if self.processors.len() > 1 {
            label.leaves_out += &format!(
                "; cores take turns of {} cycles, and see each other's writes up to a turn late or early",
                self.quantum_cycles
            );
        }
        label
    }

    /// The label of the cores; where they differ, each part says whose it is.
    fn accuracy_of_cores(&self) -> AccuracyLabel {
        let label = |core: usize| self.processors[core].timing.accuracy();
        let first = label(0);
        let others = 1..self.processors.len();
        let alike = |core: usize| self.clocks[core] == self.clocks[0] && label(core) == first;
        if others.clone().all(alike) {
            return first;
        }
        let joined = |part: fn(AccuracyLabel) -> String| {
            let cores = (0..self.processors.len()).map(|core| {
                let name = self.processors[core].state.model_name();
                let hz = self.clocks[core].hz();
                format!("core {core} ({name}, {hz} Hz): {}", part(label(core)))
            });
            cores.collect::<Vec<_>>().join("; ")
        };
        AccuracyLabel {
            model: joined(|label| label.model),
            validated_against: joined(|label| label.validated_against),
            known_error: joined(|label| label.known_error),
            leaves_out: joined(|label| label.leaves_out),
        }
    }

    /// Messages of devices and of accesses without a model.
    pub fn log(&self) -> &Log {
        &self.bus.log
    }

    /// Magic instructions so far.
    pub fn marks(&self) -> &Marks {
        &self.marks
    }
}

fn console_of(tree: &Tree) -> Option<String> {
    let chosen = tree.find("/chosen")?;
    let path = tree.string(chosen, "stdout-path").ok()??;
    let node = tree.find(path.split(':').next()?)?;
    Some(tree.short_name(node))
}
