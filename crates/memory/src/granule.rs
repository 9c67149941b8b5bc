//! The host's bytes behind guest addresses, for translated code, and marks on what it was translated from.

use crate::page::PAGE_BYTES;
use crate::{
    AddressSpace, CodeReader, CodeReaderName, Endianness, GRANULE_BYTES, MemoryIndex, RegionIndex,
    Target, Viewer, Width,
};
use std::ptr::NonNull;

/// A whole granule of one memory, as one region shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Granule {
    /// Its first byte in the host. Valid until [`AddressSpace::epoch`] changes.
    pub host: NonNull<u8>,
    /// The region that answers in all of it.
    pub region: RegionIndex,
    /// Whether it may be written through `host`: it was asked for to be written.
    pub writable: bool,
}

impl AddressSpace {
    /// The host's bytes of the granule around `address`, if one memory answers in all of it for the core that looks. For writing there is none of a ROM, nor
    /// where translated code lies; else its page is made unique first, which may change the epoch: compare it afterwards.
    pub fn granule(&mut self, address: u32, for_writing: bool) -> Option<Granule> {
        let base = address & !(GRANULE_BYTES - 1);
        let (index, memory, offset) = self.whole(base, GRANULE_BYTES, for_writing)?;
        let (memory, watch) = self.memory_watched(memory);
        let host = memory.hand_out(memory.start(offset), for_writing, watch)?;
        Some(Granule {
            host,
            region: index,
            writable: for_writing,
        })
    }

    /// The host's bytes of the page of 4096 around `address`, if one memory answers in all of it for the core that looks, and holds it in one piece. For writing
    /// there is none of a ROM, nor where translated code lies; else the page is made unique first, which may change the epoch.
    pub fn page(&mut self, address: u32, for_writing: bool) -> Option<NonNull<u8>> {
        const PAGE: u32 = PAGE_BYTES as u32;
        let base = address & !(PAGE - 1);
        let (_, memory, offset) = self.whole(base, PAGE, for_writing)?;
        let (memory, watch) = self.memory_watched(memory);
        memory.hand_out_page(memory.start(offset), for_writing, watch)
    }

    /// Region, memory and offset of an address from which on the core that looks finds one memory in so many bytes.
    fn whole(
        &self,
        base: u32,
        bytes: u32,
        for_writing: bool,
    ) -> Option<(RegionIndex, MemoryIndex, u32)> {
        let (index, last) = self.map().find_range(Viewer::Looking, base)?;
        let region = self.map().region(index);
        match region.target {
            Target::Memory { memory, writable } => (last - base >= bytes - 1
                && (writable || !for_writing))
                .then(|| (index, memory, base - region.base)),
            _ => None,
        }
    }

    /// Writes aligned data to a page in which code lies, for translated code of a reader: its region, when that is a memory that may be written, and
    /// no pointer that was handed out becomes stale; else nothing happens. In a line that is marked, `is_code` is asked with memory, offset and
    /// size whether it is code of this reader; others are told of the write.
    pub fn write_in_code_page(
        &mut self,
        reader: CodeReader,
        address: u32,
        (width, value, order): (Width, u32, Endianness),
        is_code: impl FnOnce(MemoryIndex, u32, u32) -> bool,
    ) -> Option<RegionIndex> {
        let (index, memory, offset) = self.writable_place(address)?;
        let (bytes, watch) = self.memory_watched(memory);
        let is_code = |offset| is_code(memory, offset, width.bytes());
        bytes
            .write_unless_code(offset, (width, value, order), (reader, watch), is_code)
            .then_some(index)
    }

    /// Region, memory and offset of an address behind which lies memory that may be written.
    fn writable_place(&self, address: u32) -> Option<(RegionIndex, MemoryIndex, u32)> {
        let index = self.map().find_for(Viewer::Looking, address);
        let region = self.map().region(index);
        match region.target {
            Target::Memory {
                memory,
                writable: true,
            } => Some((index, memory, address - region.base)),
            _ => None,
        }
    }

