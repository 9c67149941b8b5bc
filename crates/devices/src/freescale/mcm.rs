//! The MPX coherency module (MCM): which cores may fetch.

#[cfg(test)]
mod tests;

use super::kept::Kept;
use crate::register::{RO, RW, register, repeated};
use crate::state;
use socscope_device::{Context, Description, Device, Model, RestoreError};
use socscope_memory::Width;

const ABCR: u32 = 0x000;
const DBCR: u32 = 0x008;
const PCR: u32 = 0x010;
const HPMR: u32 = 0x040;
const HPMR4: u32 = 0x060;
const HPMCCR: u32 = 0x068;
const EDR: u32 = 0xe00;
const EER: u32 = 0xe08;
const EATR: u32 = 0xe0c;
const ELADR: u32 = 0xe10;
const EHADR: u32 = 0xe14;

/// PCR: core n may use the bus.
const CORES_ENABLED: [u32; 2] = [1 << 24, 1 << 25];

/// What the model says of itself.
pub const DESCRIPTION: Description = Description {
    compatible: &["fsl,mpc8641-mcm", "fsl,mcm"],
    title: "MPC8641D coherency module",
    data_sheet: "Freescale MPC8641DRM, chapter 7: MPX Coherency Module",
    limits: "Arbitration takes no time and errors are never detected: their registers keep what is written. PCR starts as with \
             core 0 enabled and core 1 held off by the board.",
    registers: &[
        register(
            ABCR,
            "ABCR",
            RW,
            0,
            "control",
            "Address bus configuration: kept.",
        ),
        register(
            DBCR,
            "DBCR",
            RW,
            0,
            "control",
            "Data bus configuration: kept.",
        ),
        register(
            PCR,
            "PCR",
            RW,
            CORES_ENABLED[0],
            "control",
            "Port configuration: bits 24 and 25 let core 0 and core 1 use the bus.",
        ),
        repeated(
            register(
                HPMR,
                "HPMR",
                RW,
                0,
                "monitor",
                "Threshold of the bus monitor: kept.",
            ),
            4,
            4,
        ),
        repeated(
            register(
                HPMR4,
                "HPMRB",
                RW,
                0,
                "monitor",
                "Threshold of the bus monitor: kept.",
            ),
            2,
            4,
        ),
        register(
            HPMCCR,
            "HPMCCR",
            RW,
            0,
            "monitor",
            "Cycle count of the bus monitor: kept.",
        ),
        register(
            EDR,
            "EDR",
            RW,
            0,
            "error",
            "Error detect: no error is detected; a one that is written clears its bit.",
        ),
        register(EER, "EER", RW, 0, "error", "Error enable: kept."),
        register(
            EATR,
            "EATR",
            RO,
            0,
            "error",
            "Attributes of the first error.",
        ),
        register(
            ELADR,
            "ELADR",
            RO,
            0,
            "error",
            "Low address of the first error.",
        ),
        register(
            EHADR,
            "EHADR",
            RO,
            0,
            "error",
            "High address of the first error.",
        ),
    ],
    inputs: &[],
    outputs: &["interrupt", "enable0", "enable1"],
    ports: &[],
    properties: &[],
};

/// Index of the first core's output.
const ENABLE: u32 = 1;

/// The entry for the table of models.
pub const MODEL: Model = Model {
    description: &DESCRIPTION,
    build: |_| {
        Ok(Box::new(CoherencyModule {
            registers: Kept::new(&DESCRIPTION),
        }))
    },
};

struct CoherencyModule {
    registers: Kept,
}

impl CoherencyModule {
    fn drive(&self, context: &mut Context) {
        let enabled = self.registers.value(&DESCRIPTION, PCR);
        for (line, bit) in (ENABLE..).zip(CORES_ENABLED) {
            context.set_line(line, enabled & bit != 0);
        }
    }
}

impl Device for CoherencyModule {
    fn description(&self) -> &'static Description {
        &DESCRIPTION
    }

    fn reset(&mut self, context: &mut Context) {
        self.registers = Kept::new(&DESCRIPTION);
        self.drive(context);
    }

    fn read(&mut self, offset: u32, width: Width, context: &mut Context) -> u32 {
        self.registers.read(&DESCRIPTION, offset, width, context)
    }

    fn write(&mut self, offset: u32, width: Width, value: u32, context: &mut Context) {
        let written = self
            .registers
            .written(&DESCRIPTION, offset, width, value, context);
        match written {
            Some((PCR, value)) => {
                let enabled = value & (CORES_ENABLED[0] | CORES_ENABLED[1]);
                self.registers.set(&DESCRIPTION, PCR, enabled);
                self.drive(context);
            }
            Some((EDR, _)) | None => {}
            Some((register, value)) => self.registers.set(&DESCRIPTION, register, value),
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
