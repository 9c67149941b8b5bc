//! Addresses, from those of the program to those of the bus.

use crate::{Core, Exception, TlbOperation};
use serde::{Deserialize, Serialize};
use socscope_core::Purpose;
use socscope_memory::Bus;

/// How memory is accessed: WIMG, where the second word of a page table's entry has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Attributes(pub u32);

impl Attributes {
    /// Of addresses that are those of the bus: M and G.
    pub const UNTRANSLATED: Attributes = Attributes(0x18);

    /// W: writes go through the caches.
    pub const fn is_written_through(self) -> bool {
        self.0 & 0x40 != 0
    }

    /// I: caches do not hold it.
    pub const fn is_inhibited(self) -> bool {
        self.0 & 0x20 != 0
    }

    /// G: nothing is fetched that may not be needed.
    pub const fn is_guarded(self) -> bool {
        self.0 & 0x08 != 0
    }
}

/// Why an address has no translation, or none for this purpose.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum TranslationFault {
    /// A data or instruction storage exception. `status` holds bits of DSISR or, of a fetch, of SRR1, but for the one that tells reads
    /// from writes.
    Storage {
        /// The bits.
        status: u32,
    },
    /// Software shall search the page table.
    Search,
    /// The bus refused an entry of the page table, or the address lies beyond the bus.
    Refused,
}

/// DSISR: the access was a write.
const STORE: u32 = 0x0200_0000;

impl TranslationFault {
    /// The page table has no entry.
    pub const MISSING: TranslationFault = TranslationFault::Storage {
        status: 0x4000_0000,
    };
    /// The entry does not permit it.
    pub const PROTECTED: TranslationFault = TranslationFault::Storage {
        status: 0x0800_0000,
    };
    /// Data in a direct-store segment, which no core of the family supports.
    pub const DIRECT_STORE: TranslationFault = TranslationFault::Storage {
        status: 0x0400_0000,
    };
    /// A fetch from a direct-store segment, from one without execution, or from guarded memory.
    pub const NOT_EXECUTABLE: TranslationFault = TranslationFault::Storage {
        status: 0x1000_0000,
    };

    /// The exception that an access to `address` takes.
    pub const fn exception(self, address: u32, purpose: Purpose) -> Exception {
        match (self, purpose) {
            (TranslationFault::Storage { status }, Purpose::Fetch) => {
                Exception::InstructionStorage { status }
            }
            (TranslationFault::Storage { status }, Purpose::Read) => {
                Exception::DataStorage { address, status }
            }
            (TranslationFault::Storage { status }, Purpose::Write) => Exception::DataStorage {
                address,
                status: status | STORE,
            },
            (TranslationFault::Search, _) => Exception::TableSearch { address, purpose },
            (TranslationFault::Refused, _) => Exception::MachineCheck,
        }
    }
}

/// Who translates addresses. Called for each page that an access touches, in any machine state: `core` tells whether translation is on.
pub trait Translate {
    /// The address on the bus of `effective`, whose page holds the whole access. Page tables are read, and marked, on `bus`.
    fn translate<B: Bus>(
        &mut self,
        core: &Core,
        bus: &mut B,
        effective: u32,
        purpose: Purpose,
    ) -> Result<u32, TranslationFault>;

    /// How memory at `effective` is accessed.
    fn attributes<B: Bus>(
        &mut self,
        _core: &Core,
        _bus: &mut B,
        _effective: u32,
        _purpose: Purpose,
    ) -> Result<Attributes, TranslationFault> {
        Ok(Attributes::UNTRANSLATED)
    }

    /// Does what an instruction asks of the translation buffers; `address` is its operand.
    fn maintain(&mut self, _core: &Core, _operation: TlbOperation, _address: u32) {}

    /// Segment registers, block registers, SDR1 or HID0 were written: what was derived from them is out of date.
    fn registers_changed(&mut self) {}
    /// Writes a segment register.
    fn set_segment(&mut self, core: &mut Core, index: u32, value: u32) {
        if core.segment(index) != value {
            core.set_segment(index, value);
            self.registers_changed();
        }
    }
}

/// Addresses are those of the bus, whatever the machine state register says.
#[derive(Clone, Copy, Debug, Default)]
pub struct Untranslated;

impl Translate for Untranslated {
    #[inline(always)]
    fn translate<B: Bus>(
        &mut self,
        _core: &Core,
        _bus: &mut B,
        effective: u32,
        _purpose: Purpose,
    ) -> Result<u32, TranslationFault> {
        Ok(effective)
    }
}
