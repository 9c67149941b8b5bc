//! Places whose value a trace follows.

use socscope_machine::Machine;
use socscope_memory::{Viewer, Width};

/// A word or register whose value is followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Watched {
    /// Up to four bytes of memory.
    Memory {
        /// First address.
        address: u32,
        /// Bytes.
        size: u32,
    },
    /// A device's register; looked at after each write to the device.
    Register {
        /// Index of the device.
        device: u16,
        /// Its offset in the device.
        offset: u32,
        /// First address of the device.
        first: u32,
        /// Its last address.
        last: u32,
    },
}

impl Watched {
    /// Whether a write may change its value.
    pub(super) fn is_touched(&self, address: u32, width: Width) -> bool {
        let last = address.wrapping_add(width.bytes() - 1);
        match *self {
            Watched::Memory {
                address: own, size, ..
            } => address < own.wrapping_add(size) && last >= own,
            Watched::Register {
                first, last: end, ..
            } => (first..=end).contains(&address),
        }
    }

    /// Its value; a register that cannot be looked at is 0.
    pub(super) fn value(&self, machine: &mut Machine) -> u32 {
        match *self {
            Watched::Memory { address, size } => {
                let bytes = machine.peek_for(Viewer::Looking, address, size.min(4));
                let word = bytes.iter().rev();
                word.fold(0, |value, &byte| value << 8 | u32::from(byte))
            }
            Watched::Register { device, offset, .. } => {
                machine.peek_register(device, offset).unwrap_or(0)
            }
        }
    }
}
