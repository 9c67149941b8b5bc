//! Interrupt lines of a platform: `interrupts` and `interrupt-parent`.

use crate::platform::cores::core_named;
use crate::platform::error::property_error;
use crate::platform::tree::{NodeIndex, Tree};
use crate::running::signals::CoreLine;
use crate::system::bus::SystemBus;
use crate::system::wiring::Sink;
use socscope_device::{BuildError, Declared};
use std::collections::BTreeMap;

const CORE: &str = "socscope,core";
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
        let sources = tree.cells(index, "interrupts")?;
        let outputs: Vec<u32> = (0u32..)
            .zip(description.outputs)
            .filter(|(_, name)| CoreLine::of_output(name).is_none())
            .map(|(output, _)| output)
            .collect();
        // A model without interrupts may stand for a chip's block that has some.
        if !sources.is_empty() && !outputs.is_empty() {
            let path = &tree.node(index).path;
            let controller = interrupt_parent(tree, index)?;
            let target = *devices.get(&controller).ok_or_else(|| {
                let reason = format!("{} is no device with a model", tree.node(controller).path);
                property_error(
                    path,
                    "interrupt-parent",
                    reason,
                    "refer to the interrupt controller",
                )
            })?;
            let stride = tree
                .cell(controller, "#interrupt-cells")?
                .unwrap_or(1)
                .max(1) as usize;
            let lines = bus.slots[target as usize].model.description().inputs.len() as u32;
            for (number_of_source, source) in sources.chunks(stride).enumerate() {
                let output = outputs.get(number_of_source).copied();
                let (true, Some(output)) = (source[0] < lines, output) else {
                    let reason = format!("line {} of a controller with {lines} inputs", source[0]);
                    return Err(property_error(
                        path,
                        "interrupts",
                        reason,
                        "number the lines as the chip does",
                    ));
                };
                bus.wiring.connect(
                    number,
                    output,
                    Sink::Device {
                        device: target,
                        input: source[0],
                    },
                );
            }
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
