//! The address map: which region answers at an address.

use crate::{AccessCost, MemoryIndex};
use serde::{Deserialize, Serialize, Serializer};
use thiserror::Error;

/// Names a region of an [`AddressMap`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct RegionIndex(pub u16);

impl RegionIndex {
    /// The pseudo-region of every address where nothing is mapped.
    pub const UNMAPPED: RegionIndex = RegionIndex(0);
}

/// What answers in a region.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Target {
    /// Nothing: the platform chooses between a bus error and a logged stub.
    Unmapped,
    /// A memory; `writable` is false for ROM.
    Memory {
        /// Which memory of the address space.
        memory: MemoryIndex,
        /// Whether the guest's writes change it; writes to a ROM are dropped and logged.
        writable: bool,
    },
    /// The device with this index in its machine.
    Device(u16),
    /// A node without a model: reads give 0, accesses are logged.
    Stub,
}

/// A range of addresses with one target and one cost.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Region {
    /// Name for people: the device-tree node's.
    pub name: String,
    /// First address.
    pub base: u32,
    /// Size in bytes.
    pub size: u32,
    /// Whether it answers at all; a chip select that is off does not.
    pub enabled: bool,
    /// What answers.
    pub target: Target,
    /// What an access costs.
    pub cost: AccessCost,
}

impl Region {
    fn last(&self) -> u32 {
        self.base.wrapping_add(self.size.wrapping_sub(1))
    }
}

/// A region that cannot be placed.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum MapError {
    /// Two enabled regions share addresses.
    #[error(
        "regions {first} and {second} overlap at {address:#010x}; move one of them or make it smaller"
    )]
    Overlap {
        /// Name of the lower region.
        first: String,
        /// Name of the upper region.
        second: String,
        /// First shared address.
        address: u32,
    },
    /// Size zero, or the end lies beyond the 32-bit address space.
    #[error(
        "region {name} at {base:#010x} of {size:#x} bytes does not fit the 32-bit address space"
    )]
    Size {
        /// Name of the region.
        name: String,
        /// Its first address.
        base: u32,
        /// Its size in bytes.
        size: u32,
    },
    /// More regions than an index can name, or not even the one of unmapped addresses.
    #[error("no region, or more than 65535")]
    TooMany,
}

const GRANULE_SHIFT: u32 = 20;

/// All regions of one bus. Region 0 is [`RegionIndex::UNMAPPED`].
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "Vec<Region>")]
pub struct AddressMap {
    regions: Vec<Region>,
    by_address: Vec<(u32, u32, RegionIndex)>,
    /// For each megabyte, where in `by_address` the search starts.
    granules: Vec<u16>,
}

impl Default for AddressMap {
    fn default() -> Self {
        let unmapped = Region {
            name: "unmapped".into(),
            base: 0,
            size: 0,
            enabled: false,
            target: Target::Unmapped,
            cost: AccessCost::SINGLE_CYCLE,
        };
        AddressMap {
            regions: vec![unmapped],
            by_address: vec![],
            granules: vec![0; 1 << (32 - GRANULE_SHIFT)],
        }
    }
}

impl Serialize for AddressMap {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.regions.serialize(serializer)
    }
}

impl TryFrom<Vec<Region>> for AddressMap {
    type Error = MapError;

    fn try_from(regions: Vec<Region>) -> Result<AddressMap, MapError> {
        if regions.is_empty() || regions.len() > usize::from(u16::MAX) {
            return Err(MapError::TooMany);
        }
        let mut map = AddressMap {
            regions,
            ..AddressMap::default()
        };
        map.rebuild()?;
        Ok(map)
    }
}

impl AddressMap {
    /// Adds a region; it must not overlap an enabled one while it is enabled itself.
    pub fn add(&mut self, region: Region) -> Result<RegionIndex, MapError> {
        let index = u16::try_from(self.regions.len()).map_err(|_| MapError::TooMany)?;
        if region.enabled {
            self.place(&region, RegionIndex(index))?;
        }
        self.regions.push(region);
        Ok(RegionIndex(index))
    }

    /// Puts one more range among those that answer, which costs less than to sort all again.
    fn place(&mut self, region: &Region, index: RegionIndex) -> Result<(), MapError> {
        let (first, last) = (region.base, region.last());
        if region.size == 0 || last < first {
            return Err(MapError::Size {
                name: region.name.clone(),
                base: first,
                size: region.size,
            });
        }
        let at = self.by_address.partition_point(|range| range.1 < first);
        if let Some(&(other_first, other_last, other)) = self.by_address.get(at)
            && other_first <= last
        {
            let other = &self.regions[other.0 as usize].name;
            let (first, second) = match (other_first, other_last) <= (first, last) {
                true => (other, &region.name),
                false => (&region.name, other),
            };
            return Err(MapError::Overlap {
                first: first.clone(),
                second: second.clone(),
                address: other_first.max(region.base),
            });
        }
        self.by_address.insert(at, (first, last, index));
        for (granule, start) in self.granules.iter_mut().enumerate() {
            let behind = (granule as u32) << GRANULE_SHIFT > last;
            if usize::from(*start) > at || (usize::from(*start) == at && behind) {
                *start += 1;
            }
        }
        Ok(())
    }

