//! The global utilities: what was chosen at power-on, pins, clocks of blocks, and the reset request.

#[cfg(test)]
mod tests;

use super::kept::Kept;
use crate::register::{RO, RW, WO, register, repeated};
use crate::state;
use socscope_device::{BuildError, Context, Description, Device, Model, Properties, RestoreError};
use socscope_memory::Width;

const PORPLLSR: u32 = 0x00;
const MCPSUMR: u32 = 0x90;
const RSTCR: u32 = 0xb0;
/// RSTCR: requests a hard reset.
const HRST_REQ: u32 = 1 << 1;
const PLL_PROPERTY: &str = "socscope,porpllsr";

/// What the model says of itself.
pub const DESCRIPTION: Description = Description {
    compatible: &["fsl,mpc8641-guts"],
    title: "MPC8641D global utilities",
    data_sheet: "Freescale MPC8641DRM, chapter 21: Global Utilities",
    limits: "Registers keep what is written and switch neither clocks nor pins; only the reset request acts. What was chosen at power-on reads as 0 \
             unless a property gives it.",
    registers: &[
        register(
            PORPLLSR,
            "PORPLLSR",
            RO,
            0,
            "power-on",
            "Ratios of the clocks of cores and bus.",
        ),
        register(0x04, "PORBMSR", RO, 0, "power-on", "Where it booted from."),
        register(0x08, "PORIMPSCR", RW, 0, "power-on", "Impedance of pins."),
        register(
            0x0c,
            "PORDEVSR",
            RO,
            0,
            "power-on",
            "Configuration of ports.",
        ),
        register(0x10, "PORDBGMSR", RO, 0, "power-on", "Debug mode."),
        register(
            0x20,
            "PORCIR",
            RO,
            0,
            "power-on",
            "Value of the board's configuration pins.",
        ),
        register(
            0x30,
            "GPIOCR",
            RW,
            0,
            "pins",
            "Which pins are general-purpose ones.",
        ),
        register(
            0x40,
            "GPOUTDR",
            RW,
            0,
            "pins",
            "Levels of general-purpose outputs.",
        ),
        register(
            0x50,
            "GPINDR",
            RO,
            0,
            "pins",
            "Levels of general-purpose inputs.",
        ),
        register(
            0x60,
            "PMUXCR",
            RW,
            0,
            "pins",
            "Functions of multiplexed pins.",
        ),
        register(
            0x70,
            "DEVDISR",
            RW,
            0,
            "clocks",
            "Blocks whose clock is off: kept, they go on working.",
        ),
        register(
            0x80,
            "POWMGTCSR",
            RW,
            0,
            "clocks",
            "Power management: kept.",
        ),
        register(
            MCPSUMR,
            "MCPSUMR",
            RW,
            0,
            "error",
            "Sources of machine checks: none; a one that is written clears its bit.",
        ),
        register(
            0x94,
            "RSTRSCR",
            RW,
            0,
            "reset",
            "Reset request status and control: kept.",
        ),
        register(
            0xa0,
            "PVR",
            RO,
            0x8004_0010,
            "identification",
            "Version of the cores.",
        ),
        register(
            0xa4,
            "SVR",
            RO,
            0x8090_0121,
            "identification",
            "Version of the chip: MPC8641D, revision 2.1.",
        ),
        register(
            RSTCR,
            "RSTCR",
            WO,
            0,
            "reset",
            "Reset control: bit 1 resets the system.",
        ),
        repeated(
            register(
                0xb20,
                "DDRCLKDR",
                RW,
                0,
                "clocks",
                "Clocks of the memories that are off: kept.",
            ),
            3,
            4,
        ),
        register(
            0xe00,
            "CLKOCR",
            RW,
            0,
            "clocks",
            "Signal at the clock output pin: kept.",
        ),
    ],
    inputs: &[],
    outputs: &[],
    ports: &[],
    properties: &[(PLL_PROPERTY, "Value of PORPLLSR; 0 when absent.")],
};

/// The entry for the table of models.
pub const MODEL: Model = Model {
    description: &DESCRIPTION,
    build,
};

struct GlobalUtilities {
    ratios: u32,
    registers: Kept,
}

fn build(node: &dyn Properties) -> Result<Box<dyn Device>, BuildError> {
    Ok(Box::new(GlobalUtilities {
        ratios: node.cell(PLL_PROPERTY)?.unwrap_or(0),
        registers: Kept::new(&DESCRIPTION),
    }))
}

impl Device for GlobalUtilities {
    fn description(&self) -> &'static Description {
        &DESCRIPTION
    }

    fn reset(&mut self, _context: &mut Context) {
        self.registers = Kept::new(&DESCRIPTION);
        self.registers.set(&DESCRIPTION, PORPLLSR, self.ratios);
    }

    fn read(&mut self, offset: u32, width: Width, context: &mut Context) -> u32 {
        self.registers.read(&DESCRIPTION, offset, width, context)
    }

    fn write(&mut self, offset: u32, width: Width, value: u32, context: &mut Context) {
        let registers = &mut self.registers;
        match registers.written(&DESCRIPTION, offset, width, value, context) {
            Some((RSTCR, value)) if value & HRST_REQ != 0 => {
                context.reset_system("reset request of the global utilities (RSTCR)");
            }
            Some((RSTCR | MCPSUMR, _)) | None => {}
            Some((register, value)) => registers.set(&DESCRIPTION, register, value),
        }
    }

    fn peek(&self, offset: u32, _context: &Context) -> Option<u32> {
        Some(self.registers.value(&DESCRIPTION, offset & !3))
    }

    fn save(&self) -> Vec<u8> {
        state::save(&self.registers)
    }

    fn restore(&mut self, bytes: &[u8]) -> Result<(), RestoreError> {
        self.registers = Kept::restore(&DESCRIPTION, bytes)?;
        Ok(())
    }
}
