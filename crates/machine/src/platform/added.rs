//! Devices of models written in Rust that are put into a machine which is built already. A device-tree node says all of them, so
//! unlike other devices that are added they need not be given again to a machine that takes their state or repeats their run.

use crate::inputs::input::{Input, InputError};
use crate::machine::Machine;
use crate::platform::attach::{Attachment, LineEnd};
use crate::platform::build::order_of;
use crate::platform::error::{PlatformError, property_error};
use crate::platform::interrupts::EXTENDED;
use crate::platform::models::model_of;
use crate::platform::nodes::check;
use crate::platform::placement::placement;
use crate::platform::private::check_absent;
use crate::platform::tree::{NodeIndex, Tree};
use crate::platform::view::{NodeView, clock_of};
use socscope_device::{BuildError, Description, Device};
use socscope_memory::Endianness;
use std::collections::BTreeMap;

/// What errors call a tree that is no platform's.
const FRAGMENT: &str = "device to add";

/// A tree of one device: the root and a node with `compatible` and `reg`, beside nodes of clocks.
struct Fragment {
    tree: Tree,
    index: NodeIndex,
}

impl Machine {
    /// Puts the device of a device-tree blob into the machine, now, and resets it: the one node with a `reg`, whose addresses are those of
    /// the cores, with `interrupts` at the platform's interrupt controller. Gives the device's name: its label, or the node's name.
    ///
    /// # Errors
    /// Trees that have no such node or several, no model, and places that are taken.
    pub fn add_node(&mut self, blob: &[u8]) -> Result<String, InputError> {
        let name = Fragment::parse(blob)?.name();
        self.apply(Input::AddNode { blob: blob.into() })?;
        Ok(name)
    }

    pub(crate) fn attach_node(&mut self, blob: &[u8]) -> Result<(), InputError> {
        let fragment = Fragment::parse(blob)?;
        let order = fragment
            .order(self.bus.first_order)
            .map_err(PlatformError::from)?;
        let (description, device) = fragment.build().map_err(PlatformError::from)?;
        let attachment = self
            .attachment_of(&fragment, description)
            .map_err(PlatformError::from)?;
        let state = device.save();
        let before = self.bus.given.insert(&attachment.name, device);
        let outcome = self.attach(&attachment, &state);
        if outcome.is_err() {
            self.bus.given.take(&attachment.name, &attachment.kind);
        }
        if let Some(before) = before {
            self.bus.given.insert(&attachment.name, before);
        }
        outcome?;
        if let Some(slot) = self.bus.slots.last_mut() {
            slot.node = blob.into();
            slot.order = order;
        }
        Ok(())
    }

    fn attachment_of(
        &self,
        fragment: &Fragment,
        description: &Description,
    ) -> Result<Attachment, BuildError> {
        let Fragment { tree, index } = fragment;
        let place = placement(tree, *index)?;
        if tree.has(*index, "socscope,core") {
            return Err(property_error(
                &tree.node(*index).path,
                "socscope,core",
                "names a core, and an added device asks the platform's interrupt controller",
                "leave it out",
            ));
        }
        if tree.has(*index, EXTENDED) {
            return Err(property_error(
                &tree.node(*index).path,
                EXTENDED,
                "names controllers, and an added device asks the platform's interrupt controller",
                "give its lines as interrupts",
            ));
        }
        check_absent(tree, *index)?;
        let waits = tree.cells(*index, "socscope,wait-states")?;
        let clocked = tree.has(*index, "clocks");
        let clock = clocked.then(|| clock_of(tree, *index)).transpose()?;
        let sources = tree.cells(*index, "interrupts")?;
        let mut sources = sources.chunks(self.interrupt_cells());
        let outputs = description.outputs.iter();
        let lines = outputs.zip(&mut sources).map(|(output, source)| {
            let (device, input) = (None, source[0]);
            (String::from(*output), LineEnd::Input { device, input })
        });
        let lines = lines.collect();
        if sources.next().is_some() {
            let reason = format!(
                "{} has {} outputs",
                description.title,
                description.outputs.len()
            );
            let path = &tree.node(*index).path;
            return Err(property_error(
                path,
                "interrupts",
                reason,
                "give one interrupt for each",
            ));
        }
        Ok(Attachment {
            name: fragment.name(),
            kind: description.title.into(),
            base: place.base,
            size: place.size,
            wait_states: waits.first().map_or(0, |&waits| waits.min(999) as u16),
            clock_hz: clock.map(socscope_time::Clock::hz),
            lines,
        })
    }

    /// Cells of an interrupt of the platform's controller.
    pub(crate) fn interrupt_cells(&self) -> usize {
        let tree = &self.origin.tree;
        let controller = tree
            .indices()
            .find(|&index| tree.has(index, "interrupt-controller"));
        let cells = controller.map(|index| tree.cell(index, "#interrupt-cells"));
        let cells = cells.and_then(Result::ok).flatten();
        cells.unwrap_or(1).max(1) as usize
    }
}

/// The byte order of a blob's device that was added once, on a bus of a byte order.
pub(crate) fn order_of_added(blob: &[u8], bus: Endianness) -> Endianness {
    let fragment = Fragment::parse(blob).ok();
    fragment
        .and_then(|fragment| fragment.order(bus).ok())
        .unwrap_or(bus)
}

/// The device of a blob that was added once.
pub(crate) fn device_of(blob: &[u8]) -> Option<Box<dyn Device>> {
    let (_, device) = Fragment::parse(blob).ok()?.build().ok()?;
    Some(device)
}

impl Fragment {
    fn parse(blob: &[u8]) -> Result<Fragment, PlatformError> {
        let tree = Tree::parse(blob, FRAGMENT)?;
        let devices: Vec<NodeIndex> = tree
            .indices()
            .filter(|&index| tree.has(index, "reg"))
            .collect();
        match devices[..] {
            [index] => Ok(Fragment { tree, index }),
            _ => {
                let reason = format!("{} nodes have it", devices.len());
                let remedy = "give a tree of one device";
                Err(property_error("/", "reg", reason, remedy).into())
            }
        }
    }

    fn name(&self) -> String {
        self.tree.short_name(self.index)
    }

    fn order(&self, bus: Endianness) -> Result<Endianness, BuildError> {
        order_of(&self.tree, self.index, bus)
    }

    fn build(&self) -> Result<(&'static Description, Box<dyn Device>), BuildError> {
        let Fragment { tree, index } = self;
        let model = model_of(tree, *index).ok_or_else(|| {
            let reason = format!("no model for {:?}", tree.compatible(*index));
            let remedy = "`socscope devices` lists the models";
            property_error(&tree.node(*index).path, "compatible", reason, remedy)
        })?;
        check(tree)?;
        let regions = BTreeMap::new();
        let view = NodeView {
            tree,
            index: *index,
            regions: &regions,
        };
        Ok((model.description, (model.build)(&view)?))
    }
}
