//! The machine without its core: memories, devices, events, lines and ports, as the core's bus.

use crate::log::Log;
use crate::port::Port;
use crate::wiring::Wiring;
use socscope_device::{Context, Device, DeviceEvent, Effect, TraceEvent, Waveform};
use socscope_memory::{
    Access, AccessCost, AddressSpace, Bus, Fault, FaultReason, RegionIndex, Target, Width,
};
use socscope_time::{Clock, EventQueue, Instant};
use std::collections::VecDeque;

/// Events with this device index and above belong to ports.
pub(crate) const FIRST_PORT_EVENT: u16 = 0xff00;

/// A device in its place.
pub(crate) struct Slot {
    pub name: String,
    pub path: String,
    pub model: Box<dyn Device>,
    pub clock: Clock,
}

/// What the core asked the machine to look at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Attention {
    Magic { number: u8, cycle: u64 },
    Reset,
    AfterNextInstruction { device: u16, payload: u64 },
}

/// Everything but the core.
pub(crate) struct SystemBus {
    pub space: AddressSpace,
    pub slots: Vec<Slot>,
    pub events: EventQueue<DeviceEvent>,
    pub wiring: Wiring,
    pub ports: Vec<Port>,
    pub core_clock: Clock,
    /// What is unmapped answers with a bus error; else with zero, and is logged.
    pub unmapped_is_error: bool,
    pub core_stopped: bool,
    pub stall_cycles: u64,
    pub attention: VecDeque<Attention>,
    pub exceptions: ExceptionTrail,
    pub log: Log,
    pub tracing: bool,
    pub traces: Vec<(u16, Instant, TraceEvent)>,
    /// A probe waits for the traces: they are handed over after the instruction that executes.
    pub traces_urgent: bool,
    pub run_limit_cycle: u64,
    deadline_cycle: u64,
    effects: Vec<Effect>,
}

/// An exception that an instruction raised.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Raised {
    /// 1 undefined, 3 prefetch abort, 4 data abort.
    pub vector: u8,
    pub pc: u32,
}

/// Faults of the guest in a row at the same place.
#[derive(Clone, Debug, Default)]
pub(crate) struct ExceptionTrail {
    /// The fault before the repeated one, or the first of all.
    pub first: Option<Raised>,
    last: Option<Raised>,
    repetitions: u32,
}

const REPETITIONS_SUSPICIOUS: u32 = 8;

impl ExceptionTrail {
    fn add(&mut self, raised: Raised) {
        if self.last == Some(raised) {
            self.repetitions += 1;
        } else {
            self.first = self.last.or(Some(raised));
            self.last = Some(raised);
            self.repetitions = 1;
        }
    }

    /// The fault that happened many times in a row.
    pub fn repeated(&self) -> Option<Raised> {
        self.last
            .filter(|_| self.repetitions >= REPETITIONS_SUSPICIOUS)
    }
}

impl SystemBus {
    pub fn new(space: AddressSpace, core_clock: Clock, unmapped_is_error: bool) -> SystemBus {
        SystemBus {
            space,
            slots: vec![],
            events: EventQueue::default(),
            wiring: Wiring::default(),
            ports: vec![],
            core_clock,
            unmapped_is_error,
            core_stopped: false,
            stall_cycles: 0,
            attention: VecDeque::new(),
            exceptions: ExceptionTrail::default(),
            log: Log::default(),
            tracing: false,
            traces: vec![],
            traces_urgent: false,
            run_limit_cycle: 0,
            deadline_cycle: 0,
            effects: vec![],
        }
    }

    /// Calls a device and carries out what it asks for.
    pub fn call<R>(
        &mut self,
        device: u16,
        now: Instant,
        action: impl FnOnce(&mut dyn Device, &mut Context) -> R,
    ) -> R {
        let result = self.enter(device, now, action);
        let mut waiting: VecDeque<(u16, Effect)> = self
            .effects
            .drain(..)
            .map(|effect| (device, effect))
            .collect();
        while let Some((source, effect)) = waiting.pop_front() {
            if let Some(told) = self.carry_out(source, now, effect) {
                waiting.extend(self.effects.drain(..).map(|effect| (told, effect)));
            }
        }
        self.refresh_deadline();
        result
    }

