//! Program status registers and processor modes.

use super::InstructionSet;
use serde::{Deserialize, Serialize};

/// Processor mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[repr(u8)]
pub enum Mode {
    /// Programs without privilege.
    User = 0x10,
    /// Fast interrupts.
    FastInterrupt = 0x11,
    /// Normal interrupts.
    Interrupt = 0x12,
    /// Software interrupts and reset.
    Supervisor = 0x13,
    /// Prefetch and data aborts.
    Abort = 0x17,
    /// Undefined instructions.
    Undefined = 0x1b,
    /// Privileged, with the registers of the user mode.
    System = 0x1f,
}

impl Mode {
    /// All modes, by number.
    pub const ALL: [Mode; 7] = [
        Mode::User,
        Mode::FastInterrupt,
        Mode::Interrupt,
        Mode::Supervisor,
        Mode::Abort,
        Mode::Undefined,
        Mode::System,
    ];

    /// The mode with this number in the low five bits.
    pub const fn from_bits(bits: u32) -> Option<Mode> {
        Some(match bits & 0x1f {
            0x10 => Mode::User,
            0x11 => Mode::FastInterrupt,
            0x12 => Mode::Interrupt,
            0x13 => Mode::Supervisor,
            0x17 => Mode::Abort,
            0x1b => Mode::Undefined,
            0x1f => Mode::System,
            _ => return None,
        })
    }

    /// Which of the banks of r13, r14 and SPSR the mode sees; `None` for the user's, which has no SPSR.
    pub(super) const fn bank(self) -> Option<usize> {
        match self {
            Mode::User | Mode::System => None,
            Mode::FastInterrupt => Some(0),
            Mode::Interrupt => Some(1),
            Mode::Supervisor => Some(2),
            Mode::Abort => Some(3),
            Mode::Undefined => Some(4),
        }
    }
}

/// A program status register. The ARM7TDMI has bits 31 to 28 and 7 to 0; the others read as zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Status {
    /// N.
    pub negative: bool,
    /// Z.
    pub zero: bool,
    /// C.
    pub carry: bool,
    /// V.
    pub overflow: bool,
    /// I: normal interrupts are held back.
    pub irq_disabled: bool,
    /// F: fast interrupts are held back.
    pub fiq_disabled: bool,
    /// T.
    pub instruction_set: InstructionSet,
    /// M.
    pub mode: Mode,
}

impl Status {
    /// After reset.
    pub const RESET: Status = Status {
        negative: false,
        zero: false,
        carry: false,
        overflow: false,
        irq_disabled: true,
        fiq_disabled: true,
        instruction_set: InstructionSet::Arm,
        mode: Mode::Supervisor,
    };

    /// As the register reads.
    pub const fn bits(self) -> u32 {
        (self.negative as u32) << 31
            | (self.zero as u32) << 30
            | (self.carry as u32) << 29
            | (self.overflow as u32) << 28
            | (self.irq_disabled as u32) << 7
            | (self.fiq_disabled as u32) << 6
            | (matches!(self.instruction_set, InstructionSet::Thumb) as u32) << 5
            | self.mode as u32
    }

    /// With the register's bits. A number that is no mode leaves the mode as it is.
    #[must_use]
    pub const fn with_bits(self, bits: u32) -> Status {
        Status {
            negative: bits >> 31 & 1 != 0,
            zero: bits >> 30 & 1 != 0,
            carry: bits >> 29 & 1 != 0,
            overflow: bits >> 28 & 1 != 0,
            irq_disabled: bits >> 7 & 1 != 0,
            fiq_disabled: bits >> 6 & 1 != 0,
            instruction_set: if bits >> 5 & 1 != 0 {
                InstructionSet::Thumb
            } else {
                InstructionSet::Arm
            },
            mode: match Mode::from_bits(bits) {
                Some(mode) => mode,
                None => self.mode,
            },
        }
    }
}
