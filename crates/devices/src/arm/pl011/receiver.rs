//! The receiver: a FIFO of characters with their errors, and the time-out of those that nobody reads.

use super::registers::{interrupt, rsr};
use crate::line::{Arrived, FIFO, Format, LineReceiver, Timeout};
use serde::{Deserialize, Serialize};
use socscope_device::{Context, TraceEvent};

/// Bit times without a character after which those that wait time out.
const TIMEOUT_BITS: u64 = 32;

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Character {
    data: u8,
    errors: u8,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Receiver {
    pub line: LineReceiver,
    /// The oldest one first.
    characters: Vec<Character>,
    /// RSR.
    errors: u8,
    /// A character was lost, and none has been stored since.
    lost: bool,
    pub timeout: Timeout,
    pub fifo: bool,
}

impl Receiver {
    pub fn new() -> Receiver {
        Receiver {
            line: LineReceiver::new(),
            characters: vec![],
            errors: 0,
            lost: false,
            timeout: Timeout::default(),
            fifo: false,
        }
    }

    pub fn reset(&mut self, context: &mut Context) {
        self.line.disable(context);
        self.timeout.reset(context);
        *self = Receiver::new();
    }

    pub fn count(&self) -> usize {
        self.characters.len()
    }

    pub fn is_full(&self) -> bool {
        self.count() >= if self.fifo { FIFO } else { 1 }
    }

    /// What DR reads as: the character with its errors; the overrun belongs to no character.
    pub fn head(&self) -> u32 {
        let (data, errors) = self
            .characters
            .first()
            .map_or((0, 0), |it| (it.data, it.errors));
        let overrun = u8::from(self.lost) * rsr::OVERRUN;
        u32::from(data) | u32::from(errors | overrun) << 8
    }

    /// DR was read.
    pub fn take(&mut self) {
        let overrun = self.errors & rsr::OVERRUN;
        if !self.characters.is_empty() {
            self.errors = self.characters.remove(0).errors | overrun;
        }
        if self.characters.is_empty() {
            self.timeout.start();
        }
    }

    pub fn errors(&self) -> u8 {
        self.errors
    }

    pub fn clear_errors(&mut self) {
        self.errors = 0;
    }

    /// The middle of the stop bit; `next` is the format of the next character. Gives the interrupts that it brings.
    pub fn stop_bit(&mut self, next: Option<Format>, context: &mut Context) -> u32 {
        let Some(arrived) = self.line.stop_bit() else {
            return 0;
        };
        let (errors, mut interrupts) = errors_of(&arrived);
        let overrun = self.is_full();
        self.lost = overrun;
        if overrun {
            self.errors |= rsr::OVERRUN;
            interrupts |= interrupt::OVERRUN;
        } else {
            let data = arrived.data as u8;
            self.characters.push(Character { data, errors });
        }
        context.trace(TraceEvent::CharacterReceived {
            data: arrived.data,
            error: overrun || errors != 0,
        });
        self.timeout.start();
        let after = arrived.format.sixteenths_ps(16 * TIMEOUT_BITS);
        self.timeout.reload(after, context);
        self.line.go_on(arrived, next, context);
        interrupts
    }
}

/// The errors of a character, and their interrupts.
fn errors_of(arrived: &Arrived) -> (u8, u32) {
    let all = [
        (
            arrived.framing_error || arrived.is_break,
            rsr::FRAMING,
            interrupt::FRAMING,
        ),
        (
            arrived.bad_ninth && !arrived.is_break,
            rsr::PARITY,
            interrupt::PARITY,
        ),
        (arrived.is_break, rsr::BREAK, interrupt::BREAK),
    ];
    let happened = all.iter().filter(|(happened, ..)| *happened);
    happened.fold((0, 0), |(flags, interrupts), (_, flag, interrupt)| {
        (flags | flag, interrupts | interrupt)
    })
}
