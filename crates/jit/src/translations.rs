//! The translations that exist: their code, the memory that they were made from, and who is chained to them.

use socscope_memory::{
    AddressSpace, CodeReader, CodeReaderName, Endianness, MemoryIndex, RegionIndex, Target, Width,
};
use std::collections::{BTreeMap, BTreeSet};

/// One translation.
pub(crate) struct Translation {
    /// Where it begins.
    pub address: u32,
    code: u64,
    is_long: bool,
    /// Slots that lead here.
    pub incoming: Vec<usize>,
    /// The region that shows its instructions.
    region: RegionIndex,
    /// Memory, first and last offset of the instructions in it.
    spans: Vec<Span>,
    /// What stood there.
    bytes: Vec<u16>,
}

/// A piece of code: memory, first and last offset.
type Span = (MemoryIndex, u32, u32);

/// What stands in pieces of code.
fn read<'a>(space: &'a AddressSpace, spans: &'a [Span]) -> impl Iterator<Item = u16> + 'a {
    let order = Endianness::Little;
    spans.iter().flat_map(move |&(memory, first, last)| {
        let offsets = (first..=last).step_by(2);
        offsets.map(move |offset| space.read_at(memory, offset, Width::Half, order) as u16)
    })
}

impl Translation {
    /// Whether its instructions stand where they were.
    fn stands(&self, space: &AddressSpace) -> bool {
        let memories = space.memories().len();
        let exists = |&(memory, ..): &Span| usize::from(memory.0) < memories;
        self.spans.iter().all(exists) && read(space, &self.spans).eq(self.bytes.iter().copied())
    }

    /// Has its code watched.
    fn watch(&self, space: &mut AddressSpace, reader: CodeReader) {
        for &(_, first, last) in &self.spans {
            space.watch_code(reader, self.region, first, last - first + 1);
        }
    }
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
pub(crate) struct Translations {
    /// As whom address spaces know the translator, and the one that it works for.
    name: CodeReaderName,
    reader: Option<CodeReader>,
    by_key: BTreeMap<u64, Translation>,
    /// Where long ones begin.
    long: BTreeSet<u32>,
    /// Translations by memory and 64-byte line.
    by_line: BTreeMap<(MemoryIndex, u32), Vec<u64>>,
    /// Those whose instructions are not there now; nothing leads to them.
    parked: BTreeMap<u64, Translation>,
}

const LINE_BYTES: u32 = 64;

impl Translations {
    /// None.
    pub fn new() -> Translations {
        Translations {
            name: CodeReaderName::unique(),
            reader: None,
            by_key: BTreeMap::new(),
            long: BTreeSet::new(),
            by_line: BTreeMap::new(),
            parked: BTreeMap::new(),
        }
    }

    /// Whether there is none, not even a parked one.
    pub fn is_empty(&self) -> bool {
        self.by_key.is_empty() && self.parked.is_empty()
    }

    /// As whom the address space knows the translator.
    pub fn reader(&mut self, space: &mut AddressSpace) -> CodeReader {
        let name = self.name;
        *self.reader.get_or_insert_with(|| space.code_reader(name))
    }

    /// The translator works for another address space from now on. Translations whose instructions stand there too are watched there. The keys of others
    /// are given: they are to be parked.
    pub fn move_to(&mut self, space: &mut AddressSpace) -> Vec<u64> {
        self.reader = None;
        let reader = self.reader(space);
        space.forget_code(reader);
        let all = self.by_key.iter();
        let (stay, leave): (Vec<_>, Vec<_>) = all.partition(|(_, one)| one.stands(space));
        for (_, translation) in stay {
            translation.watch(space, reader);
        }
        leave.into_iter().map(|(key, _)| *key).collect()
    }

    /// Keeps one that was removed: its code may come back, for it came in a run of another machine.
    pub fn park(&mut self, key: u64, removed: Translation) {
        self.parked.insert(key, removed);
    }

    /// The code of one that was parked, if its instructions are there again: it is one of all from now on.
    pub fn revive(&mut self, key: u64, space: &mut AddressSpace) -> Option<u64> {
        if !self.parked.get(&key)?.stands(space) {
            return None;
        }
        let translation = self.parked.remove(&key)?;
        let code = translation.code;
        self.put(key, translation, space);
        Some(code)
    }

    fn put(&mut self, key: u64, translation: Translation, space: &mut AddressSpace) {
        let reader = self.reader(space);
        translation.watch(space, reader);
        for &(memory, first, last) in &translation.spans {
            for line in first / LINE_BYTES..=last / LINE_BYTES {
                self.by_line.entry((memory, line)).or_default().push(key);
            }
        }
        if translation.is_long {
            self.long.insert(translation.address);
        }
        self.by_key.insert(key, translation);
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
        let mut spans: Vec<Span> = vec![];
        for first in made.offsets {
            let last = first + made.width.bytes() - 1;
            match spans.last_mut() {
                Some(span) if span.2 + 1 == first => span.2 = last,
                _ => spans.push((memory, first, last)),
            }
        }
        let translation = Translation {
            address: made.address,
            code,
            is_long: made.is_long,
            incoming: vec![],
            region: made.region,
            bytes: read(space, &spans).collect(),
            spans,
        };
        self.parked.remove(&key);
        self.put(key, translation, space);
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
        self.parked.clear();
    }
}
