//! From a device tree to memories, devices and wires.

pub(crate) mod added;
pub(crate) mod attach;
pub(crate) mod build;
pub(crate) mod cores;
pub(crate) mod error;
pub(crate) mod given;
pub(crate) mod interrupts;
pub(crate) mod models;
pub(crate) mod nearest;
pub(crate) mod nodes;
pub(crate) mod origin;
pub(crate) mod overrides;
pub(crate) mod placement;
pub(crate) mod private;
pub(crate) mod timing;
pub(crate) mod tree;
pub(crate) mod view;
