//! The machine without its cores: memories, devices, events, lines and ports, as the cores' bus.

use crate::platform::given::Given;
use crate::running::exception_trail::{ExceptionTrails, Raised};
use crate::running::observer::Mark;
use crate::running::processor::CORES_MAX;
use crate::running::signals::AllSignals;
use crate::system::failure::Failure;
use crate::system::log::Log;
use crate::system::port::Port;
use crate::system::wiring::Wiring;
use serde::{Deserialize, Serialize};
use socscope_core::Exceptions;
use socscope_device::{Device, DeviceEvent, Effect, TraceEvent};
use socscope_memory::{
    Access, AccessCost, AddressSpace, Bus, Direction, Endianness, Fault, FaultReason, RegionIndex,
    Target, Viewer, When, Width,
};
use socscope_time::{Clock, EventQueue, Instant};
use std::collections::VecDeque;
use std::sync::Arc;

/// Events with this device index and above belong to ports.
pub(crate) const FIRST_PORT_EVENT: u16 = 0xff00;

/// A device in its place.
pub(crate) struct Slot {
    pub name: String,
    pub path: String,
    /// The device tree of a device that was added by one; empty for others.
    pub node: Arc<[u8]>,
    pub model: Box<dyn Device>,
    pub clock: Clock,
    /// The byte order in which it finds words in memory.
    pub order: Endianness,
    /// The latest time at which it was called. Cores of one machine are not always equally far, but its time never goes back.
    pub latest: Instant,
}

/// What the core asked the machine to look at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Attention {
    Magic(Mark),
    Reset,
    AfterNextInstruction { device: u16, payload: u64 },
}

/// Everything but the cores.
pub(crate) struct SystemBus {
    pub space: AddressSpace,
    pub slots: Vec<Slot>,
    pub events: EventQueue<DeviceEvent>,
    pub wiring: Wiring,
    pub ports: Vec<Port>,
    /// The first core's clock: the machine's cycles are its.
    pub core_clock: Clock,
    /// The clock of the core whose turn it is.
    pub turn_clock: Clock,
    /// The byte order of the first core: that of devices and of whoever looks from outside.
    pub first_order: Endianness,
    /// The byte order of the core whose turn it is.
    pub turn_order: Endianness,
    /// The exceptions of that core.
    pub turn_exceptions: &'static Exceptions,
    /// Which core executes an instruction; 0 while none does.
    pub core: u16,
    /// Which core has its turn.
    pub turn: u16,
    /// The turn ends before the next instruction: something has happened to another core.
    pub turn_broken: bool,
    pub signals: AllSignals,
    /// What is unmapped answers with a bus error; else with zero, and is logged.
    pub unmapped_is_error: bool,
    pub stall_cycles: u64,
    /// Addresses that DMA has written; nothing between two instructions is left of them.
    pub written: Vec<u32>,
    pub attention: VecDeque<Attention>,
    pub exceptions: ExceptionTrails,
    /// A model has failed: nothing is executed any more.
    pub failure: Option<Failure>,
    pub given: Given,
    pub log: Log,
    pub tracing: bool,
    /// A probe wants to know of accesses of registers.
    pub tracing_registers: bool,
    pub traces: Vec<(u16, Instant, TraceEvent)>,
    /// A probe waits for the traces: they are handed over after the instruction that executes.
    pub traces_urgent: bool,
    /// The address map of which probes were told, by its epoch.
    pub told_map: u64,
    pub run_limit_cycle: u64,
    pub(crate) deadline_cycle: u64,
    /// The time of the next event and its cycle, as they were when last asked for.
    pub(crate) next_event: (Instant, u64),
    pub(crate) effects: Vec<Effect>,
}

