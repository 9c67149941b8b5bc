//! What reaches a machine from outside. All of it goes through [`Machine::apply`] and is noted with its moment, so that a run can be
//! repeated without the world around it.

use crate::boot::{BootError, Handover};
use crate::machine::Machine;
use crate::platform::attach::{AttachError, Attachment};
use crate::platform::error::{LoadError, PlatformError};
use crate::system::bus::Attention;
use crate::system::port::Peer;
use serde::{Deserialize, Serialize};
use socscope_device::Waveform;
use thiserror::Error;

/// One influence from outside.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Input {
    /// Bytes for a serial port, sent in the guest's own format as soon as its receiver is on.
    Serial {
        /// Name of the port.
        port: String,
        /// The bytes.
        bytes: Vec<u8>,
    },
    /// A port leaves the host: from now on another machine is at the other end of its wire.
    Wire {
        /// Name of the port.
        port: String,
    },
    /// A character from another machine.
    Waveform {
        /// Name of the port.
        port: String,
        /// The levels of its wire.
        waveform: Waveform,
    },
    /// Random flips of bits on a port's wire, in both directions.
    BitErrors {
        /// Name of the port.
        port: String,
        /// Probability that a bit flips; zero switches it off.
        rate: f64,
        /// Seed of the random numbers.
        seed: u64,
    },
    /// The board around the chip drives an input line.
    Line {
        /// Name of the device, or of a core: `cpu1`.
        device: String,
        /// Name of its input line.
        line: String,
        /// The level.
        level: bool,
    },
    /// An attribute of a device that has such, as those written in Python.
    DeviceAttribute {
        /// Name of the device.
        device: String,
        /// Name of the attribute.
        name: String,
        /// Its value, in the device's own encoding.
        value: Vec<u8>,
    },
    /// A device is put into the machine, which was given it under this name before.
    Attach {
        /// Where it is put.
        attachment: Attachment,
        /// Its state before its reset: what its attributes are.
        state: Vec<u8>,
    },
    /// The device of a device-tree blob is put into the machine.
    AddNode {
        /// The blob.
        #[serde(with = "serde_bytes")]
        blob: Vec<u8>,
    },
    /// A device that was attached is taken out.
    Detach {
        /// Name of the device.
        device: String,
    },
    /// Memory is changed, ROM too.
    Poke {
        /// First address, in the map in force.
        address: u32,
        /// The bytes.
        bytes: Vec<u8>,
    },
    /// A register of the core whose turn it is is changed, by its number in the core's register file: as earlier versions noted it. What comes now names its
    /// core.
    Register {
        /// Its number.
        number: u8,
        /// Its value.
        value: u32,
    },
    /// A register of a core is changed, by its number in the core's register file.
    CoreRegister {
        /// Number of the core.
        core: u16,
        /// Number of the register.
        number: u8,
        /// Its value.
        value: u32,
    },
    /// A boot loader hands over an initial file system and a command line; before the machine runs.
    Boot(Handover),
    /// The reset button.
    Reset,
    /// A probe begins or ends to count. No influence on the machine, but on what a record says.
    Count {
        /// Whether it counts from now on.
        on: bool,
    },
    /// The image of a core is loaded; before the machine runs.
    Image {
        /// Number of the core.
        core: u16,
        /// Name of the file.
        name: String,
        /// The ELF file.
        #[serde(with = "serde_bytes")]
        bytes: Vec<u8>,
    },
    /// Memory is changed as a core sees it that has some of its own, ROM too.
    CorePoke {
        /// Number of the core.
        core: u16,
        /// First address, in the map in force.
        address: u32,
        /// The bytes.
        bytes: Vec<u8>,
    },
}

