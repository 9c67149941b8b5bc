//! What translated code needs of a bus.

use socscope_memory::{AddressSpace, Bus, Endianness, Target, Viewer};

/// A bus whose memories translated code may reach by itself.
pub trait Memories: Bus {
    /// The address space.
    fn space(&self) -> &AddressSpace;
    /// The address space.
    fn space_mut(&mut self) -> &mut AddressSpace;
    /// The byte order of the core whose bus it is now.
    fn order(&self) -> Endianness;
    /// Whether a device answers at an address: it always does, and may do anything.
    fn is_device(&self, address: u32) -> bool {
        let map = self.space().map();
        let region = map.find_for(Viewer::Looking, address);
        matches!(map.region(region).target, Target::Device(_))
    }
}
