//! Messages between cores, with interrupts.
//!
//! # Summary
//! Eight mailboxes of four words. Four users, each with an interrupt for mailboxes that have a message, and for mailboxes that have room.
//!
//! # Behaviour
//! A write of MESSAGE puts a word at the end of a mailbox, a read takes the first one. A full mailbox drops what is written, an empty one reads
//! as 0; both warn.
//!
//! # Decisions
//! The status of a message stays until software clears it, and comes back while the mailbox is not empty; that of room while it is not full. Linux'
//! driver asks for room when it has written, and waits for the interrupt.

#[cfg(test)]
mod tests;

use super::registers;
use crate::hole::{warn_of_read, warn_of_write};
use crate::register::{RO, RW, register, repeated};
use crate::state;
use serde::{Deserialize, Serialize};
use socscope_device::{Context, Description, Device, Model, Register, RestoreError};
use socscope_memory::Width;

const SYSCONFIG: u32 = 0x10;
const MESSAGE: u32 = 0x40;
const FIFOSTATUS: u32 = 0x80;
const MSGSTATUS: u32 = 0xc0;
const USERS_BEGIN: u32 = 0x100;
const BOXES: usize = 8;
const USERS: usize = 4;
const DEPTH: usize = 4;

const fn of_boxes(register: Register) -> Register {
    repeated(register, BOXES as u32, 4)
}

const fn of_users(register: Register) -> Register {
    repeated(register, USERS as u32, 0x10)
}

/// What the model says of itself.
pub const DESCRIPTION: Description = Description {
    compatible: &["ti,omap4-mailbox"],
    title: "Mailbox",
    data_sheet: "Texas Instruments SPRUH73 (AM335x), 17.1: Mailbox",
    limits: "Eight mailboxes and four users. The revision register is left out; idle modes are kept and change nothing.",
    registers: &[
        register(
            SYSCONFIG,
            "SYSCONFIG",
            RW,
            0x8,
            "control",
            "Idle modes; resets the block.",
        ),
        of_boxes(register(
            MESSAGE,
            "MESSAGE",
            RW,
            0,
            "messages",
            "Puts a word into the mailbox, or takes the first one.",
        )),
        of_boxes(register(
            FIFOSTATUS,
            "FIFOSTATUS",
            RO,
            0,
            "status",
            "Whether the mailbox is full.",
        )),
        of_boxes(register(
            MSGSTATUS,
            "MSGSTATUS",
            RO,
            0,
            "status",
            "How many words the mailbox holds.",
        )),
        of_users(register(
            0x100,
            "IRQSTATUS_RAW",
            RW,
            // There is room in all of them.
            0xaaaa,
            "interrupts",
            "What happened, enabled or not; ones set it.",
        )),
        of_users(register(
            0x104,
            "IRQSTATUS_CLR",
            RW,
            0,
            "interrupts",
            "What happened and is enabled; ones clear it.",
        )),
        of_users(register(
            0x108,
            "IRQENABLE_SET",
            RW,
            0,
            "interrupts",
            "What interrupts; ones enable it.",
        )),
        of_users(register(
            0x10c,
            "IRQENABLE_CLR",
            RW,
            0,
            "interrupts",
            "What interrupts; ones disable it.",
        )),
    ],
    inputs: &[],
    outputs: &["irq_user0", "irq_user1", "irq_user2", "irq_user3"],
    ports: &[],
    properties: &[],
};

/// The entry for the table of models.
pub const MODEL: Model = Model {
    description: &DESCRIPTION,
    build: |_| Ok(Box::new(Mailbox(State::default()))),
};

const SOFT_RESET: u32 = 1;
/// SIDLEMODE; smart idle after reset.
const KEPT: u32 = 0xc;
const SYSCONFIG_RESET: u32 = 0x8;
/// Two bits of each mailbox: it has a message, and it has room.
const EVENTS: u32 = 0xffff;

#[derive(Clone, Copy, Default, Serialize, Deserialize)]
struct User {
    status: u32,
    enabled: u32,
}

#[derive(Serialize, Deserialize)]
struct State {
    configuration: u32,
    boxes: [Fifo; BOXES],
    users: [User; USERS],
}

#[derive(Clone, Copy, Default, Serialize, Deserialize)]
struct Fifo {
    words: [u32; DEPTH],
    count: u8,
}

impl Default for State {
    fn default() -> State {
        State {
            configuration: SYSCONFIG_RESET,
            boxes: Default::default(),
            users: Default::default(),
        }
    }
}

impl Fifo {
    fn is_full(&self) -> bool {
        usize::from(self.count) == DEPTH
    }

    fn push(&mut self, word: u32) {
        self.words[usize::from(self.count)] = word;
        self.count += 1;
    }

    fn pop(&mut self) -> Option<u32> {
        let first = self.words[0];
        self.count = self.count.checked_sub(1)?;
        self.words.rotate_left(1);
        Some(first)
    }
}

/// The event that a mailbox has a message.
fn message_of(index: usize) -> u32 {
    1 << (2 * index)
}

/// The event that it has room.
fn room_of(index: usize) -> u32 {
    2 << (2 * index)
}

