//! From a device tree to memories, devices and wires.

use crate::platform::cores::{core_model, cpu_nodes};
use crate::platform::error::{PlatformError, property_error};
use crate::platform::interrupts::{core_of, wire};
use crate::platform::models::{MemoryKind, is_part_of_device, memory_of, model_of};
use crate::platform::nearest::nearest;
use crate::platform::placement::{Placement, check_no_cost, cost_of, placement};
use crate::platform::private::{check_name, owner, region_name};
use crate::platform::tree::{NodeIndex, Tree};
use crate::platform::view::{NodeView, clock_of};
use crate::system::bus::{FIRST_PORT_EVENT, Slot, SystemBus};
use crate::system::port::Port;
use socscope_device::{BuildError, Declared};
use socscope_devices::MODELS;
use socscope_memory::{Endianness, Memory, Region, RegionIndex, Target};
use socscope_time::Instant;
use std::collections::BTreeMap;

pub(crate) const PROPERTIES: &[Declared] = &[(
    "status",
    "Devices and memories that are neither \"okay\" nor \"ok\" are left out.",
)];
pub(crate) const CHOSEN_PROPERTIES: &[Declared] = &[
    (
        "socscope,unmapped",
        "What an access to nowhere does: \"bus-error\" (also when absent), or \"stub\", which reads as 0 and is logged.",
    ),
    (
        "socscope,stub-unknown",
        "Devices without a model read as 0, and every access is logged.",
    ),
];
pub(crate) const DEVICE_PROPERTIES: &[Declared] = &[
    (
        "socscope,stub",
        "Without a model, or switched off, it reads as 0, and every access is logged.",
    ),
    (
        "socscope,byte-order",
        "\"little-endian\" or \"big-endian\": where the bytes of a word lie that the device reads or writes in memory; when absent as for the first core.",
    ),
];

/// The largest memory that a node may ask for: the host has to hold it.
const MEMORY_BYTES_MAX: u32 = 0x4000_0000;

/// Serial ports of a machine, with room for those of one device.
const PORTS_MAX: usize = 0xf0;

/// What all memories together may ask for: what a core of 32 bits could address.
const MEMORIES_BYTES_MAX: u64 = 1 << 32;

/// Makes everything but the cores.
pub(crate) fn build(tree: &Tree, platform: &str) -> Result<SystemBus, PlatformError> {
    let cpus = cpu_nodes(tree)?;
    let chosen = tree.find("/chosen");
    let unmapped = chosen
        .map(|chosen| tree.string(chosen, "socscope,unmapped"))
        .transpose()?
        .flatten();
    let unmapped_is_error = match unmapped.as_deref() {
        None | Some("bus-error") => true,
        Some("stub") => false,
        Some(other) => {
            let reason = format!("{other:?} is neither \"bus-error\" nor \"stub\"");
            return Err(property_error(
                "/chosen",
                "socscope,unmapped",
                reason,
                "choose one of them",
            )
            .into());
        }
    };
    let mut bus = SystemBus::new(
        core_model(tree, cpus[0])?.endianness(),
        core_model(tree, cpus[0])?.exceptions(),
        clock_of(tree, cpus[0])?,
        unmapped_is_error,
    );
    let regions = add_memories(tree, platform, &mut bus, &cpus)?;
    let devices = add_devices(tree, platform, &mut bus, &regions, &cpus)?;
    wire(tree, &mut bus, &devices, &cpus)?;
    Ok(bus)
}

fn add_memories(
    tree: &Tree,
    platform: &str,
    bus: &mut SystemBus,
    cpus: &[NodeIndex],
) -> Result<BTreeMap<NodeIndex, RegionIndex>, PlatformError> {
    let mut regions = BTreeMap::new();
    let mut bytes = 0;
    for index in tree.indices() {
        let Some(MemoryKind { writable }) = memory_of(tree, index)? else {
            continue;
        };
        if is_switched_off(tree, index)? {
            continue;
        }
        let placement = placement(tree, index)?;
        if !placement.mapped {
            check_no_cost(tree, index)?;
        }
        let path = &tree.node(index).path;
        if placement.size == 0 || placement.size > MEMORY_BYTES_MAX {
            let reason = format!("a memory of {:#x} bytes", placement.size);
            return Err(property_error(path, "reg", reason, "give 1 byte to 1 GiB").into());
        }
        bytes += u64::from(placement.size);
        if bytes > MEMORIES_BYTES_MAX {
            let reason = "all memories together are larger than 4 GiB";
            return Err(property_error(path, "reg", reason, "make them smaller").into());
        }
        let core = owner(tree, index, (cpus, placement.mapped))?;
        let name = region_name(core, &tree.short_name(index));
        let memory = bus
            .space
            .add_memory(Memory::new(name.clone(), placement.size));
        let region = Region {
            name,
            base: placement.base,
            size: placement.size,
            enabled: placement.mapped,
            core,
            target: Target::Memory { memory, writable },
            cost: cost_of(tree, index)?,
        };
        regions.insert(index, add_region(platform, bus, region)?);
    }
    Ok(regions)
}

