//! A timer of the Integrator/CP: one half of an SP804.
//!
//! # Summary
//! Counts down in 32 or 16 bits, at the clock or a 16th or 256th of it; free-running, periodic or one-shot, with an interrupt at zero.
//!
//! # Behaviour
//! The count is a function of time: it costs an event only where it reaches zero, and one where it goes on from there.
//!
//! # Decisions
//! Zero is a count like any other: it stays for one tick, and then the counter wraps, is loaded anew, or (one-shot) stays at zero. A period
//! has so one tick more than the value loaded, as that of a free-running counter has one more than its highest value. The prescaler starts anew with
//! each write of the control or load register. A counter of 16 bits leaves the upper half of the value 0.
//!
//! # Limits
//! See the description.
//!
//! # Source
//! ARM DDI 0271 (SP804), chapters 2 and 3; ARM DUI 0159B, 4.7 "Counter/timers".

#[cfg(test)]
mod tests;

use crate::register::{RO, RW, WO, register};
use crate::{apb, state};
use serde::{Deserialize, Serialize};
use socscope_device::{Context, Description, Device, Model, RestoreError};
use socscope_memory::Width;
use socscope_time::EventId;

const LOAD: u32 = 0x00;
const VALUE: u32 = 0x04;
const CONTROL: u32 = 0x08;
const CLEAR: u32 = 0x0c;
const RAW: u32 = 0x10;
const MASKED: u32 = 0x14;
const BACKGROUND: u32 = 0x18;

mod control {
    pub const ONE_SHOT: u32 = 1 << 0;
    pub const WIDE: u32 = 1 << 1;
    pub const PRESCALE_SHIFT: u32 = 2;
    pub const INTERRUPT: u32 = 1 << 5;
    pub const PERIODIC: u32 = 1 << 6;
    pub const ENABLE: u32 = 1 << 7;
    pub const ALL: u32 = 0xef;
    pub const RESET: u32 = INTERRUPT;
}

/// Payloads of events.
mod event {
    pub const ZERO: u64 = 0;
    pub const NEXT: u64 = 1;
}

/// What the model says of itself.
pub const DESCRIPTION: Description = Description {
    compatible: &["arm,integrator-cp-timer"],
    title: "Integrator/CP timer",
    data_sheet: "ARM DDI 0271: Dual-Timer Module (SP804), chapters 2 and 3; ARM DUI 0159B, 4.7",
    limits: "The prescaler's value 3, which the manual leaves undefined, divides by 256. The timer has no identification or test registers.",
    registers: &[
        register(
            LOAD,
            "TIMERLOAD",
            RW,
            0,
            "control",
            "Where counting begins, at once and at each new period.",
        ),
        register(VALUE, "TIMERVALUE", RO, u32::MAX, "data", "The count."),
        register(
            CONTROL,
            "TIMERCONTROL",
            RW,
            control::RESET,
            "control",
            "One-shot, size, prescaler, interrupt enable, mode, enable.",
        ),
        register(
            CLEAR,
            "TIMERINTCLR",
            WO,
            0,
            "status",
            "Any write takes the interrupt back.",
        ),
        register(
            RAW,
            "TIMERRIS",
            RO,
            0,
            "status",
            "The counter has reached zero.",
        ),
        register(
            MASKED,
            "TIMERMIS",
            RO,
            0,
            "status",
            "The same, where the interrupt is enabled.",
        ),
        register(
            BACKGROUND,
            "TIMERBGLOAD",
            RW,
            0,
            "control",
            "TIMERLOAD, for the next period only.",
        ),
    ],
    inputs: &[],
    outputs: &["interrupt"],
    ports: &[],
    properties: &[],
};

/// The entry for the table of models.
pub const MODEL: Model = Model {
    description: &DESCRIPTION,
    build: |_| Ok(Box::new(Timer(State::new(false)))),
};

#[derive(Serialize, Deserialize)]
struct State {
    load: u32,
    control: u32,
    /// The count at the cycle `since`, or now while it does not run.
    count: u32,
    since: Option<u64>,
    /// Its next event: it reaches zero, or goes on from there.
    event: Option<EventId>,
    reached_zero: bool,
    /// The count stands at a zero that it has told of.
    is_at_zero: bool,
    interrupt: bool,
}

impl State {
    fn new(interrupt: bool) -> State {
        State {
            load: 0,
            control: control::RESET,
            count: u32::MAX,
            since: None,
            event: None,
            reached_zero: false,
            is_at_zero: false,
            interrupt,
        }
    }
}

struct Timer(State);

impl Timer {
    fn has(&self, bit: u32) -> bool {
        self.0.control & bit != 0
    }

