//! Which region answers where, for one who looks.

use crate::RegionIndex;

const GRANULE_SHIFT: u32 = 20;

/// First and last address, and the region that answers there.
pub(crate) type Range = (u32, u32, RegionIndex);

/// Ranges that share no address, found by address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Ranges {
    by_address: Vec<Range>,
    /// For each megabyte, where in `by_address` the search starts.
    granules: Vec<u16>,
}

impl Default for Ranges {
    fn default() -> Ranges {
        Ranges {
            by_address: vec![],
            granules: vec![0; 1 << (32 - GRANULE_SHIFT)],
        }
    }
}

/// Two ranges that share addresses.
pub(crate) type Clash = (Range, Range);

impl Ranges {
    /// From ranges in any order; the first two that share addresses are an error.
    pub fn new(mut ranges: Vec<Range>) -> Result<Ranges, Clash> {
        ranges.sort_unstable();
        if let Some(pair) = ranges.windows(2).find(|pair| pair[1].0 <= pair[0].1) {
            return Err((pair[0], pair[1]));
        }
        Ok(Ranges::of_sorted(ranges))
    }

    fn of_sorted(by_address: Vec<Range>) -> Ranges {
        let mut ranges = Ranges::default();
        let mut next = 0;
        for (granule, start) in ranges.granules.iter_mut().enumerate() {
            let address = (granule as u32) << GRANULE_SHIFT;
            while next < by_address.len() && by_address[next].1 < address {
                next += 1;
            }
            *start = next as u16;
        }
        ranges.by_address = by_address;
        ranges
    }

    /// These ranges over others, which are hidden where both answer.
    pub fn over(&self, beneath: &Ranges) -> Ranges {
        let mut all = self.by_address.clone();
        for &(first, last, index) in &beneath.by_address {
            let from = self.by_address.partition_point(|above| above.1 < first);
            let mut first = Some(first);
            for &(cover, cover_last, _) in &self.by_address[from..] {
                let Some(at) = first.filter(|_| cover <= last) else {
                    break;
                };
                if at < cover {
                    all.push((at, cover - 1, index));
                }
                first = cover_last.checked_add(1).filter(|&next| next <= last);
            }
            all.extend(first.map(|at| (at, last, index)));
        }
        all.sort_unstable();
        Ranges::of_sorted(all)
    }

    /// Puts one more range among them, which costs less than to sort all again; one that it shares addresses with is an error.
    pub fn insert(&mut self, range: Range) -> Result<(), Clash> {
        let (first, last, _) = range;
        let at = self.by_address.partition_point(|range| range.1 < first);
        if let Some(&other) = self.by_address.get(at)
            && other.0 <= last
        {
            return Err(match (other.0, other.1) <= (first, last) {
                true => (other, range),
                false => (range, other),
            });
        }
        self.by_address.insert(at, range);
        for (granule, start) in self.granules.iter_mut().enumerate() {
            let behind = (granule as u32) << GRANULE_SHIFT > last;
            if usize::from(*start) > at || (usize::from(*start) == at && behind) {
                *start += 1;
            }
        }
        Ok(())
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.by_address.len()
    }

    /// All of them, upwards.
    pub fn iter(&self) -> impl Iterator<Item = Range> {
        self.by_address.iter().copied()
    }

    /// The region that answers at `address`.
    #[inline]
    pub fn find(&self, address: u32) -> RegionIndex {
        let start = self.granules[(address >> GRANULE_SHIFT) as usize] as usize;
        for &(first, last, index) in &self.by_address[start..] {
            if address <= last {
                return if address >= first {
                    index
                } else {
                    RegionIndex::UNMAPPED
                };
            }
        }
        RegionIndex::UNMAPPED
    }

    /// The same, with the last address up to which it answers without a break.
    pub fn find_range(&self, address: u32) -> Option<(RegionIndex, u32)> {
        let at = self.by_address.partition_point(|range| range.1 < address);
        let &(first, last, index) = self.by_address.get(at)?;
        (first <= address).then_some((index, last))
    }
}
