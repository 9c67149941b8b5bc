//! Where the kernel keeps what it knows of a task.

use serde::{Deserialize, Serialize};
use socscope_core::LinuxCore;
use socscope_memory::{AddressSpace, Endianness, Viewer, Width};
use std::collections::BTreeSet;

/// Longest name that is read.
const NAME_BYTES_MAX: usize = 64;

/// Where the kernel keeps the pointer to the task that a core runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Current {
    /// In a special register of the core; `thread`, the part that the architecture keeps, lies here in the control block.
    Register {
        /// Its offset.
        thread: u32,
    },
    /// In a variable, as kernels for one core may.
    Variable(Variable),
}

/// A variable with the pointer to the task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    /// Its address on the bus.
    pub address: u32,
    /// Distance of the kernel's addresses from those on the bus.
    pub offset: u32,
    /// Addresses of the instructions behind those that write it.
    pub written_before: BTreeSet<u32>,
}

impl Variable {
    /// The address on the bus of the control block; `None` before the kernel has written it.
    fn block(&self, (space, viewer): (&AddressSpace, Viewer), order: Endianness) -> Option<u32> {
        let read = space.read_memory_for(viewer, self.address, Width::Word, order);
        let pointer = read.ok().map(|(value, _)| value)?;
        (pointer != 0).then(|| pointer.wrapping_sub(self.offset))
    }
}

/// Where the kernel keeps what it knows of a task: offsets within `struct task_struct`, out of the kernel's debug information.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    /// How the task is known.
    pub current: Current,
    /// `pid`: the thread's number.
    pub pid: u32,
    /// `tgid`: the process's number.
    pub tgid: u32,
    /// `comm`: the name.
    pub name: u32,
    /// Bytes of the name.
    pub name_bytes: u32,
}

/// A task by what tells it from others; one that executes another program is another one from then on.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Task {
    /// Number of the thread; 0 for the idle tasks of all cores.
    pub pid: u32,
    /// Number of the process.
    pub tgid: u32,
    /// The name.
    pub name: String,
}

/// A control block as it stands in memory: numbers of thread and process, and the name, zeros behind its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Block {
    pid: u32,
    tgid: u32,
    name: [u8; NAME_BYTES_MAX],
}

impl Block {
    pub fn task(&self) -> Task {
        let end = self.name.iter().position(|&byte| byte == 0);
        let name = &self.name[..end.unwrap_or(NAME_BYTES_MAX)];
        Task {
            pid: self.pid,
            tgid: self.tgid,
            name: String::from_utf8_lossy(name).into_owned(),
        }
    }
}

impl Layout {
    /// The address on the bus of the control block of the task that a core runs; `None` before the kernel has said which.
    pub(super) fn task_of(
        &self,
        core: &dyn LinuxCore,
        seen_by: (&AddressSpace, Viewer),
    ) -> Option<u32> {
        match &self.current {
            Current::Register { thread } => core.task(*thread, seen_by.0),
            Current::Variable(variable) => variable.block(seen_by, core.byte_order()),
        }
    }

    /// The control block at an address on the bus, as somebody sees it; `None` where there is no memory.
    pub(super) fn read(
        &self,
        block: u32,
        (space, viewer): (&AddressSpace, Viewer),
        order: Endianness,
    ) -> Option<Block> {
        let read = |offset: u32, width| {
            let found = space.read_memory_for(viewer, block.wrapping_add(offset), width, order);
            found.ok().map(|(value, _)| value)
        };
        let mut name = [0; NAME_BYTES_MAX];
        let wanted = (self.name_bytes as usize).min(NAME_BYTES_MAX);
        let first = block.wrapping_add(self.name);
        // Words are read faster than bytes, and a name is mostly read to find it unchanged.
        let width = match (first | wanted as u32) % 4 {
            0 => Width::Word,
            _ => Width::Byte,
        };
        let bytes = width.bytes() as usize;
        for (piece, offset) in name[..wanted]
            .chunks_exact_mut(bytes)
            .zip((self.name..).step_by(bytes))
        {
            let Some(value) = read(offset, width) else {
                break;
            };
            match (width, order) {
                (Width::Word, Endianness::Big) => piece.copy_from_slice(&value.to_be_bytes()),
                (Width::Word, Endianness::Little) => piece.copy_from_slice(&value.to_le_bytes()),
                _ => piece.fill(value as u8),
            }
            if piece.contains(&0) {
                break;
            }
        }
        if let Some(end) = name.iter().position(|&byte| byte == 0) {
            name[end..].fill(0);
        }
        Some(Block {
            pid: read(self.pid, Width::Word)?,
            tgid: read(self.tgid, Width::Word)?,
            name,
        })
    }
}
