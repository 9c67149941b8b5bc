//! The device tree, flattened: nodes by index, properties as bytes.

use crate::error::{PlatformError, property_error};
use dtoolkit::fdt::{Fdt, FdtNode};
use dtoolkit::model::{DeviceTree, DeviceTreeNode};
use dtoolkit::{Node as _, Property as _};
use socscope_device::{BuildError, Declared};
use std::collections::BTreeMap;

pub(crate) const PROPERTIES: &[Declared] = &[
    (
        "compatible",
        "What it is, most specific first: chooses the model.",
    ),
    ("phandle", "By what other nodes refer to it."),
];

/// Levels of nodes that a tree may have.
const DEPTH_MAX: u32 = 64;

/// Names a node of a [`Tree`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct NodeIndex(pub usize);

/// One node.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub path: String,
    pub name: String,
    pub parent: Option<NodeIndex>,
    pub properties: BTreeMap<String, Vec<u8>>,
}

/// A device tree, parents before children.
#[derive(Clone, Debug)]
pub(crate) struct Tree {
    pub nodes: Vec<Node>,
}

impl Tree {
    /// Parses a blob; `platform` is its name for messages.
    pub fn parse(blob: &[u8], platform: &str) -> Result<Tree, PlatformError> {
        let fdt = Fdt::new(blob).map_err(|error| PlatformError::Blob {
            platform: platform.into(),
            reason: error.to_string(),
        })?;
        if !is_within(fdt.root(), DEPTH_MAX) {
            return Err(PlatformError::Blob {
                platform: platform.into(),
                reason: format!("nodes are nested more than {DEPTH_MAX} deep"),
            });
        }
        let mut tree = Tree { nodes: vec![] };
        tree.flatten(&DeviceTree::from_fdt(&fdt).root, None);
        Ok(tree)
    }

    fn flatten(&mut self, node: &DeviceTreeNode, parent: Option<NodeIndex>) {
        let path = match parent.map(|parent| self.node(parent).path.as_str()) {
            None => "/".to_string(),
            Some("/") => format!("/{}", node.name()),
            Some(above) => format!("{above}/{}", node.name()),
        };
        let properties = node
            .properties()
            .map(|property| (property.name().to_string(), property.value().to_vec()))
            .collect();
        self.nodes.push(Node {
            path,
            name: node.name().to_string(),
            parent,
            properties,
        });
        let index = NodeIndex(self.nodes.len() - 1);
        for child in node.children() {
            self.flatten(child, Some(index));
        }
    }

    /// One node.
    pub fn node(&self, index: NodeIndex) -> &Node {
        &self.nodes[index.0]
    }

    /// All nodes by index.
    pub fn indices(&self) -> impl Iterator<Item = NodeIndex> + use<> {
        (0..self.nodes.len()).map(NodeIndex)
    }

    /// The node at `path`, which may begin with an alias or a label.
    pub fn find(&self, path: &str) -> Option<NodeIndex> {
        let full = match path.strip_prefix('/') {
            Some(_) => path.to_string(),
            None => self.labelled(path)?,
        };
        self.indices().find(|&index| self.node(index).path == full)
    }

    fn labelled(&self, label: &str) -> Option<String> {
        ["/__symbols__", "/aliases"].iter().find_map(|table| {
            let table = self.nodes.iter().find(|node| node.path == *table)?;
            Some(string_of(table.properties.get(label)?))
        })
    }

    /// What people call a node: its label where the blob has labels, else an alias, else its own name.
    pub fn short_name(&self, index: NodeIndex) -> String {
        let node = self.node(index);
        ["/__symbols__", "/aliases"]
            .iter()
            .find_map(|table| {
                let table = self.nodes.iter().find(|node| node.path == *table)?;
                let labels = table
                    .properties
                    .iter()
                    .filter(|(_, path)| string_of(path) == node.path);
                labels
                    .map(|(label, _)| label.clone())
                    .min_by_key(|label| (label.len(), label.clone()))
            })
            .unwrap_or_else(|| node.name.clone())
    }

    /// Whether a node has a property.
    pub fn has(&self, index: NodeIndex, property: &str) -> bool {
        self.value(index, property).is_some()
    }

