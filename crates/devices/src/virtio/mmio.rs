//! The device: registers, notifications, and requests that are answered after their latency.

use super::queue::{Broken, QUEUE_SIZE_MAX, Queue};
pub use super::registers::DESCRIPTION;
use super::registers::{CONFIGURATION, DEFAULT_TAG, FEATURES, TAG_BYTES_MAX, VERSION_1};
use crate::share::{Errno, Server, Stamp, Tree};
use crate::{hole, lane, state};
use serde::{Deserialize, Serialize};
use socscope_device::{BuildError, Context, Description, Device, Model, Properties, RestoreError};
use socscope_memory::{Endianness, Width};
use socscope_time::{EventId, Instant};

/// The entry for the table of models.
pub const MODEL: Model = Model {
    description: &DESCRIPTION,
    build,
};

const DEFAULT_LATENCY_NS: u32 = 20_000;
const PS_PER_NS: u64 = 1_000;
const PS_PER_SECOND: u64 = 1_000_000_000_000;

/// Bits of Status (2.1).
const FEATURES_OK: u32 = 8;
const DRIVER_OK: u32 = 4;
const NEEDS_RESET: u32 = 0x40;
/// Bits of InterruptStatus (4.2.2).
const USED_BUFFER: u32 = 1;
const CONFIGURATION_CHANGE: u32 = 2;
/// The only output line.
const IRQ: u32 = 0;
/// The attribute that holds the shared folder.
const FOLDER: &str = "folder";
/// The attribute with the numbers of files that are open for writing, which nobody sets.
const OPEN: &str = "open";
/// A reply of an error: size, kind, tag and number.
const ERROR_REPLY_BYTES: usize = 11;

fn build(node: &dyn Properties) -> Result<Box<dyn Device>, BuildError> {
    let refuse = |property: &str, reason: &str, remedy: &str| BuildError {
        path: node.path().into(),
        property: property.into(),
        reason: reason.into(),
        remedy: remedy.into(),
    };
    let tag = node.string("socscope,tag")?;
    let tag = tag.unwrap_or_else(|| DEFAULT_TAG.into());
    if tag.is_empty() || tag.len() > TAG_BYTES_MAX {
        return Err(refuse(
            "socscope,tag",
            "a tag has 1 to 28 bytes",
            "choose a short name such as \"host\"",
        ));
    }
    let latency_ns = node.cell("socscope,latency-ns")?;
    Ok(Box::new(Share {
        tag,
        latency_ps: u64::from(latency_ns.unwrap_or(DEFAULT_LATENCY_NS)) * PS_PER_NS,
        state: State::default(),
    }))
}

/// What changes in a run.
#[derive(Debug, Default, Serialize, Deserialize)]
struct State {
    status: u32,
    interrupt: u32,
    device_features_half: u32,
    driver_features_half: u32,
    driver_features: u64,
    queue_number: u32,
    queue: Queue,
    /// When what was notified is answered.
    due: Option<EventId>,
    server: Server,
}

struct Share {
    tag: String,
    latency_ps: u64,
    state: State,
}

impl Share {
    /// The word at an offset, least significant byte first as the standard has it.
    fn word(&self, offset: u32) -> u32 {
        let state = &self.state;
        let queue = (state.queue_number == 0).then_some(&state.queue);
        match offset {
            0x010 => half_of(FEATURES, state.device_features_half),
            0x034 => queue.map_or(0, |_| QUEUE_SIZE_MAX.into()),
            0x044 => queue.map_or(0, |queue| queue.ready.into()),
            0x060 => state.interrupt,
            0x070 => state.status,
            CONFIGURATION.. => self.configuration(offset - CONFIGURATION),
            _ => match DESCRIPTION.register_at(offset) {
                Some((register, _)) => register.reset,
                None => 0,
            },
        }
    }

