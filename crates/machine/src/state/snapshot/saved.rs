//! The parts of a state, and how they are written down.

use super::error::RestoreError;
use crate::boot::start::Start;
use crate::inputs::input_log::InputLog;
use crate::running::exception_trail::{ExceptionTrail, ExceptionTrails};
use crate::running::observer::Marks;
use crate::running::processor::Processor;
use crate::running::signals::Signals;
use crate::running::turns::Turn;
use crate::system::bus::{Attention, Slot};
use crate::system::failure::Failure;
use crate::system::log::Log;
use crate::system::port::{CharacterLog, Port};
use crate::system::wiring::Wiring;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use socscope_device::{DeviceEvent, TraceEvent};
use socscope_memory::SpaceImage;
use socscope_time::{EventQueue, Instant};
use std::collections::VecDeque;
use std::sync::Arc;

/// Declares the parts; each is a section of its own name.
macro_rules! parts {
    ($($(#[$meaning:meta])* $part:ident: $kind:ty,)*) => {
        /// A machine's state.
        pub(super) struct Saved {
            $($(#[$meaning])* pub $part: $kind,)*
        }

        impl Saved {
            /// All parts by name.
            pub fn encode(&self) -> Vec<(&'static str, Vec<u8>)> {
                let Saved { $($part,)* } = self;
                vec![$((stringify!($part), encode($part)),)*]
            }

            /// The state from its parts.
            pub fn decode<B: AsRef<[u8]>>(
                mut part: impl FnMut(&str) -> Option<B>,
            ) -> Result<Saved, RestoreError> {
                Ok(Saved {
                    $($part: decode(stringify!($part), part(stringify!($part)))?,)*
                })
            }
        }
    };
}

parts! {
    /// Each core: registers, translation buffers, what its timing model remembers, its cycle.
    processors: Vec<Processor>,
    /// Which core has its turn, and up to which cycle.
    turn: Turn,
    /// Lines to the cores, and whether the cores work.
    signals: Vec<Signals>,
    /// The cycle that all cores have reached.
    cycle: u64,
    /// Cycles for which DMA still holds the bus.
    stall_cycles: u64,
    /// What the machine looks at before the next instruction: marks, resets, calls of devices.
    attention: VecDeque<Attention>,
    /// Faults of the first core in a row: a guest that is stuck is found by them.
    exceptions: ExceptionTrails,
    /// Where a reset starts the image, and with what.
    start: Option<Start>,
    /// Address map and all memories; pages that hold only zeros take no place.
    memory: SpaceImage,
    /// Each device: name, path of its node (none for one that was added), what it is, its clock, its state.
    devices: Vec<SavedDevice>,
    /// Events that are pending, with their times.
    events: EventQueue<DeviceEvent>,
    /// Lines between devices and to the cores, with their levels.
    lines: Wiring,
    /// Link ports: what waits in them, bit errors with their random numbers, all characters so far.
    ports: Vec<SavedPort>,
    /// The failure of a model that ended the run.
    failure: Option<Failure>,
    /// Warnings so far.
    log: Log,
    /// Marks that the guest has passed.
    marks: Marks,
    /// All that has come from outside, each with its moment.
    inputs: InputLog,
    /// What probes are still to be told.
    traces: SavedTraces,
}

/// A device's state.
#[derive(Serialize, Deserialize)]
pub(super) struct SavedDevice {
    pub name: String,
    /// Path of its node; empty when it was added.
    pub path: String,
    /// The device tree by which it was added; empty when it was not, or is code of its own.
    pub node: Arc<[u8]>,
    pub title: String,
    pub clock_hz: u64,
    pub latest: Instant,
    #[serde(with = "serde_bytes")]
    pub state: Vec<u8>,
}

/// A port with its records.
#[derive(Serialize, Deserialize)]
pub(super) struct SavedPort {
    port: Port,
    output: VecDeque<(Instant, u8)>,
    log: CharacterLog,
}

/// What probes are still to be told.
#[derive(Serialize, Deserialize)]
pub(super) struct SavedTraces {
    pub wanted: bool,
    pub waiting: Vec<(u16, Instant, TraceEvent)>,
    pub urgent: bool,
}

/// The section of what records do not keep any more; there is none while they keep everything.
const LEFT_OUT: &str = "left_out";
/// The section of faults in a row on cores behind the first; there is none where there are none.
const OTHERS_EXCEPTIONS: &str = "exceptions_of_others";

impl Saved {
    /// All sections.
    pub fn sections(&self) -> Vec<(&'static str, Vec<u8>)> {
        let mut sections = self.encode();
        let ports = self.ports.iter().map(|port| port.log.left_out());
        let left_out: Vec<usize> = std::iter::once(self.marks.left_out())
            .chain(ports)
            .collect();
        if left_out.iter().any(|&count| count > 0) {
            sections.push((LEFT_OUT, encode(&left_out)));
        }
        let others = self.exceptions.others();
        if !others.is_empty() {
            sections.push((OTHERS_EXCEPTIONS, encode(&others)));
        }
        sections
    }

    /// The state from its sections.
    pub fn from_sections<B: AsRef<[u8]>>(
        mut section: impl FnMut(&str) -> Option<B>,
    ) -> Result<Saved, RestoreError> {
        let mut saved = Saved::decode(&mut section)?;
        if let Some(bytes) = section(OTHERS_EXCEPTIONS) {
            let others: Vec<ExceptionTrail> = decode(OTHERS_EXCEPTIONS, Some(bytes))?;
            if !saved.exceptions.set_others(others) {
                return Err(RestoreError::Section {
                    section: OTHERS_EXCEPTIONS.into(),
                    reason: "are of cores that are not there".into(),
                });
            }
        }
        if let Some(bytes) = section(LEFT_OUT) {
            let left_out: Vec<usize> = decode(LEFT_OUT, Some(bytes))?;
            let mut counts = left_out.into_iter();
            let of_marks = counts.next().unwrap_or_default();
            let mut fits = saved.marks.set_left_out(of_marks);
            for (port, count) in saved.ports.iter_mut().zip(counts) {
                fits &= port.log.set_left_out(count);
            }
            if !fits {
                return Err(RestoreError::Section {
                    section: LEFT_OUT.into(),
                    reason: "something is left out of a list that is not full".into(),
                });
            }
        }
        Ok(saved)
    }

    /// Host memory beside that of the guest, about.
    pub fn bytes(&self) -> usize {
        let devices = self.devices.iter().map(|device| device.state.len() + 200);
        4096 + devices.sum::<usize>()
    }
}

impl SavedDevice {
    pub fn of(slot: &Slot) -> SavedDevice {
        let Slot {
            name,
            path,
            node,
            model,
            clock,
            order: _,
            latest,
        } = slot;
        SavedDevice {
            name: name.clone(),
            path: path.clone(),
            node: node.clone(),
            title: model.description().title.into(),
            clock_hz: clock.hz(),
            latest: *latest,
            state: model.save(),
        }
    }

    /// Whether it is no part of the platform.
    pub fn added(&self) -> bool {
        self.path.is_empty()
    }

    /// Name and kind, for messages.
    pub fn identity(&self) -> String {
        identity(&self.name, &self.title)
    }
}

/// Name and kind of a device, for messages.
pub(super) fn identity(name: &str, title: &str) -> String {
    format!("{name} ({title})")
}

impl SavedPort {
    pub fn of(port: &Port) -> SavedPort {
        let mut port = port.clone();
        SavedPort {
            output: std::mem::take(&mut port.output),
            log: std::mem::take(&mut port.log),
            port,
        }
    }

    pub fn port(&self) -> Port {
        Port {
            output: self.output.clone(),
            log: self.log.clone(),
            ..self.port.clone()
        }
    }

    /// Device, number and name, which belong to the platform.
    pub fn identity(&self) -> (u16, u32, &str) {
        (self.port.device, self.port.index, &self.port.name)
    }
}

pub(super) fn encode<T: Serialize>(part: &T) -> Vec<u8> {
    match postcard::to_allocvec(part) {
        Ok(bytes) => bytes,
        Err(error) => unreachable!("every part of the state has a length: {error}"),
    }
}

pub(super) fn decode<T: DeserializeOwned>(
    name: &str,
    bytes: Option<impl AsRef<[u8]>>,
) -> Result<T, RestoreError> {
    let refuse = |reason: String| RestoreError::Section {
        section: name.into(),
        reason,
    };
    let bytes = bytes.ok_or_else(|| refuse("is missing".into()))?;
    match postcard::take_from_bytes(bytes.as_ref()) {
        Ok((part, [])) => Ok(part),
        Ok((_, rest)) => Err(refuse(format!("{} bytes too many", rest.len()))),
        Err(error) => Err(refuse(format!("cannot be read by this version: {error}"))),
    }
}
