//! The cores of the family, as far as they differ.

use super::float::FloatUnit;
use serde::{Deserialize, Serialize};

/// A core of the family.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[repr(u8)]
pub enum CoreModel {
    /// 603e and its successors in the 8200 and 8300 families: translation buffers are loaded by software.
    Ppc603e,
    /// 740, 750.
    Ppc750,
    /// 7400, 7410: AltiVec.
    Ppc7400,
    /// 7448 and the core of the 8641.
    E600,
    /// 745, 755: a 750 that can leave table searches to software, with eight blocks.
    Ppc755,
}

impl CoreModel {
    /// All of them.
    pub const ALL: [CoreModel; 5] = [
        CoreModel::Ppc603e,
        CoreModel::Ppc750,
        CoreModel::Ppc755,
        CoreModel::Ppc7400,
        CoreModel::E600,
    ];

    /// The family's name.
    pub const fn name(self) -> &'static str {
        match self {
            CoreModel::Ppc603e => "603e",
            CoreModel::Ppc750 => "750",
            CoreModel::Ppc755 => "755",
            CoreModel::Ppc7400 => "7400",
            CoreModel::E600 => "e600",
        }
    }

    pub(super) const fn bit(self) -> u8 {
        1 << self as u8
    }

    /// Version and revision, as PVR reads.
    pub const fn version(self) -> u32 {
        match self {
            CoreModel::Ppc603e => 0x0007_0101,
            CoreModel::Ppc750 => 0x0008_3311,
            CoreModel::Ppc755 => 0x0008_3203,
            CoreModel::Ppc7400 => 0x000c_0209,
            CoreModel::E600 => 0x8004_0010,
        }
    }

    /// The chip's version, as SVR reads; 0 for a core without that register. That of the e600 is the MPC8641D's, revision 2.1.
    pub const fn system_version(self) -> u32 {
        match self {
            CoreModel::E600 => 0x8090_0121,
            CoreModel::Ppc603e | CoreModel::Ppc750 | CoreModel::Ppc755 | CoreModel::Ppc7400 => 0,
        }
    }

    /// Whether it has AltiVec.
    pub const fn has_vectors(self) -> bool {
        matches!(self, CoreModel::Ppc7400 | CoreModel::E600)
    }

    /// Whether software can load its translation buffers (tlbld, tlbli).
    pub const fn has_software_tlb(self) -> bool {
        matches!(
            self,
            CoreModel::Ppc603e | CoreModel::Ppc755 | CoreModel::E600
        )
    }

    /// Whether a table search has the registers of the 603: DMISS, DCMP, HASH1, HASH2, IMISS, ICMP, RPA.
    pub(super) const fn has_search_registers(self) -> bool {
        matches!(self, CoreModel::Ppc603e | CoreModel::Ppc755)
    }

    /// Its floating-point unit. Nothing is published of the others' own ways.
    pub const fn float_unit(self) -> FloatUnit {
        match self {
            CoreModel::Ppc750 | CoreModel::Ppc755 => FloatUnit::OF_750,
            CoreModel::Ppc603e | CoreModel::Ppc7400 | CoreModel::E600 => FloatUnit::PLAIN,
        }
    }

    /// Bits of the machine state register that exist.
    pub const fn msr_mask(self) -> u32 {
        match self {
            CoreModel::Ppc603e => 0x0007_ff73,
            CoreModel::Ppc750 | CoreModel::Ppc755 => 0x0005_ff77,
            CoreModel::Ppc7400 | CoreModel::E600 => 0x0205_ff77,
        }
    }
}