    /// Moves, resizes, switches or re-prices a region. On an overlap the map stays as it was.
    pub fn change(
        &mut self,
        index: RegionIndex,
        change: impl FnOnce(&mut Region),
    ) -> Result<(), MapError> {
        let slot = index.0 as usize;
        let before = self.regions[slot].clone();
        change(&mut self.regions[slot]);
        self.rebuild().inspect_err(|_| self.regions[slot] = before)
    }

    /// Changes several regions at once (a remap), checked as a whole. On an overlap the map stays as it was.
    pub fn change_all(&mut self, change: impl FnOnce(&mut [Region])) -> Result<(), MapError> {
        let before = self.regions.clone();
        change(&mut self.regions);
        self.rebuild().inspect_err(|_| self.regions = before)
    }

    /// All regions by index.
    pub fn regions(&self) -> &[Region] {
        &self.regions
    }

    /// One region.
    #[inline]
    pub fn region(&self, index: RegionIndex) -> &Region {
        &self.regions[index.0 as usize]
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

    fn rebuild(&mut self) -> Result<(), MapError> {
        let mut ranges = vec![];
        for (index, region) in self
            .regions
            .iter()
            .enumerate()
            .filter(|(_, region)| region.enabled)
        {
            if region.size == 0 || region.last() < region.base {
                return Err(MapError::Size {
                    name: region.name.clone(),
                    base: region.base,
                    size: region.size,
                });
            }
            ranges.push((region.base, region.last(), RegionIndex(index as u16)));
        }
        ranges.sort_unstable();
        for pair in ranges.windows(2) {
            if pair[1].0 <= pair[0].1 {
                let name = |index: RegionIndex| self.regions[index.0 as usize].name.clone();
                return Err(MapError::Overlap {
                    first: name(pair[0].2),
                    second: name(pair[1].2),
                    address: pair[1].0,
                });
            }
        }
        let mut next = 0;
        for (granule, start) in self.granules.iter_mut().enumerate() {
            let address = (granule as u32) << GRANULE_SHIFT;
            while next < ranges.len() && ranges[next].1 < address {
                next += 1;
            }
            *start = next as u16;
        }
        self.by_address = ranges;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn region(name: &str, base: u32, size: u32) -> Region {
        Region {
            name: name.into(),
            base,
            size,
            enabled: true,
            target: Target::Stub,
            cost: AccessCost::SINGLE_CYCLE,
        }
    }

    #[test]
    fn finds_regions_up_to_the_last_byte() {
        let mut map = AddressMap::default();
        let low = map.add(region("low", 0, 0x2000)).unwrap();
        let high = map.add(region("high", 0xffff_f000, 0x1000)).unwrap();
        assert_eq!(map.find(0), low);
        assert_eq!(map.find(0x1fff), low);
        assert_eq!(map.find(0x2000), RegionIndex::UNMAPPED);
        assert_eq!(map.find(0xffff_ffff), high);
        map.change(low, |region| region.base = 0x30_0000).unwrap();
        assert_eq!(map.find(0), RegionIndex::UNMAPPED);
        assert_eq!(map.find(0x30_0001), low);
    }

    #[test]
    fn a_region_that_is_added_is_found_as_if_all_were_sorted_again() {
        let mut map = AddressMap::default();
        let bases = [0x50_0000, 0x0, 0xfff0_0000, 0x10_0000, 0x0f_f000, 0x4f_0000];
        for base in bases {
            map.add(region("one", base, 0x800)).unwrap();
        }
        map.add(region("wide", 0x20_0000, 0x20_0000)).unwrap();
        assert!(map.add(region("over", 0x4f_0000, 4)).is_err());
        let sorted = AddressMap::try_from(map.regions().to_vec()).unwrap();
        assert_eq!(map, sorted);
    }

    #[test]
    fn an_overlap_names_both_and_changes_nothing() {
        let mut map = AddressMap::default();
        map.add(region("rom", 0, 0x1000)).unwrap();
        let error = map.add(region("ram", 0x800, 0x1000)).unwrap_err();
        assert_eq!(
            error.to_string(),
            "regions rom and ram overlap at 0x00000800; move one of them or make it smaller"
        );
        assert_eq!(map.regions().len(), 2);
        assert!(matches!(
            map.add(region("wrap", 0xffff_f000, 0x2000)),
            Err(MapError::Size { .. })
        ));
    }
}
