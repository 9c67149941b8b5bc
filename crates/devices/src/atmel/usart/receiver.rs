//! The receiver: samples RXD at its own speed.
//!
//! A character costs one event, at the middle of its first stop bit. All its samples are taken then, from what is known of
//! the wire.

use super::event;
use super::format::{Format, Ninth};
use super::registers::status;
use super::timeout::Timeout;
use super::wire::Wire;
use serde::{Deserialize, Serialize};
use socscope_device::{Context, Parity, TraceEvent, Waveform};
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

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Receiver {
    phase: Phase,
    wire: Wire,
    /// RHR.
    holding: u16,
    /// RXRDY, RXBRK, OVRE, FRAME and PARE of CSR.
    flags: u32,
    pub timeout: Timeout,
}

/// A break ends with a high level of 2/16 of a bit.
const END_OF_BREAK_SIXTEENTHS: u64 = 2;
/// A start bit is longer than 7/16 of a bit.
const START_SIXTEENTHS: u64 = 7;

impl Receiver {
    pub fn new() -> Receiver {
        Receiver {
            phase: Phase::Off,
            wire: Wire::default(),
            holding: 0,
            flags: 0,
            timeout: Timeout::default(),
        }
    }

    /// Power-on and system reset.
    pub fn power_on(&mut self, context: &mut Context) {
        self.abandon(context);
        self.timeout.reset(context);
        *self = Receiver::new();
    }

    pub fn is_enabled(&self) -> bool {
        !matches!(self.phase, Phase::Off)
    }

    /// RXRDY, RXBRK, OVRE, FRAME, PARE and TIMEOUT.
    pub fn status(&self) -> u32 {
        let timeout = u32::from(self.timeout.expired) * status::TIMEOUT;
        self.flags | timeout
    }

    pub fn is_ready(&self) -> bool {
        self.flags & status::RXRDY != 0
    }

    /// RHR as it is.
    pub fn holding(&self) -> u16 {
        self.holding
    }

    /// Reads RHR.
    pub fn take(&mut self) -> u16 {
        self.flags &= !status::RXRDY;
        self.holding
    }

    /// RXEN.
    pub fn enable(&mut self, format: Option<Format>, context: &mut Context) {
        if !self.is_enabled() {
            self.phase = Phase::Hunting { from: context.now };
            self.hunt(format, context);
        }
    }

    /// RXDIS: a character on its way is lost, and RXRDY is zero from now on.
    pub fn disable(&mut self, context: &mut Context) {
        self.abandon(context);
        self.phase = Phase::Off;
        self.flags &= !status::RXRDY;
        self.timeout.stop();
    }

    /// RSTRX.
    pub fn reset(&mut self, format: Option<Format>, context: &mut Context) {
        let enabled = self.is_enabled();
        self.disable(context);
        self.flags = 0;
        self.timeout.start();
        if enabled {
            self.enable(format, context);
        }
    }

    /// RSTSTA.
    pub fn reset_status(&mut self) {
        self.flags &= status::RXRDY;
    }

    fn abandon(&mut self, context: &mut Context) {
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

    /// The middle of the stop bit. `timeout_units` is RTOR; `format` is for the next character.
    pub fn stop_bit(&mut self, timeout_units: u32, next: Option<Format>, context: &mut Context) {
        let Phase::Character { start, format, .. } = self.phase else {
            return;
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
        let mut flags = status::RXRDY;
        if self.is_ready() {
            flags |= status::OVRE;
        }
        if is_break {
            flags |= status::RXBRK;
        } else if !stop {
            flags |= status::FRAME;
        }
        if bad_ninth(format.ninth, data, ninth) {
            flags |= status::PARE;
        }
        self.holding = data;
        self.flags |= flags;
        let errors = match format.ninth {
            Ninth::Address => status::OVRE | status::FRAME | status::RXBRK,
            Ninth::Parity(_) => !status::RXRDY,
        };
        context.trace(TraceEvent::CharacterReceived {
            data,
            error: flags & errors != 0,
        });
        if timeout_units > 0 {
            let sixteenths = 4 * 16 * u64::from(timeout_units);
            self.timeout
                .reload(format.sixteenths_ps(sixteenths), context);
        }
        if is_break {
            self.await_end_of_break(context.now, format, context);
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

    /// The line has been high for long enough after a break.
    pub fn end_of_break(&mut self, next: Option<Format>, context: &mut Context) {
        if matches!(self.phase, Phase::Break { .. }) {
            self.flags |= status::RXBRK;
            self.phase = Phase::Hunting { from: context.now };
            self.hunt(next, context);
        }
    }
}

/// Whether PARE is set: parity is wrong, or in multi-drop mode the character is an address.
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
