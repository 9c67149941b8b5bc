//! A device's only door to the rest of the machine.

use crate::Waveform;
use serde::{Deserialize, Serialize};
use socscope_memory::{AddressSpace, Direction, Endianness, Fault, RegionIndex, Sequence, Width};
use socscope_time::{Clock, EventId, EventQueue, Instant};

/// A pending event of a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeviceEvent {
    /// Index of the device in its machine.
    pub device: u16,
    /// What the device wants to be told.
    pub payload: u64,
}

/// How grave a message is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum LogLevel {
    /// Of interest when looking for something.
    Debug,
    /// The guest did something that the chip ignores or leaves undefined.
    Warning,
}

/// Something that probes may want to know and that no state depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum TraceEvent {
    /// An interrupt source became pending at the interrupt controller.
    InterruptRaised {
        /// Source number.
        source: u32,
    },
    /// The core read a vector: the interrupt's handler begins.
    InterruptVectored {
        /// Source number.
        source: u32,
        /// The vector that was given: the handler's address, when software uses it as one.
        vector: u32,
        /// A spurious interrupt: no source was pending.
        spurious: bool,
    },
    /// The end of the current interrupt was signalled.
    InterruptEnded,
    /// One DMA access to memory.
    DmaAccess {
        /// As seen by the device: `Read` takes from memory.
        direction: Direction,
        /// Address in memory.
        address: u32,
        /// Size.
        width: Width,
        /// Where it went.
        region: RegionIndex,
    },
    /// A DMA counter was given a new length, which starts a transfer.
    DmaStarted {
        /// As seen by the device.
        direction: Direction,
        /// Units to transfer.
        length: u32,
    },
    /// A DMA transfer came to its end, or was stopped by software.
    DmaEnded {
        /// As seen by the device.
        direction: Direction,
        /// Units that were transferred.
        length: u32,
    },
    /// A character was received whole.
    CharacterReceived {
        /// The data bits.
        data: u16,
        /// Overrun, framing or parity error.
        error: bool,
    },
    /// A character starts on the line.
    CharacterSent {
        /// The data bits.
        data: u16,
    },
    /// A core read or wrote a register; told by the machine, where it is wanted.
    Register {
        /// From the device's first address.
        offset: u32,
        /// As the core sees it.
        direction: Direction,
        /// What was read or written.
        value: u32,
    },
}

/// What a device asks of the machine; carried out in order after the device's call returns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Effect {
    /// An output line has this level now.
    Line {
        /// Index among the description's outputs.
        output: u32,
        /// The level; true is asserted.
        level: bool,
    },
    /// A character starts on a link port.
    Send {
        /// Index among the description's ports.
        port: u32,
        /// Its levels.
        waveform: Waveform,
    },
    /// The core's clock stops until an interrupt line is active.
    StopCore,
    /// The device is told when the core has executed one more instruction.
    AfterNextInstruction {
        /// What the device wants to be told.
        payload: u64,
    },
    /// The whole system is reset.
    Reset {
        /// Why, for the log.
        reason: &'static str,
    },
    /// DMA held the bus for so many cycles; the core is delayed by them.
    BusHeld {
        /// Cycles of the device's clock.
        cycles: u64,
    },
    /// DMA wrote memory: cores that have reserved it lose their reservations.
    Written {
        /// The address.
        address: u32,
    },
    /// A message for the log.
    Log {
        /// How grave.
        level: LogLevel,
        /// The message, without the device's name.
        text: String,
    },
    /// The model itself has failed: the run ends.
    Failed {
        /// What went wrong, for people.
        text: String,
    },
    /// For probes only.
    Trace(TraceEvent),
}

/// A device's only door to the rest of the machine, valid for one call.
pub struct Context<'a> {
    /// The time of the call: the cycle in which the access transfers its data, or when the event was due.
    pub now: Instant,
    /// The device's clock.
    pub clock: Clock,
    /// Which core of the machine makes the access; 0 when none does, as for an event.
    pub core: u16,
    /// The byte order of that core: which byte of a register a narrow access reaches.
    pub order: Endianness,
    /// The byte order in which the device finds words in memory.
    pub memory_order: Endianness,
    /// The memories and the address map. A bus interface changes regions here; DMA goes through the methods below.
    pub space: &'a mut AddressSpace,
    device: u16,
    events: &'a mut EventQueue<DeviceEvent>,
    effects: &'a mut Vec<Effect>,
}

