//! Variants of a platform: `--set /path:property=value`.

use crate::platform::error::PlatformError;
use crate::platform::nearest::nearest;
use crate::platform::nodes::NodeKind;
use crate::platform::tree::Tree;
use std::collections::BTreeSet;

/// Changes one property. `value` is a list of numbers (decimal or 0x), or text; empty makes the property a flag.
pub(crate) fn apply(tree: &mut Tree, text: &str) -> Result<(), PlatformError> {
    let fail = |reason: String, remedy: &str| PlatformError::Override {
        text: text.into(),
        reason,
        remedy: remedy.into(),
    };
    let form = "write /path:property=value";
    let (target, value) = text
        .split_once('=')
        .ok_or_else(|| fail("there is no '='".into(), form))?;
    let (path, property) = target
        .rsplit_once(':')
        .ok_or_else(|| fail("there is no ':'".into(), form))?;
    let index = tree.find(path).ok_or_else(|| {
        let near = nearest(path, tree.nodes.iter().map(|node| node.path.as_str()));
        let near = near.unwrap_or_default();
        fail(
            format!("the platform has no node {path}"),
            &format!("the nearest is {near}"),
        )
    })?;
    let own = tree.node(index).properties.keys().cloned();
    let declared = NodeKind::of(tree, index).into_iter();
    let declared = declared.flat_map(|kind| kind.declared().map(|(name, _)| name.to_string()));
    let known: BTreeSet<String> = own.chain(declared).collect();
    if !known.contains(property) {
        let near = nearest(property, known.iter().map(String::as_str)).unwrap_or_default();
        return Err(fail(
            format!("{path} has no property {property}"),
            &format!("the nearest is {near}; `socscope devices` has all properties by node"),
        ));
    }
    tree.set(index, property, encode(value));
    Ok(())
}

fn encode(value: &str) -> Vec<u8> {
    let words: Vec<&str> = value
        .split([' ', ','])
        .filter(|word| !word.is_empty())
        .collect();
    let numbers: Option<Vec<u32>> = words.iter().map(|word| number(word)).collect();
    match numbers {
        Some(numbers) => numbers
            .iter()
            .flat_map(|number| number.to_be_bytes())
            .collect(),
        None => [value.trim_matches('"').as_bytes(), &[0]].concat(),
    }
}

fn number(word: &str) -> Option<u32> {
    match word.strip_prefix("0x") {
        Some(digits) => u32::from_str_radix(digits, 16).ok(),
        None => word.parse().ok(),
    }
}
