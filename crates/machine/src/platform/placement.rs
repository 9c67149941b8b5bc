//! Where a node's registers or bytes lie, and what an access costs.

use crate::platform::error::property_error;
use crate::platform::tree::{NodeIndex, Tree};
use socscope_device::{BuildError, Declared};
use socscope_memory::AccessCost;

pub(crate) const PLACE_PROPERTIES: &[Declared] = &[
    ("reg", "Address and size, in the cells of the node above."),
    (
        "ranges",
        "How addresses below a bus become those above: <below above size>; empty means equal.",
    ),
    (
        "#address-cells",
        "Cells of the addresses of the nodes below: 1, or 2 for chip select and offset.",
    ),
    ("#size-cells", "Cells of their sizes: 1."),
];
pub(crate) const COST_PROPERTIES: &[Declared] = &[
    (
        "socscope,wait-states",
        "Wait states of an access where no bus interface sets them: <nonsequential sequential>; 0 when absent.",
    ),
    (
        "socscope,bus-bits",
        "Data lines where no bus interface sets them: 8, 16 or 32; 32 when absent.",
    ),
    (
        BURST_AFTER_INTERNAL,
        "What a burst does when an internal cycle of the core comes between two fetches: \"restarts\", so that the next fetch is \
         nonsequential, or \"continues\"; \"restarts\" when absent.",
    ),
];

/// Where a node's first `reg` entry lies.
pub(crate) struct Placement {
    pub base: u32,
    pub size: u32,
    /// Whether the address is the core's: not behind a chip select that software has to open.
    pub mapped: bool,
}

/// The first `reg` entry of a node.
pub(crate) fn placement(tree: &Tree, index: NodeIndex) -> Result<Placement, BuildError> {
    let node = tree.node(index);
    let count = |property| match node.parent {
        Some(parent) => tree.cell(parent, property),
        None => Ok(None),
    };
    let address_cells = count("#address-cells")?.unwrap_or(2);
    let size_cells = count("#size-cells")?.unwrap_or(1);
    let cells = tree.cells(index, "reg")?;
    if size_cells != 1
        || !(1..=2).contains(&address_cells)
        || cells.len() < (address_cells + 1) as usize
    {
        let reason = format!(
            "{} cells for #address-cells {address_cells} and #size-cells {size_cells}",
            cells.len()
        );
        return Err(property_error(
            &node.path,
            "reg",
            reason,
            "give an address of 1 or 2 cells and a size of 1",
        ));
    }
    let (base, size) = (
        cells[address_cells as usize - 1],
        cells[address_cells as usize],
    );
    if address_cells == 2 {
        return Ok(Placement {
            base,
            size,
            mapped: false,
        });
    }
    Ok(Placement {
        base: to_core_address(tree, index, base)?,
        size,
        mapped: true,
    })
}

/// Translates through the `ranges` of the buses above; an empty one is the identity.
fn to_core_address(tree: &Tree, index: NodeIndex, mut address: u32) -> Result<u32, BuildError> {
    let mut at = tree.node(index).parent;
    while let Some(bus) = at {
        let ranges = tree.cells(bus, "ranges")?;
        if let Some(range) = ranges
            .as_chunks::<3>()
            .0
            .iter()
            .find(|range| address.wrapping_sub(range[0]) < range[2])
        {
            address = address.wrapping_sub(range[0]).wrapping_add(range[1]);
        }
        at = tree.node(bus).parent;
    }
    Ok(address)
}

/// Refuses costs of a memory behind a chip select: the bus interface sets them, and nobody would read these.
pub(crate) fn check_no_cost(tree: &Tree, index: NodeIndex) -> Result<(), BuildError> {
    let mut costs = COST_PROPERTIES.iter().map(|(name, _)| *name);
    let Some(property) = costs.find(|property| tree.has(index, property)) else {
        return Ok(());
    };
    let node = tree.node(index);
    let above = node.parent.map_or("", |parent| &tree.node(parent).path);
    let reason = format!("the memory is on a chip select, and {above} sets what its accesses cost");
    let remedy = "leave it out: software programs the chip select's register, and what a boot loader programs there is a property of the interface \
                  (atmel,nominal-csr)";
    Err(property_error(&node.path, property, reason, remedy))
}

/// Wait states of a memory or device that no bus interface controls: `socscope,wait-states = <nonsequential sequential>`, `socscope,bus-bits`,
/// `socscope,burst-after-internal`.
pub(crate) fn cost_of(tree: &Tree, index: NodeIndex) -> Result<AccessCost, BuildError> {
    let waits = tree.cells(index, "socscope,wait-states")?;
    let bits = tree.cell(index, "socscope,bus-bits")?.unwrap_or(32);
    let path = &tree.node(index).path;
    if ![8, 16, 32].contains(&bits) {
        return Err(property_error(
            path,
            "socscope,bus-bits",
            format!("{bits} is no bus width"),
            "give 8, 16 or 32",
        ));
    }
    let cost = match waits[..] {
        [] => AccessCost::with_wait_states(bits, 0, 0),
        [nonsequential, sequential] if nonsequential < 1_000 && sequential < 1_000 => {
            AccessCost::with_wait_states(bits, nonsequential as u16, sequential as u16)
        }
        _ => {
            let reason = "is not <nonsequential sequential>, each below 1000";
            return Err(property_error(
                path,
                "socscope,wait-states",
                reason,
                "write both numbers",
            ));
        }
    };
    match tree.string(index, BURST_AFTER_INTERNAL)?.as_deref() {
        // Where nobody knows, what takes longer.
        None | Some("restarts") => Ok(cost),
        Some("continues") => Ok(cost.continuing_after_internal()),
        Some(other) => Err(property_error(
            path,
            BURST_AFTER_INTERNAL,
            format!("{other:?} is nothing that a burst does"),
            "give \"restarts\" or \"continues\"",
        )),
    }
}

/// Whether a memory goes on with its burst where the core's internal cycle came between two fetches.
const BURST_AFTER_INTERNAL: &str = "socscope,burst-after-internal";
