//! What translated code needs of a bus.

use socscope_memory::{AddressSpace, Bus};

/// A bus whose memories translated code may reach by itself.
pub trait Memories: Bus {
    /// The address space.
    fn space(&self) -> &AddressSpace;
    /// The address space.
    fn space_mut(&mut self) -> &mut AddressSpace;
}
