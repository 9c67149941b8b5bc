//! The address map: which region answers at an address.

use crate::ranges::Clash;
use crate::views::{Viewer, Views};
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

/// More than an index can name.
const REGIONS_MAX: usize = u16::MAX as usize;

/// A range of addresses with one target and one cost.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Saved", into = "Saved")]
pub struct Region {
    /// Name for people: the device-tree node's.
    pub name: String,
    /// First address.
    pub base: u32,
    /// Size in bytes.
    pub size: u32,
    /// Whether it answers at all; a chip select that is off does not.
    pub enabled: bool,
    /// The number of the only core that sees it, in place of what all share; `None` for what all share.
    pub core: Option<u8>,
    /// What answers.
    pub target: Target,
    /// What an access costs.
    pub cost: AccessCost,
}

/// How a region is saved: whether it answers in the lowest bit, and above that the core that it is private to, plus one.
#[derive(Serialize, Deserialize)]
struct Saved {
    name: String,
    base: u32,
    size: u32,
    answers: u8,
    target: Target,
    cost: AccessCost,
}

impl From<Region> for Saved {
    fn from(region: Region) -> Saved {
        let core = region.core.map_or(0, |core| core + 1);
        Saved {
            name: region.name,
            base: region.base,
            size: region.size,
            answers: core << 1 | u8::from(region.enabled),
            target: region.target,
            cost: region.cost,
        }
    }
}

impl From<Saved> for Region {
    fn from(saved: Saved) -> Region {
        Region {
            name: saved.name,
            base: saved.base,
            size: saved.size,
            enabled: saved.answers & 1 != 0,
            core: (saved.answers >> 1).checked_sub(1),
            target: saved.target,
            cost: saved.cost,
        }
    }
}

impl Region {
    pub(crate) fn last(&self) -> u32 {
        self.base.wrapping_add(self.size.wrapping_sub(1))
    }

    fn check_size(&self) -> Result<(), MapError> {
        if self.size == 0 || self.last() < self.base {
            return Err(MapError::Size {
                name: self.name.clone(),
                base: self.base,
                size: self.size,
            });
        }
        Ok(())
    }

