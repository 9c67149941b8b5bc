//! One chip: its commands, and what it is busy with (Intel 28F128J3A data sheet, "Command Definitions").

use super::query::{BUFFER_LOG2, ERASE_MS_LOG2, PROGRAM_US_LOG2};
use serde::{Deserialize, Serialize};

/// Bits of the status register.
mod status {
    pub const READY: u8 = 1 << 7;
    pub const ERASE_ERROR: u8 = 1 << 5;
    pub const PROGRAM_ERROR: u8 = 1 << 4;
}

const WORDS_MAX: u16 = 1 << (BUFFER_LOG2 - 1);
const PROGRAM_PS: u64 = 1_000_000 << PROGRAM_US_LOG2;
const ERASE_PS: u64 = 1_000_000_000 << ERASE_MS_LOG2;

/// What reads give.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Mode {
    #[default]
    Array,
    Status,
    Query,
    Identifier,
}

/// What the next write is.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
enum Next {
    #[default]
    Command,
    Word,
    EraseConfirm,
    LockConfirm,
    /// One less than the number of words for the buffer.
    Count,
    /// Words for the buffer, of which so many are to come.
    Buffer(u16, Vec<(u32, u16)>),
    BufferConfirm(Vec<(u32, u16)>),
}

/// What a write makes of the array.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Change {
    /// Words by their addresses: their zeros are programmed.
    Program(Vec<(u32, u16)>),
    /// The block around an address becomes all ones.
    Erase(u32),
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Chip {
    mode: Mode,
    next: Next,
    errors: u8,
    busy: bool,
}

impl Chip {
    /// Whether a saved state is one that it can have.
    pub fn is_whole(&self) -> bool {
        let most = usize::from(WORDS_MAX);
        match &self.next {
            Next::Buffer(left, words) => *left > 0 && words.len() + usize::from(*left) <= most,
            Next::BufferConfirm(words) => words.len() <= most,
            _ => true,
        }
    }

    /// Back to reading the array, as after its reset.
    pub fn reset(&mut self) {
        *self = Chip::default();
    }

    /// What reads give now: while it is busy, the status.
    pub fn mode(&self) -> Mode {
        if self.busy { Mode::Status } else { self.mode }
    }

    pub fn status(&self) -> u8 {
        let ready = if self.busy { 0 } else { status::READY };
        ready | self.errors
    }

    /// What was under way is done.
    pub fn ready(&mut self) {
        self.busy = false;
    }

    /// A word is written at an address. Gives what becomes of the array, and how long it takes in picoseconds.
    pub fn write(&mut self, address: u32, value: u16) -> Option<(Change, u64)> {
        if self.busy {
            return None;
        }
        match std::mem::take(&mut self.next) {
            Next::Command => {
                self.command(value as u8);
                None
            }
            Next::Word => self.begin(Change::Program(vec![(address, value)]), PROGRAM_PS),
            Next::EraseConfirm if value as u8 == 0xd0 => {
                self.begin(Change::Erase(address), ERASE_PS)
            }
            // Lock bits are not kept: nothing is locked.
            Next::LockConfirm if matches!(value as u8, 0x01 | 0xd0) => None,
            Next::Count if value < WORDS_MAX => {
                self.next = Next::Buffer(value + 1, vec![]);
                None
            }
            Next::Buffer(left, mut words) => {
                words.push((address, value));
                self.next = match left {
                    1 => Next::BufferConfirm(words),
                    _ => Next::Buffer(left - 1, words),
                };
                None
            }
            Next::BufferConfirm(words) if value as u8 == 0xd0 => {
                self.begin(Change::Program(words), PROGRAM_PS)
            }
            // A wrong sequence of commands (data sheet, "Status Register Definitions").
            Next::EraseConfirm | Next::LockConfirm | Next::Count | Next::BufferConfirm(_) => {
                self.errors |= status::ERASE_ERROR | status::PROGRAM_ERROR;
                None
            }
        }
    }

    fn begin(&mut self, change: Change, picoseconds: u64) -> Option<(Change, u64)> {
        self.busy = true;
        Some((change, picoseconds))
    }

    fn command(&mut self, command: u8) {
        let (mode, next) = match command {
            0x10 | 0x40 => (Mode::Status, Next::Word),
            0x20 => (Mode::Status, Next::EraseConfirm),
            0x60 => (Mode::Status, Next::LockConfirm),
            0xe8 => (Mode::Status, Next::Count),
            0x70 => (Mode::Status, Next::Command),
            0x90 => (Mode::Identifier, Next::Command),
            0x98 => (Mode::Query, Next::Command),
            0xf0 | 0xff => (Mode::Array, Next::Command),
            0x50 => {
                self.errors = 0;
                return;
            }
            _ => return,
        };
        self.mode = mode;
        self.next = next;
    }
}
