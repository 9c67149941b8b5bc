//! What a model reads from its device-tree node.

use socscope_memory::RegionIndex;
use socscope_time::Clock;
use thiserror::Error;

/// A node from which no device can be made.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{path}: property {property}: {reason}; {remedy}")]
pub struct BuildError {
    /// Path of the node.
    pub path: String,
    /// The property at fault.
    pub property: String,
    /// The rule that it breaks.
    pub reason: String,
    /// What to do.
    pub remedy: String,
}

/// A device-tree node as a model sees it.
pub trait Properties {
    /// Path of the node, for messages.
    fn path(&self) -> &str;
    /// Whether the property is there at all.
    fn has(&self, property: &str) -> bool;
    /// One cell; `None` when absent.
    fn cell(&self, property: &str) -> Result<Option<u32>, BuildError>;
    /// All cells; empty when absent.
    fn cells(&self, property: &str) -> Result<Vec<u32>, BuildError>;
    /// Input line of the controller that its first output goes to, whichever property says so; `None` when it goes nowhere.
    fn first_interrupt(&self) -> Result<Option<u32>, BuildError>;
    /// A string; `None` when absent.
    fn string(&self, property: &str) -> Result<Option<String>, BuildError>;
    /// The clock that `clocks` names.
    fn clock(&self) -> Result<Clock, BuildError>;
    /// The memory region that a phandle property names; `None` when absent.
    fn region(&self, property: &str) -> Result<Option<RegionIndex>, BuildError>;
    /// Memory regions of the child nodes: the first cell of their `reg` (chip select) and the region.
    fn child_regions(&self) -> Result<Vec<(u32, RegionIndex)>, BuildError>;
}