    fn enter<R>(
        &mut self,
        device: u16,
        now: Instant,
        action: impl FnOnce(&mut dyn Device, &mut Context) -> R,
    ) -> R {
        let slot = &mut self.slots[device as usize];
        let mut context = Context::new(
            now,
            slot.clock,
            device,
            &mut self.space,
            &mut self.events,
            &mut self.effects,
        );
        action(slot.model.as_mut(), &mut context)
    }

    /// Carries out one effect; gives the device that was told of it and may ask for more.
    fn carry_out(&mut self, source: u16, now: Instant, effect: Effect) -> Option<u16> {
        match effect {
            Effect::Line { output, level } => {
                let (device, input, level) = self.wiring.drive(source, output, level)?;
                self.enter(device, now, |model, context| {
                    model.input(input, level, context)
                });
                return Some(device);
            }
            Effect::Send { port, waveform } => self.send(source, port, now, waveform),
            Effect::StopCore => self.core_stopped = true,
            Effect::AfterNextInstruction { payload } => {
                self.attention.push_back(Attention::AfterNextInstruction {
                    device: source,
                    payload,
                });
            }
            Effect::Reset { reason } => {
                self.log
                    .warn(now, &self.slots[source as usize].name, reason.to_string());
                self.attention.push_back(Attention::Reset);
            }
            Effect::BusHeld { cycles } => self.stall_cycles += cycles,
            Effect::Log { text, .. } => self.log.warn(now, &self.slots[source as usize].name, text),
            Effect::Trace(event) => {
                if self.tracing {
                    self.traces_urgent |= matches!(event, TraceEvent::InterruptVectored { .. });
                    self.traces.push((source, now, event));
                }
            }
        }
        None
    }

    fn send(&mut self, device: u16, index: u32, now: Instant, waveform: Waveform) {
        let format = self.enter(device, now, |model, context| {
            model.line_format(index, context)
        });
        if let Some(port) = self
            .ports
            .iter_mut()
            .find(|port| port.device == device && port.index == index)
        {
            port.take_from_guest(waveform, format);
        }
    }

    /// Runs every event that is due at `now`.
    pub fn run_due_events(&mut self, now: Instant) {
        while let Some((id, event)) = self.events.pop_due(now) {
            if event.device >= FIRST_PORT_EVENT {
                self.send_to_guest(event.device - FIRST_PORT_EVENT, id.time());
            } else {
                self.call(event.device, id.time(), |model, context| {
                    model.event(event.payload, context)
                });
            }
        }
        self.refresh_deadline();
    }

    /// Starts the delivery of waiting input, when the guest listens.
    pub fn offer_input(&mut self, port: u16, now: Instant) {
        let listening = {
            let port = &self.ports[port as usize];
            !port.sending
                && !port.input.is_empty()
                && self.slots[port.device as usize].model.listens(port.index)
        };
        if listening {
            let at = now.max(self.ports[port as usize].busy_until);
            self.ports[port as usize].sending = true;
            self.events.schedule(
                at,
                1,
                DeviceEvent {
                    device: FIRST_PORT_EVENT + port,
                    payload: 0,
                },
            );
            self.refresh_deadline();
        }
    }

    /// A character arrives at a port from another machine.
    pub fn deliver(&mut self, number: u16, now: Instant, waveform: Waveform) {
        let (device, index) = (
            self.ports[number as usize].device,
            self.ports[number as usize].index,
        );
        let format = self.enter(device, now, |model, context| {
            model.line_format(index, context)
        });
        self.ports[number as usize].note_arrival(waveform, format);
        self.call(device, now, |model, context| {
            model.receive(index, waveform, context)
        });
    }

    fn send_to_guest(&mut self, number: u16, now: Instant) {
        let (device, index) = (
            self.ports[number as usize].device,
            self.ports[number as usize].index,
        );
        self.ports[number as usize].sending = false;
        let format = self.enter(device, now, |model, context| {
            model.line_format(index, context)
        });
        if !self.slots[device as usize].model.listens(index) {
            return;
        }
        let Some(format) = format else { return };
        if let Some(waveform) = self.ports[number as usize].next_for_guest(now, format) {
            self.call(device, now, |model, context| {
                model.receive(index, waveform, context)
            });
            let at = self.ports[number as usize].busy_until;
            self.offer_input(number, at);
        }
    }