    /// Bits that count.
    fn mask(&self) -> u32 {
        if self.has(control::WIDE) {
            u32::MAX
        } else {
            0xffff
        }
    }

    /// Cycles of a tick.
    fn divisor(&self) -> u64 {
        [1, 16, 256, 256][(self.0.control >> control::PRESCALE_SHIFT & 3) as usize]
    }

    fn count(&self, context: &Context) -> u32 {
        let ticks = self.0.since.map_or(0, |since| {
            context.cycle().saturating_sub(since) / self.divisor()
        });
        let passed = u32::try_from(ticks).unwrap_or(u32::MAX);
        (self.0.count & self.mask()).saturating_sub(passed)
    }

    /// What TIMERVALUE reads as: a counter that was never loaded has all its bits.
    fn value(&self, context: &Context) -> u32 {
        match self.0.since {
            Some(_) => self.count(context),
            None => self.0.count,
        }
    }

    fn stop(&mut self, context: &mut Context) {
        if self.0.since.is_some() {
            self.0.count = self.count(context);
        }
        self.0.since = None;
        if let Some(event) = self.0.event.take() {
            context.cancel(event);
        }
    }

    /// A stopped timer counts on from its count, where it is enabled.
    fn go(&mut self, context: &mut Context) {
        if !self.has(control::ENABLE) {
            return;
        }
        if self.0.is_at_zero {
            return self.stay_at_zero(context);
        }
        let since = context.cycle();
        self.0.since = Some(since);
        let ticks = u64::from(self.0.count & self.mask());
        let zero = since.saturating_add(ticks * self.divisor());
        self.0.event = Some(context.schedule_cycle(zero, event::ZERO));
    }

    fn reach_zero(&mut self, context: &mut Context) {
        self.stop(context);
        self.0.reached_zero = true;
        self.0.is_at_zero = true;
        self.stay_at_zero(context);
    }

    /// For a tick, or until it is loaded.
    fn stay_at_zero(&mut self, context: &mut Context) {
        if !self.has(control::ONE_SHOT) {
            let zero = context.cycle();
            self.0.since = Some(zero);
            self.0.event = Some(context.schedule_cycle(zero + self.divisor(), event::NEXT));
        }
    }

    fn begin_period(&mut self, context: &mut Context) {
        self.stop(context);
        self.0.is_at_zero = false;
        self.0.count = if self.has(control::PERIODIC) {
            self.0.load
        } else {
            self.mask()
        };
        self.go(context);
    }

    fn settle(&mut self, context: &mut Context) {
        let interrupt = self.0.reached_zero && self.has(control::INTERRUPT);
        if interrupt != self.0.interrupt {
            self.0.interrupt = interrupt;
            context.set_line(0, interrupt);
        }
    }
}

impl Device for Timer {
    fn description(&self) -> &'static Description {
        &DESCRIPTION
    }

    fn reset(&mut self, context: &mut Context) {
        self.stop(context);
        self.0 = State::new(self.0.interrupt);
        self.settle(context);
    }

    fn read(&mut self, offset: u32, width: Width, context: &mut Context) -> u32 {
        apb::lane(self.peek(offset, context).unwrap_or(0), offset, width)
    }

    fn write(&mut self, offset: u32, width: Width, value: u32, context: &mut Context) {
        let value = apb::repeated(value, width);
        match apb::register_offset(offset) {
            LOAD => {
                self.stop(context);
                self.0.load = value;
                self.0.count = value;
                self.0.is_at_zero = false;
                self.go(context);
            }
            BACKGROUND => self.0.load = value,
            CONTROL => {
                self.stop(context);
                self.0.control = value & control::ALL;
                self.go(context);
            }
            CLEAR => self.0.reached_zero = false,
            _ => apb::warn_of_write(context, offset, value),
        }
        self.settle(context);
    }

    fn peek(&self, offset: u32, context: &Context) -> Option<u32> {
        Some(match apb::register_offset(offset) {
            LOAD | BACKGROUND => self.0.load,
            VALUE => self.value(context),
            CONTROL => self.0.control,
            RAW => u32::from(self.0.reached_zero),
            MASKED => u32::from(self.0.reached_zero && self.has(control::INTERRUPT)),
            _ => 0,
        })
    }

    fn event(&mut self, payload: u64, context: &mut Context) {
        self.0.event = None;
        match payload {
            event::ZERO => self.reach_zero(context),
            _ => self.begin_period(context),
        }
        self.settle(context);
    }

    fn save(&self) -> Vec<u8> {
        state::save(&self.0)
    }

    fn restore(&mut self, bytes: &[u8]) -> Result<(), RestoreError> {
        self.0 = state::restore(DESCRIPTION.title, bytes)?;
        Ok(())
    }
}
