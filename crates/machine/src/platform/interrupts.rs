//! Interrupt lines of a platform: `interrupts` and `interrupt-parent`, or `interrupts-extended`.

use crate::platform::cores::core_named;
use crate::platform::error::property_error;
use crate::platform::tree::{NodeIndex, Tree};
use crate::running::signals::CoreLine;
use crate::system::bus::SystemBus;
use crate::system::wiring::Sink;
use socscope_device::{BuildError, Declared};
use std::collections::BTreeMap;

const CORE: &str = "socscope,core";
pub(crate) const EXTENDED: &str = "interrupts-extended";
pub(crate) const DEVICE_PROPERTIES: &[Declared] = &[(
    CORE,
    "Of an interrupt controller: the core whose lines it drives; when absent the first one, or that of the line's number.",
)];
pub(crate) const PROPERTIES: &[Declared] = &[
    (
        "interrupts",
        "Where the outputs go, in the order of the model: input lines of the controller.",
    ),
    (
        EXTENDED,
        "Where the outputs go when not all go to one controller: each time a controller and its cells. It hides `interrupts`.",
    ),
    (
        "interrupt-parent",
        "The controller of this node and of those below.",
    ),
    (
        "interrupt-controller",
        "This is the controller of devices that are added later.",
    ),
    (
        "#interrupt-cells",
        "Of a controller: cells that say one of its inputs; the first is the number.",
    ),
];

/// Connects the interrupt outputs of all devices to their controllers, and those of controllers to the core.
pub(crate) fn wire(
    tree: &Tree,
    bus: &mut SystemBus,
    devices: &BTreeMap<NodeIndex, u16>,
    cpus: &[NodeIndex],
) -> Result<(), BuildError> {
    let cores = cpus.len();
    for (&index, &number) in devices {
        let description = bus.slots[number as usize].model.description();
        let outputs: Vec<u32> = (0u32..)
            .zip(description.outputs)
            .filter(|(_, name)| CoreLine::of_output(name).is_none())
            .map(|(output, _)| output)
            .collect();
        // A model without interrupts may stand for a chip's block that has some.
        let (property, sources) = match outputs.is_empty() {
            true => ("interrupts", vec![]),
            false => sources(tree, index)?,
        };
        let path = &tree.node(index).path;
        for (number_of_source, source) in sources.into_iter().enumerate() {
            let target = *devices.get(&source.controller).ok_or_else(|| {
                let controller = &tree.node(source.controller).path;
                let reason = format!("{controller} is no device with a model");
                let property = match property {
                    EXTENDED => EXTENDED,
                    _ => "interrupt-parent",
                };
                property_error(path, property, reason, "refer to the interrupt controller")
            })?;
            let input = source.line;
            let lines = bus.slots[target as usize].model.description().inputs.len() as u32;
            let output = outputs.get(number_of_source).copied();
            let (true, Some(output)) = (input < lines, output) else {
                let reason = format!("line {input} of a controller with {lines} inputs");
                let remedy = "number the lines as the chip does";
                return Err(property_error(path, property, reason, remedy));
            };
            let sink = Sink::Device {
                device: target,
                input,
            };
            bus.wiring.connect(number, output, sink);
        }
        let own = core_of(tree, index, cpus)?;
        for (output, name) in description.outputs.iter().enumerate() {
            if let Some((core, line)) = CoreLine::of_output(name)
                && let core = own.unwrap_or(core)
                && usize::from(core) < cores
            {
                bus.wiring
                    .connect(number, output as u32, Sink::Core { core, line });
            }
        }
    }
    for core in 0..cores as u16 {
        // Nothing has driven the line yet.
        bus.signals[usize::from(core)].enabled = !bus.wiring.has_line(core, CoreLine::Enable);
    }
    Ok(())
}

/// The core that a controller is said to ask.
pub(crate) fn core_of(
    tree: &Tree,
    index: NodeIndex,
    cpus: &[NodeIndex],
) -> Result<Option<u16>, BuildError> {
    core_named(tree, index, CORE, cpus)
}

/// Where an output goes.
struct Source {
    controller: NodeIndex,
    line: u32,
}

/// The input line that the first output of a node goes to. An added device's tree says no more of `interrupts` than that.
pub(crate) fn first_line(tree: &Tree, index: NodeIndex) -> Result<Option<u32>, BuildError> {
    if tree.has(index, EXTENDED) {
        return Ok(extended(tree, index)?.first().map(|source| source.line));
    }
    Ok(tree.cells(index, "interrupts")?.first().copied())
}

/// Where the outputs of a node go, and the property that says so.
fn sources(tree: &Tree, index: NodeIndex) -> Result<(&'static str, Vec<Source>), BuildError> {
    if tree.has(index, EXTENDED) {
        return Ok((EXTENDED, extended(tree, index)?));
    }
    let cells = tree.cells(index, "interrupts")?;
    if cells.is_empty() {
        return Ok(("interrupts", vec![]));
    }
    let controller = interrupt_parent(tree, index)?;
    let stride = stride(tree, controller)?;
    let lines = cells.chunks(stride).map(|cells| Source {
        controller,
        line: cells[0],
    });
    Ok(("interrupts", lines.collect()))
}

fn stride(tree: &Tree, controller: NodeIndex) -> Result<usize, BuildError> {
    let cells = tree.cell(controller, "#interrupt-cells")?;
    Ok(cells.unwrap_or(1).max(1) as usize)
}

fn extended(tree: &Tree, index: NodeIndex) -> Result<Vec<Source>, BuildError> {
    let cells = tree.cells(index, EXTENDED)?;
    let refused = |reason| {
        let remedy = "write each time a controller and as many cells as its #interrupt-cells says";
        property_error(&tree.node(index).path, EXTENDED, reason, remedy)
    };
    let (mut rest, mut found) = (&cells[..], vec![]);
    while let Some((&phandle, behind)) = rest.split_first() {
        let missing = || refused(format!("no node has phandle {phandle:#x}"));
        let controller = tree.by_phandle(phandle).ok_or_else(missing)?;
        let stride = stride(tree, controller)?;
        let (Some(&line), true) = (behind.first(), behind.len() >= stride) else {
            let path = &tree.node(controller).path;
            return Err(refused(format!(
                "{path} takes {stride} cells, and there are {}",
                behind.len()
            )));
        };
        found.push(Source { controller, line });
        rest = &behind[stride..];
    }
    Ok(found)
}

fn interrupt_parent(tree: &Tree, index: NodeIndex) -> Result<NodeIndex, BuildError> {
    let holder = tree.inherited(index, "interrupt-parent");
    let parent = holder
        .map(|holder| tree.reference(holder, "interrupt-parent"))
        .transpose()?
        .flatten();
    parent.ok_or_else(|| {
        property_error(
            &tree.node(index).path,
            "interrupts",
            "no interrupt-parent",
            "name the controller in the root node",
        )
    })
}
