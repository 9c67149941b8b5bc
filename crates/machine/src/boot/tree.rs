//! The device tree that the guest gets: the platform's, with what a boot loader fills in.

use crate::machine::Machine;
use crate::platform::cores::{cpu_nodes, time_base};
use crate::platform::private::owner;
use crate::platform::tree::{NodeIndex, Tree};
use crate::platform::view::clock_of;
use dtoolkit::model::{DeviceTree, DeviceTreeNode, DeviceTreeProperty};
use socscope_device::{BuildError, Declared};
use std::collections::BTreeSet;
use std::ops::Range;

pub(crate) const PROPERTIES: &[Declared] = &[(
    "bus-frequency",
    "Filled in for a kernel where it is 0; that of a node with device_type = \"soc\" is the cores', too.",
)];
pub(crate) const CHOSEN_PROPERTIES: &[Declared] =
    &[("bootargs", "The beginning of a kernel's command line.")];

/// Frequencies that a boot loader fills in where the tree has 0.
const FREQUENCIES: [&str; 2] = ["clock-frequency", "bus-frequency"];

impl Machine {
    /// The flattened tree.
    pub(super) fn flattened_tree(
        &self,
        initrd: Option<Range<u32>>,
        append: &str,
    ) -> Result<Vec<u8>, BuildError> {
        let mut tree = self.origin.tree.clone();
        fill_in_frequencies(&mut tree)?;
        choose(&mut tree, initrd, append)?;
        let hidden = seen_by_others(&tree)?;
        let root = tree.find("/").map(|root| node_of(&tree, root, &hidden));
        let mut flattened = DeviceTree::new();
        flattened.root = root.unwrap_or(flattened.root);
        Ok(flattened.to_dtb())
    }
}

fn fill_in_frequencies(tree: &mut Tree) -> Result<(), BuildError> {
    for index in tree.indices() {
        for property in FREQUENCIES {
            let clocked = tree.has(index, "clocks");
            if clocked && tree.cell(index, property)? == Some(0) {
                let hz = clock_of(tree, index)?.hz();
                set_cell(tree, index, property, hz as u32);
            }
        }
    }
    let bus = tree.indices().find_map(|index| {
        let is_soc = matches!(tree.string(index, "device_type"), Ok(Some(kind)) if kind == "soc");
        let hz = is_soc.then(|| tree.cell(index, "bus-frequency").ok().flatten())?;
        hz.filter(|&hz| hz > 0)
    });
    for cpu in cpu_nodes(tree)? {
        let (ticks_hz, clock_hz) = time_base(tree, cpu)?;
        set_cell(tree, cpu, "timebase-frequency", ticks_hz);
        set_cell(tree, cpu, "clock-frequency", clock_hz);
        if let Some(hz) = bus {
            set_cell(tree, cpu, "bus-frequency", hz);
        }
    }
    Ok(())
}

fn choose(tree: &mut Tree, initrd: Option<Range<u32>>, append: &str) -> Result<(), BuildError> {
    let Some(chosen) = tree.find("/chosen") else {
        return Ok(());
    };
    let own = tree.string(chosen, "bootargs")?.unwrap_or_default();
    let bootargs = [own.as_str(), append].join(" ");
    let bootargs = [bootargs.trim().as_bytes(), &[0]].concat();
    tree.set(chosen, "bootargs", bootargs);
    if let Some(initrd) = initrd {
        let ends = [("start", initrd.start), ("end", initrd.end)];
        for (name, value) in ends {
            let property = format!("linux,initrd-{name}");
            tree.set(chosen, &property, value.to_be_bytes().to_vec());
        }
    }
    Ok(())
}

fn set_cell(tree: &mut Tree, index: NodeIndex, property: &str, value: u32) {
    tree.set(index, property, value.to_be_bytes().to_vec());
}

/// The nodes that other cores than the first alone see: the image that gets the tree is the first one's.
fn seen_by_others(tree: &Tree) -> Result<BTreeSet<NodeIndex>, BuildError> {
    let cpus = cpu_nodes(tree)?;
    let mut found = BTreeSet::new();
    for index in tree.indices() {
        let has_place = tree.has(index, "reg") && !cpus.contains(&index);
        if has_place && owner(tree, index, (&cpus, true))?.is_some_and(|core| core != 0) {
            found.insert(index);
        }
    }
    Ok(found)
}

/// A node with all below it, but what is hidden, and the tables of labels, which are the compiler's.
fn node_of(tree: &Tree, index: NodeIndex, hidden: &BTreeSet<NodeIndex>) -> DeviceTreeNode {
    let node = tree.node(index);
    let mut made = DeviceTreeNode::new_unchecked(node.name.clone());
    for (name, value) in &node.properties {
        made.add_property(DeviceTreeProperty::new_unchecked(
            name.clone(),
            value.clone(),
        ));
    }
    let children = tree.children(index);
    let shown =
        |child: &NodeIndex| !hidden.contains(child) && !tree.node(*child).name.starts_with("__");
    for child in children.filter(shown) {
        made.add_child(node_of(tree, child, hidden));
    }
    made
}