impl<'a> Context<'a> {
    /// A context for the device with index `device`, called by core 0 on a little-endian bus.
    pub fn new(
        now: Instant,
        clock: Clock,
        device: u16,
        space: &'a mut AddressSpace,
        events: &'a mut EventQueue<DeviceEvent>,
        effects: &'a mut Vec<Effect>,
    ) -> Self {
        Context {
            now,
            clock,
            core: 0,
            order: Endianness::Little,
            memory_order: Endianness::Little,
            space,
            device,
            events,
            effects,
        }
    }

    /// The device's clock cycle that runs now.
    pub fn cycle(&self) -> u64 {
        self.clock.cycles_at(self.now)
    }

    /// Calls `event(payload)` at `time`.
    pub fn schedule(&mut self, time: Instant, payload: u64) -> EventId {
        self.events.schedule(
            time,
            0,
            DeviceEvent {
                device: self.device,
                payload,
            },
        )
    }

    /// Calls `event(payload)` at the start of cycle `cycle` of the device's clock.
    pub fn schedule_cycle(&mut self, cycle: u64, payload: u64) -> EventId {
        self.schedule(self.clock.instant_of(cycle), payload)
    }

    /// Takes back an event; nothing happens when it has run.
    pub fn cancel(&mut self, event: EventId) {
        self.events.cancel(event);
    }

    /// Sets an output line.
    pub fn set_line(&mut self, output: u32, level: bool) {
        self.effects.push(Effect::Line { output, level });
    }

    /// Starts a character on a link port.
    pub fn send(&mut self, port: u32, waveform: Waveform) {
        self.effects.push(Effect::Send { port, waveform });
    }

    /// Stops the core's clock until an interrupt.
    pub fn stop_core(&mut self) {
        self.effects.push(Effect::StopCore);
    }

    /// Calls `event(payload)` when the core has executed the instruction behind the present one: it is in the core's pipeline
    /// already, and what the device changes now does not concern it.
    pub fn after_next_instruction(&mut self, payload: u64) {
        self.effects.push(Effect::AfterNextInstruction { payload });
    }

    /// Resets the system.
    pub fn reset_system(&mut self, reason: &'static str) {
        self.effects.push(Effect::Reset { reason });
    }

    /// Notes that the guest did something the chip ignores or leaves undefined.
    pub fn warn(&mut self, text: impl Into<String>) {
        self.effects.push(Effect::Log {
            level: LogLevel::Warning,
            text: text.into(),
        });
    }

    /// Ends the run: the model itself has failed, and nothing that follows could be trusted.
    pub fn fail(&mut self, text: impl Into<String>) {
        self.effects.push(Effect::Failed { text: text.into() });
    }

    /// Tells probes.
    pub fn trace(&mut self, event: TraceEvent) {
        self.effects.push(Effect::Trace(event));
    }

    /// Reads memory as a bus master.
    pub fn dma_read(&mut self, address: u32, width: Width) -> Result<u32, Fault> {
        let (value, region) = self.space.read_memory(address, width, self.memory_order)?;
        self.note_dma(address, width, Direction::Read, region);
        Ok(value)
    }

    /// Writes memory as a bus master.
    pub fn dma_write(&mut self, address: u32, width: Width, value: u32) -> Result<(), Fault> {
        let region = self
            .space
            .write_memory(address, width, value, self.memory_order)?;
        self.note_dma(address, width, Direction::Write, region);
        self.effects.push(Effect::Written { address });
        Ok(())
    }

    fn note_dma(&mut self, address: u32, width: Width, direction: Direction, region: RegionIndex) {
        let cycles =
            self.space
                .map()
                .region(region)
                .cost
                .cycles(Sequence::Nonsequential, direction, width);
        self.effects.push(Effect::BusHeld {
            cycles: u64::from(cycles),
        });
        self.trace(TraceEvent::DmaAccess {
            direction,
            address,
            width,
            region,
        });
    }
}
