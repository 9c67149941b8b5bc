//! What the models say of themselves, and what their registers hold after reset. Sources: the cores' technical reference manuals (ARM DDI 0151C,
//! ARM920T; DDI 0198E, ARM926EJ-S; DDI 0211K, ARM1136J-S; DDI 0301H, ARM1176JZ-S), chapters on system control.

use super::Register;
use crate::CoreModel;

/// Registers c0 by the second opcode: identification, cache type, TCM, TLB.
pub(super) fn identification(model: CoreModel, opcode_2: u32) -> u32 {
    let (main, caches) = match model {
        CoreModel::Arm7Tdmi => (0, 0),
        // Revision 0, 16 kB each of 64 ways.
        CoreModel::Arm920T => (0x4112_9200, 0x0d17_2172),
        // r0p5, 16 kB each of four ways.
        CoreModel::Arm926EjS => (0x4106_9265, CACHES_OF_16_KB),
        // r0p2.
        CoreModel::Arm1136JS => (0x4107_b362, CACHES_OF_16_KB),
        // r0p7.
        CoreModel::Arm1176JzS => (0x410f_b767, CACHES_OF_16_KB),
    };
    match (model, opcode_2) {
        (_, 1) => caches,
        // No tightly coupled memory.
        (CoreModel::Arm926EjS | CoreModel::Arm1136JS | CoreModel::Arm1176JzS, 2) => 0,
        // A unified translation buffer, with eight entries to lock.
        (CoreModel::Arm1136JS | CoreModel::Arm1176JzS, 3) => 0x0000_0800,
        _ => main,
    }
}

/// Write-back, cleaning and lock-down by c7 and c9 (format C), separate; each 16 kB, four ways, eight words a line.
const CACHES_OF_16_KB: u32 = 0x1d15_2152;

/// The registers of features of version 6: c0, c1 and c0, c2.
pub(super) fn feature(model: CoreModel, m: u32, opcode_2: u32) -> Option<u32> {
    let features: [[u32; 8]; 2] = match model {
        CoreModel::Arm1136JS => [
            [
                0x111,
                0x1,
                0x2,
                0x3,
                0x0113_0003,
                0x1003_0302,
                0x0122_2110,
                0,
            ],
            [
                0x0014_0011,
                0x1200_2111,
                0x1123_1111,
                0x0110_2131,
                0x141,
                0,
                0,
                0,
            ],
        ],
        CoreModel::Arm1176JzS => [
            [
                0x111,
                0x11,
                0x33,
                0,
                0x0113_0003,
                0x1003_0302,
                0x0122_2100,
                0,
            ],
            [
                0x0014_0011,
                0x1200_2111,
                0x1123_1121,
                0x0110_2131,
                0x1141,
                0,
                0,
                0,
            ],
        ],
        _ => return None,
    };
    let row = features.get(m.checked_sub(1)? as usize)?;
    row.get(opcode_2 as usize).copied()
}

/// What a register holds after reset. High vectors are a pin's choice, which none of the platforms makes.
pub(super) fn after_reset(model: CoreModel, register: Register) -> u32 {
    match (register, model) {
        (_, CoreModel::Arm7Tdmi) => 0,
        (Register::Control, CoreModel::Arm920T) => 0x0000_0078,
        (Register::Control, _) => 0x0005_0078,
        (Register::AuxiliaryControl, CoreModel::Arm1136JS | CoreModel::Arm1176JzS) => 7,
        (Register::PrimaryRemap, CoreModel::Arm1176JzS) => 0x0009_8aa4,
        (Register::NormalRemap, CoreModel::Arm1176JzS) => 0x44e0_48e0,
        // Way 0 of three others may be locked, as all others are free.
        (
            Register::DataCacheLockdown | Register::InstructionCacheLockdown,
            CoreModel::Arm926EjS | CoreModel::Arm1136JS | CoreModel::Arm1176JzS,
        ) => 0x0000_fff0,
        _ => 0,
    }
}

/// The bits of the control register that software changes; others are as after reset.
pub(super) const fn control_mask(model: CoreModel) -> u32 {
    match model {
        CoreModel::Arm7Tdmi => 0,
        // iA, nF, RR, V, I, R, S, B, C, A, M.
        CoreModel::Arm920T => 0xc000_7387,
        // RR, V, I, R, S, B, C, A, M. Not L4: loads into the program counter choose the instruction set.
        CoreModel::Arm926EjS => 0x0000_7387,
        // EE, XP, U, FI, RR, V, I, Z, R, S, B, C, A, M. Not VE: no port of vectored interrupts is connected.
        CoreModel::Arm1136JS => 0x02e0_7b87,
        // FA and TR beside them.
        CoreModel::Arm1176JzS => 0x32e0_7b87,
    }
}
