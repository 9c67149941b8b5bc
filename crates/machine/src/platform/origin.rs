//! What a machine was built from.

use crate::machine::Machine;
use crate::platform::tree::Tree;

/// A platform's device tree with the changes that were asked for.
#[derive(Debug)]
pub(crate) struct Origin {
    pub platform: String,
    pub blob: Vec<u8>,
    pub overrides: Vec<String>,
    /// The blob, read and changed.
    pub tree: Tree,
}

impl PartialEq for Origin {
    /// Whether machines of both are the same.
    fn eq(&self, other: &Origin) -> bool {
        (&self.blob, &self.overrides) == (&other.blob, &other.overrides)
    }
}

impl Machine {
    /// The device tree that it was built from, before the overrides.
    pub fn device_tree(&self) -> &[u8] {
        &self.origin.blob
    }

    /// The overrides that it was built with, as `/path:property=value`.
    pub fn overrides(&self) -> &[String] {
        &self.origin.overrides
    }
}