    /// A property's bytes. All reading goes through here.
    fn value(&self, index: NodeIndex, property: &str) -> Option<&Vec<u8>> {
        #[cfg(test)]
        crate::nodes::tests::note(self, index, property);
        self.node(index).properties.get(property)
    }

    /// Children of a node.
    pub fn children(&self, index: NodeIndex) -> impl Iterator<Item = NodeIndex> + '_ {
        self.indices()
            .filter(move |&child| self.node(child).parent == Some(index))
    }

    /// `compatible` strings, most specific first.
    pub fn compatible(&self, index: NodeIndex) -> Vec<String> {
        let bytes = self
            .value(index, "compatible")
            .map_or(&[][..], Vec::as_slice);
        bytes
            .split(|&byte| byte == 0)
            .filter(|text| !text.is_empty())
            .map(string_of)
            .collect()
    }

    /// A property as 32-bit cells; empty when absent.
    pub fn cells(&self, index: NodeIndex, property: &str) -> Result<Vec<u32>, BuildError> {
        let node = self.node(index);
        let bytes = self.value(index, property).map_or(&[][..], Vec::as_slice);
        let (cells, rest) = bytes.as_chunks::<4>();
        if !rest.is_empty() {
            let reason = format!("{} bytes are no whole number of 32-bit cells", bytes.len());
            return Err(property_error(
                &node.path,
                property,
                reason,
                "write it as <cell cell ...>",
            ));
        }
        Ok(cells.iter().map(|cell| u32::from_be_bytes(*cell)).collect())
    }

    /// A property of exactly one cell.
    pub fn cell(&self, index: NodeIndex, property: &str) -> Result<Option<u32>, BuildError> {
        match self.cells(index, property)?[..] {
            [] => Ok(None),
            [cell] => Ok(Some(cell)),
            ref cells => {
                let reason = format!("{} cells where one is expected", cells.len());
                Err(property_error(
                    &self.node(index).path,
                    property,
                    reason,
                    "write it as <value>",
                ))
            }
        }
    }

    /// A string property.
    pub fn string(&self, index: NodeIndex, property: &str) -> Result<Option<String>, BuildError> {
        let node = self.node(index);
        let Some(bytes) = self.value(index, property) else {
            return Ok(None);
        };
        let text = bytes
            .strip_suffix(&[0])
            .and_then(|bytes| std::str::from_utf8(bytes).ok());
        let text = text.filter(|text| !text.contains('\0')).map(str::to_string);
        text.map(Some).ok_or_else(|| {
            property_error(
                &node.path,
                property,
                "is not a single string",
                "write it as \"text\"",
            )
        })
    }

    /// The node with this phandle.
    pub fn by_phandle(&self, phandle: u32) -> Option<NodeIndex> {
        self.indices().find(
            |&index| matches!(self.cell(index, "phandle"), Ok(Some(value)) if value == phandle),
        )
    }

    /// The node that a phandle property names.
    pub fn reference(
        &self,
        index: NodeIndex,
        property: &str,
    ) -> Result<Option<NodeIndex>, BuildError> {
        let Some(&phandle) = self.cells(index, property)?.first() else {
            return Ok(None);
        };
        self.by_phandle(phandle).map(Some).ok_or_else(|| {
            let reason = format!("no node has phandle {phandle:#x}");
            property_error(
                &self.node(index).path,
                property,
                reason,
                "refer to a label that exists",
            )
        })
    }

    /// Walks towards the root until a node has the property.
    pub fn inherited(&self, index: NodeIndex, property: &str) -> Option<NodeIndex> {
        let mut at = Some(index);
        while let Some(index) = at {
            if self.has(index, property) {
                return Some(index);
            }
            at = self.node(index).parent;
        }
        None
    }
}

/// Whether a node has at most so many levels, itself included.
fn is_within(node: FdtNode, levels: u32) -> bool {
    levels > 0 && node.children().all(|child| is_within(child, levels - 1))
}

fn string_of(bytes: impl AsRef<[u8]>) -> String {
    String::from_utf8_lossy(bytes.as_ref())
        .trim_end_matches('\0')
        .to_string()
}
