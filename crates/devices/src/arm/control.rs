//! The control registers of the Integrator/CP: what the baseboard is, protection of its flash, interrupts of its card socket.

use crate::register::{RO, RW, register};
use crate::{apb, state};
use serde::{Deserialize, Serialize};
use socscope_device::{Context, Description, Device, Model, RestoreError};
use socscope_memory::Width;

const ID: u32 = 0x00;
const FLASHPROG: u32 = 0x04;
const INTREG: u32 = 0x08;
const DECODE: u32 = 0x0c;

/// FLASHPROG: programming voltage and write enable.
const FLASH_BITS: u32 = 0b11;
/// INTREG: the card's presence has changed.
const CARD_CHANGED: u32 = 1 << 3;

mod input {
    pub const CARD_CHANGED: u32 = 0;
}

/// What the model says of itself.
pub const DESCRIPTION: Description = Description {
    compatible: &["arm,integrator-cp-syscon"],
    title: "Integrator/CP control registers",
    data_sheet: "ARM DUI 0159B: Integrator/CP, 4.5 Control registers",
    limits: "The flash can be programmed whatever CP_FLASHPROG says. Of CP_INTREG the ring indicators and the write protection are not there.",
    registers: &[
        register(
            ID,
            "CP_IDFIELD",
            RO,
            0x1103_4003,
            "identification",
            "Manufacturer ARM, AHB, FPGA, build.",
        ),
        register(
            FLASHPROG,
            "CP_FLASHPROG",
            RW,
            0,
            "control",
            "Programming voltage and write enable of the flash: kept.",
        ),
        register(
            INTREG,
            "CP_INTREG",
            RW,
            0,
            "status",
            "The card's presence has changed (bit 3); a one clears it.",
        ),
        register(
            DECODE,
            "CP_DECODE",
            RO,
            0x11,
            "identification",
            "Which logic modules are there: none.",
        ),
    ],
    inputs: &["card changed"],
    outputs: &["card"],
    ports: &[],
    properties: &[],
};

/// The entry for the table of models.
pub const MODEL: Model = Model {
    description: &DESCRIPTION,
    build: |_| Ok(Box::new(Control::default())),
};

#[derive(Default, Serialize, Deserialize)]
struct Control {
    flash: u32,
    interrupts: u32,
    card_pin: bool,
    line: bool,
}

impl Control {
    fn settle(&mut self, context: &mut Context) {
        let line = self.interrupts & CARD_CHANGED != 0;
        if line != self.line {
            self.line = line;
            context.set_line(0, line);
        }
    }
}

impl Device for Control {
    fn description(&self) -> &'static Description {
        &DESCRIPTION
    }

    fn reset(&mut self, context: &mut Context) {
        self.flash = 0;
        self.interrupts = 0;
        self.settle(context);
    }

    fn read(&mut self, offset: u32, width: Width, context: &mut Context) -> u32 {
        apb::lane(self.peek(offset, context).unwrap_or(0), offset, width)
    }

    fn write(&mut self, offset: u32, width: Width, value: u32, context: &mut Context) {
        let value = apb::repeated(value, width);
        match apb::register_offset(offset) {
            FLASHPROG => self.flash = value & FLASH_BITS,
            INTREG => self.interrupts &= !value,
            _ => apb::warn_of_write(context, offset, value),
        }
        self.settle(context);
    }

    fn peek(&self, offset: u32, _context: &Context) -> Option<u32> {
        Some(match apb::register_offset(offset) {
            FLASHPROG => self.flash,
            INTREG => self.interrupts,
            register @ (ID | DECODE) => DESCRIPTION.register_at(register)?.0.reset,
            _ => 0,
        })
    }

    fn input(&mut self, line: u32, level: bool, context: &mut Context) {
        if line == input::CARD_CHANGED {
            if level != self.card_pin {
                self.interrupts |= CARD_CHANGED;
            }
            self.card_pin = level;
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::Bench;

    #[test]
    fn a_card_that_comes_or_goes_interrupts_until_it_is_cleared() {
        let mut bench = Bench::new("arm,integrator-cp-syscon");
        for level in [true, false] {
            bench.input(input::CARD_CHANGED, level);
            assert_eq!((bench.read(INTREG), bench.line("card")), (8, true));
            bench.input(input::CARD_CHANGED, level);
            bench.write(INTREG, 8);
            assert_eq!((bench.read(INTREG), bench.line("card")), (0, false));
        }
    }

    #[test]
    fn flash_protection_is_kept() {
        let mut bench = Bench::new("arm,integrator-cp-syscon");
        bench.write(FLASHPROG, 0xff);
        assert_eq!(
            bench.read(FLASHPROG),
            3,
            "size and extra bank are not written"
        );
    }
}
