//! The device tree, flattened: nodes by index, properties as bytes.

use crate::platform::error::{PlatformError, property_error};
use dtoolkit::fdt::{Fdt, FdtNode};
use dtoolkit::{Node as _, Property as _};
use socscope_device::{BuildError, Declared};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

pub(crate) const PROPERTIES: &[Declared] = &[
    (
        "compatible",
        "What it is, most specific first: chooses the model.",
    ),
    ("phandle", "By what other nodes refer to it."),
];

/// Levels of nodes that a tree may have.
const DEPTH_MAX: u32 = 64;
/// Bytes that a name may have; the standard has 31.
const NAME_BYTES_MAX: usize = 255;
/// Bytes that the paths of all nodes may have together.
const PATHS_BYTES_MAX: usize = 64 << 20;

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
    /// The first node of each path.
    by_path: BTreeMap<String, NodeIndex>,
    /// The children of each node.
    children: Vec<Vec<NodeIndex>>,
    /// What properties say of other nodes; made when first asked for.
    names: OnceLock<Names>,
}

/// Nodes by what properties say of them.
#[derive(Clone, Debug, Default)]
struct Names {
    by_phandle: BTreeMap<u32, NodeIndex>,
    /// The values of `next-level-cache`, as they stand there.
    caches: BTreeSet<Vec<u8>>,
    /// The shortest label and alias of each path.
    labels: [BTreeMap<String, String>; 2],
}

/// Tables of names: labels, where the blob has them, and aliases.
const LABEL_TABLES: [&str; 2] = ["/__symbols__", "/aliases"];

impl Tree {
    /// Parses a blob; `platform` is its name for messages.
    pub fn parse(blob: &[u8], platform: &str) -> Result<Tree, PlatformError> {
        let refuse = |reason| PlatformError::Blob {
            platform: platform.into(),
            reason,
        };
        check_names(blob).map_err(refuse)?;
        let fdt = Fdt::new(blob).map_err(|error| refuse(error.to_string()))?;
        let mut flat = Flat::default();
        flat.add(fdt.root(), None, DEPTH_MAX).map_err(refuse)?;
        let mut by_path = BTreeMap::new();
        let mut children = vec![vec![]; flat.nodes.len()];
        for (number, node) in flat.nodes.iter().enumerate() {
            let index = NodeIndex(number);
            by_path.entry(node.path.clone()).or_insert(index);
            if let Some(parent) = node.parent {
                children[parent.0].push(index);
            }
        }
        Ok(Tree {
            nodes: flat.nodes,
            by_path,
            children,
            names: OnceLock::new(),
        })
    }

    /// Changes a property.
    pub fn set(&mut self, index: NodeIndex, property: &str, value: Vec<u8>) {
        self.names = OnceLock::new();
        let properties = &mut self.nodes[index.0].properties;
        properties.insert(property.into(), value);
    }

    fn names(&self) -> &Names {
        self.names.get_or_init(|| {
            let mut names = Names::default();
            for index in self.indices() {
                if let Ok(Some(phandle)) = self.cell(index, "phandle") {
                    names.by_phandle.entry(phandle).or_insert(index);
                }
                let cache = self.node(index).properties.get("next-level-cache");
                names.caches.extend(cache.cloned());
            }
            names.labels = LABEL_TABLES.map(|table| self.labels_of(table));
            names
        })
    }

    fn labels_of(&self, table: &str) -> BTreeMap<String, String> {
        let mut labels: BTreeMap<String, String> = BTreeMap::new();
        let table = self.by_path.get(table).map(|&index| self.node(index));
        for (label, path) in table.into_iter().flat_map(|table| &table.properties) {
            let known = labels
                .entry(string_of(path))
                .or_insert_with(|| label.clone());
            if (label.len(), label) < (known.len(), known) {
                known.clone_from(label);
            }
        }
        labels
    }

