//! A split virtqueue as the device sees it (VIRTIO 1.2, section 2.7). All that lies in the guest's memory is taken with suspicion.

use crate::share::MESSAGE_BYTES_MAX;
use serde::{Deserialize, Serialize};
use socscope_memory::{AddressSpace, Fault};
use thiserror::Error;

/// Most descriptors of a queue.
pub const QUEUE_SIZE_MAX: u16 = 256;
/// Most descriptors in a table of their own.
const INDIRECT_MAX: u32 = 4096;
const DESCRIPTOR_BYTES: u32 = 16;

/// Flags of a descriptor.
const NEXT: u16 = 1;
const WRITE: u16 = 2;
const INDIRECT: u16 = 4;
/// Flag of the available ring: the driver does not want to be interrupted.
const NO_INTERRUPT: u16 = 1;

/// What a driver has done that no device can follow; it must reset the device.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Broken {
    /// A part of the queue or a buffer lies where no memory is.
    #[error("{what}: {fault}")]
    Memory {
        /// Which part.
        what: &'static str,
        /// The refused access.
        fault: Fault,
    },
    /// An address beyond the bus.
    #[error("{what} at {address:#x}, beyond the bus of 32 bits")]
    Address {
        /// Which part.
        what: &'static str,
        /// The address.
        address: u64,
    },
    /// A rule of the standard.
    #[error("{0}")]
    Rule(&'static str),
}

/// One queue.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Queue {
    /// Number of descriptors, as the driver chose.
    pub size: u32,
    /// Whether the driver has put it into use.
    pub ready: bool,
    /// Address of the descriptor table.
    pub descriptors: u64,
    /// Address of the available ring, which the driver writes.
    pub available: u64,
    /// Address of the used ring, which the device writes.
    pub used: u64,
    next_available: u16,
    next_used: u16,
}

/// A chain of buffers: what the driver says, and where the answer goes.
pub struct Chain {
    /// Number of its first descriptor.
    pub head: u16,
    /// The bytes of the buffers that the device reads.
    pub request: Vec<u8>,
    answer: Vec<(u32, u32)>,
}

impl Chain {
    /// Bytes that the answer has room for.
    pub fn room(&self) -> u64 {
        let lengths = self.answer.iter().map(|(_, length)| u64::from(*length));
        lengths.sum()
    }

    /// Writes the answer into its buffers; what is behind their end is left out.
    pub fn write(&self, space: &mut AddressSpace, answer: &[u8]) -> Result<(), Broken> {
        let mut rest = answer;
        for &(address, length) in &self.answer {
            let (piece, next) = rest.split_at(rest.len().min(length as usize));
            space
                .write_bytes(address, piece)
                .map_err(in_memory("a buffer of the answer"))?;
            rest = next;
        }
        Ok(())
    }
}

struct Descriptor {
    address: u64,
    length: u32,
    flags: u16,
    next: u16,
}

impl Queue {
    /// Whether the driver chose a size that a split queue can have.
    pub fn check_size(&self) -> Result<(), Broken> {
        if self.size <= QUEUE_SIZE_MAX.into() && self.size.is_power_of_two() {
            return Ok(());
        }
        Err(Broken::Rule(
            "a queue has a power of two of descriptors, up to QueueNumMax (2.7)",
        ))
    }

    /// The next chain that the driver has made available.
    pub fn next(&mut self, space: &AddressSpace) -> Result<Option<Chain>, Broken> {
        // The driver may have changed it since the queue is in use.
        self.check_size()?;
        let end = half(space, self.available, 2, "the available ring")?;
        let waiting = end.wrapping_sub(self.next_available);
        if waiting == 0 {
            return Ok(None);
        }
        if u32::from(waiting) > self.size {
            return Err(Broken::Rule(
                "the available ring holds more than its size (2.7.6)",
            ));
        }
        let slot = u64::from(self.next_available) % u64::from(self.size);
        let head = half(space, self.available, 4 + 2 * slot, "the available ring")?;
        let chain = self.chain(space, head)?;
        self.next_available = self.next_available.wrapping_add(1);
        Ok(Some(chain))
    }