fn is_switched_off(tree: &Tree, index: NodeIndex) -> Result<bool, BuildError> {
    let status = tree.string(index, "status")?;
    Ok(status.is_some_and(|status| status != "okay" && status != "ok"))
}

fn add_region(
    platform: &str,
    bus: &mut SystemBus,
    region: Region,
) -> Result<RegionIndex, PlatformError> {
    bus.space
        .map_mut()
        .add(region)
        .map_err(|reason| PlatformError::Map {
            platform: platform.into(),
            reason,
        })
}

fn add_devices(
    tree: &Tree,
    platform: &str,
    bus: &mut SystemBus,
    regions: &BTreeMap<NodeIndex, RegionIndex>,
    cpus: &[NodeIndex],
) -> Result<BTreeMap<NodeIndex, u16>, PlatformError> {
    let mut devices = BTreeMap::new();
    for index in tree.indices() {
        let node = tree.node(index);
        let described = tree.has(index, "reg") && tree.has(index, "compatible");
        let on_bus = node
            .parent
            .is_some_and(|parent| tree.node(parent).name != "cpus");
        let is_no_device = memory_of(tree, index)?.is_some() || is_part_of_device(tree, index);
        if !described || !on_bus || is_no_device {
            continue;
        }
        // What is switched off for the guest and has no model may still be looked at.
        let looked_at = tree.has(index, "socscope,stub");
        if is_switched_off(tree, index)? && !looked_at {
            continue;
        }
        let Placement { base, size, mapped } = placement(tree, index)?;
        let own = owner(tree, index, (cpus, mapped))?;
        let name = tree.short_name(index);
        let cost = cost_of(tree, index)?;
        // Of a stub, too: what it says must be right.
        let order = order_of(tree, index, bus.first_order)?;
        core_of(tree, index, cpus)?;
        let region = |target| Region {
            name: region_name(own, &name),
            base,
            size,
            enabled: true,
            core: own,
            target,
            cost,
        };
        let Some(model) = model_of(tree, index) else {
            if !stub_allowed(tree, index) {
                return Err(no_model(tree, index).into());
            }
            add_region(platform, bus, region(Target::Stub))?;
            continue;
        };
        let view = NodeView {
            tree,
            index,
            regions,
        };
        if bus.slots.len() >= FIRST_PORT_EVENT as usize || bus.ports.len() >= PORTS_MAX {
            return Err(property_error(
                &node.path,
                "reg",
                "more devices or ports than a machine can have",
                "leave some out",
            )
            .into());
        }
        check_name(tree, (index, own), &name, bus)?;
        let number = bus.slots.len() as u16;
        let device = (model.build)(&view)?;
        for (port, port_name) in model.description.ports.iter().enumerate() {
            let full = if model.description.ports.len() == 1 {
                name.clone()
            } else {
                format!("{name}.{port_name}")
            };
            bus.ports.push(Port::new(number, port as u32, full));
        }
        let clock = if tree.has(index, "clocks") {
            clock_of(tree, index)?
        } else {
            bus.core_clock
        };
        bus.slots.push(Slot {
            name: name.clone(),
            path: node.path.clone(),
            node: [].into(),
            model: device,
            clock,
            order,
            latest: Instant::ZERO,
        });
        add_region(platform, bus, region(Target::Device(number)))?;
        devices.insert(index, number);
    }
    Ok(devices)
}

/// The byte order in which a node's device finds words in memory, on a bus of a byte order.
pub(crate) fn order_of(
    tree: &Tree,
    index: NodeIndex,
    bus: Endianness,
) -> Result<Endianness, BuildError> {
    const PROPERTY: &str = "socscope,byte-order";
    match tree.string(index, PROPERTY)?.as_deref() {
        None => Ok(bus),
        Some("little-endian") => Ok(Endianness::Little),
        Some("big-endian") => Ok(Endianness::Big),
        Some(other) => {
            let reason = format!("{other:?} is neither \"little-endian\" nor \"big-endian\"");
            let path = &tree.node(index).path;
            Err(property_error(path, PROPERTY, reason, "choose one of them"))
        }
    }
}

/// A node without a model is a stub only where the tree says so: a misspelt `compatible` must not pass unseen.
pub(crate) fn stub_allowed(tree: &Tree, index: NodeIndex) -> bool {
    let chosen = tree.find("/chosen");
    let everywhere = chosen.is_some_and(|chosen| tree.has(chosen, "socscope,stub-unknown"));
    everywhere || tree.has(index, "socscope,stub")
}

fn no_model(tree: &Tree, index: NodeIndex) -> BuildError {
    let compatible = tree.compatible(index);
    let first = compatible.first().map_or("", String::as_str);
    let models = MODELS.iter();
    let known = models.flat_map(|model| model.description.compatible.iter().copied());
    let near = nearest(first, known).unwrap_or_default();
    let reason = format!("no model for {}", compatible.join(", "));
    let remedy =
        format!("the nearest is {near}; or mark the node `socscope,stub` to log what touches it");
    property_error(&tree.node(index).path, "compatible", reason, remedy)
}
