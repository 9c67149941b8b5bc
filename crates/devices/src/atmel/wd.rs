//! Watchdog (WD): a 16-bit down counter whose underflow resets, interrupts or pulses a pin. Every register has a key.

#[cfg(test)]
mod tests;

use crate::apb;
use crate::register::{RO, RW, WO, register};
use crate::state;
use serde::{Deserialize, Serialize};
use socscope_device::{Context, Description, Device, Model, RestoreError};
use socscope_memory::Width;
use socscope_time::EventId;

/// What the model says of itself.
pub const DESCRIPTION: Description = Description {
    compatible: &["atmel,at91x40-wd"],
    title: "AT91X40 watchdog",
    data_sheet: "Atmel doc1354 (AT91X40 series), WD: Watchdog Timer",
    limits: "After an underflow that resets nothing the counter goes on from 0xffff. The factory's test register is left out.",
    registers: &[
        register(
            0x00,
            "WD_OMR",
            RW,
            0,
            "control",
            "Enables the watchdog and says what an underflow does.",
        ),
        register(
            0x04,
            "WD_CMR",
            RW,
            0,
            "control",
            "Selects the clock and the upper four bits of the start value.",
        ),
        register(0x08, "WD_CR", WO, 0, "control", "Restarts the counter."),
        register(
            0x0c,
            "WD_SR",
            RO,
            0,
            "status",
            "Tells whether the counter has underflowed since its restart.",
        ),
    ],
    inputs: &[],
    outputs: &["irq", "nwdovf"],
    ports: &[],
    properties: &[],
};

/// The entry for the table of models.
pub const MODEL: Model = Model {
    description: &DESCRIPTION,
    build: |_| Ok(Box::new(Watchdog::default())),
};

const IRQ: u32 = 0;
const PIN: u32 = 1;
const ENABLE: u32 = 1 << 0;
const RESET_ENABLE: u32 = 1 << 1;
const IRQ_ENABLE: u32 = 1 << 2;
const PIN_ENABLE: u32 = 1 << 3;
/// Length of the interrupt and of the pulse on the pin.
const PULSE_CYCLES: u64 = 8;
const UNDERFLOW: u64 = 0;
const PULSE_END: u64 = 1;

#[derive(Clone, Serialize, Deserialize)]
struct State {
    omr: u32,
    cmr: u32,
    overflow: bool,
    /// Ticks of the selected clock until the underflow, counted at cycle `since`.
    left: u64,
    since: u64,
    underflow: Option<EventId>,
    pulse_end: Option<EventId>,
}

impl Default for State {
    fn default() -> State {
        State {
            omr: 0,
            cmr: 0,
            overflow: false,
            left: 0x1000,
            since: 0,
            underflow: None,
            pulse_end: None,
        }
    }
}

impl State {
    /// Master clock cycles of one tick; the divider runs freely from power-on.
    fn divisor(&self) -> u64 {
        [8, 32, 128, 1024][(self.cmr & 3) as usize]
    }

    /// Counter value at a restart, plus one: HPCV above twelve ones.
    fn start(&self) -> u64 {
        u64::from((self.cmr >> 2) & 0xf) * 0x1000 + 0x1000
    }

    /// Counts to `cycle`. The underflow itself is an event and never lies between.
    fn advance(&mut self, cycle: u64) {
        if self.omr & ENABLE != 0 {
            let ticks = (cycle / self.divisor()).saturating_sub(self.since / self.divisor());
            self.left = self.left.saturating_sub(ticks);
        }
        self.since = cycle;
    }
}

#[derive(Default)]
struct Watchdog(State);

impl Watchdog {
    fn schedule(&mut self, context: &mut Context) {
        if let Some(event) = self.0.underflow.take() {
            context.cancel(event);
        }
        if self.0.omr & ENABLE != 0 {
            let tick = self.0.since / self.0.divisor() + self.0.left;
            self.0.underflow = Some(context.schedule_cycle(tick * self.0.divisor(), UNDERFLOW));
        }
    }

    fn underflow(&mut self, context: &mut Context) {
        self.0.overflow = true;
        self.0.left = 0x1_0000;
        let omr = self.0.omr;
        for (enable, line) in [(IRQ_ENABLE, IRQ), (PIN_ENABLE, PIN)] {
            if omr & enable != 0 {
                context.set_line(line, true);
            }
        }
        if omr & (IRQ_ENABLE | PIN_ENABLE) != 0 {
            let end = context.cycle() + PULSE_CYCLES;
            self.0.pulse_end = Some(context.schedule_cycle(end, PULSE_END));
        }
        if omr & RESET_ENABLE != 0 {
            context.reset_system("watchdog underflow");
        }
        self.schedule(context);
    }
}

impl Device for Watchdog {
    fn description(&self) -> &'static Description {
        &DESCRIPTION
    }

    fn reset(&mut self, context: &mut Context) {
        for event in [self.0.underflow, self.0.pulse_end].into_iter().flatten() {
            context.cancel(event);
        }
        self.0 = State::default();
        context.set_line(IRQ, false);
        context.set_line(PIN, false);
    }

    fn read(&mut self, offset: u32, width: Width, context: &mut Context) -> u32 {
        apb::lane(self.peek(offset, context).unwrap_or(0), offset, width)
    }

    fn write(&mut self, offset: u32, width: Width, value: u32, context: &mut Context) {
        let value = apb::repeated(value, width);
        self.0.advance(context.cycle());
        match apb::register_offset(offset) {
            0x00 if value & 0xfff0 == 0x2340 => self.0.omr = value & 0xf,
            0x04 if value & 0xff80 == 0x06e << 7 => self.0.cmr = value & 0x3f,
            0x08 if value & 0xffff == 0xc071 => {
                self.0.left = self.0.start();
                self.0.overflow = false;
            }
            0x00 | 0x04 | 0x08 => {
                return context.warn(format!(
                    "wrong access key: {value:#010x} at offset {offset:#x} is ignored"
                ));
            }
            _ => return apb::warn_of_write(context, offset, value),
        }
        self.schedule(context);
    }

    fn peek(&self, offset: u32, _context: &Context) -> Option<u32> {
        Some(match apb::register_offset(offset) {
            0x00 => self.0.omr,
            0x04 => self.0.cmr,
            0x0c => u32::from(self.0.overflow),
            _ => 0,
        })
    }

    fn event(&mut self, payload: u64, context: &mut Context) {
        if payload == PULSE_END {
            self.0.pulse_end = None;
            context.set_line(IRQ, false);
            context.set_line(PIN, false);
        } else {
            self.0.advance(context.cycle());
            self.0.underflow = None;
            self.underflow(context);
        }
    }

    fn may_reset(&self) -> bool {
        self.0.omr & (ENABLE | RESET_ENABLE) == ENABLE | RESET_ENABLE
    }

    fn save(&self) -> Vec<u8> {
        state::save(&self.0)
    }

    fn restore(&mut self, bytes: &[u8]) -> Result<(), RestoreError> {
        self.0 = state::restore(DESCRIPTION.title, bytes)?;
        Ok(())
    }
}
