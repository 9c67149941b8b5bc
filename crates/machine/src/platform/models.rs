//! Which model a node gets.

use crate::platform::error::property_error;
use crate::platform::nearest::nearest;
use crate::platform::tree::{NodeIndex, Tree};
use socscope_device::{BuildError, Declared, Model};
use socscope_devices::MODELS;

pub(crate) const PROPERTIES: &[Declared] = &[(
    "device_type",
    "\"cpu\" of a core, \"memory\" of a RAM, \"cache\" of a cache, \"soc\" of the bus that gives cores their bus-frequency.",
)];

/// The model that the first known `compatible` string names.
pub(crate) fn model_of(tree: &Tree, index: NodeIndex) -> Option<&'static Model> {
    tree.compatible(index).iter().find_map(|name| {
        MODELS
            .iter()
            .find(|model| model.description.compatible.contains(&name.as_str()))
    })
}

/// Whether a node says, for the guest, what registers of the device above it are for (`simple-mfd`): they belong to that device's model.
pub(crate) fn is_part_of_device(tree: &Tree, index: NodeIndex) -> bool {
    let above = tree.node(index).parent;
    let in_device = above.is_some_and(|above| {
        let compatible = tree.compatible(above);
        compatible.iter().any(|name| name == "simple-mfd") && model_of(tree, above).is_some()
    });
    in_device && model_of(tree, index).is_none()
}

/// What a memory node is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct MemoryKind {
    pub writable: bool,
}

/// Memories by `compatible`, and whether they can be written.
const MEMORIES: [(&str, bool); 3] = [
    ("socscope,rom", false),
    ("socscope,ram", true),
    ("mmio-sram", true),
];

/// Whether a node is a memory: by `compatible`, or by `device_type` where it has none.
///
/// # Errors
/// A node with `device_type = "memory"` whose `compatible` is that of no memory: it may be a ROM, mistyped.
pub(crate) fn memory_of(tree: &Tree, index: NodeIndex) -> Result<Option<MemoryKind>, BuildError> {
    let compatible = tree.compatible(index);
    let found = |wanted: &&(&str, bool)| compatible.iter().any(|name| name == wanted.0);
    if let Some(&(_, writable)) = MEMORIES.iter().find(found) {
        return Ok(Some(MemoryKind { writable }));
    }
    if !matches!(tree.string(index, "device_type"), Ok(Some(kind)) if kind == "memory") {
        return Ok(None);
    }
    let Some(first) = compatible.first() else {
        return Ok(Some(MemoryKind { writable: true }));
    };
    let near = nearest(first, MEMORIES.map(|(name, _)| name)).unwrap_or_default();
    Err(property_error(
        &tree.node(index).path,
        "compatible",
        format!("no memory is called {}", compatible.join(", ")),
        format!("the nearest is {near}; without compatible it is a RAM"),
    ))
}
