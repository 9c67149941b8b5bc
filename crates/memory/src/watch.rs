//! Who has to be told of a write: holders of pointers into memory, and of code translated from it.

use crate::MemoryIndex;
use std::sync::atomic::{AtomicU64, Ordering};

/// Bytes that are marked together as holding code.
pub(crate) const LINE_BYTES: usize = 64;
/// Writes to code that are listed one by one; more are put together.
const WRITES_MAX: usize = 1024;

/// A name that one who translates code has in all address spaces that it works for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CodeReaderName(u64);

impl CodeReaderName {
    /// A name that nobody else has.
    pub fn unique() -> CodeReaderName {
        static NAMES: AtomicU64 = AtomicU64::new(0);
        CodeReaderName(NAMES.fetch_add(1, Ordering::Relaxed))
    }
}

/// Names one who translates code that lies in an address space: it is told of all writes to what it has marked since it looked last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CodeReader(u16);

/// What an address space knows of pointers that it handed out, and of writes to watched code.
#[derive(Clone, Debug, Default)]
pub(crate) struct Watch {
    /// Changes whenever something handed out is stale.
    pub epoch: u64,
    /// Changes whenever the map may have changed.
    pub map_epoch: u64,
    /// The memory that is written now.
    pub memory: MemoryIndex,
    readers: Vec<(CodeReaderName, Reader)>,
}

/// What one of those who translate code is to be told.
#[derive(Clone, Debug, Default)]
struct Reader {
    /// It has marked lines since it forgot all of them.
    marks: bool,
    /// Writes to marked lines.
    written: Vec<CodeWrite>,
    limit: usize,
}

/// A write to a marked line: memory, offset and bytes.
pub(crate) type CodeWrite = (MemoryIndex, u32, u32);

impl Watch {
    /// Pointers that were handed out are no longer right.
    pub fn pointers_are_stale(&mut self) {
        self.epoch += 1;
    }

    /// One who translates code: as it was known here before, if it was.
    pub fn reader(&mut self, name: CodeReaderName) -> CodeReader {
        let known = self.readers.iter().position(|&(known, _)| known == name);
        let number = known.unwrap_or_else(|| {
            self.readers.push((name, Reader::default()));
            self.readers.len() - 1
        });
        CodeReader(number as u16)
    }

    fn of(&mut self, reader: CodeReader) -> &mut Reader {
        &mut self.readers[usize::from(reader.0)].1
    }

    /// Nobody translates code any more.
    pub fn drop_readers(&mut self) {
        self.readers.clear();
    }

    /// A reader marks lines.
    pub fn marks(&mut self, reader: CodeReader) {
        self.of(reader).marks = true;
    }

    /// Whether a reader is to be told of writes.
    #[inline]
    pub fn has_news(&self, reader: CodeReader) -> bool {
        !self.readers[usize::from(reader.0)].1.written.is_empty()
    }

    /// What a reader is to be told.
    pub fn take_news(&mut self, reader: CodeReader) -> Vec<CodeWrite> {
        std::mem::take(&mut self.of(reader).written)
    }

    /// A reader has forgotten all code; whether there are marks that nobody needs any more.
    pub fn forget(&mut self, reader: CodeReader) -> bool {
        let forgotten = std::mem::take(self.of(reader));
        forgotten.marks && self.readers.iter().all(|(_, reader)| !reader.marks)
    }

    /// Bytes of which a line is marked were written.
    pub fn wrote_code(&mut self, offset: usize, bytes: usize) {
        let write = (self.memory, offset as u32, bytes as u32);
        for (_, reader) in &mut self.readers {
            reader.note(write);
        }
    }

    /// The same by code of a reader's, which knows that it is none of its own that was written.
    pub fn wrote_code_of_others(&mut self, reader: CodeReader, offset: usize, bytes: usize) {
        let write = (self.memory, offset as u32, bytes as u32);
        for (number, (_, other)) in self.readers.iter_mut().enumerate() {
            if number != usize::from(reader.0) {
                other.note(write);
            }
        }
    }
}

impl Reader {
    fn note(&mut self, write: CodeWrite) {
        if !self.marks || self.written.last() == Some(&write) {
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
        let lines = |&(memory, offset, bytes): &CodeWrite| {
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
