//! A device-tree node made in a test.

use super::{CLOCK_HZ, RAM_REGION};
use socscope_device::{BuildError, Properties};
use socscope_memory::RegionIndex;
use socscope_time::Clock;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

/// Properties of a node. Memories added with [`Node::memory`] get the regions 3, 4, ... in order.
#[derive(Clone, Default)]
pub struct Node {
    cells: BTreeMap<&'static str, Vec<u32>>,
    regions: BTreeMap<&'static str, RegionIndex>,
    children: Vec<(u32, RegionIndex)>,
    read: RefCell<BTreeSet<String>>,
    pub(super) memories: Vec<(&'static str, u32, u32, bool)>,
}

impl Node {
    /// Adds a property of cells.
    pub fn cells(mut self, property: &'static str, cells: &[u32]) -> Node {
        self.cells.insert(property, cells.to_vec());
        self
    }

    /// Adds a property that names a memory region.
    pub fn region(mut self, property: &'static str, region: RegionIndex) -> Node {
        self.regions.insert(property, region);
        self
    }

    /// Adds a child node with a memory region on a chip select.
    pub fn child(mut self, chip_select: u32, region: RegionIndex) -> Node {
        self.children.push((chip_select, region));
        self
    }

    /// Names of all properties that were read.
    pub fn read(&self) -> BTreeSet<String> {
        self.read.borrow().clone()
    }

    fn note(&self, property: &str) {
        self.read.borrow_mut().insert(property.into());
    }

    /// Adds a memory to the bench.
    pub fn memory(mut self, name: &'static str, base: u32, size: u32, writable: bool) -> Node {
        self.memories.push((name, base, size, writable));
        self
    }
}

impl Properties for Node {
    fn path(&self) -> &str {
        "/bench/device@0"
    }

    fn has(&self, property: &str) -> bool {
        self.note(property);
        self.cells.contains_key(property) || self.regions.contains_key(property)
    }

    fn cell(&self, property: &str) -> Result<Option<u32>, BuildError> {
        self.note(property);
        Ok(self
            .cells
            .get(property)
            .and_then(|cells| cells.first().copied()))
    }

    fn cells(&self, property: &str) -> Result<Vec<u32>, BuildError> {
        self.note(property);
        Ok(self.cells.get(property).cloned().unwrap_or_default())
    }

    fn first_interrupt(&self) -> Result<Option<u32>, BuildError> {
        self.cell("interrupts")
    }

    fn string(&self, property: &str) -> Result<Option<String>, BuildError> {
        self.note(property);
        Ok(None)
    }

    fn clock(&self) -> Result<Clock, BuildError> {
        Ok(Clock::new(CLOCK_HZ).expect("the frequency is good"))
    }

    fn region(&self, property: &str) -> Result<Option<RegionIndex>, BuildError> {
        self.note(property);
        Ok(self.regions.get(property).copied())
    }

    /// Without children of its own, a node has the bench's RAM on chip select 0.
    fn child_regions(&self) -> Result<Vec<(u32, RegionIndex)>, BuildError> {
        if self.children.is_empty() {
            return Ok(vec![(0, RAM_REGION)]);
        }
        Ok(self.children.clone())
    }
}
