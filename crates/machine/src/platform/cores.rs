//! The cores that a platform has: the children of `/cpus`.

use crate::platform::error::property_error;
use crate::platform::tree::{NodeIndex, Tree};
use crate::platform::view::clock_of;
use crate::running::processor::CORES_MAX;
use socscope_architectures::Model;
use socscope_device::{BuildError, Declared};

pub(crate) const CPUS_PROPERTIES: &[Declared] = &[(
    "socscope,quantum-cycles",
    "Cycles of a turn, of several cores; 1000 when absent.",
)];
pub(crate) const CPU_PROPERTIES: &[Declared] = &[(
    "timebase-frequency",
    "Frequency in hertz of the time base, and of the decrementer, of cores that have one; a tick takes four cycles when absent.",
)];

/// Cycles of a turn, where the platform says nothing.
const QUANTUM_CYCLES: u32 = 1_000;

/// The nodes of the cores, of whatever models and clocks.
pub(crate) fn cpu_nodes(tree: &Tree) -> Result<Vec<NodeIndex>, BuildError> {
    let cpus = tree.find("/cpus");
    let nodes: Vec<NodeIndex> = cpus
        .map(|cpus| {
            tree.children(cpus)
                .filter(|&node| is_cpu(tree, node))
                .collect()
        })
        .unwrap_or_default();
    if nodes.is_empty() {
        return Err(property_error(
            "/cpus",
            "device_type",
            "no child is a \"cpu\"",
            "add a cpu node",
        ));
    }
    if let Some(&extra) = nodes.get(CORES_MAX) {
        let path = &tree.node(extra).path;
        let reason = format!("{} cores where a machine can have {CORES_MAX}", nodes.len());
        return Err(property_error(
            path,
            "device_type",
            reason,
            "leave some out",
        ));
    }
    Ok(nodes)
}

/// Whether a child of `/cpus` is a core.
pub(crate) fn is_cpu(tree: &Tree, node: NodeIndex) -> bool {
    matches!(tree.string(node, "device_type"), Ok(Some(kind)) if kind == "cpu")
}

/// The model of a node's core.
pub(crate) fn core_model(tree: &Tree, cpu: NodeIndex) -> Result<Model, BuildError> {
    let node = tree.node(cpu);
    let mut names = tree.compatible(cpu);
    names.extend(node.name.split('@').next().map(String::from));
    if let Some(model) = names.iter().find_map(|name| Model::named(name)) {
        return Ok(model);
    }
    let known: Vec<&str> = Model::names().collect();
    Err(property_error(
        &node.path,
        "compatible",
        format!("no core model for {:?}", tree.compatible(cpu)),
        format!("known cores: {}", known.join(", ")),
    ))
}

/// Frequencies of the time base and of the clock. Without `timebase-frequency` a tick takes four cycles.
pub(crate) fn time_base(tree: &Tree, cpu: NodeIndex) -> Result<(u32, u32), BuildError> {
    let clock_hz = clock_of(tree, cpu)?.hz();
    let clock_hz = u32::try_from(clock_hz).unwrap_or(u32::MAX);
    let ticks_hz = match tree.cell(cpu, "timebase-frequency")? {
        None | Some(0) => (clock_hz / 4).max(1),
        Some(ticks_hz) => ticks_hz,
    };
    if ticks_hz > clock_hz {
        return Err(property_error(
            &tree.node(cpu).path,
            "timebase-frequency",
            format!("{ticks_hz} Hz is more than the core's clock of {clock_hz} Hz"),
            "give at most the clock's frequency",
        ));
    }
    Ok((ticks_hz, clock_hz))
}

/// Cycles that a core of several runs before it is the next one's turn: `socscope,quantum-cycles` of `/cpus`.
pub(crate) fn quantum_cycles(tree: &Tree) -> Result<u64, BuildError> {
    let Some(cpus) = tree.find("/cpus") else {
        return Ok(u64::from(QUANTUM_CYCLES));
    };
    match tree.cell(cpus, "socscope,quantum-cycles")? {
        None => Ok(u64::from(QUANTUM_CYCLES)),
        Some(0) => Err(property_error(
            "/cpus",
            "socscope,quantum-cycles",
            "a turn of no cycles",
            "give at least 1",
        )),
        Some(cycles) => Ok(u64::from(cycles)),
    }
}

/// The number of the core that a node's property names.
pub(crate) fn core_named(
    tree: &Tree,
    index: NodeIndex,
    property: &str,
    cpus: &[NodeIndex],
) -> Result<Option<u16>, BuildError> {
    let Some(cpu) = tree.reference(index, property)? else {
        return Ok(None);
    };
    let found = cpus.iter().position(|&known| known == cpu);
    let number = found.ok_or_else(|| {
        let reason = format!("{} is no core", tree.node(cpu).path);
        let remedy = "refer to a cpu node";
        property_error(&tree.node(index).path, property, reason, remedy)
    })?;
    Ok(Some(number as u16))
}
