//! The transceiver on the chip, behind its two management wires, with no cable plugged in.

use serde::{Deserialize, Serialize};

/// Bits of the management register.
pub(super) mod wire {
    pub const OUT: u16 = 1 << 0;
    pub const IN: u16 = 1 << 1;
    pub const CLOCK: u16 = 1 << 2;
    pub const DRIVE: u16 = 1 << 3;
}

/// The transceiver's address.
const ADDRESS: u32 = 0;
/// Registers by number, and their values after reset (data sheet, "PHY MII Registers"): of the status what it can, and no link.
const REGISTERS: usize = 21;
const CONTROL: usize = 0;
const RESET: u16 = 1 << 15;
const RESET_VALUES: [(usize, u16); 10] = [
    (CONTROL, 0x3000),
    (1, 0x7809),
    (2, 0x0016),
    (3, 0xf840),
    (4, 0x01e1),
    (16, 0x0022),
    (17, 0xff00),
    (18, 0x0080),
    (19, 0xffc0),
    (20, 0x00a0),
];
/// What software may write: control, abilities to advertise, configuration, mask.
const WRITABLE: [usize; 5] = [CONTROL, 4, 16, 17, 19];

/// Two bits of turnaround and the data.
const ANSWER_BITS: u8 = 18;

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Phy {
    registers: Vec<u16>,
    /// The latest bits that were sent, the last one lowest.
    sent: u64,
    /// Bits that are being answered, and how many are left of them.
    answer: u32,
    left: u8,
    clock: bool,
}

impl Phy {
    pub fn new() -> Phy {
        let mut registers = vec![0; REGISTERS];
        for (number, value) in RESET_VALUES {
            registers[number] = value;
        }
        Phy {
            registers,
            sent: 0,
            answer: 0,
            left: 0,
            clock: false,
        }
    }

    /// Whether a saved state is one that it can have.
    pub fn is_whole(&self) -> bool {
        self.registers.len() == REGISTERS && self.left <= ANSWER_BITS
    }

    /// The level of the data wire as the transceiver drives it; pulled up while it does not.
    pub fn data(&self) -> bool {
        self.left == 0 || self.answer >> (self.left - 1) & 1 != 0
    }

    /// Software sets the wires. A bit counts as the clock rises.
    pub fn set_wires(&mut self, wires: u16) {
        let clock = wires & wire::CLOCK != 0;
        let rises = clock && !self.clock;
        self.clock = clock;
        if !rises {
            return;
        }
        if self.left > 0 {
            self.left -= 1;
        } else {
            let level = wires & wire::DRIVE == 0 || wires & wire::OUT != 0;
            self.sent = self.sent << 1 | u64::from(level);
            self.look();
        }
    }

    /// Whether a frame is complete (IEEE 802.3, 22.2.4.5): ones, then 01, the operation, address and register; to write then 10 and the data.
    fn look(&mut self) {
        let frame = self.sent as u32;
        let opens = |bits: u32, opening: u64| self.sent >> bits & 0xffff == 0xfff0 | opening;
        if opens(10, 0b0110) && frame >> 5 & 0x1f == ADDRESS {
            let register = (frame & 0x1f) as usize;
            self.answer = u32::from(self.registers.get(register).copied().unwrap_or(0));
            self.left = ANSWER_BITS;
            self.sent = u64::MAX;
        } else if opens(28, 0b0101) && frame >> 23 & 0x1f == ADDRESS && frame >> 16 & 3 == 0b10 {
            self.write((frame >> 18 & 0x1f) as usize, frame as u16);
            self.sent = u64::MAX;
        }
    }

    fn write(&mut self, register: usize, value: u16) {
        if register == CONTROL && value & RESET != 0 {
            let (sent, clock) = (self.sent, self.clock);
            *self = Phy {
                sent,
                clock,
                ..Phy::new()
            };
        } else if let (true, Some(there)) = (
            WRITABLE.contains(&register),
            self.registers.get_mut(register),
        ) {
            *there = value;
        }
    }
}
