//! Parallel I/O controller (PIO): 32 pins, each a port line or a peripheral's, with change interrupts and glitch filters.

#[cfg(test)]
mod tests;

use crate::apb;
use crate::register::{RO, WO, register};
use crate::state;
use serde::{Deserialize, Serialize};
use socscope_device::{Context, Description, Device, Model, Register, RestoreError};
use socscope_memory::Width;
use socscope_time::Instant;

const fn enable(offset: u32, name: &'static str, summary: &'static str) -> Register {
    register(offset, name, WO, 0, "control", summary)
}

const fn status(offset: u32, name: &'static str, reset: u32, summary: &'static str) -> Register {
    register(offset, name, RO, reset, "status", summary)
}

/// What the model says of itself.
pub const DESCRIPTION: Description = Description {
    compatible: &["atmel,at91x40-pio"],
    title: "AT91X40 parallel I/O controller",
    data_sheet: "Atmel doc1354 (AT91X40 series), PIO: Parallel I/O Controller",
    limits: "A pin that is handed to a peripheral shows the level that is driven from outside: the peripheral's own output is not seen here. \
             A pin that nobody drives is low.",
    registers: &[
        enable(0x00, "PIO_PER", "Takes pins from the peripherals."),
        enable(0x04, "PIO_PDR", "Hands pins to the peripherals."),
        status(
            0x08,
            "PIO_PSR",
            PSR_RESET,
            "Shows which pins the port controls.",
        ),
        enable(0x10, "PIO_OER", "Makes pins outputs."),
        enable(0x14, "PIO_ODR", "Makes pins inputs."),
        status(0x18, "PIO_OSR", 0, "Shows which pins are outputs."),
        enable(0x20, "PIO_IFER", "Switches glitch filters on."),
        enable(0x24, "PIO_IFDR", "Switches glitch filters off."),
        status(0x28, "PIO_IFSR", 0, "Shows which glitch filters are on."),
        register(0x30, "PIO_SODR", WO, 0, "data", "Sets outputs high."),
        register(0x34, "PIO_CODR", WO, 0, "data", "Sets outputs low."),
        register(
            0x38,
            "PIO_ODSR",
            RO,
            0,
            "data",
            "Shows the levels that outputs are set to.",
        ),
        register(
            0x3c,
            "PIO_PDSR",
            RO,
            0,
            "data",
            "Shows the levels of the pins.",
        ),
        register(
            0x40,
            "PIO_IER",
            WO,
            0,
            "interrupt enable",
            "Enables change interrupts.",
        ),
        register(
            0x44,
            "PIO_IDR",
            WO,
            0,
            "interrupt enable",
            "Disables change interrupts.",
        ),
        register(
            0x48,
            "PIO_IMR",
            RO,
            0,
            "interrupt enable",
            "Shows which change interrupts are enabled.",
        ),
        status(
            0x4c,
            "PIO_ISR",
            0,
            "Shows which pins have changed since it was last read, which clears it.",
        ),
        enable(0x50, "PIO_MDER", "Lets outputs drive low only."),
        enable(0x54, "PIO_MDDR", "Lets outputs drive both levels."),
        status(0x58, "PIO_MDSR", 0, "Shows which outputs drive low only."),
    ],
    inputs: &PINS,
    outputs: &OUTPUTS,
    ports: &[],
    properties: &[],
};

/// The entry for the table of models.
pub const MODEL: Model = Model {
    description: &DESCRIPTION,
    build: |_| Ok(Box::new(Pio(State::default()))),
};

const PSR_RESET: u32 = 0x01ff_ffff;
const IRQ: u32 = 0;
const FIRST_PIN_OUTPUT: u32 = 1;

const PINS: [&str; 32] = [
    "p0", "p1", "p2", "p3", "p4", "p5", "p6", "p7", "p8", "p9", "p10", "p11", "p12", "p13", "p14",
    "p15", "p16", "p17", "p18", "p19", "p20", "p21", "p22", "p23", "p24", "p25", "p26", "p27",
    "p28", "p29", "p30", "p31",
];

const OUTPUTS: [&str; 33] = {
    let mut names = ["irq"; 33];
    let mut pin = 0;
    while pin < 32 {
        names[pin + 1] = PINS[pin];
        pin += 1;
    }
    names
};

#[derive(Clone, Serialize, Deserialize)]
struct State {
    port: u32,
    output: u32,
    filter: u32,
    data: u32,
    mask: u32,
    changed: u32,
    low_only: u32,
    /// Levels from outside, as they are and as they have passed the filters.
    external: u32,
    filtered: u32,
    /// Levels of the pins when they were last looked at.
    pins: u32,
    /// Levels that the port drives, high only where it does.
    driven: u32,
    irq: bool,
    /// When each level from outside last changed.
    changed_at: [Instant; 32],
}

