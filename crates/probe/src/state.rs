//! A profile as plain data, for checkpoints and forks.

mod greatest;

use crate::contexts::{Contexts, Entry, Node};
use crate::counts::Counts;
use crate::dma::{DmaLog, DmaTransfer};
use crate::frames::{FRAMES_MAX, Frame, Frames, Interrupted};
use crate::functions::Functions;
use crate::interrupts::InterruptLog;
use crate::profile::{Code, CoreProfile, Kernel, Profile, RegisterAccess};
use crate::window::{Span, Window};
use greatest::COUNT_MAX;
use serde::{Deserialize, Serialize};
use socscope_jit::shared::Tracking;
use socscope_machine::Machine;
use socscope_memory::RegionIndex;
use std::collections::BTreeMap;
use thiserror::Error;

/// All that a profile knows, but the functions. Its own layout is that of one core: see [`More`].
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
    #[serde(skip)]
    more: More,
    #[serde(skip)]
    folded: Folded,
    #[serde(skip)]
    entries: Entries,
    #[serde(skip)]
    interruptions: Interruptions,
}

/// What was counted together because there was too much of it to tell apart. Saved apart, and only where there is any.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Folded {
    /// Sums of DMA transfers, each with how many it is of.
    transfers: Vec<(DmaTransfer, u64)>,
    /// By core: spans that were added to the last one, and how often all frames were forgotten.
    cores: Vec<(u64, u64)>,
}

/// How often contexts were entered, by core; empty where that was not counted from the beginning. Saved apart, and only where it is known:
/// files without it can be read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entries(Vec<Vec<u64>>);

/// Interrupted code that has not gone on, by core. Saved apart, and only where there is any.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Interruptions(Vec<Interrupted>);

/// What profiles once did not have, saved apart from them: files without it can be read.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct More {
    /// Cores behind the first.
    others: Vec<ProfileState>,
    /// By core; `None` where exceptions were not counted from the beginning.
    exceptions: Option<Vec<BTreeMap<u8, u64>>>,
    kernel: Option<Kernel>,
}

/// A saved profile that no machine of this kind can have had.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum ProfileStateError {
    /// The counts are those of a machine with other cores.
    #[error(
        "the profile counts {saved} cores, the machine has {cores}: restore it with the platform that it was saved with"
    )]
    Cores {
        /// Cores of the profile.
        saved: usize,
        /// Cores of the machine.
        cores: usize,
    },
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
    /// A frame that returns where none of its kind does.
    #[error(
        "the profile's frame of context {0} returns to {1:#x}, where none of its kind does: the checkpoint is damaged"
    )]
    Return(u32, u32),
    /// More frames than any profile keeps.
    #[error("the profile has {0} frames, more than any keeps: the checkpoint is damaged")]
    Frames(usize),
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
    /// A count that no run reaches.
    #[error("the profile has counted up to {0}, more than any run does: the checkpoint is damaged")]
    Greatest(u64),
    /// Counting is on and no span is open.
    #[error("the profile counts in no span: the checkpoint is damaged")]
    Span,
}

impl Profile {
    /// All that is known so far.
    pub fn save(&self) -> ProfileState {
        let exceptions = self.cores.iter().map(|core| core.exceptions.clone());
        let entries = self.cores.iter().map(CoreProfile::entries);
        let more = More {
            others: self.cores[1..]
                .iter()
                .map(|core| core.save(self.window))
                .collect(),
            exceptions: exceptions.collect(),
            kernel: self.kernel().cloned(),
        };
        ProfileState {
            dma: self.dma.clone(),
            more,
            folded: self.folded(),
            entries: Entries(entries.collect::<Option<_>>().unwrap_or_default()),
            interruptions: self.interruptions(),
            ..self.cores[0].save(self.window)
        }
    }

    fn interruptions(&self) -> Interruptions {
        let of_core = |core: &CoreProfile| core.contexts.frames().interrupted(core.nodes());
        let all: Vec<Interrupted> = self.cores.iter().map(of_core).collect();
        let any = all.iter().any(|interrupted| !interrupted.is_empty());
        Interruptions(if any { all } else { vec![] })
    }