    fn configuration(&self, offset: u32) -> u32 {
        let mut bytes = (self.tag.len() as u16).to_le_bytes().to_vec();
        bytes.extend(self.tag.bytes());
        let at = |index| bytes.get(offset as usize + index).copied().unwrap_or(0);
        u32::from_le_bytes([at(0), at(1), at(2), at(3)])
    }

    fn write_word(&mut self, offset: u32, value: u32, context: &mut Context) {
        let state = &mut self.state;
        match offset {
            0x014 => state.device_features_half = value,
            0x020 => set_half(
                &mut state.driver_features,
                value,
                state.driver_features_half,
            ),
            0x024 => state.driver_features_half = value,
            0x030 => state.queue_number = value,
            0x050 => self.notify(value, context),
            0x064 => {
                state.interrupt &= !value;
                self.drive(context);
            }
            0x070 => self.set_status(value, context),
            0x0ac => {}
            0x038 | 0x044 | 0x080 | 0x084 | 0x090 | 0x094 | 0x0a0 | 0x0a4 => {
                self.set_queue(offset, value, context);
            }
            _ => hole::warn_of_write(context, offset, value),
        }
    }

    fn set_queue(&mut self, offset: u32, value: u32, context: &mut Context) {
        if self.state.queue_number != 0 {
            context.warn("a queue is set up that is not there: a share has queue 0 only");
            return;
        }
        let queue = &mut self.state.queue;
        let address = match offset & 0xf0 {
            0x80 => &mut queue.descriptors,
            0x90 => &mut queue.available,
            _ => &mut queue.used,
        };
        match offset {
            0x038 => queue.size = value,
            0x044 => {
                queue.ready = value & 1 != 0;
                if let (true, Err(broken)) = (queue.ready, queue.check_size()) {
                    self.fail(&broken, context);
                }
            }
            _ => set_half(address, value, offset >> 2 & 1),
        }
    }

    fn set_status(&mut self, value: u32, context: &mut Context) {
        if value == 0 {
            self.reset(context);
            return;
        }
        let state = &mut self.state;
        let mut status = value & 0xff & !NEEDS_RESET | state.status & NEEDS_RESET;
        let unknown = state.driver_features & !FEATURES != 0;
        if unknown || state.driver_features & VERSION_1 == 0 {
            status &= !FEATURES_OK;
        }
        state.status = status;
    }

    fn notify(&mut self, queue: u32, context: &mut Context) {
        let state = &mut self.state;
        let works = state.status & (DRIVER_OK | NEEDS_RESET) == DRIVER_OK && state.queue.ready;
        if !works || queue != 0 {
            context.warn(format!(
                "queue {queue} is notified, but it is not ready: nothing happens"
            ));
        } else if state.due.is_none() {
            let due = context.now.after_ps(self.latency_ps);
            state.due = Some(context.schedule(due, 0));
        }
    }

    fn answer_all(&mut self, context: &mut Context) -> Result<(), Broken> {
        let State { queue, server, .. } = &mut self.state;
        let mut answered = false;
        while let Some(chain) = queue.next(context.space)? {
            let answer = server.answer(&chain.request, stamp(context.now));
            let answer = fitted(answer.unwrap_or_default(), chain.room());
            chain.write(context.space, &answer)?;
            queue.give_back(context.space, &chain, answer.len() as u32)?;
            answered = true;
        }
        if answered && queue.interrupt_wanted(context.space)? {
            self.state.interrupt |= USED_BUFFER;
        }
        Ok(())
    }

    /// The driver broke a rule: the device stops until it is reset (2.1.2).
    fn fail(&mut self, broken: &Broken, context: &mut Context) {
        context.warn(format!("stopped until its driver resets it: {broken}"));
        self.state.status |= NEEDS_RESET;
        self.state.interrupt |= CONFIGURATION_CHANGE;
        self.drive(context);
    }

    fn drive(&self, context: &mut Context) {
        context.set_line(IRQ, self.state.interrupt != 0);
    }
}

