//! The table by which translated code finds the host's bytes behind a guest address, and their region, in one look, where regions are learnt.

use super::tables::GRANULES_OFFSET;
use socscope_memory::{GRANULE_BYTES, Granule, RegionIndex, Width};

/// One granule. A tag of 0 means that the access is left to the interpreter.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub(crate) struct Entry {
    /// Host address minus guest address.
    pub addend: u64,
    /// Region plus one, for reads.
    pub read: u32,
    /// Region plus one, for writes.
    pub write: u32,
}

pub(crate) const ADDEND: i32 = GRANULES_OFFSET as i32;
pub(crate) const READ_TAG: i32 = ADDEND + 8;
pub(crate) const WRITE_TAG: i32 = ADDEND + 12;

/// The tag of a region.
pub(crate) fn tag(region: RegionIndex) -> u32 {
    u32::from(region.0) + 1
}

/// Width of a write, and region that it must reach, for a helper.
pub(crate) fn how(width: Width, region: Option<RegionIndex>) -> u32 {
    width as u32 | region.map_or(0, tag) << 8
}

/// The two parts of that: the region's tag, or 0.
pub(crate) fn parts_of(how: u32) -> (Width, u32) {
    (Width::ALL[(how as usize & 0xff).min(2)], how >> 8)
}

/// Guest addresses are rotated so that the bits below an access's width come to the top: an unaligned access finds an entry that is never
/// filled. Two such bits make the table four times as long as there are granules.
pub(crate) const TABLE_BYTES: usize = 4 * (1 << 32) / GRANULE_BYTES as usize * size_of::<Entry>();
/// Above this many filled entries the whole table is given back to the host.
const FILLED_MAX: usize = 1 << 16;
/// Granules that are filled together, so that a stream of accesses seldom finds an empty entry.
const TOGETHER: u32 = 16;

/// The table, in memory of its owner's.
pub(crate) struct Granules {
    start: *mut u8,
    filled: Vec<u32>,
}

impl Granules {
    /// A table of zeros, of [`TABLE_BYTES`], which nothing else refers to.
    pub fn new(start: *mut u8) -> Granules {
        Granules {
            start,
            filled: vec![],
        }
    }

    fn entry(&mut self, number: u32) -> &mut Entry {
        // SAFETY: a granule's number is below 2^32 / GRANULE_BYTES, so that its entry lies inside the table; entries are plain
        // integers, any bytes are valid, and translated code does not run while this borrow lives.
        unsafe { &mut *self.start.cast::<Entry>().add(number as usize) }
    }

    /// Whether the entry of `address` allows reads or writes.
    pub fn knows(&mut self, address: u32, for_writing: bool) -> bool {
        let entry = self.entry(address / GRANULE_BYTES);
        let tag = if for_writing { entry.write } else { entry.read };
        tag != 0
    }

    /// Fills the entries around `address` for reads or for writes.
    pub fn fill(
        &mut self,
        address: u32,
        for_writing: bool,
        mut granule: impl FnMut(u32, bool) -> Option<Granule>,
    ) {
        let first = address / GRANULE_BYTES / TOGETHER * TOGETHER;
        for number in first..first + TOGETHER {
            let guest = number * GRANULE_BYTES;
            // Making neighbours unique would copy pages that nobody writes.
            if for_writing && number != address / GRANULE_BYTES && guest / 4096 != address / 4096 {
                continue;
            }
            let Some(found) = granule(guest, for_writing) else {
                continue;
            };
            let entry = self.entry(number);
            let empty = entry.read == 0 && entry.write == 0;
            entry.addend = (found.host.as_ptr() as u64).wrapping_sub(u64::from(guest));
            entry.read = tag(found.region);
            if for_writing {
                entry.write = tag(found.region);
            }
            if empty {
                self.filled.push(number);
            }
        }
    }

    /// Empties the table; false where so much is filled that its owner had better give the memory back.
    pub fn clear(&mut self) -> bool {
        let filled = std::mem::take(&mut self.filled);
        let few = filled.len() <= FILLED_MAX;
        if few {
            filled
                .into_iter()
                .for_each(|number| *self.entry(number) = Entry::default());
        }
        few
    }
}
