//! Memories and devices that one core alone sees, over what all share.

use crate::platform::cores::core_named;
use crate::platform::error::property_error;
use crate::platform::tree::{NodeIndex, Tree};
use crate::system::bus::SystemBus;
use socscope_device::{BuildError, Declared};

const PRIVATE_TO: &str = "socscope,private-to";
pub(crate) const PROPERTIES: &[Declared] = &[(
    PRIVATE_TO,
    "The core that alone sees this, in place of what else is at these addresses; other cores and DMA see what lies beneath. When absent all see it.",
)];

/// The core that a node is private to; its addresses are the core's, not behind a chip select, where `mapped`.
pub(crate) fn owner(
    tree: &Tree,
    index: NodeIndex,
    (cpus, mapped): (&[NodeIndex], bool),
) -> Result<Option<u8>, BuildError> {
    let core = core_named(tree, index, PRIVATE_TO, cpus)?;
    if core.is_some() && !mapped {
        return Err(property_error(
            &tree.node(index).path,
            PRIVATE_TO,
            "names a core, and the node is on a chip select, which all cores share",
            "leave it out, or put the node where its addresses are those of the core",
        ));
    }
    Ok(core.map(|core| core as u8))
}

/// What a region is called: the core's name stands before that of a private one.
pub(crate) fn region_name(core: Option<u8>, name: &str) -> String {
    match core {
        Some(core) => format!("cpu{core}.{name}"),
        None => name.into(),
    }
}

/// Refuses a device that is called as another one is: addresses keep shared ones apart, and private ones have the same.
pub(crate) fn check_name(
    tree: &Tree,
    (index, own): (NodeIndex, Option<u8>),
    name: &str,
    bus: &SystemBus,
) -> Result<(), BuildError> {
    let Some(other) = bus.slots.iter().find(|slot| slot.name == name) else {
        return Ok(());
    };
    let is_private = |path: &str| tree.find(path).is_some_and(|at| tree.has(at, PRIVATE_TO));
    if own.is_none() && !is_private(&other.path) {
        return Ok(());
    }
    Err(property_error(
        &tree.node(index).path,
        PRIVATE_TO,
        format!(
            "makes a second device that is called {name}, as {} is",
            other.path
        ),
        "give each a label of its own",
    ))
}

/// Refuses a private memory where a device wants one, at `path`, to move it for all.
pub(crate) fn check_shared(
    tree: &Tree,
    memory: NodeIndex,
    (path, property): (&str, &str),
) -> Result<(), BuildError> {
    if !tree.has(memory, PRIVATE_TO) {
        return Ok(());
    }
    let reason = format!(
        "{} is private to a core, and this device moves it for all",
        tree.node(memory).path
    );
    let remedy = format!("leave out {PRIVATE_TO} there, or this property here");
    Err(property_error(path, property, reason, remedy))
}

/// Refuses the property of a device that is added later.
pub(crate) fn check_absent(tree: &Tree, index: NodeIndex) -> Result<(), BuildError> {
    if !tree.has(index, PRIVATE_TO) {
        return Ok(());
    }
    Err(property_error(
        &tree.node(index).path,
        PRIVATE_TO,
        "names a core, and an added device is seen by all",
        "leave it out",
    ))
}
