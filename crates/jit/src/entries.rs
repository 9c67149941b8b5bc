//! Entries of translations by address, looked up by translated code itself.

/// Entries in the table; different places may want the same one.
pub(crate) const COUNT: usize = 1 << 14;
/// Instructions lie at even addresses, in memories and pages that begin at multiples of large powers of two: the sum of an address shifted by
/// these amounts tells them apart.
pub(crate) const ADDRESS_SHIFTS: [u32; 2] = [1, 12];
const NO_KEY: u64 = u64::MAX;

/// The place of an address in a table of `count` entries, a power of two.
pub(crate) fn place(address: u32, count: usize) -> usize {
    let [low, high] = ADDRESS_SHIFTS.map(|by| address >> by);
    low.wrapping_add(high) as usize % count
}

/// Bytes from one entry to the next, as a power of two.
pub(crate) const SHIFT: u32 = size_of::<Entry>().trailing_zeros();

#[derive(Clone, Copy)]
#[repr(C)]
struct Entry {
    key: u64,
    code: u64,
}

const EMPTY: Entry = Entry {
    key: NO_KEY,
    code: 0,
};

/// The table.
pub(crate) struct Entries(Box<[Entry; COUNT]>);

impl Entries {
    pub fn new() -> Entries {
        Entries(Box::new([EMPTY; COUNT]))
    }

    /// Its address, which never changes.
    pub fn address(&self) -> u64 {
        self.0.as_ptr() as u64
    }

    fn slot(key: u64) -> usize {
        place(key as u32 & !1, COUNT)
    }

    /// Makes a translation known.
    pub fn set(&mut self, key: u64, code: u64) {
        self.0[Entries::slot(key)] = Entry { key, code };
    }

    /// The code of an entry.
    #[inline]
    pub fn get(&self, key: u64) -> Option<u64> {
        let entry = self.0[Entries::slot(key)];
        (entry.key == key).then_some(entry.code)
    }

    /// Forgets an entry.
    pub fn remove(&mut self, key: u64) {
        let entry = &mut self.0[Entries::slot(key)];
        if entry.key == key {
            *entry = EMPTY;
        }
    }

    /// Forgets all.
    pub fn clear(&mut self) {
        self.0.fill(EMPTY);
    }
}
