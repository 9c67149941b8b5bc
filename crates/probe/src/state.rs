//! A profile as plain data, for checkpoints and forks.

use crate::contexts::{Contexts, Node};
use crate::counts::Counts;
use crate::dma::DmaLog;
use crate::frames::{Frame, Frames};
use crate::functions::Functions;
use crate::interrupts::InterruptLog;
use crate::profile::{Profile, RegisterAccess};
use crate::window::{Span, Window};
use serde::{Deserialize, Serialize};
use socscope_jit::shared::Tracking;
use socscope_machine::Machine;
use socscope_memory::RegionIndex;
use std::collections::BTreeMap;
use thiserror::Error;

/// All that a profile knows, but the functions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ProfileState {
    nodes: Vec<Node>,
    counts: Vec<Counts>,
    frames: Vec<Frame>,
    current: Frame,
    registers: BTreeMap<RegisterAccess, u64>,
    dma: DmaLog,
    interrupts: InterruptLog,
    window: Window,
    counting: bool,
    spans: Vec<Span>,
    /// Instructions of the open span.
    instructions: u64,
    /// An address in the function that runs.
    address: u32,
    /// Where the last instruction was fetched from.
    region: RegionIndex,
    cycle: u64,
    interrupt_entry: bool,
}

/// A saved profile that no machine of this kind can have had.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum ProfileStateError {
    /// The counters are those of another map.
    #[error(
        "the profile counts {saved} regions, the machine has {regions}: restore it with the platform that it was saved with"
    )]
    Regions {
        /// Regions of the profile.
        saved: usize,
        /// Regions of the machine.
        regions: usize,
    },
    /// Contexts and counters do not belong together.
    #[error("the profile has {nodes} contexts and counters of {counts}: the checkpoint is damaged")]
    Counts {
        /// Contexts.
        nodes: usize,
        /// Counters.
        counts: usize,
    },
    /// A context whose caller comes later, or that stands there twice.
    #[error("the profile's context {0} has no place among its callers: the checkpoint is damaged")]
    Context(usize),
    /// A frame, counter or access of a context that does not exist or does not fit.
    #[error(
        "the profile refers to context {0}, which does not exist or is another function's: the checkpoint is damaged"
    )]
    Node(u32),
    /// A device that does not exist.
    #[error(
        "the profile refers to device {0}, which the machine does not have: restore it with the platform that it was saved with"
    )]
    Device(u16),
    /// A region that does not exist.
    #[error(
        "the profile refers to region {0}, which the machine does not have: restore it with the platform that it was saved with"
    )]
    Region(u16),
    /// Counting is on and no span is open.
    #[error("the profile counts in no span: the checkpoint is damaged")]
    Span,
}

impl Profile {
    /// All that is known so far.
    pub fn save(&self) -> ProfileState {
        let (frames, current) = self.contexts.frames().parts(self.nodes());
        ProfileState {
            nodes: self.nodes().to_vec(),
            counts: self.counts(),
            frames,
            current,
            registers: self.registers.clone(),
            dma: self.dma.clone(),
            interrupts: self.interrupts.clone(),
            window: self.window,
            counting: self.counting,
            spans: self.spans.clone(),
            instructions: self.contexts.tracking().instructions(),
            address: self.range.start,
            region: self.contexts.tracking().executing_region(),
            cycle: self.cycle,
            interrupt_entry: self.interrupt_entry,
        }
    }

    /// Goes on where a profile was saved. `machine` is in the state, and `functions` are those, that it had then.
    ///
    /// # Errors
    /// The state does not fit the machine, or its parts do not fit each other.
    pub fn restore(
        machine: &Machine,
        functions: Functions,
        state: ProfileState,
    ) -> Result<Profile, ProfileStateError> {
        state.check(machine)?;
        let ProfileState {
            nodes,
            counts,
            frames,
            current,
            registers,
            dma,
            interrupts,
            window,
            counting,
            spans,
            instructions,
            address,
            region,
            cycle,
            interrupt_entry,
        } = state;
        let mut tracking = Tracking::new(machine.regions().len(), nodes[0].function.0);
        for (node, counts) in counts.iter().enumerate() {
            if node > 0 {
                tracking.add_node(nodes[node].function.0);
            }
            counts.put(&mut tracking, node as u32);
        }
        tracking.set_instructions(instructions);
        let mut frames = Frames::from_parts(frames, current, tracking);
        frames.tracking.executes(region);
        let mut profile = Profile::new(machine, functions, window);
        profile.range = profile.functions.range_of(address);
        profile.contexts = Contexts::from_parts(nodes, frames);
        profile.registers = registers;
        profile.dma = dma;
        profile.interrupts = interrupts;
        profile.counting = counting;
        profile.spans = spans;
        profile.cycle = cycle;
        profile.interrupt_entry = interrupt_entry;
        profile
            .interpreted
            .extend(profile.interrupts.expected_handler());
        Ok(profile)
    }
}

impl ProfileState {
    /// The calling contexts by index.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    fn check(&self, machine: &Machine) -> Result<(), ProfileStateError> {
        let (nodes, counts) = (self.nodes.len(), self.counts.len());
        if nodes != counts || nodes == 0 {
            return Err(ProfileStateError::Counts { nodes, counts });
        }
        let regions = machine.regions().len();
        for counts in &self.counts {
            let saved = counts.regions();
            if saved > regions {
                return Err(ProfileStateError::Regions { saved, regions });
            }
        }
        let mut steps = BTreeMap::new();
        for (index, node) in self.nodes.iter().enumerate() {
            let step = (node.parent, node.function, node.entry);
            let late = node.parent.is_some_and(|parent| parent.0 as usize >= index);
            if late || steps.insert(step, index).is_some() {
                return Err(ProfileStateError::Context(index));
            }
        }
        for frame in self.frames.iter().chain([&self.current]) {
            let node = self.nodes.get(frame.node.0 as usize);
            if node.is_none_or(|node| node.function != frame.key.0) {
                return Err(ProfileStateError::Node(frame.node.0));
            }
        }
        for node in self.registers.keys().map(|access| access.node) {
            if node.0 as usize >= nodes {
                return Err(ProfileStateError::Node(node.0));
            }
        }
        let devices = machine.devices().count();
        let registers = self.registers.keys().map(|access| access.device);
        let transfers = self.dma.transfers().map(|transfer| transfer.device);
        for device in registers
            .chain(transfers)
            .chain(self.interrupts.controllers())
        {
            if usize::from(device) >= devices {
                return Err(ProfileStateError::Device(device));
            }
        }
        let transfers = self.dma.transfers().map(|transfer| transfer.region);
        for region in transfers.chain([self.region]) {
            if usize::from(region.0) >= regions {
                return Err(ProfileStateError::Region(region.0));
            }
        }
        if self.counting && self.spans.is_empty() {
            return Err(ProfileStateError::Span);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