    /// Gives a chain back to the driver, with `written` bytes of answer.
    pub fn give_back(
        &mut self,
        space: &mut AddressSpace,
        chain: &Chain,
        written: u32,
    ) -> Result<(), Broken> {
        let what = "the used ring";
        let slot = u64::from(self.next_used) % u64::from(self.size.max(1));
        let row = [u32::from(chain.head), written].map(u32::to_le_bytes);
        let at = place(self.used, 4 + 8 * slot, what)?;
        space
            .write_bytes(at, row.as_flattened())
            .map_err(in_memory(what))?;
        self.next_used = self.next_used.wrapping_add(1);
        let at = place(self.used, 2, what)?;
        space
            .write_bytes(at, &self.next_used.to_le_bytes())
            .map_err(in_memory(what))
    }

    /// Whether the driver wants to be told of what was given back.
    pub fn interrupt_wanted(&self, space: &AddressSpace) -> Result<bool, Broken> {
        let flags = half(space, self.available, 0, "the available ring")?;
        Ok(flags & NO_INTERRUPT == 0)
    }

    fn chain(&self, space: &AddressSpace, head: u16) -> Result<Chain, Broken> {
        let mut chain = Chain {
            head,
            request: vec![],
            answer: vec![],
        };
        let (mut table, mut size) = (self.descriptors, self.size);
        let (mut number, mut left, mut indirect) = (head, self.size, false);
        loop {
            if u32::from(number) >= size || left == 0 {
                return Err(Broken::Rule(
                    "a chain leaves its table or has no end (2.7.5)",
                ));
            }
            left -= 1;
            let descriptor = descriptor(space, table, number)?;
            if descriptor.flags & INDIRECT != 0 {
                size = descriptor.length / DESCRIPTOR_BYTES;
                let whole = descriptor.length.is_multiple_of(DESCRIPTOR_BYTES);
                let alone = descriptor.flags & (NEXT | WRITE) == 0;
                if indirect || !alone || !whole || size == 0 || size > INDIRECT_MAX {
                    return Err(Broken::Rule("a table of its own breaks 2.7.5.3"));
                }
                (table, number, left, indirect) = (descriptor.address, 0, size, true);
                continue;
            }
            chain.add(space, &descriptor)?;
            if descriptor.flags & NEXT == 0 {
                return Ok(chain);
            }
            number = descriptor.next;
        }
    }
}

impl Chain {
    fn add(&mut self, space: &AddressSpace, descriptor: &Descriptor) -> Result<(), Broken> {
        let address = place(descriptor.address, 0, "a buffer")?;
        if descriptor.flags & WRITE != 0 {
            self.answer.push((address, descriptor.length));
            return Ok(());
        }
        if !self.answer.is_empty() {
            return Err(Broken::Rule(
                "a buffer to read stands behind one to write (2.7.4.2)",
            ));
        }
        let start = self.request.len();
        let end = start as u64 + u64::from(descriptor.length);
        if end > MESSAGE_BYTES_MAX.into() {
            return Err(Broken::Rule("a request is longer than any message"));
        }
        self.request.resize(end as usize, 0);
        space
            .read_bytes(address, &mut self.request[start..])
            .map_err(in_memory("a buffer of the request"))
    }
}

fn in_memory(what: &'static str) -> impl Fn(Fault) -> Broken {
    move |fault| Broken::Memory { what, fault }
}

fn place(base: u64, offset: u64, what: &'static str) -> Result<u32, Broken> {
    let address = base.saturating_add(offset);
    u32::try_from(address).map_err(|_| Broken::Address { what, address })
}

fn half(space: &AddressSpace, base: u64, offset: u64, what: &'static str) -> Result<u16, Broken> {
    let mut bytes = [0; 2];
    space
        .read_bytes(place(base, offset, what)?, &mut bytes)
        .map_err(in_memory(what))?;
    Ok(u16::from_le_bytes(bytes))
}

fn descriptor(space: &AddressSpace, table: u64, number: u16) -> Result<Descriptor, Broken> {
    let what = "a table of descriptors";
    let at = place(table, u64::from(number) * u64::from(DESCRIPTOR_BYTES), what)?;
    let mut bytes = [0; DESCRIPTOR_BYTES as usize];
    space.read_bytes(at, &mut bytes).map_err(in_memory(what))?;
    let [
        a0,
        a1,
        a2,
        a3,
        a4,
        a5,
        a6,
        a7,
        l0,
        l1,
        l2,
        l3,
        f0,
        f1,
        n0,
        n1,
    ] = bytes;
    Ok(Descriptor {
        address: u64::from_le_bytes([a0, a1, a2, a3, a4, a5, a6, a7]),
        length: u32::from_le_bytes([l0, l1, l2, l3]),
        flags: u16::from_le_bytes([f0, f1]),
        next: u16::from_le_bytes([n0, n1]),
    })
}
