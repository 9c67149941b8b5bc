//! The transmitter: a holding register, a shift register, and breaks.
//!
//! A character costs one event, at its end, time-guard included.

use super::event;
use crate::line::{Format, Ninth, RENEWAL_BITS, high, low};
use serde::{Deserialize, Serialize};
use socscope_device::{Context, Parity, TraceEvent, Waveform};
use socscope_time::{EventId, Instant};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum Break {
    None,
    /// Asked for; waits for the shift register.
    Pending,
    /// The line is low.
    Active {
        /// The character time that a break lasts at least is over.
        long_enough: bool,
        stopping: bool,
    },
    /// The line is high, so that the end of the break can be seen.
    Recovery,
}

/// The line is high for so many bits after a break, or for the time-guard when that is longer.
const RECOVERY_BITS: u32 = 12;

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Transmitter {
    enabled: bool,
    /// THR, and whether it is an address.
    holding: Option<(u16, bool)>,
    /// The end of what the shift register does.
    shifting: Option<EventId>,
    /// SENDA was given for the next character written.
    address_next: bool,
    line_break: Break,
}

impl Transmitter {
    pub fn new() -> Transmitter {
        Transmitter {
            enabled: false,
            holding: None,
            shifting: None,
            address_next: false,
            line_break: Break::None,
        }
    }

    /// RSTTX: all that was on its way is lost. Gives what ends a character or break on the line.
    pub fn reset(&mut self, context: &mut Context) -> Option<Waveform> {
        let shifting = self.shifting;
        if let Some(event) = shifting {
            context.cancel(event);
        }
        let enabled = self.enabled;
        *self = Transmitter::new();
        self.enabled = enabled;
        shifting.map(|_| high(context.now))
    }

    /// TXEN and TXDIS. What is in the registers is still sent.
    pub fn set_enabled(&mut self, enabled: bool) {
        self.enabled = enabled;
    }

    /// TXRDY.
    pub fn is_ready(&self) -> bool {
        self.enabled && self.holding.is_none() && self.line_break != Break::Pending
    }

    /// TXEMPTY.
    pub fn is_empty(&self) -> bool {
        let idle = self.holding.is_none() && self.shifting.is_none();
        self.enabled && idle && self.line_break == Break::None
    }

    /// Whether a character is in the shift register; those that wait follow it.
    pub fn sends(&self) -> bool {
        self.shifting.is_some() && self.line_break == Break::None
    }

    /// Whether a character may be written: not while a break lasts (doc1354, "Transmit Break").
    pub fn accepts(&self) -> bool {
        self.is_ready()
            && !matches!(
                self.line_break,
                Break::Active {
                    stopping: false,
                    ..
                }
            )
    }

    /// Writes THR when it [accepts](Self::accepts).
    pub fn put(&mut self, character: u16) {
        self.holding = Some((character, self.address_next));
        self.address_next = false;
    }

    /// SENDA.
    pub fn send_address(&mut self) {
        self.address_next = true;
    }

    /// STTBRK.
    pub fn start_break(&mut self) {
        if self.is_ready() && self.line_break == Break::None {
            self.line_break = Break::Pending;
        }
    }

    /// STPBRK.
    pub fn stop_break(&mut self, context: &mut Context) {
        let ready = self.is_ready();
        if let (
            true,
            Break::Active {
                long_enough,
                stopping,
            },
        ) = (ready, &mut self.line_break)
        {
            *stopping = true;
            if let (true, Some(event)) = (*long_enough, self.shifting) {
                context.cancel(event);
                self.shifting = None;
            }
        }
    }

    /// The shift register came to its end.
    pub fn shifted(&mut self) {
        self.shifting = None;
    }

    /// Loads the shift register when it is free. Gives what begins on the line.
    pub fn advance(
        &mut self,
        format: Option<Format>,
        time_guard: u32,
        context: &mut Context,
    ) -> Option<Waveform> {
        let format = format?;
        if self.shifting.is_some() {
            return None;
        }
        let start = format.edge_from(context.now);
        let guard_half_bits = 2 * u64::from(time_guard);
        let (waveform, half_bits) = match self.line_break {
            Break::Pending => {
                self.set_break(false);
                (low(start, format), 2 * format.bits())
            }
            Break::Active {
                stopping: false, ..
            } => {
                self.set_break(true);
                (low(start, format), 2 * RENEWAL_BITS)
            }
            Break::Active { stopping: true, .. } => {
                self.line_break = Break::Recovery;
                (
                    high(start),
                    guard_half_bits.max(2 * u64::from(RECOVERY_BITS)),
                )
            }
            Break::Recovery | Break::None => {
                self.line_break = Break::None;
                let (data, address) = self.holding.take()?;
                let waveform = character(start, format, data, address);
                context.trace(TraceEvent::CharacterSent {
                    data: data & ((1 << format.data_bits) - 1),
                });
                (waveform, format.half_bits() + guard_half_bits)
            }
        };
        self.shifting = Some(context.schedule(format.after(start, half_bits), event::SHIFTED));
        Some(waveform)
    }

    fn set_break(&mut self, long_enough: bool) {
        self.line_break = Break::Active {
            long_enough,
            stopping: false,
        };
    }
}

fn character(start: Instant, format: Format, data: u16, address: bool) -> Waveform {
    let line = match format.ninth {
        Ninth::Parity(parity) => format.line_with(parity),
        Ninth::Address if address => format.line_with(Parity::Mark),
        Ninth::Address => format.line_with(Parity::Space),
    };
    Waveform::character(start, line, data)
}