    /// Whether a node is what some `next-level-cache` names.
    pub fn is_cache(&self, index: NodeIndex) -> bool {
        let own = self.node(index).properties.get("phandle");
        own.is_some_and(|own| self.names().caches.contains(own))
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
        self.by_path.get(&full).copied()
    }

    fn labelled(&self, label: &str) -> Option<String> {
        LABEL_TABLES.iter().find_map(|table| {
            let table = self.node(*self.by_path.get(*table)?);
            Some(string_of(table.properties.get(label)?))
        })
    }

    /// What people call a node: its label where the blob has labels, else an alias, else its own name.
    pub fn short_name(&self, index: NodeIndex) -> String {
        let node = self.node(index);
        let mut labels = self.names().labels.iter();
        let label = labels.find_map(|labels| labels.get(&node.path));
        label.unwrap_or(&node.name).clone()
    }

    /// Whether a node has a property.
    pub fn has(&self, index: NodeIndex, property: &str) -> bool {
        self.value(index, property).is_some()
    }

    /// A property's bytes. All reading goes through here.
    fn value(&self, index: NodeIndex, property: &str) -> Option<&Vec<u8>> {
        #[cfg(test)]
        crate::platform::nodes::tests::note(self, index, property);
        self.node(index).properties.get(property)
    }

    /// Children of a node.
    pub fn children(&self, index: NodeIndex) -> impl Iterator<Item = NodeIndex> + '_ {
        self.children[index.0].iter().copied()
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
                "write it as <cell cell ...>, or behind --set as cell,cell,...",
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
        self.names().by_phandle.get(&phandle).copied()
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

/// The nodes as they are read.
#[derive(Default)]
struct Flat {
    nodes: Vec<Node>,
    path_bytes: usize,
}

impl Flat {
    fn add(&mut self, node: FdtNode, parent: Option<NodeIndex>, levels: u32) -> Result<(), String> {
        if levels == 0 {
            return Err(format!("nodes are nested more than {DEPTH_MAX} deep"));
        }
        let name = node.name();
        if name.len() > NAME_BYTES_MAX {
            return Err(format!(
                "a node's name has more than {NAME_BYTES_MAX} bytes"
            ));
        }
        let above = parent.map(|parent| self.nodes[parent.0].path.as_str());
        let path = match above {
            None => "/".to_string(),
            Some("/") => format!("/{name}"),
            Some(above) => format!("{above}/{name}"),
        };
        self.path_bytes += path.len();
        if self.path_bytes > PATHS_BYTES_MAX {
            return Err(format!(
                "the paths of its nodes have more than {PATHS_BYTES_MAX} bytes"
            ));
        }
        let properties = node
            .properties()
            .map(|property| (property.name().to_string(), property.value().to_vec()))
            .collect();
        self.nodes.push(Node {
            path,
            name: name.to_string(),
            parent,
            properties,
        });
        let index = NodeIndex(self.nodes.len() - 1);
        node.children()
            .try_for_each(|child| self.add(child, Some(index), levels - 1))
    }
}

/// Refuses a blob with a property's name that is too long (Devicetree Specification 0.4, 5.2: where its strings are): thousands of properties may share
/// it.
fn check_names(blob: &[u8]) -> Result<(), String> {
    let word = |at: usize| {
        let bytes = blob.get(at..at + 4)?;
        Some(u32::from_be_bytes(bytes.try_into().ok()?) as usize)
    };
    // A header that is cut off is the reader's to refuse.
    let (Some(from), Some(length)) = (word(12), word(32)) else {
        return Ok(());
    };
    let strings = blob.get(from..).unwrap_or_default();
    let strings = &strings[..length.min(strings.len())];
    let mut names = strings.split(|&byte| byte == 0);
    if names.any(|name| name.len() > NAME_BYTES_MAX) {
        return Err(format!(
            "a property's name has more than {NAME_BYTES_MAX} bytes"
        ));
    }
    Ok(())
}

fn string_of(bytes: impl AsRef<[u8]>) -> String {
    String::from_utf8_lossy(bytes.as_ref())
        .trim_end_matches('\0')
        .to_string()
}
