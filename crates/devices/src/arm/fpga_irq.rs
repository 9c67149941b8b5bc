//! The interrupt controllers of ARM's Integrator boards: one in the board's FPGA, one behind it, one on the core module.
//!
//! # Summary
//! Up to 32 level-sensitive sources, each of which can be enabled for the interrupt and for the fast interrupt; no priorities, no vectors.
//!
//! # Behaviour
//! A controller whose node says where its interrupts go hands its interrupt to the controller that is named there, any other one asks the core.
//! The software interrupt is source 0, beside what drives it from outside.
//!
//! # Limits
//! See the description.
//!
//! # Source
//! ARM DUI 0159B (Integrator/CP), 4.6 "Interrupt control"; DUI 0157A (core modules), 4.7.

#[cfg(test)]
mod tests;

use crate::register::{RO, RW, WO, register};
use crate::{apb, state};
use serde::{Deserialize, Serialize};
use socscope_device::{
    BuildError, Context, Description, Device, Model, Properties, RestoreError, TraceEvent,
};
use socscope_memory::Width;

const STATUS: u32 = 0x00;
const RAW_STATUS: u32 = 0x04;
const ENABLE_SET: u32 = 0x08;
const ENABLE_CLEAR: u32 = 0x0c;
const SOFT_SET: u32 = 0x10;
const SOFT_CLEAR: u32 = 0x14;
const FIQ_STATUS: u32 = 0x20;
const FIQ_RAW_STATUS: u32 = 0x24;
const FIQ_ENABLE_SET: u32 = 0x28;
const FIQ_ENABLE_CLEAR: u32 = 0x2c;

/// The source that software raises by itself.
const SOFTWARE: u32 = 1;

mod output {
    /// To another controller.
    pub const INTERRUPT: u32 = 0;
    /// To the core.
    pub const NIRQ: u32 = 1;
    pub const NFIQ: u32 = 2;
}

/// What the model says of itself.
pub const DESCRIPTION: Description = Description {
    compatible: &["arm,versatile-fpga-irq"],
    title: "Integrator interrupt controller",
    data_sheet: "ARM DUI 0159B, 4.6: Interrupt control; ARM DUI 0157A, 4.7",
    limits: "Which sources exist is the board's matter: all 32 can be enabled. A fast interrupt of a controller behind another one goes nowhere.",
    registers: &[
        register(
            STATUS,
            "STATUS",
            RO,
            0,
            "status",
            "Sources that are active and enabled.",
        ),
        register(
            RAW_STATUS,
            "RAWSTAT",
            RO,
            0,
            "status",
            "Sources that are active.",
        ),
        register(
            ENABLE_SET,
            "ENABLESET",
            RW,
            0,
            "interrupt enable",
            "Enabled sources; a one enables.",
        ),
        register(
            ENABLE_CLEAR,
            "ENABLECLR",
            WO,
            0,
            "interrupt enable",
            "A one disables a source.",
        ),
        register(
            SOFT_SET,
            "SOFTINTSET",
            RW,
            0,
            "control",
            "Software interrupt, source 0; a one in bit 0 raises it.",
        ),
        register(
            SOFT_CLEAR,
            "SOFTINTCLR",
            WO,
            0,
            "control",
            "A one in bit 0 takes the software interrupt back.",
        ),
        register(
            FIQ_STATUS,
            "FIQSTATUS",
            RO,
            0,
            "status",
            "Sources that are active and enabled for the fast interrupt.",
        ),
        register(
            FIQ_RAW_STATUS,
            "FIQRAWSTAT",
            RO,
            0,
            "status",
            "Sources that are active, as in RAWSTAT.",
        ),
        register(
            FIQ_ENABLE_SET,
            "FIQENABLESET",
            RW,
            0,
            "interrupt enable",
            "Sources enabled for the fast interrupt; a one enables.",
        ),
        register(
            FIQ_ENABLE_CLEAR,
            "FIQENABLECLR",
            WO,
            0,
            "interrupt enable",
            "A one disables a source for the fast interrupt.",
        ),
    ],
    inputs: &[
        "0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12", "13", "14", "15", "16",
        "17", "18", "19", "20", "21", "22", "23", "24", "25", "26", "27", "28", "29", "30", "31",
    ],
    outputs: &["interrupt", "nirq", "nfiq"],
    ports: &[],
    properties: &[],
};

