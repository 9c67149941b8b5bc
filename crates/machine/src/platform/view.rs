//! A device-tree node as a device model sees it.

use crate::platform::error::property_error;
use crate::platform::interrupts::first_line;
use crate::platform::private::check_shared;
use crate::platform::tree::{NodeIndex, Tree};
use socscope_device::{BuildError, Declared, Properties};
use socscope_memory::RegionIndex;
use socscope_time::Clock;
use std::collections::BTreeMap;

pub(crate) const PROPERTIES: &[Declared] = &[
    (
        "clocks",
        "The clock: a node with compatible = \"fixed-clock\", or \"fixed-factor-clock\".",
    ),
    (
        "clock-frequency",
        "Of a clock: its frequency in hertz. Of others: filled in for a kernel where it is 0.",
    ),
];

pub(crate) const CLOCK_PROPERTIES: &[Declared] = &[
    (
        "clock-div",
        "Of a fixed-factor-clock: what divides the frequency of the clock that its clocks names; rounded down to whole hertz.",
    ),
    (
        "clock-mult",
        "Of a fixed-factor-clock: what that frequency is multiplied with.",
    ),
];

/// Clocks that may be made from each other.
const FACTORS_MAX: usize = 8;
const FACTOR_CLOCK: &str = "fixed-factor-clock";

/// Whether a node is a clock.
pub(crate) fn is_clock(tree: &Tree, index: NodeIndex) -> bool {
    let known = ["fixed-clock", FACTOR_CLOCK];
    tree.compatible(index)
        .iter()
        .any(|name| known.contains(&name.as_str()))
}

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

    fn first_interrupt(&self) -> Result<Option<u32>, BuildError> {
        first_line(self.tree, self.index)
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

/// The clock that a node's `clocks` names: a `fixed-clock`, or one that is made from another by a `fixed-factor-clock`.
pub(crate) fn clock_of(tree: &Tree, index: NodeIndex) -> Result<Clock, BuildError> {
    let first = source_of(tree, index)?;
    let mut chain = vec![first];
    let is_made = |source| tree.compatible(source).iter().any(|it| it == FACTOR_CLOCK);
    while let Some(&source) = chain.last()
        && is_made(source)
    {
        if chain.len() > FACTORS_MAX {
            let reason = format!("more than {FACTORS_MAX} clocks are made from each other");
            let remedy = "let one of them name a fixed-clock";
            let path = &tree.node(index).path;
            return Err(property_error(path, "clocks", reason, remedy));
        }
        chain.push(source_of(tree, source)?);
    }
    let fixed = chain.pop().unwrap_or(first);
    let hz = u64::from(tree.cell(fixed, "clock-frequency")?.unwrap_or(0));
    if hz == 0 {
        let path = &tree.node(fixed).path;
        let (reason, remedy) = ("is zero or missing", "give it in hertz");
        return Err(property_error(path, "clock-frequency", reason, remedy));
    }
    let made = chain.iter().rev().try_fold(hz, |hz, &source| {
        let scaled = u128::from(hz) * u128::from(factor(tree, source, "clock-mult")?);
        let hz = scaled / u128::from(factor(tree, source, "clock-div")?);
        match u64::try_from(hz) {
            Ok(hz @ 1..) => Ok(hz),
            _ => {
                let reason = format!("makes {hz} Hz");
                let path = &tree.node(source).path;
                let remedy = "let clock-mult and clock-div make at least 1 Hz, in 64 bits";
                Err(property_error(path, "clock-mult", reason, remedy))
            }
        }
    })?;
    Clock::new(made).ok_or_else(|| {
        let reason = format!("makes {made} Hz, which is too fast");
        let path = &tree.node(first).path;
        property_error(path, "clock-mult", reason, "give a slower clock")
    })
}

fn source_of(tree: &Tree, index: NodeIndex) -> Result<NodeIndex, BuildError> {
    tree.reference(index, "clocks")?.ok_or_else(|| {
        property_error(
            &tree.node(index).path,
            "clocks",
            "is missing",
            "name a fixed-clock node: clocks = <&mck>",
        )
    })
}

fn factor(tree: &Tree, index: NodeIndex, property: &str) -> Result<u64, BuildError> {
    match tree.cell(index, property)? {
        Some(factor @ 1..) => Ok(u64::from(factor)),
        other => {
            let reason = other.map_or("is missing", |_| "is 0");
            let path = &tree.node(index).path;
            let remedy = "give a whole number from 1";
            Err(property_error(path, property, reason, remedy))
        }
    }
}
