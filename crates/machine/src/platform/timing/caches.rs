//! Caches as the properties of a cpu node and of the cache behind it describe them: the standard ones, and `socscope,*` for latencies.

use crate::platform::error::property_error;
use crate::platform::tree::{NodeIndex, Tree};
use socscope_device::{BuildError, Declared};
use socscope_timing::{Caches, Geometry, Latencies, Replacement};

/// Of a core, for the timing model "caches".
pub(crate) const CPU_CACHE_PROPERTIES: &[Declared] = &[
    ("i-cache-size", "Instruction cache: bytes."),
    ("i-cache-line-size", "Instruction cache: bytes of a line."),
    (
        "i-cache-sets",
        "Instruction cache: sets; 8 ways when absent.",
    ),
    ("d-cache-size", "Data cache: bytes."),
    ("d-cache-line-size", "Data cache: bytes of a line."),
    ("d-cache-sets", "Data cache: sets; 8 ways when absent."),
    ("next-level-cache", "The cache behind these two."),
    (
        REPLACEMENT,
        "Which line goes: \"tree\" (also when absent) or \"lru\".",
    ),
    (
        "socscope,i-cache-hit-cycles",
        "Cycles that a fetch from the instruction cache costs beyond the core's own; 0 when absent.",
    ),
    (
        "socscope,d-cache-hit-cycles",
        "Cycles that an access to the data cache costs beyond the core's own; 0 when absent.",
    ),
    (
        "socscope,memory-cycles",
        "Cycles that a line from memory costs.",
    ),
    (
        "socscope,write-back-cycles",
        "Cycles that a line written back costs; 0 when absent.",
    ),
];
/// Of the cache behind those of a core.
pub(crate) const CACHE_PROPERTIES: &[Declared] = &[
    ("cache-size", "Bytes."),
    ("cache-line-size", "Bytes of a line."),
    ("cache-sets", "Sets; 8 ways when absent."),
    (
        REPLACEMENT,
        "Which line goes: \"tree\" (also when absent) or \"lru\".",
    ),
    (
        "socscope,hit-cycles",
        "Cycles that an access which finds its line here costs.",
    ),
];

const REPLACEMENT: &str = "socscope,cache-replacement";
/// Ways of a cache whose node does not say how many sets it has.
const WAYS: u32 = 8;

/// The caches of a core.
pub(super) fn caches_of(tree: &Tree, cpu: NodeIndex) -> Result<Caches, BuildError> {
    let latency = |property: &str| Ok(tree.cell(cpu, property)?.unwrap_or(0));
    let second = second_level(tree, cpu)?;
    Ok(Caches {
        instruction: geometry(tree, cpu, "i-cache")?,
        data: geometry(tree, cpu, "d-cache")?,
        second_level: second
            .map(|node| geometry(tree, node, "cache"))
            .transpose()?,
        latencies: Latencies {
            fetch_hit_cycles: latency("socscope,i-cache-hit-cycles")?,
            data_hit_cycles: latency("socscope,d-cache-hit-cycles")?,
            second_level_cycles: second
                .map_or(Ok(0), |node| required(tree, node, "socscope,hit-cycles"))?,
            memory_cycles: required(tree, cpu, "socscope,memory-cycles")?,
            write_back_cycles: latency("socscope,write-back-cycles")?,
        },
    })
}

/// The node that `next-level-cache` names, unless it is disabled.
fn second_level(tree: &Tree, cpu: NodeIndex) -> Result<Option<NodeIndex>, BuildError> {
    let Some(node) = tree.reference(cpu, "next-level-cache")? else {
        return Ok(None);
    };
    let status = tree.string(node, "status")?;
    Ok((status.as_deref() != Some("disabled")).then_some(node))
}

fn required(tree: &Tree, node: NodeIndex, property: &str) -> Result<u32, BuildError> {
    tree.cell(node, property)?.ok_or_else(|| {
        property_error(
            &tree.node(node).path,
            property,
            "caches need it, and it is missing",
            "add it, or choose another socscope,timing",
        )
    })
}

/// The cache whose properties begin with `prefix`.
fn geometry(tree: &Tree, node: NodeIndex, prefix: &str) -> Result<Geometry, BuildError> {
    let size_property = format!("{prefix}-size");
    let size = required(tree, node, &size_property)?;
    let line = required(tree, node, &format!("{prefix}-line-size"))?;
    let sets = match tree.cell(node, &format!("{prefix}-sets"))? {
        Some(sets) => sets,
        None => size / line.saturating_mul(WAYS).max(1),
    };
    let path = &tree.node(node).path;
    let replacement = match tree.string(node, REPLACEMENT)?.as_deref() {
        None | Some("tree") => Replacement::Tree,
        Some("lru") => Replacement::LeastRecentlyUsed,
        Some(other) => {
            let reason = format!("no replacement is called {other:?}");
            let remedy = "choose \"tree\" or \"lru\"";
            return Err(property_error(path, REPLACEMENT, reason, remedy));
        }
    };
    Geometry::new(size, line, sets, replacement).map_err(|error| {
        let text = error.to_string();
        let (reason, remedy) = text.split_once("; ").unwrap_or((&text, "change it"));
        property_error(path, &size_property, reason, remedy)
    })
}
