//! The complete state as bytes, and its hash.

use crate::bus::{Attention, SystemBus};
use crate::machine::Machine;
use crate::port::Port;
use crate::timing::Timing;
use crate::wiring::Wiring;
use serde::Serialize;
use socscope_device::DeviceEvent;
use socscope_isa::arm::Core;
use socscope_memory::AddressSpace;
use socscope_time::EventQueue;
use std::collections::VecDeque;

/// Everything that the future of a machine depends on.
#[derive(Serialize)]
struct State<'a> {
    core: &'a Core,
    timing: &'a Timing,
    cycle: u64,
    space: &'a AddressSpace,
    devices: Vec<Vec<u8>>,
    events: &'a EventQueue<DeviceEvent>,
    wiring: &'a Wiring,
    ports: &'a [Port],
    core_stopped: bool,
    stall_cycles: u64,
    attention: &'a VecDeque<Attention>,
    entry: Option<u32>,
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
            slots,
            events,
            wiring,
            ports,
            core_stopped,
            stall_cycles,
            attention,
            ..
        } = &self.bus;
        let state = State {
            core: &self.core,
            timing: &self.timing,
            cycle: self.cycle,
            space,
            devices: slots.iter().map(|slot| slot.model.save()).collect(),
            events,
            wiring,
            ports,
            core_stopped: *core_stopped,
            stall_cycles: *stall_cycles,
            attention,
            entry: self.entry,
        };
        match postcard::serialize_with_flavor(&state, Hashing(blake3::Hasher::new())) {
            Ok(hash) => hash.to_hex().to_string(),
            Err(error) => unreachable!("every part of the state has a length: {error}"),
        }
    }
}
