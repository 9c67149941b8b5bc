//! Page tables that a system keeps for itself, as its debugger walks them.

/// Where on the bus an address lies by the tables that begin at a physical address; `None` where no page is present. Words are read by their
/// physical addresses, in the core's byte order.
pub type PageWalk =
    fn(directory: u32, address: u32, word: &dyn Fn(u32) -> Option<u32>) -> Option<u32>;
