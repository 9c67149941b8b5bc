//! The modem lines: four inputs and whether they changed.

use super::registers::mcr;
use serde::{Deserialize, Serialize};

/// RI, whose rising level is no change that interrupts.
const RING: u8 = 1 << 2;

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Modem {
    /// CTS, DSR, RI and DCD at the pins, bits 0 to 3.
    pins: u8,
    /// The same as the port sees them, from the pins or from MCR.
    seen: u8,
    changed: u8,
}

impl Modem {
    /// Power-on and system reset; the pins stay as they are driven.
    pub fn reset(&mut self) {
        self.seen = self.pins;
        self.changed = 0;
    }

    pub fn set_pin(&mut self, line: u32, level: bool) {
        let bit = 1u8.checked_shl(line).unwrap_or(0) & 0xf;
        self.pins = if level {
            self.pins | bit
        } else {
            self.pins & !bit
        };
    }

    /// Takes over the lines: from the pins, or in loopback from the outputs of MCR.
    pub fn look(&mut self, control: u8) {
        let looped = [(mcr::RTS, 1), (mcr::DTR, 2), (mcr::OUT1, 4), (mcr::OUT2, 8)];
        let seen = if control & mcr::LOOPBACK == 0 {
            self.pins
        } else {
            let set = looped
                .into_iter()
                .filter(|(output, _)| control & output != 0);
            set.fold(0, |seen, (_, input)| seen | input)
        };
        let ring_begins = seen & !self.seen & RING;
        self.changed |= (seen ^ self.seen) & !ring_begins;
        self.seen = seen;
    }

    /// MSR.
    pub fn status(&self) -> u8 {
        self.seen << 4 | self.changed
    }

    /// MSR was read.
    pub fn status_read(&mut self) {
        self.changed = 0;
    }

    pub fn has_changed(&self) -> bool {
        self.changed != 0
    }
}
