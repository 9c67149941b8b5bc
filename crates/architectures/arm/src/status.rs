//! Program status registers and processor modes.

use super::{CoreModel, InstructionSet};
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
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Status {
    /// N.
    pub negative: bool,
    /// Z.
    pub zero: bool,
    /// C.
    pub carry: bool,
    /// V.
    pub overflow: bool,
    /// Q: something was saturated, or a sum of products did not fit. From version 5TE.
    pub saturated: bool,
    /// J: Java byte codes are executed; only saved status registers hold it. From version 5TEJ.
    pub java: bool,
    /// GE: what parallel additions and subtractions say of each byte. From version 6.
    pub greater_equal: u8,
    /// E: data are big-endian. From version 6.
    pub big_endian: bool,
    /// A: imprecise data aborts are held back. From version 6.
    pub aborts_disabled: bool,
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
        saturated: false,
        java: false,
        greater_equal: 0,
        big_endian: false,
        aborts_disabled: false,
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
            | (self.saturated as u32) << 27
            | (self.java as u32) << 24
            | (self.greater_equal as u32 & 15) << 16
            | (self.big_endian as u32) << 9
            | (self.aborts_disabled as u32) << 8
            | (self.irq_disabled as u32) << 7
            | (self.fiq_disabled as u32) << 6
            | (matches!(self.instruction_set, InstructionSet::Thumb) as u32) << 5
            | self.mode as u32
    }

    /// With the bits that the register has in version 4T. A number that is no mode leaves the mode as it is.
    #[must_use]
    pub const fn with_bits(self, bits: u32) -> Status {
        self.with_bits_of(CoreModel::Arm7Tdmi, bits)
    }

    /// With the bits that the register of `model` has. A number that is no mode leaves the mode as it is.
    #[must_use]
    pub const fn with_bits_of(self, model: CoreModel, bits: u32) -> Status {
        let bits = bits & model.status_mask();
        Status {
            negative: bits >> 31 & 1 != 0,
            zero: bits >> 30 & 1 != 0,
            carry: bits >> 29 & 1 != 0,
            overflow: bits >> 28 & 1 != 0,
            saturated: bits >> 27 & 1 != 0,
            java: bits >> 24 & 1 != 0,
            greater_equal: (bits >> 16 & 15) as u8,
            big_endian: bits >> 9 & 1 != 0,
            aborts_disabled: bits >> 8 & 1 != 0,
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