    /// Whether a core sees it where it answers: it is shared, or the core's own.
    pub fn is_of(&self, core: u16) -> bool {
        self.core.is_none_or(|own| u16::from(own) == core)
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
    /// A region that another core sees, or all.
    #[error("region {name} is not core {core}'s own, and so not its to change")]
    NotOwn {
        /// Name of the region.
        name: String,
        /// Number of the core.
        core: u16,
    },
    /// More regions than an index can name, or not even the one of unmapped addresses.
    #[error("no region, or more than 65535")]
    TooMany,
}

/// All regions of one bus, with those that single cores see in place of what all share. Region 0 is [`RegionIndex::UNMAPPED`].
#[derive(Clone, Debug, Deserialize)]
#[serde(try_from = "Vec<Region>")]
pub struct AddressMap {
    regions: Vec<Region>,
    views: Views,
}

/// Who looks makes no other map.
impl PartialEq for AddressMap {
    fn eq(&self, other: &AddressMap) -> bool {
        self.regions == other.regions
    }
}

impl Eq for AddressMap {}

impl Default for AddressMap {
    fn default() -> Self {
        let unmapped = Region {
            name: "unmapped".into(),
            base: 0,
            size: 0,
            enabled: false,
            core: None,
            target: Target::Unmapped,
            cost: AccessCost::SINGLE_CYCLE,
        };
        AddressMap {
            regions: vec![unmapped],
            views: Views::default(),
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
        if regions.is_empty() || regions.len() > REGIONS_MAX {
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
    /// Adds a region; while it is enabled it must not overlap an enabled one that the same cores see: all, or the one that both are private to.
    pub fn add(&mut self, region: Region) -> Result<RegionIndex, MapError> {
        if self.regions.len() >= REGIONS_MAX {
            return Err(MapError::TooMany);
        }
        let index = RegionIndex(self.regions.len() as u16);
        if region.enabled {
            region.check_size()?;
        }
        self.regions.push(region);
        self.place(index).inspect_err(|_| {
            self.regions.pop();
        })?;
        Ok(index)
    }

    /// Has the last region answer, if it is enabled.
    fn place(&mut self, index: RegionIndex) -> Result<(), MapError> {
        let region = self.region(index);
        let range = (region.base, region.last(), index);
        match (region.core, region.enabled) {
            (None, false) => Ok(()),
            (None, true) => match self.views.insert_shared(range) {
                Some(placed) => placed.map_err(|clash| self.overlap(clash)),
                None => self.rebuild(),
            },
            (Some(_), _) => self.rebuild(),
        }
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

    /// Whether each access to each region takes a cycle.
    pub fn is_single_cycle(&self) -> bool {
        let mut regions = self.regions.iter();
        regions.all(|region| region.cost == AccessCost::SINGLE_CYCLE)
    }

    /// One region.
    #[inline]
    pub fn region(&self, index: RegionIndex) -> &Region {
        &self.regions[index.0 as usize]
    }

    /// The region that answers at `address` for all who have none of their own there.
    #[inline]
    pub fn find(&self, address: u32) -> RegionIndex {
        self.find_for(Viewer::Everyone, address)
    }

    /// The region that answers at `address` for somebody.
    #[inline]
    pub fn find_for(&self, viewer: Viewer, address: u32) -> RegionIndex {
        self.views.of(viewer).find(address)
    }

    /// The same, with the last address up to which it answers without a break; `None` where nothing answers.
    pub fn find_range(&self, viewer: Viewer, address: u32) -> Option<(RegionIndex, u32)> {
        self.views.of(viewer).find_range(address)
    }

    /// What somebody sees, upwards: first and last address, and the region.
    pub fn ranges(&self, viewer: Viewer) -> impl Iterator<Item = (u32, u32, RegionIndex)> {
        self.views.of(viewer).iter()
    }

    /// Whether a core has regions of its own, enabled or not.
    pub fn has_own_view(&self, core: u16) -> bool {
        self.views.has_own(core)
    }

    /// The core that looks: see [`AddressMap::look_as`]. At first it is core 0.
    pub fn looking(&self) -> u16 {
        self.views.looking()
    }

    /// From now on this core looks, for all who ask as [`Viewer::Looking`]. The map is no other by that.
    #[inline]
    pub fn look_as(&mut self, core: u16) {
        if self.views.looking() != core {
            self.views.look_as(core);
        }
    }

    fn overlap(&self, (first, second): Clash) -> MapError {
        let name = |index: RegionIndex| self.region(index).name.clone();
        MapError::Overlap {
            first: name(first.2),
            second: name(second.2),
            address: first.0.max(second.0),
        }
    }

    fn rebuild(&mut self) -> Result<(), MapError> {
        let mut enabled = self.regions.iter().filter(|region| region.enabled);
        enabled.try_for_each(Region::check_size)?;
        let views = Views::new(&self.regions, self.views.looking());
        let views = views.map_err(|clash| self.overlap(clash))?;
        if views.longest() > REGIONS_MAX {
            return Err(MapError::TooMany);
        }
        self.views = views;
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
            core: None,
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
        // Maps are equal by their regions; what is found is compared besides.
        let found = |map: &AddressMap| map.ranges(Viewer::Everyone).collect::<Vec<_>>();
        assert_eq!(found(&map), found(&sorted));
        for base in bases.into_iter().chain([0x20_0000, 0x3f_f800]) {
            for address in [
                base.wrapping_sub(1),
                base,
                base + 0x7ff,
                base.wrapping_add(0x800),
            ] {
                assert_eq!(map.find(address), sorted.find(address), "{address:#010x}");
            }
        }
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
