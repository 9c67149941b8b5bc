//! A translation buffer: entries of the page table that were used.

use super::TLB_ENTRIES;
use super::table::Segment;
use serde::{Deserialize, Serialize};
use socscope_core::translation_class as index;

const VALID: u32 = 0x8000_0000;

/// One entry.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Entry {
    /// Segment and high bits of the page's number, marked as valid; 0 for no entry.
    tag: u32,
    /// The second word of the page table's entry.
    pub word: u32,
}

impl Entry {
    /// For the page of `effective` in the segment of this VSID.
    pub fn new(segment: u32, effective: u32, word: u32) -> Entry {
        let tag = VALID | segment << 6 | effective >> 22 & 0x3f;
        Entry { tag, word }
    }

    pub fn is_valid(self) -> bool {
        self.tag & VALID != 0
    }
}

/// Entries by index.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Vec<Entry>")]
pub(super) struct Buffer(Vec<Entry>);

impl Default for Buffer {
    fn default() -> Buffer {
        Buffer(vec![Entry::default(); TLB_ENTRIES])
    }
}

impl TryFrom<Vec<Entry>> for Buffer {
    type Error = String;

    fn try_from(entries: Vec<Entry>) -> Result<Buffer, String> {
        match entries.len() {
            TLB_ENTRIES => Ok(Buffer(entries)),
            count => Err(format!(
                "a translation buffer has {TLB_ENTRIES} entries, not {count}"
            )),
        }
    }
}

impl Buffer {
    /// The second word of the entry that holds the page of `effective`.
    pub fn find(&self, segment: Segment, effective: u32) -> Option<u32> {
        let entry = self.0[index(effective)];
        let wanted = Entry::new(segment.number(), effective, entry.word);
        (entry == wanted).then_some(entry.word)
    }

    /// Puts an entry in the place of another, which is returned.
    pub fn replace(&mut self, index: usize, entry: Entry) -> Entry {
        std::mem::replace(&mut self.0[index], entry)
    }
}