/// The entry for the table of models.
pub const MODEL: Model = Model {
    description: &DESCRIPTION,
    build,
};

#[derive(Default, Serialize, Deserialize)]
struct State {
    /// Levels of the inputs.
    pins: u32,
    software: bool,
    enabled: u32,
    fast_enabled: u32,
    /// What the three outputs are at.
    interrupt: bool,
    fast: bool,
}

struct FpgaIrq {
    /// Its interrupt goes to another controller.
    is_cascaded: bool,
    state: State,
}

fn build(node: &dyn Properties) -> Result<Box<dyn Device>, BuildError> {
    Ok(Box::new(FpgaIrq {
        is_cascaded: node.first_interrupt()?.is_some(),
        state: State::default(),
    }))
}

impl FpgaIrq {
    fn raw(&self) -> u32 {
        self.state.pins | (u32::from(self.state.software) * SOFTWARE)
    }

    fn settle(&mut self, context: &mut Context) {
        let interrupt = self.raw() & self.state.enabled != 0;
        if interrupt != self.state.interrupt {
            self.state.interrupt = interrupt;
            let line = if self.is_cascaded {
                output::INTERRUPT
            } else {
                output::NIRQ
            };
            context.set_line(line, interrupt);
        }
        let fast = self.raw() & self.state.fast_enabled != 0 && !self.is_cascaded;
        if fast != self.state.fast {
            self.state.fast = fast;
            context.set_line(output::NFIQ, fast);
        }
    }

    fn value(&self, register: u32) -> u32 {
        let state = &self.state;
        match register {
            STATUS => self.raw() & state.enabled,
            RAW_STATUS | FIQ_RAW_STATUS => self.raw(),
            ENABLE_SET => state.enabled,
            SOFT_SET => u32::from(state.software),
            FIQ_STATUS => self.raw() & state.fast_enabled,
            FIQ_ENABLE_SET => state.fast_enabled,
            _ => 0,
        }
    }
}

impl Device for FpgaIrq {
    fn description(&self) -> &'static Description {
        &DESCRIPTION
    }

    /// The inputs stay as they are driven.
    fn reset(&mut self, context: &mut Context) {
        self.state.software = false;
        self.state.enabled = 0;
        self.state.fast_enabled = 0;
        self.settle(context);
    }

    fn read(&mut self, offset: u32, width: Width, _context: &mut Context) -> u32 {
        apb::lane(self.value(apb::register_offset(offset)), offset, width)
    }

    fn write(&mut self, offset: u32, width: Width, value: u32, context: &mut Context) {
        let (value, state) = (apb::repeated(value, width), &mut self.state);
        match apb::register_offset(offset) {
            ENABLE_SET => state.enabled |= value,
            ENABLE_CLEAR => state.enabled &= !value,
            SOFT_SET => state.software |= value & SOFTWARE != 0,
            SOFT_CLEAR => state.software &= value & SOFTWARE == 0,
            FIQ_ENABLE_SET => state.fast_enabled |= value,
            FIQ_ENABLE_CLEAR => state.fast_enabled &= !value,
            _ => apb::warn_of_write(context, offset, value),
        }
        self.settle(context);
    }

    fn peek(&self, offset: u32, _context: &Context) -> Option<u32> {
        Some(self.value(apb::register_offset(offset)))
    }

    fn input(&mut self, line: u32, level: bool, context: &mut Context) {
        let bit = 1u32.checked_shl(line).unwrap_or(0);
        if level && self.state.pins & bit == 0 {
            context.trace(TraceEvent::InterruptRaised { source: line });
        }
        self.state.pins = if level {
            self.state.pins | bit
        } else {
            self.state.pins & !bit
        };
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