    fn folded(&self) -> Folded {
        let of_core = |core: &CoreProfile| (core.spans_folded, core.contexts.frames().forgotten);
        let cores: Vec<_> = self.cores.iter().map(of_core).collect();
        let any = cores.iter().any(|&counts| counts != (0, 0));
        let transfers = self.dma.folded();
        Folded {
            transfers: transfers.map(|(sum, count)| (*sum, count)).collect(),
            cores: if any { cores } else { vec![] },
        }
    }

    /// Goes on where a profile was saved. `machine` is in the state, and `functions` are those, that it had then.
    ///
    /// # Errors
    /// The state does not fit the machine, or its parts do not fit each other.
    pub fn restore(
        machine: &Machine,
        functions: Functions,
        mut state: ProfileState,
    ) -> Result<Profile, ProfileStateError> {
        let greatest = state.more.greatest().max(state.entries.greatest());
        if greatest > COUNT_MAX {
            return Err(ProfileStateError::Greatest(greatest));
        }
        let More {
            others,
            exceptions,
            kernel,
        } = std::mem::take(&mut state.more);
        let folded = std::mem::take(&mut state.folded);
        let Entries(entries) = std::mem::take(&mut state.entries);
        let Interruptions(mut interrupted) = std::mem::take(&mut state.interruptions);
        interrupted.resize_with(machine.cores(), Interrupted::new);
        let (window, mut dma) = (state.window, std::mem::take(&mut state.dma));
        dma.set_folded(folded.transfers);
        let states: Vec<ProfileState> = std::iter::once(state).chain(others).collect();
        let counted = exceptions.as_ref().map_or(states.len(), Vec::len);
        let cores = machine.cores();
        for saved in [states.len(), counted] {
            if saved != cores {
                return Err(ProfileStateError::Cores { saved, cores });
            }
        }
        for (number, state) in states.iter().enumerate() {
            state.check(machine, &dma)?;
            if let Some(entries) = entries.get(number) {
                let (nodes, counts) = (state.nodes.len(), entries.len());
                if nodes != counts {
                    return Err(ProfileStateError::Counts { nodes, counts });
                }
            }
        }
        let mut profile = Profile::of_kernel(machine, functions, window, kernel);
        profile.dma = dma;
        for (number, state) in states.into_iter().enumerate() {
            let core = &mut profile.cores[number];
            let interrupted = std::mem::take(&mut interrupted[number]);
            core.restore(
                (number, &mut profile.code),
                machine.regions().len(),
                state,
                interrupted,
            );
            core.exceptions = exceptions.as_ref().map(|all| all[number].clone());
            let (spans, forgotten) = folded.cores.get(number).copied().unwrap_or_default();
            core.spans_folded = spans;
            core.contexts.set_forgotten(forgotten);
            core.set_entries(entries.get(number));
            if let Some(handler) = core.interrupts.expected_handler() {
                profile.interpret(handler);
            }
        }
        Ok(profile)
    }
}

impl CoreProfile {
    fn save(&self, window: Window) -> ProfileState {
        let (frames, current) = self.contexts.frames().parts(self.nodes());
        ProfileState {
            nodes: self.nodes().to_vec(),
            counts: self.counts(),
            frames,
            current,
            registers: self.registers.all(),
            dma: DmaLog::default(),
            interrupts: self.interrupts.clone(),
            window,
            counting: self.counting,
            spans: self.spans.clone(),
            instructions: self.contexts.tracking().instructions(),
            address: self.range.start,
            region: self.contexts.tracking().executing_region(),
            cycle: self.cycle,
            interrupt_entry: self.interrupt_entry,
            more: More::default(),
            folded: Folded::default(),
            entries: Entries::default(),
            interruptions: Interruptions::default(),
        }
    }

