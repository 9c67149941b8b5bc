//! Properties that nobody reads: a mistyped name must not pass without a word.

use super::NodeKind;
use crate::platform::build::stub_allowed;
use crate::platform::error::property_error;
use crate::platform::nearest::{distance, nearest};
use crate::platform::tree::{NodeIndex, Tree};
use socscope_device::BuildError;

/// Properties of ours begin so; all of them are read by somebody.
const OWN: &str = "socscope,";
/// Values of `status` that the standard knows (Devicetree Specification 0.4, 2.3.4); `fail-` may be followed by a reason.
const STATUSES: [&str; 5] = ["okay", "ok", "disabled", "reserved", "fail"];

/// Refuses properties of ours that the node's model does not know, and others that are a slip away from one that it reads.
pub(crate) fn check(tree: &Tree) -> Result<(), BuildError> {
    tree.indices().try_for_each(|index| check_node(tree, index))
}

fn check_node(tree: &Tree, index: NodeIndex) -> Result<(), BuildError> {
    let Some(kind) = NodeKind::of(tree, index) else {
        return Ok(());
    };
    let node = tree.node(index);
    if kind.is_unknown_device() && !stub_allowed(tree, index) {
        // Whoever builds the machine says so.
        return Ok(());
    }
    let known: Vec<&str> = kind.declared().map(|(name, _)| name).collect();
    for property in node.properties.keys() {
        if known.contains(&property.as_str()) {
            continue;
        }
        let own = property.starts_with(OWN);
        let absent = known
            .iter()
            .filter(|&&it| own || !node.properties.contains_key(it));
        let near = nearest(property, absent.copied());
        let slip = near.is_some_and(|near| distance(property, near) <= slips(near));
        if own || slip {
            let reason = format!("{}: nobody reads this property here", kind.title());
            let remedy = match (near, NodeKind::reader_of(property)) {
                (_, Some(reader)) => format!("it is a property of: {reader}"),
                (Some(near), _) if slip || near.starts_with(OWN) => {
                    format!("the nearest is {near}")
                }
                _ => "leave it out".into(),
            };
            let remedy = format!("{remedy}; `socscope devices` has all properties by node");
            return Err(property_error(&node.path, property, reason, remedy));
        }
    }
    check_status(tree, index)
}

/// How many letters may be wrong in a name for it to be taken for a mistyped one.
fn slips(name: &str) -> usize {
    (name.len() / 5).min(2)
}

fn check_status(tree: &Tree, index: NodeIndex) -> Result<(), BuildError> {
    let Some(status) = tree.string(index, "status")? else {
        return Ok(());
    };
    if STATUSES.contains(&status.as_str()) || status.starts_with("fail-") {
        return Ok(());
    }
    let near = nearest(&status, STATUSES).unwrap_or_default();
    Err(property_error(
        &tree.node(index).path,
        "status",
        format!("{status:?} is none of {}", STATUSES.join(", ")),
        format!("the nearest is {near}"),
    ))
}