/// An answer that has room; an error where it has not.
fn fitted(mut answer: Vec<u8>, room: u64) -> Vec<u8> {
    if answer.len() as u64 <= room {
        return answer;
    }
    if room < ERROR_REPLY_BYTES as u64 {
        return vec![];
    }
    answer.truncate(ERROR_REPLY_BYTES);
    answer[..5].copy_from_slice(&[ERROR_REPLY_BYTES as u8, 0, 0, 0, crate::share::RLERROR]);
    answer[7..].copy_from_slice(&Errno::Malformed.number().to_le_bytes());
    answer
}

fn half_of(value: u64, half: u32) -> u32 {
    match half {
        0 => value as u32,
        1 => (value >> 32) as u32,
        _ => 0,
    }
}

fn set_half(target: &mut u64, value: u32, half: u32) {
    match half {
        0 => *target = *target >> 32 << 32 | u64::from(value),
        1 => *target = u64::from(value) << 32 | u64::from(*target as u32),
        _ => {}
    }
}

fn stamp(now: Instant) -> Stamp {
    Stamp {
        seconds: now.0 / PS_PER_SECOND,
        nanoseconds: now.0 % PS_PER_SECOND / PS_PER_NS,
    }
}

/// A word of the device as a core's bus carries it, and back: the registers are little-endian to every core.
fn on_bus(word: u32, context: &Context) -> u32 {
    match context.order {
        Endianness::Little => word,
        Endianness::Big => word.swap_bytes(),
    }
}

impl Device for Share {
    fn description(&self) -> &'static Description {
        &DESCRIPTION
    }

    fn reset(&mut self, context: &mut Context) {
        if let Some(due) = self.state.due.take() {
            context.cancel(due);
        }
        let mut server = std::mem::take(&mut self.state.server);
        server.reset();
        self.state = State {
            server,
            ..State::default()
        };
        self.drive(context);
    }

    fn read(&mut self, offset: u32, width: Width, context: &mut Context) -> u32 {
        let at = Width::Word.align(offset);
        let word = on_bus(self.word(at), context);
        lane::read(word, offset, width, context.order)
    }

    fn write(&mut self, offset: u32, width: Width, value: u32, context: &mut Context) {
        if width != Width::Word {
            context.warn(format!(
                "write of {} bytes at {offset:#05x} ignored: registers are written as words (4.2.2.2)",
                width.bytes()
            ));
            return;
        }
        let value = on_bus(value, context);
        self.write_word(offset, value, context);
    }

    fn peek(&self, offset: u32, context: &Context) -> Option<u32> {
        Some(on_bus(self.word(offset & !3), context))
    }

    fn event(&mut self, _payload: u64, context: &mut Context) {
        self.state.due = None;
        match self.answer_all(context) {
            Ok(()) => self.drive(context),
            Err(broken) => self.fail(&broken, context),
        }
    }

    fn set_attribute(
        &mut self,
        name: &str,
        value: &[u8],
        _context: &mut Context,
    ) -> Result<(), String> {
        if name != FOLDER {
            return Err(format!(
                "no attribute is called {name}; there are: {FOLDER}"
            ));
        }
        let tree = (!value.is_empty()).then(|| Tree::decode(value));
        self.state.server.set_tree(tree.transpose()?)
    }

    fn attribute(&self, name: &str) -> Option<Vec<u8>> {
        let server = &self.state.server;
        match name {
            FOLDER => Some(server.tree().map(Tree::encode).unwrap_or_default()),
            OPEN => Some(state::save(&server.open_for_writing())),
            _ => None,
        }
    }

    fn save(&self) -> Vec<u8> {
        state::save(&self.state)
    }

    fn restore(&mut self, bytes: &[u8]) -> Result<(), RestoreError> {
        let restored: State = state::restore(DESCRIPTION.title, bytes)?;
        restored.server.check().map_err(|reason| RestoreError {
            device: DESCRIPTION.title.into(),
            reason,
        })?;
        self.state = restored;
        Ok(())
    }
}
