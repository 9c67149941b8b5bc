//! The transmitter: a FIFO, a shift register, and breaks. A character costs one event, at its end.

use super::{Format, RENEWAL_BITS, event, high, low};
use serde::{Deserialize, Serialize};
use socscope_device::{Context, TraceEvent, Waveform};
use socscope_time::EventId;

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Transmitter {
    /// The holding register, or the FIFO; the oldest one first.
    characters: Vec<u8>,
    /// The end of what the shift register does.
    shifting: Option<EventId>,
    /// The line is held low, and the event that goes on with it.
    breaking: Option<EventId>,
    fifo: bool,
}

impl Transmitter {
    /// Power-on and system reset. Gives what ends a character or break on the line.
    pub fn reset(&mut self, context: &mut Context) -> Option<Waveform> {
        let events = [self.shifting, self.breaking];
        for event in events.into_iter().flatten() {
            context.cancel(event);
        }
        *self = Transmitter::default();
        let busy = events.iter().any(Option::is_some);
        busy.then(|| high(context.now))
    }

    /// Switches the FIFO on or off.
    pub fn set_fifo(&mut self, fifo: bool) {
        self.fifo = fifo;
    }

    /// The FIFO is emptied; the character on the line goes on.
    pub fn clear(&mut self) {
        self.characters.clear();
    }

    /// The holding register, or the FIFO, is empty.
    pub fn is_holding_empty(&self) -> bool {
        self.characters.is_empty()
    }

    /// The shift register is empty, too.
    pub fn is_empty(&self) -> bool {
        self.is_holding_empty() && self.shifting.is_none()
    }

    /// No character can be written without a loss.
    pub fn is_full(&self) -> bool {
        self.characters.len() >= if self.fifo { super::FIFO } else { 1 }
    }

    /// Characters that wait for the shift register.
    pub fn waiting(&self) -> usize {
        self.characters.len()
    }

    /// Writes the data register, by its name. What does not fit is lost: the new character, or without the FIFO the old one.
    pub fn put(&mut self, register: &str, character: u8, context: &mut Context) {
        if self.is_full() {
            context.warn(format!(
                "{register} = {character:#04x} is written while it is full: a character is lost"
            ));
            if self.fifo {
                return;
            }
            self.characters.clear();
        }
        self.characters.push(character);
    }

    /// Whether a character is in the shift register; those in the FIFO follow it.
    pub fn sends(&self) -> bool {
        self.shifting.is_some()
    }

    /// The shift register came to its end.
    pub fn shifted(&mut self) {
        self.shifting = None;
    }

    /// Loads the shift register when it is free. Gives what begins on the line.
    pub fn advance(&mut self, format: Option<Format>, context: &mut Context) -> Option<Waveform> {
        let format = format?;
        if self.shifting.is_some() || self.characters.is_empty() {
            return None;
        }
        let data = u16::from(self.characters.remove(0)) & ((1 << format.data_bits) - 1);
        let start = format.edge_from(context.now);
        let end = format.after(start, format.half_bits());
        self.shifting = Some(context.schedule(end, event::SHIFTED));
        context.trace(TraceEvent::CharacterSent { data });
        // A break hides what the shift register does (PC16550D, "Line Control Register", bit 6).
        let visible = self.breaking.is_none();
        visible.then(|| Waveform::character(start, format.line(), data))
    }

    /// Holds the line low, or lets it go. Gives what begins on the line.
    pub fn set_break(
        &mut self,
        on: bool,
        format: Option<Format>,
        context: &mut Context,
    ) -> Option<Waveform> {
        match (on, self.breaking) {
            (true, None) => self.go_on_with_break(format, context),
            (false, Some(event)) => {
                context.cancel(event);
                self.breaking = None;
                Some(high(context.now))
            }
            _ => None,
        }
    }

    /// The line stays low for some bits more.
    pub fn go_on_with_break(
        &mut self,
        format: Option<Format>,
        context: &mut Context,
    ) -> Option<Waveform> {
        self.breaking = None;
        let format = format?;
        let start = format.edge_from(context.now);
        let renewal = format.after(start, 2 * RENEWAL_BITS);
        self.breaking = Some(context.schedule(renewal, event::BREAK));
        Some(low(start, format))
    }
}
