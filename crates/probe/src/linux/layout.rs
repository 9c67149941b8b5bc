//! Where the kernel keeps what it knows of a task.

use serde::{Deserialize, Serialize};
use socscope_memory::{AddressSpace, Endianness, Width};

/// Longest name that is read.
const NAME_BYTES_MAX: u32 = 64;

/// Offsets within `struct task_struct`, out of the kernel's debug information.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// `thread`, the part that the architecture keeps.
    pub thread: u32,
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

impl Layout {
    /// The task whose control block is at a physical address; `None` where there is no memory.
    pub(super) fn read(&self, block: u32, space: &AddressSpace, order: Endianness) -> Option<Task> {
        let word = |offset| {
            Some(
                space
                    .read_memory(block.wrapping_add(offset), Width::Word, order)
                    .ok()?
                    .0,
            )
        };
        let name = (0..self.name_bytes.min(NAME_BYTES_MAX)).map_while(|index| {
            let at = block.wrapping_add(self.name + index);
            let (byte, _) = space.read_memory(at, Width::Byte, order).ok()?;
            (byte != 0).then_some(byte as u8)
        });
        let name: Vec<u8> = name.collect();
        Some(Task {
            pid: word(self.pid)?,
            tgid: word(self.tgid)?,
            name: String::from_utf8_lossy(&name).into_owned(),
        })
    }
}
