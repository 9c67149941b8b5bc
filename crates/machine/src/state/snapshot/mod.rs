//! The complete state of a machine at one moment, kept in memory.

mod check;
mod devices;
mod error;
mod saved;

pub use error::RestoreError;

use crate::boot::linked::{Linked, PARTS_MAX};
use crate::boot::others::OtherStarts;
use crate::machine::Machine;
use crate::platform::origin::Origin;
use crate::running::core_cycles::CoreRecord;
use crate::system::bus::SystemBus;
use saved::{Saved, SavedDevice, SavedPort, SavedTraces, decode, encode};
use std::sync::Arc;

/// The section of where cores behind the first start that have images of their own; there is none where none has.
const OTHER_STARTS: &str = "other_starts";
/// The section of what was linked for which address; there is none where the map after the remap says all.
const LINKED: &str = "linked";
/// The largest section that holds no bytes of memories or folders.
const SECTION_BYTES_MAX: u64 = 256 << 20;
/// The largest one that holds folders.
const LARGE_SECTION_BYTES_MAX: u64 = 1 << 30;

/// A machine's state. It costs little: memory is shared with the machine until it is written, and between copies everything is.
#[derive(Clone)]
pub struct Snapshot {
    origin: Arc<Origin>,
    saved: Arc<Saved>,
    core_records: Arc<[CoreRecord]>,
    linked: Linked,
    other_starts: OtherStarts,
    bytes: usize,
}

impl Machine {
    /// The complete state now, between two runs.
    pub fn snapshot(&mut self) -> Snapshot {
        let turn = self.saved_turn();
        let Machine {
            origin,
            platform: _,
            processors,
            core_records,
            cycle,
            reached: _,
            clocks: _,
            turn_end: _,
            quantum_cycles: _,
            bus,
            marks,
            at_reset: _,
            nominal: _,
            image_map_wanted: _,
            linked,
            start,
            other_starts,
            loaded: _,
            console: _,
            engine: _,
            translators: _,
            inputs,
            reaching: _,
        } = self;
        let SystemBus {
            space,
            slots,
            events,
            wiring,
            ports,
            core_clock: _,
            turn_clock: _,
            first_order: _,
            turn_order: _,
            turn_exceptions: _,
            core: _,
            turn: _,
            turn_broken: _,
            signals,
            unmapped_is_error: _,
            stall_cycles,
            written: _,
            attention,
            exceptions,
            failure,
            given: _,
            log,
            tracing,
            // Each run asks for it anew, and no core reads registers between two.
            tracing_registers: _,
            traces,
            traces_urgent,
            told_map: _,
            run_limit_cycle: _,
            deadline_cycle: _,
            next_event: _,
            effects: _,
        } = bus;
        let unshared_bytes = space.unshared_bytes();
        let saved = Saved {
            turn,
            signals: signals[..processors.len()].into(),
            processors: processors.clone(),
            cycle: *cycle,
            stall_cycles: *stall_cycles,
            attention: attention.clone(),
            exceptions: exceptions.clone(),
            start: start.clone(),
            memory: space.share(),
            devices: slots.iter().map(SavedDevice::of).collect(),
            events: events.clone(),
            lines: wiring.clone(),
            ports: ports.iter().map(SavedPort::of).collect(),
            failure: failure.clone(),
            log: log.clone(),
            marks: marks.clone(),
            inputs: inputs.clone(),
            traces: SavedTraces {
                wanted: *tracing,
                waiting: traces.clone(),
                urgent: *traces_urgent,
            },
        };
        Snapshot {
            origin: origin.clone(),
            bytes: unshared_bytes + saved.bytes(),
            core_records: core_records.as_slice().into(),
            linked: linked.clone(),
            other_starts: other_starts.clone(),
            saved: Arc::new(saved),
        }
    }

    /// Goes back to a state of this machine, or takes that of another one built from the same device tree. When it cannot be taken,
    /// nothing changes.
    ///
    /// # Errors
    /// States of other platforms, and devices that were added to the machine and are missing in this one.
    pub fn restore(&mut self, snapshot: &Snapshot) -> Result<(), RestoreError> {
        if !Arc::ptr_eq(&self.origin, &snapshot.origin) && self.origin != snapshot.origin {
            return Err(RestoreError::OtherPlatform {
                expected: self.platform.clone(),
                found: snapshot.origin.platform.clone(),
            });
        }
        let saved = &*snapshot.saved;
        self.check(saved)?;
        let mut plan = self.plan_devices(&saved.devices)?;
        self.restore_devices(&mut plan, &saved.devices)?;
        self.bus.space.restore(&saved.memory)?;
        self.arrange_devices(plan, &saved.devices);
        self.take(saved);
        self.core_records = snapshot.core_records.to_vec();
        self.linked.clone_from(&snapshot.linked);
        self.other_starts.clone_from(&snapshot.other_starts);
        self.loaded.clear();
        Ok(())
    }

