//! The card interface PL180 and PL181, with an empty socket.
//!
//! # Summary
//! Commands and data transfers to a card that is not there: what is sent gets no answer, what is awaited times out.
//!
//! # Behaviour
//! A command has 48 bits. Without a response it has then been sent; the response is awaited for 64 clocks more. A data transfer runs until the data timer ends
//! it. The card's clock is the block's, divided as MCICLOCK says; while it is off, nothing goes on, and what was under way goes on with the next one.
//!
//! # Limits
//! See the description.
//!
//! # Source
//! ARM DDI 0205 (PL181), chapters 2 and 3.

mod registers;
#[cfg(test)]
mod tests;

use super::primecell;
use crate::{apb, state};
use registers::*;
use serde::{Deserialize, Serialize};
use socscope_device::{Context, Description, Device, Model, RestoreError};
use socscope_memory::Width;
use socscope_time::EventId;

/// The entry for the table of models.
pub const MODEL: Model = Model {
    description: &DESCRIPTION,
    build: |_| Ok(Box::new(Pl181::default())),
};

const COMMAND_BITS: u64 = 48;
const RESPONSE_CLOCKS: u64 = 64;

/// Payloads of events.
mod event {
    pub const COMMAND: u64 = 0;
    pub const DATA: u64 = 1;
}

#[derive(Default, Serialize, Deserialize)]
struct Pl181 {
    power: u32,
    clock: u32,
    argument: u32,
    command: u32,
    data_timer: u32,
    data_length: u32,
    data_control: u32,
    /// Flags that stay until they are cleared.
    flags: u32,
    masks: [u32; 2],
    /// Those that are under way.
    sending: Option<UnderWay>,
    transfer: Option<UnderWay>,
    lines: [bool; 2],
}

/// A command or a transfer.
#[derive(Serialize, Deserialize)]
struct UnderWay {
    /// Clocks of the card from the cycle `since` to its end.
    clocks: u64,
    since: u64,
    /// Its end, while the card's clock runs.
    end: Option<EventId>,
}

impl UnderWay {
    fn begin(clocks: u64, divisor: Option<u64>, payload: u64, context: &mut Context) -> UnderWay {
        let since = context.cycle();
        let end = |divisor: u64| since.saturating_add(clocks.saturating_mul(divisor));
        UnderWay {
            clocks,
            since,
            end: divisor.map(|divisor| context.schedule_cycle(end(divisor), payload)),
        }
    }

    /// It ends now, at the clock that it had; gives the clocks that are left, those begun among them.
    fn end(self, divisor: Option<u64>, context: &mut Context) -> u64 {
        if let Some(event) = self.end {
            context.cancel(event);
        }
        let passed = context.cycle().saturating_sub(self.since);
        let passed = divisor.map_or(0, |divisor| passed / divisor);
        self.clocks.saturating_sub(passed)
    }
}

impl Pl181 {
    /// Cycles of the block's clock for one of the card's; `None` while that is off.
    fn divisor(&self) -> Option<u64> {
        let divisor = match self.clock & clock::BYPASS {
            0 => 2 * (u64::from(self.clock & clock::DIVIDER) + 1),
            _ => 1,
        };
        (self.clock & clock::ENABLE != 0).then_some(divisor)
    }

    fn status(&self) -> u32 {
        let command = self.sending.as_ref().map_or(0, |_| status::COMMAND_ACTIVE);
        let data = match (&self.transfer, self.data_control & data::FROM_CARD) {
            (None, _) => 0,
            (Some(_), 0) => status::SENDING,
            (Some(_), _) => status::RECEIVING,
        };
        self.flags | command | data
    }

    /// Ends what is under way; gives its clocks that are left.
    fn end(&mut self, payload: u64, context: &mut Context) -> Option<u64> {
        let divisor = self.divisor();
        let ended = match payload {
            event::COMMAND => self.sending.take(),
            _ => self.transfer.take(),
        };
        ended.map(|it| it.end(divisor, context))
    }

    fn begin(&mut self, payload: u64, clocks: u64, context: &mut Context) {
        let begun = UnderWay::begin(clocks, self.divisor(), payload, context);
        match payload {
            event::COMMAND => self.sending = Some(begun),
            _ => self.transfer = Some(begun),
        }
    }

