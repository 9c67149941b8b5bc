//! Variants of a platform: `--set /path:property=value`.

use crate::error::PlatformError;
use crate::models::model_of;
use crate::tree::{NodeIndex, Tree};

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
        let near = closest(path, tree.nodes.iter().map(|node| node.path.as_str()));
        fail(
            format!("the platform has no node {path}"),
            &format!("the nearest is {near}"),
        )
    })?;
    if !known_property(tree, index, property) {
        let known = tree
            .node(index)
            .properties
            .keys()
            .cloned()
            .collect::<Vec<_>>()
            .join(", ");
        return Err(fail(
            format!("{path} has no property {property}"),
            &format!("it has: {known}"),
        ));
    }
    tree.nodes[index.0]
        .properties
        .insert(property.into(), encode(value));
    Ok(())
}

fn known_property(tree: &Tree, index: NodeIndex, property: &str) -> bool {
    let in_model = || {
        model_of(tree, index).is_some_and(|model| {
            model
                .description
                .properties
                .iter()
                .any(|(name, _)| *name == property)
        })
    };
    tree.node(index).properties.contains_key(property) || in_model()
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

/// The candidate that shares the longest beginning with `text`.
pub(crate) fn closest<'a>(text: &str, candidates: impl Iterator<Item = &'a str>) -> &'a str {
    let shared = |candidate: &str| {
        text.bytes()
            .zip(candidate.bytes())
            .take_while(|(a, b)| a == b)
            .count()
    };
    candidates
        .max_by_key(|candidate| (shared(candidate), std::cmp::Reverse(candidate.len())))
        .unwrap_or("")
}
