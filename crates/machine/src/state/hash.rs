//! The complete state as bytes, and its hash.

use crate::boot::others::OtherStarts;
use crate::boot::start::Start;
use crate::machine::Machine;
use crate::running::processor::Processor;
use crate::running::signals::Signals;
use crate::running::turns::Turn;
use crate::system::bus::{Attention, Slot, SystemBus};
use crate::system::port::Port;
use crate::system::wiring::Wiring;
use serde::Serialize;
use socscope_device::DeviceEvent;
use socscope_memory::{AddressSpace, Endianness};
use socscope_time::{EventQueue, Instant};
use std::collections::VecDeque;

/// Everything that the future of a machine depends on.
#[derive(Serialize)]
struct State<'a> {
    processors: &'a [Processor],
    signals: &'a [Signals],
    turn: Turn,
    space: &'a AddressSpace,
    order: Endianness,
    devices: Vec<(Instant, Vec<u8>)>,
    events: &'a EventQueue<DeviceEvent>,
    wiring: &'a Wiring,
    ports: &'a [Port],
    stall_cycles: u64,
    attention: &'a VecDeque<Attention>,
    start: &'a Option<Start>,
    other_starts: &'a OtherStarts,
}

/// What the hash is fed with, piece by piece.
struct Hashing(blake3::Hasher);

impl postcard::ser_flavors::Flavor for Hashing {
    type Output = blake3::Hash;

    fn try_push(&mut self, byte: u8) -> postcard::Result<()> {
        self.0.update(&[byte]);
        Ok(())
    }

    fn try_extend(&mut self, bytes: &[u8]) -> postcard::Result<()> {
        self.0.update(bytes);
        Ok(())
    }

    fn finalize(self) -> postcard::Result<blake3::Hash> {
        Ok(self.0.finalize())
    }
}

impl Machine {
    /// Hash of the complete state, in hexadecimal. Probes, logs and records are no part of it.
    pub fn state_hash(&self) -> String {
        let SystemBus {
            space,
            first_order,
            slots,
            events,
            wiring,
            ports,
            signals,
            stall_cycles,
            attention,
            ..
        } = &self.bus;
        let of_slot = |slot: &Slot| (slot.latest, slot.model.save());
        let state = State {
            processors: &self.processors,
            signals: &signals[..self.processors.len()],
            turn: self.saved_turn(),
            space,
            order: *first_order,
            devices: slots.iter().map(of_slot).collect(),
            events,
            wiring,
            ports,
            stall_cycles: *stall_cycles,
            attention,
            start: &self.start,
            other_starts: &self.other_starts,
        };
        match postcard::serialize_with_flavor(&state, Hashing(blake3::Hasher::new())) {
            Ok(hash) => hash.to_hex().to_string(),
            Err(error) => unreachable!("every part of the state has a length: {error}"),
        }
    }
}
