//! The real-time clock PL031: seconds, and an alarm.
//!
//! # Summary
//! A counter of seconds that software sets, and an interrupt when it is equal to the match register.
//!
//! # Behaviour
//! Seconds are those of simulated time: they begin at whole seconds since power-on. The block comes up stopped, at the time that the platform gives; once
//! started it runs until the reset.
//!
//! # Limits
//! See the description.
//!
//! # Source
//! ARM DDI 0224 (PL031), chapters 2 and 3.

#[cfg(test)]
mod tests;

use super::primecell;
use crate::register::{RO, RW, WO, register};
use crate::{apb, state};
use serde::{Deserialize, Serialize};
use socscope_device::{
    BuildError, Context, Description, Device, Model, Properties, Register, RestoreError,
};
use socscope_memory::Width;
use socscope_time::{EventId, Instant};

const DATA: u32 = 0x00;
const MATCH: u32 = 0x04;
const LOAD: u32 = 0x08;
const CONTROL: u32 = 0x0c;
const MASK: u32 = 0x10;
const RAW: u32 = 0x14;
const MASKED: u32 = 0x18;
const CLEAR: u32 = 0x1c;

const PERIPHERAL: u32 = 0x0004_1031;
const SECOND_PS: u64 = 1_000_000_000_000;
const START_PROPERTY: &str = "socscope,seconds";

static REGISTERS: [Register; 16] = primecell::identified(
    [
        register(DATA, "RTCDR", RO, 0, "data", "Seconds."),
        register(MATCH, "RTCMR", RW, 0, "data", "When to interrupt."),
        register(LOAD, "RTCLR", RW, 0, "data", "Sets the seconds."),
        register(
            CONTROL,
            "RTCCR",
            RW,
            0,
            "control",
            "A one starts the counter, for good.",
        ),
        register(
            MASK,
            "RTCIMSC",
            RW,
            0,
            "interrupt enable",
            "Interrupt enable.",
        ),
        register(
            RAW,
            "RTCRIS",
            RO,
            0,
            "status",
            "Seconds were equal to the match register.",
        ),
        register(
            MASKED,
            "RTCMIS",
            RO,
            0,
            "status",
            "The same, where the interrupt is enabled.",
        ),
        register(
            CLEAR,
            "RTCICR",
            WO,
            0,
            "status",
            "A one takes the interrupt back.",
        ),
    ],
    PERIPHERAL,
);

/// What the model says of itself.
pub static DESCRIPTION: Description = Description {
    compatible: &["arm,pl031"],
    title: "PL031 real-time clock",
    data_sheet: "ARM DDI 0224: PrimeCell Real Time Clock (PL031), chapters 2 and 3",
    limits: "No battery: it starts anew with each reset. What is loaded is taken at once, not with the next second. No test registers.",
    registers: &REGISTERS,
    inputs: &[],
    outputs: &["interrupt"],
    ports: &[],
    properties: &[(
        START_PROPERTY,
        "Seconds with which it comes up, since 1970 for Linux; 0 when absent.",
    )],
};

/// The entry for the table of models.
pub const MODEL: Model = Model {
    description: &DESCRIPTION,
    build,
};

#[derive(Clone, Default, Serialize, Deserialize)]
struct State {
    /// What the counter is ahead of the seconds since power-on, or its value while it is stopped.
    base: u32,
    runs: bool,
    load: u32,
    wanted: u32,
    enabled: bool,
    raw: bool,
    interrupt: bool,
    event: Option<EventId>,
}

struct Pl031 {
    start: u32,
    state: State,
}

fn build(node: &dyn Properties) -> Result<Box<dyn Device>, BuildError> {
    let start = node.cell(START_PROPERTY)?.unwrap_or(0);
    let state = State {
        base: start,
        ..State::default()
    };
    Ok(Box::new(Pl031 { start, state }))
}

fn seconds(context: &Context) -> u64 {
    context.now.0 / SECOND_PS
}

impl Pl031 {
    fn counter(&self, context: &Context) -> u32 {
        let passed = if self.state.runs {
            seconds(context) as u32
        } else {
            0
        };
        self.state.base.wrapping_add(passed)
    }

    fn set_counter(&mut self, value: u32, context: &Context) {
        let passed = if self.state.runs {
            seconds(context) as u32
        } else {
            0
        };
        self.state.base = value.wrapping_sub(passed);
    }

    /// Counter, match or run have changed: looks ahead to when the two are equal.
    fn look_ahead(&mut self, context: &mut Context) {
        if let Some(event) = self.state.event.take() {
            context.cancel(event);
        }
        if !self.state.runs {
            return;
        }
        let left = self.state.wanted.wrapping_sub(self.counter(context));
        let due = seconds(context).saturating_add(u64::from(left));
        // Later than any run ends, it never comes.
        if let Some(time) = due.checked_mul(SECOND_PS).map(Instant) {
            self.state.event = Some(context.schedule(time.max(context.now), 0));
        }
    }

    fn settle(&mut self, context: &mut Context) {
        let interrupt = self.state.raw && self.state.enabled;
        if interrupt != self.state.interrupt {
            self.state.interrupt = interrupt;
            context.set_line(0, interrupt);
        }
    }
}

impl Device for Pl031 {
    fn description(&self) -> &'static Description {
        &DESCRIPTION
    }

    fn reset(&mut self, context: &mut Context) {
        if let Some(event) = self.state.event {
            context.cancel(event);
        }
        self.state = State {
            base: self.start,
            interrupt: self.state.interrupt,
            ..State::default()
        };
        self.settle(context);
    }

    fn read(&mut self, offset: u32, width: Width, context: &mut Context) -> u32 {
        apb::lane(self.peek(offset, context).unwrap_or(0), offset, width)
    }

    fn write(&mut self, offset: u32, width: Width, value: u32, context: &mut Context) {
        let value = apb::repeated(value, width);
        match apb::register_offset(offset) {
            MATCH => {
                self.state.wanted = value;
                self.look_ahead(context);
            }
            LOAD => {
                self.state.load = value;
                self.set_counter(value, context);
                self.look_ahead(context);
            }
            CONTROL => {
                if value & 1 != 0 && !self.state.runs {
                    let counter = self.counter(context);
                    self.state.runs = true;
                    self.set_counter(counter, context);
                    self.look_ahead(context);
                }
            }
            MASK => self.state.enabled = value & 1 != 0,
            CLEAR => self.state.raw &= value & 1 == 0,
            _ => apb::warn_of_write(context, offset, value),
        }
        self.settle(context);
    }

    fn peek(&self, offset: u32, context: &Context) -> Option<u32> {
        let (state, offset) = (&self.state, apb::register_offset(offset));
        Some(match offset {
            DATA => self.counter(context),
            MATCH => state.wanted,
            LOAD => state.load,
            CONTROL => u32::from(state.runs),
            MASK => u32::from(state.enabled),
            RAW => u32::from(state.raw),
            MASKED => u32::from(state.raw && state.enabled),
            _ => primecell::identification(PERIPHERAL, offset).unwrap_or(0),
        })
    }

    /// Counter and match register are equal.
    fn event(&mut self, _payload: u64, context: &mut Context) {
        self.state.event = None;
        self.state.raw = true;
        self.settle(context);
    }

    fn save(&self) -> Vec<u8> {
        state::save(&self.state)
    }

    fn restore(&mut self, bytes: &[u8]) -> Result<(), RestoreError> {
        self.state = state::restore(DESCRIPTION.title, bytes)?;
        Ok(())
    }
}
