//! Which model a node gets.

use crate::tree::{NodeIndex, Tree};
use socscope_device::Model;
use socscope_devices::MODELS;

/// The model that the first known `compatible` string names.
pub(crate) fn model_of(tree: &Tree, index: NodeIndex) -> Option<&'static Model> {
    tree.compatible(index).iter().find_map(|name| {
        MODELS
            .iter()
            .find(|model| model.description.compatible.contains(&name.as_str()))
    })
}

/// What a memory node is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct MemoryKind {
    pub writable: bool,
}

/// Whether a node is a memory.
pub(crate) fn memory_of(tree: &Tree, index: NodeIndex) -> Option<MemoryKind> {
    let compatible = tree.compatible(index);
    if compatible.iter().any(|name| name == "socscope,rom") {
        return Some(MemoryKind { writable: false });
    }
    let is_ram = compatible
        .iter()
        .any(|name| name == "socscope,ram" || name == "mmio-sram")
        || matches!(tree.string(index, "device_type"), Ok(Some(kind)) if kind == "memory");
    is_ram.then_some(MemoryKind { writable: true })
}