    /// Brings the deadline up to date with the event queue, the run's limit and what waits for attention.
    pub fn refresh_deadline(&mut self) {
        let next_event = self.core_clock.first_cycle_from(self.events.next_time());
        let urgent = !self.attention.is_empty()
            || self.core_stopped
            || self.stall_cycles > 0
            || self.traces_urgent;
        self.deadline_cycle = if urgent {
            0
        } else {
            next_event.min(self.run_limit_cycle)
        };
    }

    /// Whether an interrupt line to the core is active.
    pub fn irq_or_fiq(&self) -> bool {
        self.wiring.irq || self.wiring.fiq
    }

    /// Whether a pending event may bring a reset, as a watchdog does.
    pub fn reset_possible(&self) -> bool {
        self.slots.iter().any(|slot| slot.model.may_reset())
    }

    fn offer_input_of(&mut self, device: u16, now: Instant) {
        for port in 0..self.ports.len() as u16 {
            if self.ports[port as usize].device == device {
                self.offer_input(port, now);
            }
        }
    }

    fn unanswered(&mut self, address: u32, cycle: u64, what: &str) -> Result<(), Fault> {
        let now = self.core_clock.instant_of(cycle);
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
            .read_memory(address, width)
            .map(|(value, region)| Access { value, region })
    }

    #[inline]
    fn read(&mut self, address: u32, width: Width, cycle: u64) -> Result<Access, Fault> {
        let index = self.space.map.find(address);
        let region = self.space.map.region(index);
        let value = match region.target {
            Target::Memory { memory, .. } => self.space.memories[memory.0 as usize].read(
                address - region.base,
                width,
                self.space.endianness,
            ),
            Target::Device(device) => {
                let offset = address - region.base;
                let now = self.core_clock.instant_of(cycle);
                self.call(device, now, |model, context| {
                    model.read(offset, width, context)
                })
            }
            Target::Stub => {
                let name = format!("{} (no model): read", region.name);
                let now = self.core_clock.instant_of(cycle);
                self.log.touch(now, address, &name);
                0
            }
            Target::Unmapped => {
                self.unanswered(address, cycle, "unmapped: read")?;
                0
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
        cycle: u64,
    ) -> Result<RegionIndex, Fault> {
        let index = self.space.map.find(address);
        let region = self.space.map.region(index);
        match region.target {
            Target::Memory {
                memory,
                writable: true,
            } => {
                let offset = address - region.base;
                self.space.memories[memory.0 as usize].write(
                    offset,
                    width,
                    value,
                    self.space.endianness,
                );
            }
            Target::Memory { .. } => {
                let name = format!("{} is read-only: write", region.name);
                let now = self.core_clock.instant_of(cycle);
                self.log.touch(now, address, &name);
            }
            Target::Device(device) => {
                let offset = address - region.base;
                let now = self.core_clock.instant_of(cycle);
                self.call(device, now, |model, context| {
                    model.write(offset, width, value, context)
                });
                self.offer_input_of(device, now);
            }
            Target::Stub => {
                let name = format!("{} (no model): write", region.name);
                let now = self.core_clock.instant_of(cycle);
                self.log.touch(now, address, &name);
            }
            Target::Unmapped => self.unanswered(address, cycle, "unmapped: write")?,
        }
        Ok(index)
    }

    #[inline]
    fn region(&self, address: u32) -> RegionIndex {
        self.space.map.find(address)
    }

    #[inline]
    fn cost(&self, region: RegionIndex) -> &AccessCost {
        &self.space.map.region(region).cost
    }

    #[inline]
    fn deadline(&self) -> u64 {
        self.deadline_cycle
    }

    #[inline]
    fn irq(&self) -> bool {
        self.wiring.irq
    }

    #[inline]
    fn fiq(&self) -> bool {
        self.wiring.fiq
    }

    fn magic(&mut self, number: u8, cycle: u64) {
        self.attention.push_back(Attention::Magic { number, cycle });
        self.refresh_deadline();
    }

    fn exception(&mut self, vector: u8, pc: u32) {
        if matches!(vector, 1 | 3 | 4) {
            self.exceptions.add(Raised { vector, pc });
            if self.exceptions.repeated().is_some() {
                self.deadline_cycle = 0;
            }
        }
    }
}