/// An input that a machine cannot take; nothing was changed.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum InputError {
    /// A name that the platform does not have.
    #[error(transparent)]
    Platform(#[from] PlatformError),
    /// Bytes for an address where no memory is.
    #[error("no memory at {address:#010x}: only the {written} bytes before it were written")]
    NoMemory {
        /// The first address without memory.
        address: u32,
        /// The bytes that were written.
        written: usize,
    },
    /// A core that the machine does not have.
    #[error("the machine has no core {core}; its cores are 0 to {last}")]
    NoCore {
        /// The number asked for.
        core: usize,
        /// The greatest that there is.
        last: usize,
    },
    /// A register that the core does not have.
    #[error("the core has no register {number}; its registers are {known}")]
    NoRegister {
        /// The number asked for.
        number: u8,
        /// The first and the last one.
        known: String,
    },
    /// A device cannot be put there, or not be taken out.
    #[error(transparent)]
    Attach(#[from] AttachError),
    /// A boot loader cannot do it.
    #[error(transparent)]
    Boot(#[from] BootError),
    /// An image cannot be loaded.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// A device does not take an attribute.
    #[error("{device}: {reason}")]
    Attribute {
        /// Name of the device.
        device: String,
        /// What the device says.
        reason: String,
    },
}

impl Machine {
    /// Applies an input between two instructions, and notes it.
    pub fn apply(&mut self, input: Input) -> Result<(), InputError> {
        match &input {
            Input::Serial { port, bytes } => {
                let index = self.port(port)?;
                self.bus.ports[index as usize].input.extend(bytes);
                let now = self.now();
                self.bus.offer_input(index, now);
            }
            Input::Wire { port } => {
                let index = self.port(port)?;
                self.wire(index);
                return Ok(());
            }
            Input::Waveform { port, waveform } => {
                let index = self.port(port)?;
                self.take_waveform(index, *waveform);
                return Ok(());
            }
            Input::BitErrors { port, rate, seed } => {
                let index = self.port(port)?;
                self.bus.ports[index as usize].disturb(*rate, *seed);
            }
            Input::Line {
                device,
                line,
                level,
            } => self.drive_input(device, line, *level)?,
            Input::DeviceAttribute {
                device,
                name,
                value,
            } => self.set_attribute(device, name, value)?,
            Input::Attach { attachment, state } => self.attach(attachment, state)?,
            Input::AddNode { blob } => self.attach_node(blob)?,
            Input::Detach { device } => self.detach(device)?,
            Input::Poke { address, bytes } => {
                let written = self.poke(*address, bytes);
                return all_written(*address, bytes, written);
            }
            Input::CorePoke {
                core,
                address,
                bytes,
            } => {
                let last = self.processors.len() - 1;
                let core = *core;
                if usize::from(core) > last {
                    let core = usize::from(core);
                    return Err(InputError::NoCore { core, last });
                }
                let written = self.poke_core(core, *address, bytes);
                return all_written(*address, bytes, written);
            }
            Input::CoreRegister {
                core,
                number,
                value,
            } => self.set_register(usize::from(*core), *number, *value)?,
            Input::Register { number, value } => self.set_register(self.turn(), *number, *value)?,
            Input::Boot(handover) => self.boot(handover)?,
            Input::Reset if self.is_loaded() => self.bus.attention.push_back(Attention::Reset),
            Input::Reset => self.reset(),
            Input::Count { .. } => {}
            Input::Image { core, name, bytes } => self.load_image(*core, bytes, name)?,
        }
        self.note(input);
        Ok(())
    }

    /// Notes an input that was applied at this moment, and lets it reach the cores.
    pub(crate) fn note(&mut self, input: Input) {
        let moment = self.moment();
        self.inputs.push(moment, input);
        self.reach_cores();
    }

    /// A port leaves the host.
    pub(crate) fn wire(&mut self, index: u16) {
        let port = &mut self.bus.ports[index as usize];
        port.peer = Peer::Machine { outgoing: vec![] };
        let port = port.name.clone();
        self.note(Input::Wire { port });
    }

    /// A character from another machine.
    pub(crate) fn take_waveform(&mut self, index: u16, waveform: Waveform) {
        let now = self.now();
        self.bus.deliver(index, now, waveform);
        let port = self.bus.ports[index as usize].name.clone();
        self.note(Input::Waveform { port, waveform });
    }

    /// Queues bytes for a port. They go onto the line in the guest's own format as soon as its receiver is on.
    pub fn serial_input(&mut self, port: &str, bytes: &[u8]) -> Result<(), InputError> {
        self.apply(Input::Serial {
            port: port.into(),
            bytes: bytes.into(),
        })
    }

    /// Disturbs a port's wire in both directions: each bit flips with probability `rate`. Zero switches it off.
    pub fn set_bit_errors(&mut self, port: &str, rate: f64, seed: u64) -> Result<(), InputError> {
        self.apply(Input::BitErrors {
            port: port.into(),
            rate,
            seed,
        })
    }

    /// Drives an input line of a device or a core (`cpu1`) by name, as the board around the chip would.
    pub fn set_input(&mut self, device: &str, line: &str, level: bool) -> Result<(), InputError> {
        self.apply(Input::Line {
            device: device.into(),
            line: line.into(),
            level,
        })
    }

    fn set_attribute(&mut self, device: &str, name: &str, value: &[u8]) -> Result<(), InputError> {
        let index = self.device(device)?;
        let now = self.now();
        self.bus
            .call(index, now, |model, context| {
                model.set_attribute(name, value, context)
            })
            .map_err(|reason| InputError::Attribute {
                device: device.into(),
                reason,
            })
    }

    fn set_register(&mut self, core: usize, number: u8, value: u32) -> Result<(), InputError> {
        let last = self.processors.len() - 1;
        let Some(processor) = self.processors.get_mut(core) else {
            return Err(InputError::NoCore { core, last });
        };
        let state = &mut processor.state;
        if state.set_numbered_register(usize::from(number), value) {
            return Ok(());
        }
        let file = state.register_file();
        let last = file.count() - 1;
        let known = format!("0 ({}) to {last} ({})", file.name(0), file.name(last));
        Err(InputError::NoRegister { number, known })
    }
}

/// Whether the bytes for an address were all written.
fn all_written(address: u32, bytes: &[u8], written: usize) -> Result<(), InputError> {
    match written < bytes.len() {
        true => Err(InputError::NoMemory {
            address: address.wrapping_add(written as u32),
            written,
        }),
        false => Ok(()),
    }
}
