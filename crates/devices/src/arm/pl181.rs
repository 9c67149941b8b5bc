//! The card interface PL180 and PL181, with an empty socket.
//!
//! # Summary
//! Commands and data transfers to a card that is not there: what is sent gets no answer, what is awaited times out.
//!
//! # Behaviour
//! A command has 48 bits. Without a response it has then been sent; the response is awaited for 64 clocks more. A data transfer runs until the data timer ends
//! it. The card's clock is the block's, divided as MCICLOCK says; while it is off, nothing goes on.
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
    /// The ends of a command and of a transfer, each where one is under way.
    command_end: Option<EventId>,
    data_end: Option<EventId>,
    lines: [bool; 2],
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
        let command = self.command_end.map_or(0, |_| status::COMMAND_ACTIVE);
        let data = match (self.data_end, self.data_control & data::FROM_CARD) {
            (None, _) => 0,
            (Some(_), 0) => status::SENDING,
            (Some(_), _) => status::RECEIVING,
        };
        self.flags | command | data
    }

    fn drop_event(event: &mut Option<EventId>, context: &mut Context) {
        if let Some(event) = event.take() {
            context.cancel(event);
        }
    }

    fn begin_command(&mut self, value: u32, context: &mut Context) {
        Pl181::drop_event(&mut self.command_end, context);
        self.command = value & command::ALL;
        let (true, Some(divisor)) = (value & command::ENABLE != 0, self.divisor()) else {
            return;
        };
        let awaits = value & command::RESPONSE != 0;
        let clocks = COMMAND_BITS + u64::from(awaits) * RESPONSE_CLOCKS;
        let end = context.cycle() + clocks * divisor;
        self.command_end = Some(context.schedule_cycle(end, event::COMMAND));
    }

    fn begin_data(&mut self, value: u32, context: &mut Context) {
        Pl181::drop_event(&mut self.data_end, context);
        self.data_control = value & data::ALL;
        let (true, Some(divisor)) = (value & data::ENABLE != 0, self.divisor()) else {
            return;
        };
        let end = context.cycle() + u64::from(self.data_timer) * divisor;
        self.data_end = Some(context.schedule_cycle(end, event::DATA));
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
        Pl181::drop_event(&mut self.command_end, context);
        Pl181::drop_event(&mut self.data_end, context);
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
            CLOCK => self.clock = value & clock::ALL,
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
            DATA_COUNT if self.data_end.is_some() => self.data_length,
            STATUS => self.status(),
            MASK_0 => self.masks[0],
            MASK_1 => self.masks[1],
            _ => primecell::identification(PERIPHERAL, offset).unwrap_or(0),
        })
    }

    fn event(&mut self, payload: u64, context: &mut Context) {
        if payload == event::COMMAND {
            self.command_end = None;
            self.flags |= match self.command & command::RESPONSE {
                0 => status::COMMAND_SENT,
                _ => status::COMMAND_TIMEOUT,
            };
        } else {
            self.data_end = None;
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