    fn begin_command(&mut self, value: u32, context: &mut Context) {
        self.end(event::COMMAND, context);
        self.command = value & command::ALL;
        if value & command::ENABLE != 0 {
            let awaits = value & command::RESPONSE != 0;
            let clocks = COMMAND_BITS + u64::from(awaits) * RESPONSE_CLOCKS;
            self.begin(event::COMMAND, clocks, context);
        }
    }

    fn begin_data(&mut self, value: u32, context: &mut Context) {
        self.end(event::DATA, context);
        self.data_control = value & data::ALL;
        if value & data::ENABLE != 0 {
            self.begin(event::DATA, u64::from(self.data_timer), context);
        }
    }

    fn set_clock(&mut self, value: u32, context: &mut Context) {
        let left = [event::COMMAND, event::DATA].map(|it| (it, self.end(it, context)));
        self.clock = value & clock::ALL;
        for (payload, clocks) in left {
            if let Some(clocks) = clocks {
                self.begin(payload, clocks, context);
            }
        }
    }

    fn settle(&mut self, context: &mut Context) {
        for line in 0..2 {
            let level = self.status() & self.masks[line] != 0;
            if level != self.lines[line] {
                self.lines[line] = level;
                context.set_line(line as u32, level);
            }
        }
    }
}

impl Device for Pl181 {
    fn description(&self) -> &'static Description {
        &DESCRIPTION
    }

    fn reset(&mut self, context: &mut Context) {
        self.end(event::COMMAND, context);
        self.end(event::DATA, context);
        *self = Pl181 {
            lines: self.lines,
            ..Pl181::default()
        };
        self.settle(context);
    }

    fn read(&mut self, offset: u32, width: Width, context: &mut Context) -> u32 {
        apb::lane(self.peek(offset, context).unwrap_or(0), offset, width)
    }

    fn write(&mut self, offset: u32, width: Width, value: u32, context: &mut Context) {
        let value = apb::repeated(value, width);
        match apb::register_offset(offset) {
            POWER => self.power = value & 0xff,
            CLOCK => self.set_clock(value, context),
            ARGUMENT => self.argument = value,
            COMMAND => self.begin_command(value, context),
            DATA_TIMER => self.data_timer = value,
            DATA_LENGTH => self.data_length = value & 0xffff,
            DATA_CONTROL => self.begin_data(value, context),
            CLEAR => self.flags &= !value,
            MASK_0 => self.masks[0] = value & status::ALL,
            MASK_1 => self.masks[1] = value & status::ALL,
            FIFO..FIFO_END => {}
            _ => apb::warn_of_write(context, offset, value),
        }
        self.settle(context);
    }

    fn peek(&self, offset: u32, _context: &Context) -> Option<u32> {
        let offset = apb::register_offset(offset);
        Some(match offset {
            POWER => self.power,
            CLOCK => self.clock,
            ARGUMENT => self.argument,
            COMMAND => self.command,
            DATA_TIMER => self.data_timer,
            DATA_LENGTH => self.data_length,
            DATA_CONTROL => self.data_control,
            DATA_COUNT if self.transfer.is_some() => self.data_length,
            STATUS => self.status(),
            MASK_0 => self.masks[0],
            MASK_1 => self.masks[1],
            _ => primecell::identification(PERIPHERAL, offset).unwrap_or(0),
        })
    }

    fn event(&mut self, payload: u64, context: &mut Context) {
        if payload == event::COMMAND {
            self.sending = None;
            self.flags |= match self.command & command::RESPONSE {
                0 => status::COMMAND_SENT,
                _ => status::COMMAND_TIMEOUT,
            };
        } else {
            self.transfer = None;
            self.flags |= status::DATA_TIMEOUT;
        }
        self.settle(context);
    }

    fn save(&self) -> Vec<u8> {
        state::save(self)
    }

    fn restore(&mut self, bytes: &[u8]) -> Result<(), RestoreError> {
        *self = state::restore(DESCRIPTION.title, bytes)?;
        Ok(())
    }
}
