//! A bench that holds one device with a fake machine around it: time, events, memory, lines and ports.

mod conformance;
mod node;

pub use node::Node;

use crate::MODELS;
use socscope_device::{Context, Device, DeviceEvent, Effect, LineFormat, Model, TraceEvent};
use socscope_device::{LogLevel, Waveform};
use socscope_memory::{
    AccessCost, AddressSpace, Memory, MemoryIndex, Region, RegionIndex, Target, Width,
};
use socscope_time::{Clock, EventQueue, Instant};

/// First address of the bench's RAM of 64 KiB (region 1).
pub const RAM: u32 = 0x0200_0000;
/// First address of the bench's ROM of 4 KiB (region 2).
pub const ROM: u32 = 0x0100_0000;
/// The bench's RAM.
pub const RAM_REGION: RegionIndex = RegionIndex(1);
/// Frequency of the bench's clock: one cycle is 25 ns.
pub const CLOCK_HZ: u64 = 40_000_000;

/// One device and all that it did.
pub struct Bench {
    /// The model under test.
    pub model: &'static Model,
    /// The device under test.
    pub device: Box<dyn Device>,
    /// Virtual time.
    pub now: Instant,
    /// The core that makes the accesses.
    pub core: u16,
    /// The device's clock.
    pub clock: Clock,
    /// RAM and ROM.
    pub space: AddressSpace,
    /// Output levels.
    pub lines: Vec<bool>,
    /// How often each output line changed.
    pub edges: Vec<u32>,
    /// Characters on the link ports: port and levels.
    pub sent: Vec<(u32, Waveform)>,
    /// What probes were told.
    pub traces: Vec<TraceEvent>,
    /// Messages of level warning.
    pub warnings: Vec<String>,
    /// How often the core was stopped.
    pub core_stops: u32,
    /// What the model failed of.
    pub failures: Vec<String>,
    /// Reasons of the system resets (which the bench does not carry out).
    pub resets: Vec<&'static str>,
    /// Cycles for which DMA held the bus.
    pub bus_held_cycles: u64,
    /// Events that ran.
    pub events_run: u64,
    /// What the device wants to be told after the next instruction: at the beginning of [`Bench::run_until`].
    pub after_instruction: Vec<u64>,
    node: Node,
    events: EventQueue<DeviceEvent>,
}

/// The model that `compatible` chooses.
pub fn model(compatible: &str) -> &'static Model {
    let found = MODELS
        .iter()
        .find(|model| model.description.compatible.contains(&compatible));
    found.unwrap_or_else(|| panic!("no model is compatible with {compatible}"))
}

impl Bench {
    /// A device from a node without properties, reset.
    pub fn new(compatible: &str) -> Bench {
        Bench::with(compatible, Node::default())
    }

    /// A device from `node`, reset.
    pub fn with(compatible: &str, node: Node) -> Bench {
        Bench::of(model(compatible), node)
    }

    /// A device of `model` from `node`, reset.
    pub fn of(model: &'static Model, node: Node) -> Bench {
        let device = (model.build)(&node).expect("the node is good");
        let outputs = model.description.outputs.len();
        let mut bench = Bench {
            model,
            device,
            now: Instant::ZERO,
            core: 0,
            clock: Clock::new(CLOCK_HZ).unwrap(),
            space: memories(&node),
            lines: vec![false; outputs],
            edges: vec![0; outputs],
            sent: vec![],
            traces: vec![],
            warnings: vec![],
            core_stops: 0,
            failures: vec![],
            resets: vec![],
            bus_held_cycles: 0,
            events_run: 0,
            after_instruction: vec![],
            node,
            events: EventQueue::default(),
        };
        bench.call(|device, context| device.reset(context));
        bench
    }

    /// Calls the device now and takes in its effects.
    pub fn call<T>(&mut self, call: impl FnOnce(&mut dyn Device, &mut Context) -> T) -> T {
        let mut effects = vec![];
        let mut context = Context::new(
            self.now,
            self.clock,
            7,
            &mut self.space,
            &mut self.events,
            &mut effects,
        );
        context.core = self.core;
        let result = call(&mut *self.device, &mut context);
        for effect in effects {
            self.take(effect);
        }
        result
    }