    /// Changes whenever a pointer, a region or a cost that was handed out may be stale.
    #[inline]
    pub fn epoch(&self) -> u64 {
        self.watch.epoch
    }

    /// Marks the lines of 64 bytes that these bytes of a region's memory touch as holding translated code. Every write to such a line
    /// is noted from now on, through whatever region it comes. Changes the epoch when a granule was handed out for writing there.
    pub fn watch_code(&mut self, reader: CodeReader, region: RegionIndex, offset: u32, bytes: u32) {
        let Some((memory, pieces)) = self.place(region, offset, bytes) else {
            return;
        };
        let (memory, watch) = self.memory_watched(memory);
        watch.marks(reader);
        for (start, count) in pieces {
            memory.mark_code(start, count, watch);
        }
    }

    /// Writes aligned data near code: its region, when that is a memory that may be written, and no pointer that was handed out becomes
    /// stale; else nothing happens. In a line that is marked, `is_code` is asked with memory, offset and size.
    pub fn write_beside_code(
        &mut self,
        reader: CodeReader,
        address: u32,
        (width, value, order): (Width, u32, Endianness),
        is_code: impl FnOnce(MemoryIndex, u32, u32) -> bool,
    ) -> Option<RegionIndex> {
        let (index, memory, offset) = self.writable_place(address)?;
        let (bytes, watch) = self.memory_watched(memory);
        let is_code = |offset| is_code(memory, offset, width.bytes());
        bytes
            .write_beside_code(offset, (width, value, order), (reader, watch), is_code)
            .then_some(index)
    }

    /// Whether one of the lines that these bytes touch is marked.
    pub fn is_watched(&self, region: RegionIndex, offset: u32, bytes: u32) -> bool {
        let place = self.place(region, offset, bytes);
        place.is_some_and(|(memory, pieces)| {
            let memory = self.memory(memory);
            let mut pieces = pieces.into_iter();
            pieces.any(|(start, count)| memory.holds_code(start, count))
        })
    }

    /// One who translates code: as it was known here before, if it was.
    pub fn code_reader(&mut self, name: CodeReaderName) -> CodeReader {
        self.watch.reader(name)
    }

    /// Whether a marked line was written since the reader last took the writes.
    #[inline]
    pub fn code_was_written(&self, reader: CodeReader) -> bool {
        self.watch.has_news(reader)
    }

    /// Takes the writes to marked lines that a reader has not seen: memory, offset and bytes. Marks stay. Of very many writes, the lines are given.
    pub fn take_code_writes(&mut self, reader: CodeReader) -> Vec<(MemoryIndex, u32, u32)> {
        self.watch.take_news(reader)
    }

    /// A reader has no code any more, and is told of nothing. Marks go when all have forgotten theirs: nobody knows whose a mark is.
    pub fn forget_code(&mut self, reader: CodeReader) {
        if self.watch.forget(reader) {
            self.take_marks_away();
        }
    }

    /// Nobody translates code any more: those who will are others.
    pub fn drop_code_readers(&mut self) {
        self.watch.drop_readers();
        self.take_marks_away();
    }

    fn take_marks_away(&mut self) {
        for memory in 0..self.memories().len() {
            self.memory_watched(MemoryIndex(memory as u16))
                .0
                .forget_code();
        }
    }

    /// The memory behind bytes of a region, and where they lie in it: in two pieces when they wrap at its end.
    fn place(
        &self,
        region: RegionIndex,
        offset: u32,
        bytes: u32,
    ) -> Option<(MemoryIndex, [(usize, usize); 2])> {
        let Target::Memory { memory, .. } = self.map().region(region).target else {
            return None;
        };
        let (start, size) = {
            let memory = self.memory(memory);
            (memory.start(offset), memory.size() as usize)
        };
        let first = (bytes as usize).min(size - start);
        let wrapped = (bytes as usize - first).min(start);
        Some((memory, [(start, first), (0, wrapped)]))
    }
}

#[cfg(test)]
mod tests;
