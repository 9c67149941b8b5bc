//! The machine state register.

use serde::{Deserialize, Serialize};
use socscope_core::Purpose;

/// The machine state register.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Msr(pub u32);

impl Msr {
    /// The bit that makes addresses translated ones that are used so.
    #[inline(always)]
    pub const fn translation(purpose: Purpose) -> u32 {
        match purpose {
            Purpose::Fetch => Msr::INSTRUCTION_TRANSLATION,
            _ => Msr::DATA_TRANSLATION,
        }
    }

    /// VEC: AltiVec is available.
    pub const VECTORS: u32 = 0x0200_0000;
    /// POW: power management.
    pub const POWER_MANAGEMENT: u32 = 0x0004_0000;
    /// TGPR of the 603: r0 to r3 of the table search.
    pub const TEMPORARY_REGISTERS: u32 = 0x0002_0000;
    /// ILE: exceptions are handled in little-endian mode.
    pub const EXCEPTION_LITTLE_ENDIAN: u32 = 0x0001_0000;
    /// EE: external interrupts and the decrementer are let through.
    pub const EXTERNAL_ENABLE: u32 = 0x8000;
    /// PR: without privilege.
    pub const PROBLEM: u32 = 0x4000;
    /// FP: floating point is available.
    pub const FLOAT: u32 = 0x2000;
    /// ME: machine checks are taken.
    pub const MACHINE_CHECK_ENABLE: u32 = 0x1000;
    /// FE0 and FE1: one of them makes floating-point exceptions traps.
    pub const FLOAT_EXCEPTIONS: u32 = 0x0900;
    /// SE: a trace exception follows each instruction.
    pub const SINGLE_STEP: u32 = 0x0400;
    /// BE: a trace exception follows each branch.
    pub const BRANCH_TRACE: u32 = 0x0200;
    /// IP: exception vectors lie at 0xfff00000.
    pub const EXCEPTION_PREFIX: u32 = 0x0040;
    /// IR: instruction addresses are translated.
    pub const INSTRUCTION_TRANSLATION: u32 = 0x0020;
    /// DR: data addresses are translated.
    pub const DATA_TRANSLATION: u32 = 0x0010;
    /// PM: a process that the performance monitor marks.
    pub const MARKED_PROCESS: u32 = 0x0004;
    /// RI: an exception can be recovered from.
    pub const RECOVERABLE: u32 = 0x0002;
    /// LE: little-endian mode.
    pub const LITTLE_ENDIAN: u32 = 0x0001;
    /// What an exception saves in SRR1, and rfi restores.
    pub const SAVED: u32 = 0x87c0_ffff;

    /// What of the interrupted program's state the handler of an exception keeps.
    pub const KEPT_BY_HANDLER: u32 =
        Msr::EXCEPTION_LITTLE_ENDIAN | Msr::EXCEPTION_PREFIX | Msr::MACHINE_CHECK_ENABLE;

    /// Whether any of these bits is set.
    #[inline(always)]
    pub const fn has(self, bits: u32) -> bool {
        self.0 & bits != 0
    }

    /// As an exception handler finds it; `machine_check` clears ME as well.
    pub const fn for_handler(self, machine_check: bool) -> Msr {
        let lost = if machine_check {
            Msr::MACHINE_CHECK_ENABLE
        } else {
            0
        };
        let kept = Msr::KEPT_BY_HANDLER & !lost;
        let little = self.has(Msr::EXCEPTION_LITTLE_ENDIAN) as u32 * Msr::LITTLE_ENDIAN;
        Msr(self.0 & kept | little)
    }
}
