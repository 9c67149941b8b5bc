//! The translations that exist: their code, the memory that they were made from, and who is chained to them.

use socscope_memory::{
    AddressSpace, CodeReader, Endianness, MemoryIndex, RegionIndex, Target, Width,
};
use std::collections::{BTreeMap, BTreeSet};

/// One translation.
pub(crate) struct Translation {
    /// Where it begins.
    pub address: u32,
    code: u64,
    /// Slots that lead here.
    pub incoming: Vec<usize>,
    /// Memory, first and last offset of the instructions in it.
    spans: Vec<(MemoryIndex, u32, u32)>,
}

/// What a translation was made from.
pub(crate) struct Made<I> {
    /// Where it begins.
    pub address: u32,
    /// The region that holds all of its instructions.
    pub region: RegionIndex,
    /// Their offsets in the region, upwards.
    pub offsets: I,
    /// Their width.
    pub width: Width,
    /// Whether others had better not contain it.
    pub is_long: bool,
}

/// All translations by the key of their entry.
#[derive(Default)]
pub(crate) struct Translations {
    /// As whom the address space knows the translator.
    reader: Option<CodeReader>,
    by_key: BTreeMap<u64, Translation>,
    /// Where long ones begin.
    long: BTreeSet<u32>,
    /// Translations by memory and 64-byte line.
    by_line: BTreeMap<(MemoryIndex, u32), Vec<u64>>,
}

const LINE_BYTES: u32 = 64;

impl Translations {
    /// As whom the address space knows the translator.
    pub fn reader(&mut self, space: &mut AddressSpace) -> CodeReader {
        *self.reader.get_or_insert_with(|| space.add_code_reader())
    }

    /// Whether watched code was written since [`Translations::stale`] was last asked.
    pub fn were_written(&self, space: &AddressSpace) -> bool {
        self.reader
            .is_some_and(|reader| space.code_was_written(reader))
    }

    /// Translations that are no longer right, by the writes since this was last asked.
    pub fn stale(&mut self, space: &mut AddressSpace) -> Vec<u64> {
        let reader = self.reader(space);
        let writes = space.take_code_writes(reader).into_iter();
        writes
            .flat_map(|(memory, offset, bytes)| self.overlapping(memory, offset, bytes))
            .collect()
    }

    /// Writes data to a line that may hold code, for translated code; the region, if that could be done.
    pub fn write_beside(
        &self,
        space: &mut AddressSpace,
        address: u32,
        data: (Width, u32, Endianness),
    ) -> Option<RegionIndex> {
        let touches = |memory, offset, bytes| self.touches(memory, offset, bytes);
        space.write_beside_code(self.reader?, address, data, touches)
    }

    /// The same anywhere in a page that holds code.
    pub fn write_in_page(
        &self,
        space: &mut AddressSpace,
        address: u32,
        data: (Width, u32, Endianness),
    ) -> Option<RegionIndex> {
        let touches = |memory, offset, bytes| self.touches(memory, offset, bytes);
        space.write_in_code_page(self.reader?, address, data, touches)
    }

    /// Addresses where long translations begin.
    pub fn long(&self) -> &BTreeSet<u32> {
        &self.long
    }

    /// The code of a translation.
    pub fn code(&self, key: u64) -> Option<u64> {
        self.by_key.get(&key).map(|translation| translation.code)
    }

    /// Notes that a slot leads to a translation; its code.
    pub fn chain(&mut self, key: u64, slot: usize) -> Option<u64> {
        let translation = self.by_key.get_mut(&key)?;
        translation.incoming.push(slot);
        Some(translation.code)
    }

    /// Adds a translation and has its code watched.
    pub fn add(
        &mut self,
        key: u64,
        code: u64,
        made: Made<impl Iterator<Item = u32>>,
        space: &mut AddressSpace,
    ) {
        let Target::Memory { memory, .. } = space.map().region(made.region).target else {
            return;
        };
        let reader = self.reader(space);
        let mut spans: Vec<(MemoryIndex, u32, u32)> = vec![];
        for first in made.offsets {
            let last = first + made.width.bytes() - 1;
            match spans.last_mut() {
                Some(span) if span.2 + 1 == first => span.2 = last,
                _ => spans.push((memory, first, last)),
            }
        }
        for &(memory, first, last) in &spans {
            space.watch_code(reader, made.region, first, last - first + 1);
            for line in first / LINE_BYTES..=last / LINE_BYTES {
                self.by_line.entry((memory, line)).or_default().push(key);
            }
        }
        if made.is_long {
            self.long.insert(made.address);
        }
        self.by_key.insert(
            key,
            Translation {
                address: made.address,
                code,
                incoming: vec![],
                spans,
            },
        );
    }

    /// Whether a translation was made from any of these bytes, which lie in one line.
    pub fn touches(&self, memory: MemoryIndex, offset: u32, bytes: u32) -> bool {
        let last = offset + bytes - 1;
        let keys = self.by_line.get(&(memory, offset / LINE_BYTES));
        keys.into_iter().flatten().any(|key| {
            self.by_key.get(key).is_some_and(|translation| {
                let mut spans = translation.spans.iter();
                spans.any(|&(of, first, end)| of == memory && first <= last && offset <= end)
            })
        })
    }

    /// Translations that were made from any of these bytes.
    pub fn overlapping(&self, memory: MemoryIndex, offset: u32, bytes: u32) -> Vec<u64> {
        let last = offset + bytes.max(1) - 1;
        let overlaps = |key: &&u64| {
            self.by_key.get(*key).is_some_and(|translation| {
                translation
                    .spans
                    .iter()
                    .any(|&(of, first, end)| of == memory && first <= last && offset <= end)
            })
        };
        let mut keys: Vec<u64> = (offset / LINE_BYTES..=last / LINE_BYTES)
            .filter_map(|line| self.by_line.get(&(memory, line)))
            .flatten()
            .filter(overlaps)
            .copied()
            .collect();
        keys.sort_unstable();
        keys.dedup();
        keys
    }

    /// Removes a translation.
    pub fn remove(&mut self, key: u64) -> Option<Translation> {
        let removed = self.by_key.remove(&key)?;
        self.long.remove(&removed.address);
        for &(memory, first, last) in &removed.spans {
            for line in first / LINE_BYTES..=last / LINE_BYTES {
                if let Some(keys) = self.by_line.get_mut(&(memory, line)) {
                    keys.retain(|&other| other != key);
                }
            }
        }
        Some(removed)
    }

    /// Removes all.
    pub fn clear(&mut self, space: &mut AddressSpace) {
        let reader = self.reader(space);
        space.forget_code(reader);
        self.by_key.clear();
        self.long.clear();
        self.by_line.clear();
    }
}
