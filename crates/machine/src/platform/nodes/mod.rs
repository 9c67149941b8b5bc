//! What the nodes of a platform are, and which properties each may have. Every reader of properties declares them beside itself; here
//! they are put together.

mod check;
#[cfg(test)]
pub(crate) mod tests;

pub(crate) use check::check;

use crate::boot::image_map;
use crate::platform::models::{is_part_of_device, memory_of, model_of};
use crate::platform::tree::{NodeIndex, Tree};
use crate::platform::{build, cores, interrupts, placement, private, timing, view};
use crate::{boot, machine};
use socscope_device::{Declared, Model};
use socscope_devices::MODELS;

/// A kind of node that is no device of its own.
#[derive(Clone, Copy, Debug)]
pub struct NodeModel {
    /// What it is, in a word or two.
    pub title: &'static str,
    /// How the node of a tree is found to be one.
    pub found_by: &'static str,
    /// Its properties, as their readers declare them.
    pub properties: &'static [&'static [Declared]],
}

impl NodeModel {
    /// All its properties: name and meaning.
    pub fn declared(&self) -> impl Iterator<Item = Declared> + use<> {
        self.properties.iter().copied().flatten().copied()
    }
}

/// The standard properties, which any node may have.
pub const EVERY_NODE: NodeModel = NodeModel {
    title: "every node",
    found_by: "any node",
    properties: &[
        crate::platform::tree::PROPERTIES,
        crate::platform::models::PROPERTIES,
        placement::PLACE_PROPERTIES,
        build::PROPERTIES,
        view::PROPERTIES,
        interrupts::PROPERTIES,
        boot::PROPERTIES,
    ],
};
const CHOSEN: NodeModel = NodeModel {
    title: "chosen",
    found_by: "the node /chosen",
    properties: &[
        build::CHOSEN_PROPERTIES,
        machine::CHOSEN_PROPERTIES,
        image_map::CHOSEN_PROPERTIES,
        boot::CHOSEN_PROPERTIES,
    ],
};
const CPUS: NodeModel = NodeModel {
    title: "cores",
    found_by: "the node /cpus",
    properties: &[cores::CPUS_PROPERTIES],
};
const CPU: NodeModel = NodeModel {
    title: "core",
    found_by: "a child of /cpus with device_type = \"cpu\"",
    properties: &[
        cores::CPU_PROPERTIES,
        timing::CPU_PROPERTIES,
        timing::CPU_CACHE_PROPERTIES,
    ],
};
const CACHE: NodeModel = NodeModel {
    title: "cache of the second level",
    found_by: "the node that a core's next-level-cache names",
    properties: &[timing::CACHE_PROPERTIES],
};
const MEMORY: NodeModel = NodeModel {
    title: "memory",
    found_by: "compatible = \"socscope,ram\", \"socscope,rom\" or \"mmio-sram\"; or device_type = \"memory\" without compatible",
    properties: &[placement::COST_PROPERTIES, private::PROPERTIES],
};
const CLOCK: NodeModel = NodeModel {
    title: "clock",
    found_by: "compatible = \"fixed-clock\" or \"fixed-factor-clock\"",
    properties: &[view::CLOCK_PROPERTIES],
};
const DEVICE: NodeModel = NodeModel {
    title: "device",
    found_by: "reg and compatible, outside of /cpus; beside the properties of its model",
    properties: &[
        placement::COST_PROPERTIES,
        private::PROPERTIES,
        build::DEVICE_PROPERTIES,
        interrupts::DEVICE_PROPERTIES,
    ],
};
const OTHER: NodeModel = NodeModel {
    title: "other node",
    found_by: "a node that is nothing else here, such as a bus",
    properties: &[],
};

/// The kinds of nodes that are no devices.
pub const NODE_MODELS: &[NodeModel] = &[
    EVERY_NODE, CHOSEN, CPUS, CPU, CACHE, MEMORY, CLOCK, DEVICE, OTHER,
];

/// What a node is.
pub(crate) struct NodeKind {
    pub node: NodeModel,
    pub device: Option<&'static Model>,
}

impl NodeKind {
    /// What a node is. Tables that the compiler makes, and aliases, are nothing: their properties are names.
    pub fn of(tree: &Tree, index: NodeIndex) -> Option<NodeKind> {
        let node = tree.node(index);
        let top = node.path.split('/').nth(1).unwrap_or_default();
        if top == "aliases" || top.starts_with("__") {
            return None;
        }
        let in_cpus = node.parent.is_some_and(|up| tree.node(up).path == "/cpus");
        let device = model_of(tree, index);
        let node = match node.path.as_str() {
            "/chosen" => CHOSEN,
            "/cpus" => CPUS,
            _ if in_cpus && cores::is_cpu(tree, index) => CPU,
            _ if tree.is_cache(index) => CACHE,
            _ if matches!(memory_of(tree, index), Ok(Some(_))) => MEMORY,
            _ if view::is_clock(tree, index) => CLOCK,
            _ if is_part_of_device(tree, index) => OTHER,
            _ if device.is_some() || (tree.has(index, "reg") && tree.has(index, "compatible")) => {
                DEVICE
            }
            _ => OTHER,
        };
        Some(NodeKind { node, device })
    }

    /// A device that nobody has a model of.
    pub fn is_unknown_device(&self) -> bool {
        self.node.title == DEVICE.title && self.device.is_none()
    }

    /// Whose property this is.
    pub fn reader_of(property: &str) -> Option<&'static str> {
        let is_it = |(name, _): Declared| name == property;
        let node = NODE_MODELS.iter().find(|node| node.declared().any(is_it));
        let of_model = |model: &&Model| model.description.properties.iter().copied().any(is_it);
        let model = || MODELS.iter().find(of_model);
        let title = node.map(|node| node.title);
        title.or_else(|| model().map(|model| model.description.title))
    }

    /// What it is called in a message.
    pub fn title(&self) -> &'static str {
        self.device
            .map_or(self.node.title, |model| model.description.title)
    }

    /// All properties that somebody reads: name and meaning.
    pub fn declared(&self) -> impl Iterator<Item = Declared> + use<> {
        let own = self.device.map_or(&[][..], |it| it.description.properties);
        let others = self.node.declared().chain(EVERY_NODE.declared());
        own.iter().copied().chain(others)
    }
}
