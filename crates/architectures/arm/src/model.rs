//! The cores of the family, as far as they differ, and the versions of the architecture.

use serde::{Deserialize, Serialize};

/// A version of the architecture. Each has all instructions of those before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Version {
    /// ARMv4T.
    V4T,
    /// ARMv5TEJ: interworking, signal processing; no Java byte codes are executed.
    V5TEJ,
    /// ARMv6: media instructions, exclusive accesses, mixed byte orders.
    V6,
    /// ARMv6K: exclusive accesses of all widths, hints.
    V6K,
}

impl Version {
    /// All of them.
    pub const ALL: [Version; 4] = [Version::V4T, Version::V5TEJ, Version::V6, Version::V6K];

    /// As the manual calls it.
    pub const fn name(self) -> &'static str {
        match self {
            Version::V4T => "ARMv4T",
            Version::V5TEJ => "ARMv5TEJ",
            Version::V6 => "ARMv6",
            Version::V6K => "ARMv6K",
        }
    }
}

/// A core of the family.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[repr(u8)]
pub enum CoreModel {
    /// ARM7TDMI.
    #[default]
    Arm7Tdmi,
    /// ARM920T.
    Arm920T,
    /// ARM926EJ-S.
    Arm926EjS,
    /// ARM1136J-S, up to r0p2: without the extensions of version 6K.
    Arm1136JS,
    /// ARM1176JZ-S.
    Arm1176JzS,
}

impl CoreModel {
    /// All of them.
    pub const ALL: [CoreModel; 5] = [
        CoreModel::Arm7Tdmi,
        CoreModel::Arm920T,
        CoreModel::Arm926EjS,
        CoreModel::Arm1136JS,
        CoreModel::Arm1176JzS,
    ];

    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            CoreModel::Arm7Tdmi => "arm7tdmi",
            CoreModel::Arm920T => "arm920t",
            CoreModel::Arm926EjS => "arm926ej-s",
            CoreModel::Arm1136JS => "arm1136j-s",
            CoreModel::Arm1176JzS => "arm1176jz-s",
        }
    }

    /// The version of the architecture that it has.
    #[inline(always)]
    pub const fn version(self) -> Version {
        match self {
            CoreModel::Arm7Tdmi | CoreModel::Arm920T => Version::V4T,
            CoreModel::Arm926EjS => Version::V5TEJ,
            CoreModel::Arm1136JS => Version::V6,
            CoreModel::Arm1176JzS => Version::V6K,
        }
    }

    /// Whether it has what `version` has.
    #[inline(always)]
    pub const fn has(self, version: Version) -> bool {
        self.version() as u8 >= version as u8
    }

    /// Whether an aborted load or store leaves its base as it was; else the base is updated.
    #[inline(always)]
    pub const fn restores_base(self) -> bool {
        !matches!(self, CoreModel::Arm7Tdmi)
    }

    /// Whether it has the coprocessor of system control, which may ask for alignment.
    #[inline(always)]
    pub const fn has_system_control(self) -> bool {
        !matches!(self, CoreModel::Arm7Tdmi)
    }

    /// How far ahead of its instruction a stored program counter is, in instructions.
    #[inline(always)]
    pub(super) const fn stored_ahead(self) -> u32 {
        if self.has(Version::V6) { 2 } else { 3 }
    }

    /// Bits of the status registers that exist.
    pub const fn status_mask(self) -> u32 {
        match self.version() {
            Version::V4T => 0xf000_00ff,
            Version::V5TEJ => 0xf900_00ff,
            Version::V6 | Version::V6K => 0xf90f_03ff,
        }
    }

    /// Bits of the status register that programs without privilege write: flags, and from version 6 the byte order of data.
    pub(super) const fn user_status_mask(self) -> u32 {
        match self.version() {
            Version::V4T => 0xf000_0000,
            Version::V5TEJ => 0xf800_0000,
            Version::V6 | Version::V6K => 0xf80f_0200,
        }
    }
}
