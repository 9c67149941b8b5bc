//! The line of each set that was used last: using it again changes nothing but a count.

use super::cache::Entry;
use socscope_isa::NO_LINE;

/// Such lines by set, or [`NO_LINE`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Recent {
    /// Those that may be read so.
    held: Vec<u32>,
    /// Those that may also be written so: they are changed already.
    changed: Vec<u32>,
}

impl Recent {
    /// Of empty sets.
    pub fn new(sets: u32) -> Recent {
        let none = vec![NO_LINE; sets as usize];
        Recent {
            held: none.clone(),
            changed: none,
        }
    }

    #[inline]
    pub fn table(&self, write: bool) -> &[u32] {
        match write {
            true => &self.changed,
            false => &self.held,
        }
    }

    /// Addresses of both tables.
    pub fn addresses(&mut self) -> [u64; 2] {
        [&mut self.held, &mut self.changed].map(|table| table.as_mut_ptr() as u64)
    }

    /// The way that was used last in a set holds this.
    #[inline]
    pub fn note(&mut self, set: usize, entry: Entry) {
        let line = |known| if known { entry.line } else { NO_LINE };
        self.held[set] = line(entry.valid);
        self.changed[set] = line(entry.valid && entry.changed);
    }
}
