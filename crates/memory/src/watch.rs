//! Who has to be told of a write: holders of pointers into memory, and of code translated from it.

use crate::MemoryIndex;

/// Bytes that are marked together as holding code.
pub(crate) const LINE_BYTES: usize = 64;
/// Writes to code that are listed one by one; more are put together.
const WRITES_MAX: usize = 1024;

/// What an address space knows of pointers that it handed out, and of writes to watched code.
#[derive(Clone, Debug, Default)]
pub(crate) struct Watch {
    /// Changes whenever something handed out is stale.
    pub epoch: u64,
    /// Changes whenever the map may have changed.
    pub map_epoch: u64,
    /// Writes to marked lines.
    pub written: Vec<(MemoryIndex, u32, u32)>,
    /// The memory that is written now.
    pub memory: MemoryIndex,
    limit: usize,
}

impl Watch {
    /// Pointers that were handed out are no longer right.
    pub fn pointers_are_stale(&mut self) {
        self.epoch += 1;
    }

    /// Bytes of which a line is marked were written.
    pub fn wrote_code(&mut self, offset: usize, bytes: usize) {
        let write = (self.memory, offset as u32, bytes as u32);
        if self.written.last() == Some(&write) {
            return;
        }
        if self.written.len() >= self.limit.max(WRITES_MAX) {
            self.put_together();
        }
        self.written.push(write);
    }

    /// Makes lines of the listed writes, each once; there are at most as many as memory has.
    fn put_together(&mut self) {
        const LINE: u32 = LINE_BYTES as u32;
        let lines = |&(memory, offset, bytes): &(MemoryIndex, u32, u32)| {
            let end = offset + (bytes - 1);
            (offset / LINE..=end / LINE).map(move |line| (memory, line * LINE, LINE))
        };
        let mut all: Vec<_> = self.written.iter().flat_map(lines).collect();
        all.sort_unstable();
        all.dedup();
        self.limit = 2 * all.len();
        self.written = all;
    }
}