impl SystemBus {
    /// The bus of a first core with this byte order, these exceptions and this clock.
    pub fn new(
        order: Endianness,
        exceptions: &'static Exceptions,
        core_clock: Clock,
        unmapped_is_error: bool,
    ) -> SystemBus {
        SystemBus {
            space: AddressSpace::default(),
            first_order: order,
            turn_order: order,
            turn_exceptions: exceptions,
            slots: vec![],
            events: EventQueue::default(),
            wiring: Wiring::default(),
            ports: vec![],
            core_clock,
            turn_clock: core_clock,
            core: 0,
            turn: 0,
            turn_broken: false,
            signals: AllSignals::default(),
            unmapped_is_error,
            stall_cycles: 0,
            written: vec![],
            attention: VecDeque::new(),
            exceptions: ExceptionTrails::default(),
            failure: None,
            given: Given::default(),
            log: Log::default(),
            tracing: false,
            tracing_registers: false,
            traces: vec![],
            traces_urgent: false,
            told_map: 0,
            run_limit_cycle: 0,
            deadline_cycle: 0,
            next_event: (Instant::ZERO, 0),
            effects: vec![],
        }
    }

    /// From now on the bus is that of a core with this byte order, these exceptions and this clock.
    pub fn give_turn(
        &mut self,
        core: u16,
        order: Endianness,
        exceptions: &'static Exceptions,
        clock: Clock,
    ) {
        self.turn = core;
        self.space.look_as(core);
        self.turn_order = order;
        self.turn_exceptions = exceptions;
        if self.turn_clock != clock {
            self.turn_clock = clock;
            self.next_event.1 = clock.first_cycle_from(self.next_event.0);
        }
    }

    /// Brings the deadline up to date with the event queue, the run's limit and what waits for attention.
    pub fn refresh_deadline(&mut self) {
        let next_time = self.events.next_time();
        if self.next_event.0 != next_time {
            self.next_event = (next_time, self.turn_clock.first_cycle_from(next_time));
        }
        let next_event = self.next_event.1;
        let urgent = !self.attention.is_empty()
            || self.turn_broken
            || !self.signals[usize::from(self.turn) % CORES_MAX].awake()
            || self.failure.is_some()
            || self.stall_cycles > 0
            || !self.written.is_empty()
            || self.traces_urgent
            || self.told_map != self.space.map_epoch();
        self.deadline_cycle = if urgent {
            0
        } else {
            next_event.min(self.run_limit_cycle)
        };
    }

    /// The time of an access to a device in one of the core's cycles. What is due by then comes first, inside of the instruction; of what it asks
    /// for, that which happens between two instructions waits for the end of this one.
    #[inline]
    fn arrive(&mut self, cycle: u64) -> Instant {
        let now = self.turn_clock.instant_of(cycle);
        if self.events.next_time() <= now {
            self.run_events_within(now);
        }
        now
    }

    #[cold]
    fn run_events_within(&mut self, now: Instant) {
        // An event is of no core.
        let core = std::mem::take(&mut self.core);
        self.run_due_events(now);
        self.core = core;
        // Probes are told of it before the next instruction, as of all events.
        self.traces_urgent |= !self.traces.is_empty();
    }

    #[inline]
    fn trace_register(
        &mut self,
        device: u16,
        now: Instant,
        offset: u32,
        direction: Direction,
        value: u32,
    ) {
        if self.tracing_registers {
            let event = TraceEvent::Register {
                offset,
                direction,
                value,
            };
            self.traces.push((device, now, event));
        }
    }

    /// Whether a pending event may bring a reset, as a watchdog does.
    pub fn reset_possible(&self) -> bool {
        self.slots.iter().any(|slot| slot.model.may_reset())
    }

    /// Reads what is no memory, with the data transferred at `cycle`. Not a part of `read`, which is compiled into each instruction that loads.
    #[inline(never)]
    fn read_beyond_memory(
        &mut self,
        index: RegionIndex,
        address: u32,
        width: Width,
        cycle: u64,
    ) -> Result<u32, Fault> {
        let region = self.space.map().region(index);
        match region.target {
            Target::Device(device) => {
                let offset = address - region.base;
                let now = self.arrive(cycle);
                let value = self.call(device, now, |model, context| {
                    model.read(offset, width, context)
                });
                self.trace_register(device, now, offset, Direction::Read, value);
                Ok(value)
            }
            Target::Stub => {
                let name = format!("{} (no model): read", region.name);
                self.log
                    .touch(self.turn_clock.instant_of(cycle), address, &name);
                Ok(0)
            }
            Target::Unmapped => {
                self.unanswered(address, cycle, "unmapped: read")?;
                Ok(0)
            }
            Target::Memory { .. } => unreachable!("`read` has read it"),
        }
    }

