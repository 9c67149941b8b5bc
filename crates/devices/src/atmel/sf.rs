//! Special function (SF): chip identity, cause of the last reset, and protect mode.

#[cfg(test)]
mod tests;

use crate::apb;
use crate::register::{RO, RW, register};
use crate::state;
use serde::{Deserialize, Serialize};
use socscope_device::{BuildError, Context, Description, Device, Model, Properties, RestoreError};
use socscope_memory::Width;

/// What the model says of itself.
pub const DESCRIPTION: Description = Description {
    compatible: &["atmel,at91x40-sf"],
    title: "AT91X40 special function",
    data_sheet: "Atmel doc1354 (AT91X40 series), SF: Special Function Registers",
    limits: "SF_MMR (AT91R40807 only) protects no memory.",
    registers: &[
        register(
            0x00,
            "SF_CIDR",
            RO,
            AT91M40800,
            "status",
            "Chip identity: architecture, memory sizes, version.",
        ),
        register(
            0x04,
            "SF_EXID",
            RO,
            0,
            "status",
            "Extension of the chip identity.",
        ),
        register(
            0x08,
            "SF_RSR",
            RO,
            EXTERNAL_RESET,
            "status",
            "Cause of the last reset.",
        ),
        register(
            0x0c,
            "SF_MMR",
            RW,
            0,
            "control",
            "Write protection of the extended on-chip memory.",
        ),
        register(
            0x18,
            "SF_PMR",
            RW,
            0,
            "control",
            "Protect mode of the interrupt controller, behind a key.",
        ),
    ],
    inputs: &[],
    outputs: &["protect"],
    ports: &[],
    properties: &[
        (
            "atmel,cidr",
            "Value of SF_CIDR; 0x14080044 (AT91M40800) when absent.",
        ),
        ("atmel,exid", "Value of SF_EXID; 0 when absent."),
    ],
};

/// The entry for the table of models.
pub const MODEL: Model = Model {
    description: &DESCRIPTION,
    build: |node| Ok(Box::new(SpecialFunction::build(node)?)),
};

const AT91M40800: u32 = 0x1408_0044;
const EXTERNAL_RESET: u32 = 0x6c;
const WATCHDOG_RESET: u32 = 0x53;
const PROTECT: u32 = 0;
const MMR_RAMWU: u32 = 1;
const PMR_KEY: u32 = 0x27a8_0000;
const PMR_AIC: u32 = 1 << 5;

#[derive(Serialize, Deserialize)]
struct State {
    rsr: u32,
    mmr: u32,
    pmr: u32,
}

struct SpecialFunction {
    cidr: u32,
    exid: u32,
    state: State,
}

impl SpecialFunction {
    fn build(node: &dyn Properties) -> Result<SpecialFunction, BuildError> {
        Ok(SpecialFunction {
            cidr: node.cell("atmel,cidr")?.unwrap_or(AT91M40800),
            exid: node.cell("atmel,exid")?.unwrap_or(0),
            state: State::after(EXTERNAL_RESET),
        })
    }
}

impl State {
    fn after(rsr: u32) -> State {
        State {
            rsr,
            mmr: 0,
            pmr: 0,
        }
    }
}

impl Device for SpecialFunction {
    fn description(&self) -> &'static Description {
        &DESCRIPTION
    }

    fn reset(&mut self, context: &mut Context) {
        self.state = State::after(EXTERNAL_RESET);
        context.set_line(PROTECT, false);
    }

    fn reset_from_within(&mut self, context: &mut Context) {
        self.reset(context);
        self.state.rsr = WATCHDOG_RESET;
    }

    fn read(&mut self, offset: u32, width: Width, context: &mut Context) -> u32 {
        apb::lane(self.peek(offset, context).unwrap_or(0), offset, width)
    }

    fn write(&mut self, offset: u32, width: Width, value: u32, context: &mut Context) {
        let value = apb::repeated(value, width);
        match apb::register_offset(offset) {
            0x0c => self.state.mmr = value & MMR_RAMWU,
            0x18 if value & 0xffff_0000 == PMR_KEY => {
                self.state.pmr = value & PMR_AIC;
                context.set_line(PROTECT, self.state.pmr != 0);
            }
            0x18 => context.warn(format!(
                "SF_PMR needs the key 0x27a8 in the upper half: {value:#010x} is ignored"
            )),
            _ => apb::warn_of_write(context, offset, value),
        }
    }

    fn peek(&self, offset: u32, _context: &Context) -> Option<u32> {
        Some(match apb::register_offset(offset) {
            0x00 => self.cidr,
            0x04 => self.exid,
            0x08 => self.state.rsr,
            0x0c => self.state.mmr,
            0x18 => self.state.pmr,
            _ => 0,
        })
    }

    fn save(&self) -> Vec<u8> {
        state::save(&self.state)
    }

    fn restore(&mut self, bytes: &[u8]) -> Result<(), RestoreError> {
        self.state = state::restore(DESCRIPTION.title, bytes)?;
        Ok(())
    }
}