impl Default for State {
    fn default() -> State {
        State {
            port: PSR_RESET,
            output: 0,
            filter: 0,
            data: 0,
            mask: 0,
            changed: 0,
            low_only: 0,
            external: 0,
            filtered: 0,
            pins: 0,
            driven: 0,
            irq: false,
            changed_at: [Instant::ZERO; 32],
        }
    }
}

struct Pio(State);

impl Pio {
    /// Brings pins, change flags and output lines up to date.
    fn settle(&mut self, context: &mut Context) {
        let state = &mut self.0;
        state.filtered = (state.filtered & state.filter) | (state.external & !state.filter);
        let outputs = state.port & state.output;
        // A low-only output that is set high leaves the pin to whoever else drives it.
        let driving = outputs & !(state.low_only & state.data);
        let pins = (state.data & driving) | (state.filtered & !driving);
        state.changed |= pins ^ state.pins;
        state.pins = pins;
        let driven = state.data & driving;
        let different = driven ^ state.driven;
        state.driven = driven;
        for pin in (0..32).filter(|pin| different >> pin & 1 == 1) {
            context.set_line(FIRST_PIN_OUTPUT + pin, driven >> pin & 1 == 1);
        }
        self.show_interrupt(context);
    }

    fn show_interrupt(&mut self, context: &mut Context) {
        let irq = self.0.changed & self.0.mask != 0;
        if irq != self.0.irq {
            self.0.irq = irq;
            context.set_line(IRQ, irq);
        }
    }
}

fn cycle_ps(context: &Context) -> u64 {
    1_000_000_000_000u64.div_ceil(context.clock.hz())
}

impl Device for Pio {
    fn description(&self) -> &'static Description {
        &DESCRIPTION
    }

    /// The levels from outside stay; they count as no change.
    fn reset(&mut self, context: &mut Context) {
        let before = std::mem::take(&mut self.0);
        self.0 = State {
            external: before.external,
            filtered: before.external,
            pins: before.external,
            driven: before.driven,
            irq: before.irq,
            ..State::default()
        };
        self.settle(context);
    }

    fn read(&mut self, offset: u32, width: Width, context: &mut Context) -> u32 {
        let value = self.peek(offset, context).unwrap_or(0);
        if apb::register_offset(offset) == 0x4c {
            self.0.changed = 0;
            self.show_interrupt(context);
        }
        apb::lane(value, offset, width)
    }

    fn write(&mut self, offset: u32, width: Width, value: u32, context: &mut Context) {
        let value = apb::repeated(value, width);
        let state = &mut self.0;
        match apb::register_offset(offset) {
            0x00 => state.port |= value,
            0x04 => state.port &= !value,
            0x10 => state.output |= value,
            0x14 => state.output &= !value,
            0x20 => state.filter |= value,
            0x24 => state.filter &= !value,
            0x30 => state.data |= value,
            0x34 => state.data &= !value,
            0x40 => state.mask |= value,
            0x44 => state.mask &= !value,
            0x50 => state.low_only |= value,
            0x54 => state.low_only &= !value,
            _ => return apb::warn_of_write(context, offset, value),
        }
        self.settle(context);
    }

    fn peek(&self, offset: u32, _context: &Context) -> Option<u32> {
        Some(match apb::register_offset(offset) {
            0x08 => self.0.port,
            0x18 => self.0.output,
            0x28 => self.0.filter,
            0x38 => self.0.data,
            0x3c => self.0.pins,
            0x48 => self.0.mask,
            0x4c => self.0.changed,
            0x58 => self.0.low_only,
            _ => 0,
        })
    }

    /// A filter lets a level pass that has lasted for one cycle of the master clock.
    fn input(&mut self, line: u32, level: bool, context: &mut Context) {
        let bit = 1u32.checked_shl(line).unwrap_or(0);
        let before = self.0.external;
        self.0.external = if level { before | bit } else { before & !bit };
        if self.0.external == before {
            return;
        }
        if self.0.filter & bit != 0 {
            self.0.changed_at[line as usize & 31] = context.now;
            context.schedule(context.now.after_ps(cycle_ps(context)), u64::from(line));
        }
        self.settle(context);
    }

    fn event(&mut self, line: u64, context: &mut Context) {
        let pin = line as usize & 31;
        if context.now.ps_since(self.0.changed_at[pin]) >= cycle_ps(context) {
            let bit = 1 << pin;
            self.0.filtered = (self.0.filtered & !bit) | (self.0.external & bit);
            self.settle(context);
        }
    }

    fn save(&self) -> Vec<u8> {
        state::save(&self.0)
    }

    fn restore(&mut self, bytes: &[u8]) -> Result<(), RestoreError> {
        self.0 = state::restore(DESCRIPTION.title, bytes)?;
        Ok(())
    }
}
