//! The guest's memory as its operating system sees it, whatever the cores do at the moment.

use super::Field;
use socscope_machine::Machine;
use socscope_memory::{Endianness, Viewer};

/// Longest text.
const TEXT_BYTES_MAX: u32 = 64;
const PAGE_BYTES: u32 = 0x1000;

/// How an operating system's addresses are understood.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Addresses {
    /// They are those of the bus.
    Bus,
    /// By the page tables of a Linux kernel, as the first core's architecture has them.
    Linux {
        /// Distance of the kernel's addresses of all memory from physical ones; below it is the user's.
        offset: u32,
        /// Physical address of the kernel's page directory.
        directory: u32,
        /// Where the pointer to a task's memory lies in its control block.
        memory: u32,
        /// Where the pointer to its page directory lies in that.
        tasks_directory: u32,
    },
}

/// Reads memory, by the addresses of one task or of the kernel.
#[derive(Clone, Copy)]
pub(super) struct Memory<'a> {
    pub machine: &'a Machine,
    pub addresses: Addresses,
}

impl Memory<'_> {
    /// The address on the bus of one that the kernel uses.
    pub fn kernels(self, address: u32) -> Option<u32> {
        let Addresses::Linux {
            offset, directory, ..
        } = self.addresses
        else {
            return Some(address);
        };
        // What no page maps is mapped by blocks, all memory in one piece.
        self.walk(directory, address)
            .or_else(|| address.checked_sub(offset))
    }

    /// The kernel's address of a place in memory.
    pub fn of_physical(self, address: u32) -> u32 {
        match self.addresses {
            Addresses::Bus => address,
            Addresses::Linux { offset, .. } => address.wrapping_add(offset),
        }
    }

    /// The address on the bus of one that a task's code uses; `None` where it has no page.
    pub fn of_task(self, block: u32, address: u32) -> Option<u32> {
        let Addresses::Linux {
            offset,
            memory,
            tasks_directory,
            ..
        } = self.addresses
        else {
            return Some(address);
        };
        if address >= offset {
            return self.kernels(address);
        }
        let owner = self.word(block.wrapping_add(memory))?;
        if owner == 0 {
            return None;
        }
        let directory = self.word(owner.wrapping_add(tasks_directory))?;
        self.walk(self.kernels(directory)?, address)
    }

    fn walk(self, directory: u32, address: u32) -> Option<u32> {
        let walk = self.machine.core(0).linux_page_walk()?;
        let word = |at| self.number(&self.on_bus(at, 4));
        walk(directory, address, &word)
    }

    /// Bytes at an address of the bus, as the first core sees it: the system is in its image.
    fn on_bus(self, address: u32, size: u32) -> Vec<u8> {
        self.machine.peek_for(Viewer::Core(0), address, size)
    }

    /// Bytes at a kernel's address, fewer where nothing is.
    pub fn bytes(self, address: u32, size: u32) -> Vec<u8> {
        let mut found = vec![];
        while (found.len() as u32) < size {
            let Some(at) = address.checked_add(found.len() as u32) else {
                break;
            };
            let part = (size - found.len() as u32).min(PAGE_BYTES - at % PAGE_BYTES);
            let read = self
                .kernels(at)
                .map_or_else(Vec::new, |at| self.on_bus(at, part));
            let ends = (read.len() as u32) < part;
            found.extend(read);
            if ends {
                break;
            }
        }
        found
    }

    /// The number that bytes are in the core's order.
    fn number(self, bytes: &[u8]) -> Option<u32> {
        match *bytes {
            [byte] => Some(byte.into()),
            [a, b] => match self.machine.core(0).register_file().endianness {
                Endianness::Little => Some(u16::from_le_bytes([a, b]).into()),
                Endianness::Big => Some(u16::from_be_bytes([a, b]).into()),
            },
            [a, b, c, d] => Some(self.machine.core(0).register_file().value([a, b, c, d])),
            _ => None,
        }
    }

    /// A field of a control block.
    pub fn field(self, block: u32, field: Field) -> Option<u32> {
        let address = block.checked_add(field.offset)?;
        self.number(&self.bytes(address, field.size))
    }

    /// A word.
    pub fn word(self, address: u32) -> Option<u32> {
        self.number(&self.bytes(address, 4))
    }

    /// A text that ends with a zero, or after so many bytes.
    pub fn text(self, address: u32, size: u32) -> String {
        let bytes = self.bytes(address, size.min(TEXT_BYTES_MAX));
        let end = bytes.iter().position(|&byte| byte == 0);
        let shown = |&byte: &u8| {
            let printable = byte.is_ascii_graphic() || byte == b' ';
            if printable { char::from(byte) } else { '?' }
        };
        let text = &bytes[..end.unwrap_or(bytes.len())];
        text.iter().map(shown).collect()
    }
}
