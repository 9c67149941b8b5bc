//! Which function an address belongs to.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Names a function in the caller's own numbering.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct FunctionId(pub i64);

impl FunctionId {
    /// Code outside all functions.
    pub const NONE: FunctionId = FunctionId(-1);
    /// No function, but the caller of all that is counted without its callers, because there were too many contexts.
    pub const FOLDED: FunctionId = FunctionId(i64::MIN);
}

/// A range of addresses that belongs to one function, or to none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    /// First address of the range: the function's first instruction.
    pub start: u32,
    /// Last address of the range.
    pub last: u32,
    /// The function.
    pub function: FunctionId,
}

impl Range {
    /// Whether the address lies in it.
    #[inline]
    pub fn contains(&self, address: u32) -> bool {
        address.wrapping_sub(self.start) <= self.last - self.start
    }

    /// The range around `address` that this one is, seen from addresses that are lower by `offset`, as far as it goes on without a break.
    pub(crate) fn moved_to(self, address: u32, offset: u32) -> Range {
        let here = address.wrapping_add(offset);
        let (before, behind) = (here - self.start, self.last - here);
        Range {
            start: address.saturating_sub(before),
            last: address.saturating_add(behind),
            function: self.function,
        }
    }
}

/// The functions of images by address.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Functions {
    shared: List,
    /// Those that lie in memory which a core alone sees.
    own: BTreeMap<u16, List>,
}

impl Functions {
    /// From (first address, end address, id), disjoint and sorted by address. Empty ranges are dropped.
    ///
    /// # Errors
    /// The first address whose range overlaps the one before it.
    pub fn new(functions: &[(u32, u32, i64)]) -> Result<Functions, u32> {
        Ok(Functions {
            shared: List::new(functions)?,
            own: BTreeMap::new(),
        })
    }

    /// The same, and functions in memory that a core alone sees.
    ///
    /// # Errors
    /// The first address whose range overlaps the one before it.
    pub fn with_own(mut self, core: u16, functions: &[(u32, u32, i64)]) -> Result<Functions, u32> {
        self.own.insert(core, List::new(functions)?);
        Ok(self)
    }

    /// The functions that all share as they were given: first address, end address, id.
    pub fn entries(&self) -> impl Iterator<Item = (u32, u32, i64)> {
        self.shared.entries()
    }

    /// The others, by core.
    pub fn own_entries(&self) -> impl Iterator<Item = (u16, Vec<(u32, u32, i64)>)> {
        let own = self.own.iter();
        own.map(|(core, list)| (*core, list.entries().collect()))
    }

    /// What all share.
    pub(crate) fn shared(&self) -> &List {
        &self.shared
    }

    /// What a core finds that alone sees memory in these places, from first to last address.
    pub(crate) fn of(&self, core: u16, places: &[(u32, u32)]) -> List {
        let around = |range: &Range| places.iter().any(|place| overlap(range, *place));
        let beneath = self.shared.0.iter().filter(|range| !around(range));
        let own = self.own.get(&core).into_iter().flat_map(|list| &*list.0);
        let mut all: Vec<Range> = beneath.chain(own).copied().collect();
        all.sort_unstable_by_key(|range| range.start);
        // A function of its own outside of its places gives way.
        all.dedup_by(|behind, before| behind.start <= before.last);
        List(all.into())
    }
}

fn overlap(range: &Range, (first, last): (u32, u32)) -> bool {
    range.start <= last && first <= range.last
}

/// Functions that share no address, upwards.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct List(Arc<[Range]>);

impl Default for List {
    fn default() -> List {
        List(Arc::new([]))
    }
}

impl List {
    fn new(functions: &[(u32, u32, i64)]) -> Result<List, u32> {
        let mut ranges: Vec<Range> = vec![];
        for &(start, end, id) in functions.iter().filter(|(start, end, _)| end > start) {
            if ranges.last().is_some_and(|before| before.last >= start) {
                return Err(start);
            }
            ranges.push(Range {
                start,
                last: end - 1,
                function: FunctionId(id),
            });
        }
        Ok(List(ranges.into()))
    }

    fn entries(&self) -> impl Iterator<Item = (u32, u32, i64)> {
        let entry = |range: &Range| (range.start, range.last + 1, range.function.0);
        self.0.iter().map(entry)
    }

    /// The range around `address`: a function's, or the gap between functions.
    pub fn range_of(&self, address: u32) -> Range {
        let after = self.0.partition_point(|range| range.start <= address);
        let before = after.checked_sub(1).map(|index| self.0[index]);
        match before {
            Some(range) if range.contains(address) => range,
            _ => Range {
                start: before.map_or(0, |range| range.last + 1),
                last: self.0.get(after).map_or(u32::MAX, |range| range.start - 1),
                function: FunctionId::NONE,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_between_functions_belong_to_none() {
        let functions =
            List::new(&[(0x100, 0x110, 7), (0x120, 0x120, 8), (0x200, 0x204, 9)]).unwrap();
        assert_eq!(functions.range_of(0x10f).function, FunctionId(7));
        let gap = functions.range_of(0x110);
        assert_eq!(
            (gap.start, gap.last, gap.function),
            (0x110, 0x1ff, FunctionId::NONE)
        );
        assert_eq!(functions.range_of(0xffff_ffff).last, u32::MAX);
        assert_eq!(Functions::new(&[(0, 8, 1), (4, 12, 2)]).unwrap_err(), 4);
    }

    #[test]
    fn what_lies_beneath_a_cores_own_memory_is_hidden_from_it() {
        let functions = Functions::new(&[(0x100, 0x110, 7), (0x200, 0x210, 8), (0x300, 0x310, 9)]);
        let functions = functions
            .unwrap()
            .with_own(1, &[(0x204, 0x208, 5)])
            .unwrap();
        let seen = functions.of(1, &[(0x200, 0x2ff), (0x30f, 0x30f)]);
        let entries: Vec<_> = seen.entries().collect();
        assert_eq!(entries, [(0x100, 0x110, 7), (0x204, 0x208, 5)]);
        let gap = seen.range_of(0x200);
        assert_eq!((gap.start, gap.last), (0x110, 0x203));
        assert_eq!(functions.of(2, &[]), functions.shared);
    }
}