/// What an offset reaches.
enum Place {
    Message(usize),
    FifoStatus(usize),
    MessageStatus(usize),
    Raw(usize),
    Clear(usize),
    EnableSet(usize),
    EnableClear(usize),
}

fn place(offset: u32) -> Option<Place> {
    let of_box = ((offset & 0x3f) / 4) as usize;
    let user = ((offset & 0xff) / 0x10) as usize;
    Some(match offset & !0x3f {
        MESSAGE if of_box < BOXES => Place::Message(of_box),
        FIFOSTATUS if of_box < BOXES => Place::FifoStatus(of_box),
        MSGSTATUS if of_box < BOXES => Place::MessageStatus(of_box),
        USERS_BEGIN => match offset & 0xc {
            0x0 => Place::Raw(user),
            0x4 => Place::Clear(user),
            0x8 => Place::EnableSet(user),
            _ => Place::EnableClear(user),
        },
        _ => return None,
    })
}

struct Mailbox(State);

impl Mailbox {
    fn happens(&mut self, event: u32) {
        for user in &mut self.0.users {
            user.status |= event;
        }
    }

    /// Messages that wait, and mailboxes that have room, set their status again; then the lines follow.
    fn update(&mut self, context: &mut Context) {
        for index in 0..BOXES {
            if self.0.boxes[index].count != 0 {
                self.happens(message_of(index));
            }
            if !self.0.boxes[index].is_full() {
                self.happens(room_of(index));
            }
        }
        for (output, user) in (0u32..).zip(&self.0.users) {
            context.set_line(output, user.status & user.enabled != 0);
        }
    }

    fn word(&self, offset: u32) -> Option<u32> {
        if offset == SYSCONFIG {
            return Some(self.0.configuration);
        }
        let (boxes, users) = (&self.0.boxes, &self.0.users);
        Some(match place(offset)? {
            Place::Message(index) if boxes[index].count == 0 => 0,
            Place::Message(index) => boxes[index].words[0],
            Place::FifoStatus(index) => u32::from(boxes[index].is_full()),
            Place::MessageStatus(index) => u32::from(boxes[index].count),
            Place::Raw(user) => users[user].status,
            Place::Clear(user) => users[user].status & users[user].enabled,
            Place::EnableSet(user) | Place::EnableClear(user) => users[user].enabled,
        })
    }

    fn take(&mut self, index: usize, context: &mut Context) {
        if self.0.boxes[index].pop().is_none() {
            context.warn(format!("mailbox {index} is empty and reads as 0"));
        }
        self.update(context);
    }

    fn put(&mut self, index: usize, word: u32, context: &mut Context) {
        if self.0.boxes[index].is_full() {
            context.warn(format!("mailbox {index} is full and drops {word:#x}"));
        } else {
            self.0.boxes[index].push(word);
        }
    }
}

impl Device for Mailbox {
    fn description(&self) -> &'static Description {
        &DESCRIPTION
    }

    fn reset(&mut self, context: &mut Context) {
        self.0 = State::default();
        self.update(context);
    }

    fn read(&mut self, offset: u32, width: Width, context: &mut Context) -> u32 {
        let at = registers::offset_of(offset);
        let Some(word) = self.word(at) else {
            warn_of_read(context, offset);
            return 0;
        };
        if let Some(Place::Message(index)) = place(at) {
            self.take(index, context);
        }
        registers::read(word, offset, width, context)
    }

    fn write(&mut self, offset: u32, width: Width, value: u32, context: &mut Context) {
        let value = registers::written(value, offset, width, context);
        let at = registers::offset_of(offset);
        match place(at) {
            _ if at == SYSCONFIG && value & SOFT_RESET != 0 => self.0 = State::default(),
            _ if at == SYSCONFIG => self.0.configuration = value & KEPT,
            Some(Place::Message(index)) => self.put(index, value, context),
            Some(Place::Raw(user)) => self.0.users[user].status |= value & EVENTS,
            Some(Place::Clear(user)) => self.0.users[user].status &= !value,
            Some(Place::EnableSet(user)) => self.0.users[user].enabled |= value & EVENTS,
            Some(Place::EnableClear(user)) => self.0.users[user].enabled &= !value,
            Some(Place::FifoStatus(_) | Place::MessageStatus(_)) | None => {
                return warn_of_write(context, offset, value);
            }
        }
        self.update(context);
    }

    fn peek(&self, offset: u32, _context: &Context) -> Option<u32> {
        Some(self.word(registers::offset_of(offset)).unwrap_or(0))
    }

    fn save(&self) -> Vec<u8> {
        state::save(&self.0)
    }

    fn restore(&mut self, bytes: &[u8]) -> Result<(), RestoreError> {
        let restored: State = state::restore(DESCRIPTION.title, bytes)?;
        if restored
            .boxes
            .iter()
            .any(|fifo| usize::from(fifo.count) > DEPTH)
        {
            return Err(RestoreError {
                device: DESCRIPTION.title.into(),
                reason: format!("a mailbox holds at most {DEPTH} words"),
            });
        }
        self.0 = restored;
        Ok(())
    }
}
