//! The receiver: samples RXD at its own speed.
//!
//! A character costs one event, at the middle of its first stop bit. All its samples are taken then, from what is known of
//! the wire.

use super::event;
use super::format::{Format, Ninth};
use super::wire::Wire;
use serde::{Deserialize, Serialize};
use socscope_device::{Context, Parity, Waveform};
use socscope_time::{EventId, Instant};

#[derive(Clone, Debug, Serialize, Deserialize)]
enum Phase {
    /// Disabled.
    Off,
    /// Looks for a start bit from this instant on.
    Hunting { from: Instant },
    /// Between a start edge and the middle of the stop bit.
    Character {
        /// From where the start edge was looked for.
        from: Instant,
        start: Instant,
        format: Format,
        event: EventId,
    },
    /// The line has been low for a character and is not yet high again.
    Break {
        since: Instant,
        format: Format,
        event: EventId,
    },
}

/// A character as it was sampled.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arrived {
    /// The data bits.
    pub data: u16,
    /// Parity is wrong, or in multi-drop mode the character is an address.
    pub bad_ninth: bool,
    /// The stop bit was low, but the character is no break.
    pub framing_error: bool,
    /// All was low.
    pub is_break: bool,
    /// The format in which it was received.
    pub format: Format,
}

/// What is between the wire and a port's registers.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct LineReceiver {
    phase: Phase,
    wire: Wire,
}

/// A break ends with a high level of 2/16 of a bit.
const END_OF_BREAK_SIXTEENTHS: u64 = 2;
/// A start bit is longer than 7/16 of a bit.
const START_SIXTEENTHS: u64 = 7;

impl LineReceiver {
    /// A receiver that is disabled.
    pub fn new() -> LineReceiver {
        LineReceiver {
            phase: Phase::Off,
            wire: Wire::default(),
        }
    }

    pub fn is_enabled(&self) -> bool {
        !matches!(self.phase, Phase::Off)
    }

    /// Looks for characters from now on.
    pub fn enable(&mut self, format: Option<Format>, context: &mut Context) {
        if !self.is_enabled() {
            self.phase = Phase::Hunting { from: context.now };
            self.hunt(format, context);
        }
    }

    /// A character on its way is lost.
    pub fn disable(&mut self, context: &mut Context) {
        self.abandon(context);
        self.phase = Phase::Off;
    }

    /// Takes the pending event back.
    pub fn abandon(&mut self, context: &mut Context) {
        if let Phase::Character { event, .. } | Phase::Break { event, .. } = self.phase {
            context.cancel(event);
        }
    }

    /// The input was switched to another source, which is idle.
    pub fn disconnect(&mut self) {
        self.wire.clear();
    }

    /// The format changed. It applies from the next character on.
    pub fn format_changed(&mut self, format: Option<Format>, context: &mut Context) {
        if let Phase::Hunting { from } = &mut self.phase {
            *from = context.now;
            self.hunt(format, context);
        }
    }

    /// A character begins on the line.
    pub fn incoming(&mut self, waveform: Waveform, format: Option<Format>, context: &mut Context) {
        let needed_from = match self.phase {
            Phase::Off => context.now,
            Phase::Hunting { from } => from,
            Phase::Character { from, .. } => from,
            Phase::Break { since, .. } => since,
        };
        self.wire.add(waveform, needed_from);
        match self.phase {
            Phase::Hunting { .. } => self.hunt(format, context),
            Phase::Character {
                from,
                start,
                format: own,
                event,
            } => {
                // The start bit was foreseen and may be cut short by what begins now.
                if context.now < start.after_ps(own.sixteenths_ps(START_SIXTEENTHS)) {
                    context.cancel(event);
                    self.phase = Phase::Hunting { from };
                    self.hunt(Some(own), context);
                }
            }
            Phase::Break {
                since,
                format,
                event,
            } => {
                context.cancel(event);
                self.await_end_of_break(since, format, context);
            }
            Phase::Off => {}
        }
    }

