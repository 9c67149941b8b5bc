//! The receiver's registers: RHR, the flags and the time-out.

use super::registers::status;
use crate::line::{Format, LineReceiver, Ninth, Timeout};
use serde::{Deserialize, Serialize};
use socscope_device::{Context, TraceEvent, Waveform};

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Receiver {
    line: LineReceiver,
    /// RHR.
    holding: u16,
    /// RXRDY, RXBRK, OVRE, FRAME and PARE of CSR.
    flags: u32,
    pub timeout: Timeout,
}

impl Receiver {
    pub fn new() -> Receiver {
        Receiver {
            line: LineReceiver::new(),
            holding: 0,
            flags: 0,
            timeout: Timeout::default(),
        }
    }

    /// Power-on and system reset.
    pub fn power_on(&mut self, context: &mut Context) {
        self.line.abandon(context);
        self.timeout.reset(context);
        *self = Receiver::new();
    }

    pub fn is_enabled(&self) -> bool {
        self.line.is_enabled()
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
        self.line.enable(format, context);
    }

    /// RXDIS: a character on its way is lost, and RXRDY is zero from now on.
    pub fn disable(&mut self, context: &mut Context) {
        self.line.disable(context);
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

    /// The input was switched to another source, which is idle.
    pub fn disconnect(&mut self) {
        self.line.disconnect();
    }

    /// The format changed. It applies from the next character on.
    pub fn format_changed(&mut self, format: Option<Format>, context: &mut Context) {
        self.line.format_changed(format, context);
    }

    /// A character begins on the line.
    pub fn incoming(&mut self, waveform: Waveform, format: Option<Format>, context: &mut Context) {
        self.line.incoming(waveform, format, context);
    }

    /// The middle of the stop bit. `timeout_units` is RTOR; `next` is the format of the next character.
    pub fn stop_bit(&mut self, timeout_units: u32, next: Option<Format>, context: &mut Context) {
        let Some(arrived) = self.line.stop_bit() else {
            return;
        };
        let mut flags = status::RXRDY;
        let happened = [
            (self.is_ready(), status::OVRE),
            (arrived.is_break, status::RXBRK),
            (arrived.framing_error, status::FRAME),
            (arrived.bad_ninth, status::PARE),
        ];
        for (_, flag) in happened.into_iter().filter(|(happened, _)| *happened) {
            flags |= flag;
        }
        self.holding = arrived.data;
        self.flags |= flags;
        let errors = match arrived.format.ninth {
            Ninth::Address => status::OVRE | status::FRAME | status::RXBRK,
            Ninth::Parity(_) => !status::RXRDY,
        };
        context.trace(TraceEvent::CharacterReceived {
            data: arrived.data,
            error: flags & errors != 0,
        });
        if timeout_units > 0 {
            let sixteenths = 4 * 16 * u64::from(timeout_units);
            self.timeout
                .reload(arrived.format.sixteenths_ps(sixteenths), context);
        }
        self.line.go_on(arrived, next, context);
    }

    /// The line has been high for long enough after a break.
    pub fn end_of_break(&mut self, next: Option<Format>, context: &mut Context) {
        if self.line.end_of_break(next, context) {
            self.flags |= status::RXBRK;
        }
    }
}
