//! The receiver: a FIFO of characters with their errors, and the time-out of those that nobody reads.

use super::registers::lsr;
use crate::line::{Arrived, FIFO, Format, LineReceiver, Timeout};
use serde::{Deserialize, Serialize};
use socscope_device::{Context, TraceEvent};

/// Character times without a character or a read after which the time-out interrupts.
const TIMEOUT_CHARACTERS: u64 = 4;
/// Characters from which on data are reported, by the trigger level of FCR.
const TRIGGERS: [usize; 4] = [1, 4, 8, 14];

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Character {
    data: u8,
    /// PARITY, FRAMING and BREAK of LSR.
    errors: u8,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Receiver {
    pub line: LineReceiver,
    /// The oldest one first; at most one while the FIFO is off.
    characters: Vec<Character>,
    /// Errors that LSR shows until it is read.
    errors: u8,
    pub timeout: Timeout,
    fifo: bool,
    trigger: u8,
}

impl Receiver {
    pub fn new() -> Receiver {
        Receiver {
            line: LineReceiver::new(),
            characters: vec![],
            errors: 0,
            timeout: Timeout::default(),
            fifo: false,
            trigger: 0,
        }
    }

    /// Power-on and system reset. The receiver is never off.
    pub fn reset(&mut self, context: &mut Context) {
        self.line.abandon(context);
        self.timeout.reset(context);
        *self = Receiver::new();
        self.line.enable(None, context);
    }

    /// Characters that the FIFO, or the buffer without it, takes.
    fn capacity(&self) -> usize {
        if self.fifo { FIFO } else { 1 }
    }

    /// FCR: switches the FIFO on or off.
    pub fn set_fifo(&mut self, fifo: bool, trigger: u8) {
        self.fifo = fifo;
        self.trigger = trigger;
    }

    /// The FIFO is emptied; the character on the line goes on.
    pub fn clear(&mut self) {
        self.characters.clear();
        self.timeout.start();
    }

    /// What RBR reads as.
    pub fn holding(&self) -> u8 {
        self.characters
            .first()
            .map_or(0, |character| character.data)
    }

    /// RBR was read.
    pub fn take(&mut self, format: Option<Format>, context: &mut Context) {
        if !self.characters.is_empty() {
            self.characters.remove(0);
            self.show_errors();
        }
        self.restart_timeout(format, context);
    }

    /// Errors of a character show once it is the next to be read.
    fn show_errors(&mut self) {
        self.errors |= self.characters.first().map_or(0, |next| next.errors);
    }

    /// The receiver's bits of LSR.
    pub fn status(&self) -> u8 {
        let ready = u8::from(self.has_data()) * lsr::DATA_READY;
        let in_fifo = self.fifo && self.characters.iter().any(|it| it.errors != 0);
        ready | self.errors | (u8::from(in_fifo) * lsr::FIFO_ERROR)
    }

    /// LSR was read.
    pub fn status_read(&mut self) {
        self.errors = 0;
        if let Some(next) = self.characters.first_mut() {
            next.errors = 0;
        }
    }

    pub fn has_errors(&self) -> bool {
        self.errors != 0
    }

    pub fn has_data(&self) -> bool {
        !self.characters.is_empty()
    }

    /// As many characters as are worth an interrupt.
    pub fn reached_trigger(&self) -> bool {
        let trigger = if self.fifo {
            TRIGGERS[usize::from(self.trigger & 3)]
        } else {
            1
        };
        self.characters.len() >= trigger
    }

    /// Characters have been waiting for too long.
    pub fn timed_out(&self) -> bool {
        self.timeout.expired && self.has_data()
    }

    /// The middle of the stop bit; `next` is the format of the next character.
    pub fn stop_bit(&mut self, next: Option<Format>, context: &mut Context) {
        let Some(arrived) = self.line.stop_bit() else {
            return;
        };
        let errors = errors_of(&arrived);
        let overrun = self.characters.len() >= self.capacity();
        let character = Character {
            data: arrived.data as u8,
            errors,
        };
        if overrun {
            self.errors |= lsr::OVERRUN;
        }
        // A full FIFO loses the new character, the single buffer the old one (PC16550D, "Line Status Register", OE).
        if !(overrun && self.fifo) {
            self.characters.truncate(self.capacity() - 1);
            self.characters.push(character);
        }
        if self.characters.len() == 1 {
            self.show_errors();
        }
        context.trace(TraceEvent::CharacterReceived {
            data: arrived.data,
            error: overrun || errors != 0,
        });
        self.restart_timeout(Some(arrived.format), context);
        self.line.go_on(arrived, next, context);
    }

    fn restart_timeout(&mut self, format: Option<Format>, context: &mut Context) {
        self.timeout.start();
        if let (true, true, Some(format)) = (self.fifo, self.has_data(), format) {
            let sixteenths = TIMEOUT_CHARACTERS * format.half_bits() * 8;
            self.timeout
                .reload(format.sixteenths_ps(sixteenths), context);
        }
    }
}

fn errors_of(arrived: &Arrived) -> u8 {
    let flag = |happened: bool, flag: u8| if happened { flag } else { 0 };
    flag(arrived.bad_ninth, lsr::PARITY)
        | flag(arrived.framing_error, lsr::FRAMING)
        | flag(arrived.is_break, lsr::BREAK)
}