    /// A start bit is low for more than 7 of the 16 cycles of a bit (doc1354, "Asynchronous Receiver").
    fn hunt(&mut self, format: Option<Format>, context: &mut Context) {
        let (Phase::Hunting { from }, Some(format)) = (&self.phase, format) else {
            return;
        };
        let from = *from;
        let longer_than = format.sixteenths_ps(START_SIXTEENTHS) + 1;
        let start = self
            .wire
            .first(false, from, longer_than, format.sixteenths_ps(1));
        let Some(start) = start else {
            // What began earlier is known to be no start bit and need not be looked at again.
            let earliest = Instant(context.now.0.saturating_sub(longer_than));
            self.phase = Phase::Hunting {
                from: from.max(earliest),
            };
            return;
        };
        let middle_of_stop = 16 * u64::from(format.bits_before_stop()) + 8;
        let due = start
            .after_ps(format.sixteenths_ps(middle_of_stop))
            .max(context.now);
        self.phase = Phase::Character {
            from,
            start,
            format,
            event: context.schedule(due, event::STOP_BIT),
        };
    }

    /// The middle of the stop bit: the character that arrived. [`LineReceiver::go_on`] has to follow.
    pub fn stop_bit(&self) -> Option<Arrived> {
        let Phase::Character { start, format, .. } = self.phase else {
            return None;
        };
        let sample = |bit: u8| {
            let sixteenths = 16 * u64::from(bit) + 8;
            self.wire
                .level_at(start.after_ps(format.sixteenths_ps(sixteenths)))
        };
        let data =
            (0..format.data_bits).fold(0, |data, bit| data | u16::from(sample(1 + bit)) << bit);
        let last = format.bits_before_stop();
        let ninth = last > 1 + format.data_bits && sample(last - 1);
        let stop = sample(last);
        let is_break = data == 0 && !ninth && !stop;
        Some(Arrived {
            data,
            bad_ninth: bad_ninth(format.ninth, data, ninth),
            framing_error: !stop && !is_break,
            is_break,
            format,
        })
    }

    /// Goes on after a character; `next` is the format of the next one.
    pub fn go_on(&mut self, arrived: Arrived, next: Option<Format>, context: &mut Context) {
        if arrived.is_break {
            self.await_end_of_break(context.now, arrived.format, context);
        } else {
            self.phase = Phase::Hunting { from: context.now };
            self.hunt(next, context);
        }
    }

    fn await_end_of_break(&mut self, since: Instant, format: Format, context: &mut Context) {
        let least_ps = format.sixteenths_ps(END_OF_BREAK_SIXTEENTHS);
        let high = self.wire.first(true, since, least_ps, 0).unwrap_or(since);
        self.phase = Phase::Break {
            since,
            format,
            event: context.schedule(
                high.after_ps(least_ps).max(context.now),
                event::END_OF_BREAK,
            ),
        };
    }

    /// The line has been high for long enough after a break. False when there was none.
    pub fn end_of_break(&mut self, next: Option<Format>, context: &mut Context) -> bool {
        let ended = matches!(self.phase, Phase::Break { .. });
        if ended {
            self.phase = Phase::Hunting { from: context.now };
            self.hunt(next, context);
        }
        ended
    }
}

/// Parity is wrong, or in multi-drop mode the character is an address.
fn bad_ninth(ninth: Ninth, data: u16, level: bool) -> bool {
    let ones_are_odd = data.count_ones() % 2 == 1;
    match ninth {
        Ninth::Address => level,
        Ninth::Parity(Parity::None) => false,
        Ninth::Parity(Parity::Even) => level != ones_are_odd,
        Ninth::Parity(Parity::Odd) => level == ones_are_odd,
        Ninth::Parity(Parity::Mark) => !level,
        Ninth::Parity(Parity::Space) => level,
    }
}
