//! Ranges that were looked up last, so that most calls need no search.

use crate::functions::Range;

const PLACES: usize = 4096;

/// Ranges of functions by an address that control came to.
pub(crate) struct RecentRanges(Box<[Option<(u32, Range)>]>);

impl RecentRanges {
    pub fn new() -> RecentRanges {
        RecentRanges(vec![None; PLACES].into())
    }

    #[inline]
    pub fn get(&mut self, address: u32, search: impl FnOnce(u32) -> Range) -> Range {
        let place = (address >> 1).wrapping_add(address >> 12) as usize % PLACES;
        let place = &mut self.0[place];
        match place {
            Some((known, range)) if *known == address => *range,
            _ => {
                let range = search(address);
                *place = Some((address, range));
                range
            }
        }
    }
}
