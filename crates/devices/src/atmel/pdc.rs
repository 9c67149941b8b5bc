//! One channel of the peripheral data controller: moves bytes between memory and a peripheral's holding register.
//!
//! The channel is active while its counter is not zero. After each byte the pointer goes up by one and the counter down
//! by one. A bus fault does not stop it: the byte is lost, or reads as zero, and the first one of a transfer is logged
//! (doc1354 leaves open what the chip does).

use serde::{Deserialize, Serialize};
use socscope_device::{Context, TraceEvent};
use socscope_memory::{Direction, Fault, Width};

/// The transfer counters have 16 bits.
const COUNTER_BITS: u32 = 0xffff;

/// A channel; `Read` takes bytes from memory.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Channel {
    direction: Direction,
    pointer: u32,
    counter: u32,
    /// Bytes moved since the counter was written.
    moved: u32,
    /// This transfer met a bus fault.
    faulted: bool,
}

impl Channel {
    pub fn new(direction: Direction) -> Channel {
        Channel {
            direction,
            pointer: 0,
            counter: 0,
            moved: 0,
            faulted: false,
        }
    }

    /// Back to the reset state, without a word to probes unless a transfer is cut short.
    pub fn reset(&mut self, context: &mut Context) {
        self.set_counter(0, context);
        *self = Channel::new(self.direction);
    }

    pub fn pointer(&self) -> u32 {
        self.pointer
    }

    pub fn set_pointer(&mut self, pointer: u32) {
        self.pointer = pointer;
    }

    pub fn counter(&self) -> u32 {
        self.counter
    }

    /// Bytes remain to be moved.
    pub fn is_active(&self) -> bool {
        self.counter > 0
    }

    /// Starts a transfer, or stops one with 0.
    pub fn set_counter(&mut self, counter: u32, context: &mut Context) {
        if self.is_active() {
            self.tell_end(context);
        }
        self.counter = counter & COUNTER_BITS;
        self.moved = 0;
        self.faulted = false;
        if self.is_active() {
            context.trace(TraceEvent::DmaStarted {
                direction: self.direction,
                length: self.counter,
            });
        }
    }

    /// Takes the next byte from memory.
    pub fn take(&mut self, context: &mut Context) -> u8 {
        let result = context.dma_read(self.pointer, Width::Byte);
        let byte = result.unwrap_or_else(|fault| {
            self.note(fault, context);
            0
        });
        self.step(context);
        byte as u8
    }

    /// Puts the next byte into memory.
    pub fn put(&mut self, byte: u8, context: &mut Context) {
        if let Err(fault) = context.dma_write(self.pointer, Width::Byte, u32::from(byte)) {
            self.note(fault, context);
        }
        self.step(context);
    }

    fn note(&mut self, fault: Fault, context: &mut Context) {
        if !self.faulted {
            let name = match self.direction {
                Direction::Read => "transmit",
                Direction::Write => "receive",
            };
            context.warn(format!(
                "DMA of the {name} channel failed: {fault}; the transfer goes on"
            ));
        }
        self.faulted = true;
    }

    fn step(&mut self, context: &mut Context) {
        self.pointer = self.pointer.wrapping_add(1);
        self.counter -= 1;
        self.moved += 1;
        if self.counter == 0 {
            self.tell_end(context);
        }
    }

    fn tell_end(&self, context: &mut Context) {
        context.trace(TraceEvent::DmaEnded {
            direction: self.direction,
            length: self.moved,
        });
    }
}
