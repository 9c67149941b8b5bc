//! Which function an address belongs to.

use serde::{Deserialize, Serialize};

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

/// The functions of an image by address.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Functions {
    ranges: Vec<Range>,
}

impl Functions {
    /// From (first address, end address, id), disjoint and sorted by address. Empty ranges are dropped.
    ///
    /// # Errors
    /// The first address whose range overlaps the one before it.
    pub fn new(functions: &[(u32, u32, i64)]) -> Result<Functions, u32> {
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
        Ok(Functions { ranges })
    }

    /// The functions as they were given: first address, end address, id.
    pub fn entries(&self) -> impl Iterator<Item = (u32, u32, i64)> {
        let entry = |range: &Range| (range.start, range.last + 1, range.function.0);
        self.ranges.iter().map(entry)
    }

    /// The range around `address`: a function's, or the gap between functions.
    pub fn range_of(&self, address: u32) -> Range {
        let after = self.ranges.partition_point(|range| range.start <= address);
        let before = after.checked_sub(1).map(|index| self.ranges[index]);
        match before {
            Some(range) if range.contains(address) => range,
            _ => Range {
                start: before.map_or(0, |range| range.last + 1),
                last: self
                    .ranges
                    .get(after)
                    .map_or(u32::MAX, |range| range.start - 1),
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
            Functions::new(&[(0x100, 0x110, 7), (0x120, 0x120, 8), (0x200, 0x204, 9)]).unwrap();
        assert_eq!(functions.range_of(0x10f).function, FunctionId(7));
        let gap = functions.range_of(0x110);
        assert_eq!(
            (gap.start, gap.last, gap.function),
            (0x110, 0x1ff, FunctionId::NONE)
        );
        assert_eq!(functions.range_of(0xffff_ffff).last, u32::MAX);
        assert_eq!(Functions::new(&[(0, 8, 1), (4, 12, 2)]).unwrap_err(), 4);
    }
}