    /// Takes what cannot fail.
    fn take(&mut self, saved: &Saved) {
        let Saved {
            processors,
            turn,
            signals,
            cycle,
            stall_cycles,
            attention,
            exceptions,
            start,
            memory: _,
            devices: _,
            events,
            lines,
            ports,
            failure,
            log,
            marks,
            inputs,
            traces,
        } = saved;
        self.processors.clone_from(processors);
        self.cycle = *cycle;
        self.note_reached();
        self.turn_end = turn.end;
        self.give_turn(usize::from(turn.core));
        self.start.clone_from(start);
        self.marks.clone_from(marks);
        self.inputs.clone_from(inputs);
        let bus = &mut self.bus;
        bus.turn_broken = false;
        bus.signals[..signals.len()].copy_from_slice(signals);
        bus.stall_cycles = *stall_cycles;
        bus.written.clear();
        bus.attention.clone_from(attention);
        bus.exceptions.clone_from(exceptions);
        bus.failure.clone_from(failure);
        bus.events.clone_from(events);
        bus.wiring.clone_from(lines);
        bus.log.clone_from(log);
        for (port, saved) in bus.ports.iter_mut().zip(ports) {
            *port = saved.port();
        }
        bus.tracing = traces.wanted;
        bus.traces.clone_from(&traces.waiting);
        bus.traces_urgent = traces.urgent;
        bus.effects.clear();
        bus.refresh_deadline();
    }

    /// A second machine in the same state, that goes its own way from here. Memory is shared until one of them writes it.
    ///
    /// # Errors
    /// Devices that were added and of which there cannot be another.
    pub fn fork(&mut self) -> Result<Machine, RestoreError> {
        let snapshot = self.snapshot();
        let mut machine = self.sibling()?;
        machine.restore(&snapshot)?;
        Ok(machine)
    }

    /// A second machine as this one was built, without an image, that was given the same devices.
    ///
    /// # Errors
    /// Platforms that cannot be built a second time.
    pub fn sibling(&self) -> Result<Machine, RestoreError> {
        let mut machine = Machine::from_origin(self.origin.clone())?;
        machine.engine = self.engine;
        machine.translators = self.translators.sibling();
        let added = self.bus.slots.iter().filter(|slot| slot.added());
        let added = added.map(|slot| (slot.name.as_str(), slot.model.as_ref()));
        for (name, model) in self.bus.given.iter().chain(added) {
            if let Some(model) = model.another() {
                machine.give_device(name, model);
            }
        }
        Ok(machine)
    }
}

impl Snapshot {
    /// Host memory that is held for this state alone, about, when the machine goes on to change all that it has changed before.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Name of the platform.
    pub fn platform(&self) -> &str {
        &self.origin.platform
    }

    /// The device tree of the machine, before the overrides.
    pub fn device_tree(&self) -> &[u8] {
        &self.origin.blob
    }

    /// The overrides of the machine.
    pub fn overrides(&self) -> &[String] {
        &self.origin.overrides
    }

    /// Core cycle of the state.
    pub fn cycle(&self) -> u64 {
        self.saved.cycle
    }

    /// Name and kind of the devices that were added to the machine, in the order of their coming.
    pub fn added_devices(&self) -> impl Iterator<Item = (&str, &str)> {
        let added = self.saved.devices.iter().filter(|device| device.added());
        added.map(|device| (device.name.as_str(), device.title.as_str()))
    }

    /// How many bytes a section of a state of this machine can have: the memories are those of the platform, and all else is bounded.
    pub fn section_bytes_max(machine: &Machine, section: &str) -> u64 {
        match section {
            "memory" => machine.bus.space.image_bytes_max(),
            // Folders that are shared with the guest are in both, as a whole.
            "devices" | "inputs" => LARGE_SECTION_BYTES_MAX,
            _ => SECTION_BYTES_MAX,
        }
    }

    /// The state as named sections, in a stable encoding.
    pub fn sections(&self) -> Vec<(&'static str, Vec<u8>)> {
        let mut sections = self.saved.sections();
        if self.linked != Linked::default() {
            sections.push((LINKED, encode(&self.linked)));
        }
        if !self.other_starts.is_empty() {
            sections.push((OTHER_STARTS, encode(&self.other_starts)));
        }
        sections
    }

    /// A state from its sections, which are asked for one after the other, for a machine of the same device tree as `machine`.
    ///
    /// # Errors
    /// The first section that is missing or does not fit this version.
    pub fn from_sections<B: AsRef<[u8]>>(
        machine: &Machine,
        mut section: impl FnMut(&str) -> Option<B>,
    ) -> Result<Snapshot, RestoreError> {
        let saved = Saved::from_sections(&mut section)?;
        let linked = match section(LINKED) {
            Some(bytes) => decode(LINKED, Some(bytes))?,
            None => Linked::default(),
        };
        let other_starts = match section(OTHER_STARTS) {
            Some(bytes) => decode(OTHER_STARTS, Some(bytes))?,
            None => OtherStarts::default(),
        };
        let cores = saved.processors.len();
        if other_starts
            .0
            .keys()
            .any(|&core| core == 0 || usize::from(core) >= cores)
        {
            return Err(RestoreError::Section {
                section: OTHER_STARTS.into(),
                reason: "are of a core that is not there".into(),
            });
        }
        if linked.parts.len() > PARTS_MAX {
            return Err(RestoreError::Section {
                section: LINKED.into(),
                reason: format!("has more than {PARTS_MAX} parts"),
            });
        }
        Ok(Snapshot {
            origin: machine.origin.clone(),
            bytes: saved.bytes(),
            core_records: CoreRecord::begin(&saved.processors).into(),
            linked,
            other_starts,
            saved: Arc::new(saved),
        })
    }
}

impl std::fmt::Debug for Snapshot {
    fn fmt(&self, formatter: &mut std::fmt::Formatter) -> std::fmt::Result {
        write!(formatter, "{} at cycle {}", self.platform(), self.cycle())
    }
}