    fn take(&mut self, effect: Effect) {
        match effect {
            Effect::Line { output, level } => {
                let line = &mut self.lines[output as usize];
                self.edges[output as usize] += u32::from(*line != level);
                *line = level;
            }
            Effect::Send { port, waveform } => self.sent.push((port, waveform)),
            Effect::StopCore => self.core_stops += 1,
            Effect::AfterNextInstruction { payload } => self.after_instruction.push(payload),
            Effect::Reset { reason } => self.resets.push(reason),
            Effect::BusHeld { cycles } => self.bus_held_cycles += cycles,
            Effect::Written { .. } => {}
            Effect::Log { level, text } => {
                if level == LogLevel::Warning {
                    self.warnings.push(text);
                }
            }
            Effect::Failed { text } => self.failures.push(text),
            Effect::Trace(event) => self.traces.push(event),
        }
    }

    /// Reads a word.
    pub fn read(&mut self, offset: u32) -> u32 {
        self.read_width(offset, Width::Word)
    }

    /// Reads `width`.
    pub fn read_width(&mut self, offset: u32, width: Width) -> u32 {
        self.call(|device, context| device.read(offset, width, context))
    }

    /// Writes a word.
    pub fn write(&mut self, offset: u32, value: u32) {
        self.write_width(offset, Width::Word, value);
    }

    /// Writes `width`.
    pub fn write_width(&mut self, offset: u32, width: Width, value: u32) {
        self.call(|device, context| device.write(offset, width, value, context));
    }

    /// What a read would give.
    pub fn peek(&mut self, offset: u32) -> Option<u32> {
        self.call(|device, context| device.peek(offset, context))
    }

    /// Sets an input line.
    pub fn input(&mut self, line: u32, level: bool) {
        self.call(|device, context| device.input(line, level, context));
    }

    /// Starts a character at a port.
    pub fn receive(&mut self, port: u32, waveform: Waveform) {
        self.call(|device, context| device.receive(port, waveform, context));
    }

    /// The format of a port.
    pub fn line_format(&mut self, port: u32) -> Option<LineFormat> {
        self.call(|device, context| device.line_format(port, context))
    }

    /// Level of an output by its name.
    pub fn line(&self, output: &str) -> bool {
        self.lines[self.output(output)]
    }

    /// Index of an output by its name.
    pub fn output(&self, name: &str) -> usize {
        let found = self
            .model
            .description
            .outputs
            .iter()
            .position(|output| *output == name);
        found.unwrap_or_else(|| panic!("no output is called {name}"))
    }

    /// The device's cycle that runs now.
    pub fn cycle(&self) -> u64 {
        self.clock.cycles_at(self.now)
    }

    /// Lets time pass until `time`; events due at it have run.
    pub fn run_until(&mut self, time: Instant) {
        for payload in std::mem::take(&mut self.after_instruction) {
            self.call(|device, context| device.event(payload, context));
        }
        while let Some((id, event)) = self.events.pop_due(time) {
            self.now = self.now.max(id.time());
            self.events_run += 1;
            self.call(|device, context| device.event(event.payload, context));
        }
        self.now = self.now.max(time);
    }

    /// Lets `cycles` of the device's clock pass; events due at the beginning of the last one have run.
    pub fn run(&mut self, cycles: u64) {
        self.run_until(self.clock.instant_of(self.cycle() + cycles));
    }

    /// Number of pending events.
    pub fn pending_events(&self) -> usize {
        self.events.len()
    }

    /// Puts a new device, restored from the present one's state, in its place.
    pub fn save_and_restore(&mut self) {
        let state = self.device.save();
        self.device = (self.model.build)(&self.node).expect("the node is good");
        self.device.restore(&state).expect("a saved state restores");
        assert_eq!(self.device.save(), state, "a restored state saves the same");
    }

    /// Bytes of the RAM from `address` on.
    pub fn ram(&self, address: u32) -> Vec<u8> {
        self.space.memories()[0].to_vec()[(address - RAM) as usize..].to_vec()
    }

    /// Writes bytes to the RAM from `address` on.
    pub fn load(&mut self, address: u32, bytes: &[u8]) {
        self.space.load(MemoryIndex(0), address - RAM, bytes);
    }
}

/// RAM and ROM, and behind them the memories that `node` asks for.
fn memories(node: &Node) -> AddressSpace {
    let mut space = AddressSpace::default();
    let fixed = [("ram", RAM, 0x1_0000, true), ("rom", ROM, 0x1000, false)];
    let own = node.memories.iter();
    let own = own.map(|&(name, base, size, writable)| (name, base, size, writable));
    for (name, base, size, writable) in fixed.into_iter().chain(own) {
        let memory = space.add_memory(Memory::new(name, size));
        let region = Region {
            name: name.into(),
            base,
            size,
            enabled: true,
            core: None,
            target: Target::Memory { memory, writable },
            cost: AccessCost::SINGLE_CYCLE,
        };
        space
            .map_mut()
            .add(region)
            .expect("the bench's regions do not overlap");
    }
    space
}