    /// Goes on from these entries, of contexts that are there.
    fn set_entries(&mut self, entries: Option<&Vec<u64>>) {
        self.entries_known = entries.is_some();
        let tracking = self.contexts.tracking_mut();
        for (node, &times) in entries.into_iter().flatten().enumerate() {
            tracking.set_entered(node as u32, times);
        }
        tracking.count_entries(self.counting);
    }

    /// Takes a state that was checked.
    fn restore(
        &mut self,
        (number, code): (usize, &mut Code),
        regions: usize,
        state: ProfileState,
        interrupted: Interrupted,
    ) {
        let nodes = state.nodes;
        let mut tracking = Tracking::new(regions, nodes[0].function.0);
        for (node, counts) in state.counts.iter().enumerate() {
            if node > 0 {
                tracking.add_node(nodes[node].function.0);
            }
            counts.put(&mut tracking, node as u32);
        }
        tracking.set_instructions(state.instructions);
        let mut frames = Frames::from_parts(state.frames, interrupted, state.current, tracking);
        frames.tracking.executes(state.region);
        self.begin_at(number, code, state.address);
        self.contexts = Contexts::from_parts(nodes, frames);
        self.registers = state.registers.into();
        self.interrupts = state.interrupts;
        self.counting = state.counting;
        self.spans = state.spans;
        self.cycle = state.cycle;
        self.interrupt_entry = state.interrupt_entry;
    }
}

impl ProfileState {
    /// The calling contexts by index.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// What one core's state does not say.
    pub fn more(&self) -> &More {
        &self.more
    }

    /// The same state with what was saved apart from it.
    pub fn with_more(self, more: More) -> ProfileState {
        ProfileState { more, ..self }
    }

    /// What was counted together.
    pub fn folded(&self) -> &Folded {
        &self.folded
    }

    /// The same state with what was counted together, saved apart from it.
    pub fn with_folded(self, folded: Folded) -> ProfileState {
        ProfileState { folded, ..self }
    }

    /// How often contexts were entered.
    pub fn entries(&self) -> &Entries {
        &self.entries
    }

    /// The same state with how often contexts were entered, saved apart from it.
    pub fn with_entries(self, entries: Entries) -> ProfileState {
        ProfileState { entries, ..self }
    }

    /// Interrupted code that has not gone on.
    pub fn interruptions(&self) -> &Interruptions {
        &self.interruptions
    }

    /// The same state with interrupted code, saved apart from it.
    pub fn with_interruptions(self, interruptions: Interruptions) -> ProfileState {
        ProfileState {
            interruptions,
            ..self
        }
    }

    fn check(&self, machine: &Machine, dma: &DmaLog) -> Result<(), ProfileStateError> {
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
            let is_odd = frame.return_address & 1 != 0;
            let possible = match frame.entry {
                Entry::Call => !is_odd,
                Entry::Exception | Entry::Root => is_odd,
                Entry::Jump => true,
            };
            if !possible {
                let address = frame.return_address;
                return Err(ProfileStateError::Return(frame.node.0, address));
            }
        }
        if self.frames.len() > FRAMES_MAX {
            return Err(ProfileStateError::Frames(self.frames.len()));
        }
        for node in self.registers.keys().map(|access| access.node) {
            if node.0 as usize >= nodes {
                return Err(ProfileStateError::Node(node.0));
            }
        }
        let devices = machine.devices().count();
        let registers = self.registers.keys().map(|access| access.device);
        let transfers = dma.transfers().map(|transfer| transfer.device);
        for device in registers
            .chain(transfers)
            .chain(self.interrupts.controllers())
        {
            if usize::from(device) >= devices {
                return Err(ProfileStateError::Device(device));
            }
        }
        let transfers = dma.transfers().map(|transfer| transfer.region);
        for region in transfers.chain([self.region]) {
            if usize::from(region.0) >= regions {
                return Err(ProfileStateError::Region(region.0));
            }
        }
        if self.counting && self.spans.is_empty() {
            return Err(ProfileStateError::Span);
        }
        let greatest = self.greatest();
        if greatest > COUNT_MAX {
            return Err(ProfileStateError::Greatest(greatest));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