    /// Writes what is no memory, or is read-only, with the data transferred at `cycle`.
    #[inline(never)]
    fn write_beyond_memory(
        &mut self,
        index: RegionIndex,
        address: u32,
        (width, value): (Width, u32),
        cycle: u64,
    ) -> Result<(), Fault> {
        let region = self.space.map().region(index);
        match region.target {
            Target::Device(device) => {
                let offset = address - region.base;
                let now = self.arrive(cycle);
                self.trace_register(device, now, offset, Direction::Write, value);
                self.call(device, now, |model, context| {
                    model.write(offset, width, value, context)
                });
                self.offer_input_of(device, now);
            }
            Target::Memory { .. } => {
                let name = format!("{} is read-only: write", region.name);
                self.log
                    .touch(self.turn_clock.instant_of(cycle), address, &name);
            }
            Target::Stub => {
                let name = format!("{} (no model): write", region.name);
                self.log
                    .touch(self.turn_clock.instant_of(cycle), address, &name);
            }
            Target::Unmapped => self.unanswered(address, cycle, "unmapped: write")?,
        }
        Ok(())
    }

    fn unanswered(&mut self, address: u32, cycle: u64, what: &str) -> Result<(), Fault> {
        let now = self.turn_clock.instant_of(cycle);
        self.log.touch(now, address, what);
        if self.unmapped_is_error {
            Err(Fault {
                address,
                reason: FaultReason::Unmapped,
            })
        } else {
            Ok(())
        }
    }
}

impl Bus for SystemBus {
    #[inline]
    fn fetch(&mut self, address: u32, width: Width) -> Result<Access, Fault> {
        self.space
            .read_memory_for(Viewer::Looking, address, width, self.turn_order)
            .map(|(value, region)| Access { value, region })
    }

    #[inline]
    fn read(&mut self, address: u32, width: Width, when: impl When) -> Result<Access, Fault> {
        let index = self.space.map().find_for(Viewer::Looking, address);
        let region = self.space.map().region(index);
        let value = match region.target {
            Target::Memory { memory, .. } => {
                let offset = address - region.base;
                self.space.read_at(memory, offset, width, self.turn_order)
            }
            _ => {
                let cycle = when(index, &region.cost);
                self.read_beyond_memory(index, address, width, cycle)?
            }
        };
        Ok(Access {
            value,
            region: index,
        })
    }

    #[inline]
    fn write(
        &mut self,
        address: u32,
        width: Width,
        value: u32,
        when: impl When,
    ) -> Result<RegionIndex, Fault> {
        let index = self.space.map().find_for(Viewer::Looking, address);
        let region = self.space.map().region(index);
        match region.target {
            Target::Memory {
                memory,
                writable: true,
            } => {
                let offset = address - region.base;
                let order = self.turn_order;
                self.space.write_at(memory, offset, width, value, order);
            }
            _ => {
                let cycle = when(index, &region.cost);
                self.write_beyond_memory(index, address, (width, value), cycle)?;
            }
        }
        Ok(index)
    }

    #[inline]
    fn region(&self, address: u32) -> RegionIndex {
        self.space.map().find_for(Viewer::Looking, address)
    }

    #[inline]
    fn cost(&self, region: RegionIndex) -> &AccessCost {
        &self.space.map().region(region).cost
    }

    #[inline]
    fn deadline(&self) -> u64 {
        self.deadline_cycle
    }

    #[inline]
    fn irq(&self) -> bool {
        self.signals[usize::from(self.core) % CORES_MAX].interrupt
    }

    #[inline]
    fn fiq(&self) -> bool {
        self.signals[usize::from(self.core) % CORES_MAX].fast_interrupt
    }

    fn magic(&mut self, number: u8, argument: u32, cycle: u64) {
        self.attention.push_back(Attention::Magic(Mark {
            number,
            argument,
            core: self.core,
            cycle,
        }));
        self.refresh_deadline();
    }

    fn exception(&mut self, vector: u8, pc: u32) {
        if (self.turn_exceptions.is_fault)(vector) {
            let core = self.core as u8;
            if self.exceptions.add(Raised { core, vector, pc }) {
                self.deadline_cycle = 0;
            }
        }
    }
}
