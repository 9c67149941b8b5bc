//! A device-tree node as a device model sees it.

use crate::platform::error::property_error;
use crate::platform::private::check_shared;
use crate::platform::tree::{NodeIndex, Tree};
use socscope_device::{BuildError, Declared, Properties};
use socscope_memory::RegionIndex;
use socscope_time::Clock;
use std::collections::BTreeMap;

pub(crate) const PROPERTIES: &[Declared] = &[
    (
        "clocks",
        "The clock: a node with compatible = \"fixed-clock\".",
    ),
    (
        "clock-frequency",
        "Of a clock: its frequency in hertz. Of others: filled in for a kernel where it is 0.",
    ),
];

/// One node, with the regions that the memory nodes became.
pub(crate) struct NodeView<'a> {
    pub tree: &'a Tree,
    pub index: NodeIndex,
    pub regions: &'a BTreeMap<NodeIndex, RegionIndex>,
}

impl Properties for NodeView<'_> {
    fn path(&self) -> &str {
        &self.tree.node(self.index).path
    }

    fn has(&self, property: &str) -> bool {
        self.tree.has(self.index, property)
    }

    fn cell(&self, property: &str) -> Result<Option<u32>, BuildError> {
        self.tree.cell(self.index, property)
    }

    fn cells(&self, property: &str) -> Result<Vec<u32>, BuildError> {
        self.tree.cells(self.index, property)
    }

    fn string(&self, property: &str) -> Result<Option<String>, BuildError> {
        self.tree.string(self.index, property)
    }

    fn clock(&self) -> Result<Clock, BuildError> {
        clock_of(self.tree, self.index)
    }

    fn region(&self, property: &str) -> Result<Option<RegionIndex>, BuildError> {
        let Some(node) = self.tree.reference(self.index, property)? else {
            return Ok(None);
        };
        check_shared(self.tree, node, (self.path(), property))?;
        self.regions.get(&node).copied().map(Some).ok_or_else(|| {
            let reason = format!("{} is no memory", self.tree.node(node).path);
            property_error(self.path(), property, reason, "refer to a memory node")
        })
    }

    fn child_regions(&self) -> Result<Vec<(u32, RegionIndex)>, BuildError> {
        let mut regions = vec![];
        for child in self.tree.children(self.index) {
            if let Some(&region) = self.regions.get(&child) {
                let chip_select = self.tree.cells(child, "reg")?.first().copied().unwrap_or(0);
                regions.push((chip_select, region));
            }
        }
        Ok(regions)
    }
}

/// The clock that a node's `clocks` names: a `fixed-clock`.
pub(crate) fn clock_of(tree: &Tree, index: NodeIndex) -> Result<Clock, BuildError> {
    let path = &tree.node(index).path;
    let source = tree.reference(index, "clocks")?.ok_or_else(|| {
        property_error(
            path,
            "clocks",
            "is missing",
            "name a fixed-clock node: clocks = <&mck>",
        )
    })?;
    let hz = tree.cell(source, "clock-frequency")?.unwrap_or(0);
    Clock::new(u64::from(hz)).ok_or_else(|| {
        property_error(
            &tree.node(source).path,
            "clock-frequency",
            "is zero or missing",
            "give it in hertz",
        )
    })
}
