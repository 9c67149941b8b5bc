//! What translated code needs of a bus.

use socscope_memory::{AddressSpace, Bus, Endianness, RegionIndex, Target, Viewer};

/// A bus whose memories translated code may reach by itself.
pub trait Memories: Bus {
    /// The address space.
    fn space(&self) -> &AddressSpace;
    /// The address space.
    fn space_mut(&mut self) -> &mut AddressSpace;
    /// The byte order of the core whose bus it is now.
    fn order(&self) -> Endianness;
    /// The region of the device that answers at an address, if one does: it always does, and may do anything.
    #[inline]
    fn device_region(&self, address: u32) -> Option<RegionIndex> {
        let map = self.space().map();
        let found = map.find_for(Viewer::Looking, address);
        matches!(map.region(found).target, Target::Device(_)).then_some(found)
    }
}
