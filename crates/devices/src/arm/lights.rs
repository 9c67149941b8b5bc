//! The lights and switches of an Integrator baseboard.

use crate::register::{RO, RW, WO, register};
use crate::{apb, state};
use serde::{Deserialize, Serialize};
use socscope_device::{Context, Description, Device, Model, RestoreError};
use socscope_memory::Width;

const ALPHA: u32 = 0x00;
const LIGHTS: u32 = 0x04;
const SWITCHES: u32 = 0x08;

const LIGHT_BITS: u32 = 0xf;
/// Of each switch its level is an input.
const SWITCH_BITS: u32 = 0xf;

/// What the model says of itself.
pub const DESCRIPTION: Description = Description {
    compatible: &["arm,integrator-debug"],
    title: "Integrator lights and switches",
    data_sheet: "ARM DUI 0159B: Integrator/CP, 4.8 Debug LEDs and DIP switch interface",
    limits: "What is written to the alphanumeric display is not shown.",
    registers: &[
        register(
            ALPHA,
            "LED_ALPHA",
            WO,
            0,
            "data",
            "Characters of the alphanumeric display.",
        ),
        register(
            LIGHTS,
            "LED_LIGHTS",
            RW,
            0,
            "data",
            "Four lights: green, yellow, red, green.",
        ),
        register(SWITCHES, "LED_SWITCHES", RO, 0, "data", "Four switches."),
    ],
    inputs: &["s0", "s1", "s2", "s3"],
    outputs: &["light0", "light1", "light2", "light3"],
    ports: &[],
    properties: &[],
};

/// The entry for the table of models.
pub const MODEL: Model = Model {
    description: &DESCRIPTION,
    build: |_| Ok(Box::new(Lights::default())),
};

#[derive(Default, Serialize, Deserialize)]
struct Lights {
    lights: u32,
    switches: u32,
}

impl Lights {
    fn set(&mut self, lights: u32, context: &mut Context) {
        let changed = self.lights ^ lights;
        self.lights = lights;
        for light in (0..4).filter(|light| changed >> light & 1 != 0) {
            context.set_line(light, lights >> light & 1 != 0);
        }
    }
}

impl Device for Lights {
    fn description(&self) -> &'static Description {
        &DESCRIPTION
    }

    fn reset(&mut self, context: &mut Context) {
        self.set(0, context);
    }

    fn read(&mut self, offset: u32, width: Width, context: &mut Context) -> u32 {
        apb::lane(self.peek(offset, context).unwrap_or(0), offset, width)
    }

    fn write(&mut self, offset: u32, width: Width, value: u32, context: &mut Context) {
        let value = apb::repeated(value, width);
        match apb::register_offset(offset) {
            ALPHA => {}
            LIGHTS => self.set(value & LIGHT_BITS, context),
            _ => apb::warn_of_write(context, offset, value),
        }
    }

    fn peek(&self, offset: u32, _context: &Context) -> Option<u32> {
        Some(match apb::register_offset(offset) {
            LIGHTS => self.lights,
            SWITCHES => self.switches,
            _ => 0,
        })
    }

    fn input(&mut self, line: u32, level: bool, _context: &mut Context) {
        let bit = 1u32.checked_shl(line).unwrap_or(0) & SWITCH_BITS;
        self.switches = if level {
            self.switches | bit
        } else {
            self.switches & !bit
        };
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
    fn each_bit_is_a_light_and_each_input_a_switch() {
        let mut bench = Bench::new("arm,integrator-debug");
        bench.write(LIGHTS, 0x15);
        assert_eq!(bench.lines, [true, false, true, false]);
        assert_eq!(bench.read(LIGHTS), 5, "there are four");
        bench.input(3, true);
        bench.input(1, true);
        bench.input(3, false);
        assert_eq!(bench.read(SWITCHES), 2);
        bench.call(|device, context| device.reset(context));
        assert_eq!((bench.lines[0], bench.read(SWITCHES)), (false, 2));
    }
}
