//! Addresses, from those of the program to those of the bus.

use super::{Core, TlbOperation};

/// What an address is used for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Purpose {
    /// An instruction is fetched.
    Fetch,
    /// Data are read.
    Read,
    /// Data are written.
    Write,
}

/// An address that has no translation, or none for this purpose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TranslationFault {
    /// Bits of DSISR or, of a fetch, of SRR1, but for the one that tells reads from writes.
    pub status: u32,
}

/// DSISR: the access was a write.
pub(crate) const STORE: u32 = 0x0200_0000;

impl TranslationFault {
    /// The page table has no entry.
    pub const MISSING: TranslationFault = TranslationFault {
        status: 0x4000_0000,
    };
    /// The entry does not permit it.
    pub const PROTECTED: TranslationFault = TranslationFault {
        status: 0x0800_0000,
    };

    /// As DSISR shows it.
    pub const fn data_status(self, purpose: Purpose) -> u32 {
        match purpose {
            Purpose::Write => self.status | STORE,
            _ => self.status,
        }
    }
}

/// Who translates addresses. Called for each page that an access touches, in any machine state: `core` tells whether translation is on.
pub trait Translate {
    /// The address on the bus of `effective`, whose page holds the whole access.
    fn translate(
        &mut self,
        core: &Core,
        effective: u32,
        purpose: Purpose,
    ) -> Result<u32, TranslationFault>;

    /// Does what an instruction asks of the translation buffers; `address` is its operand.
    fn maintain(&mut self, _core: &Core, _operation: TlbOperation, _address: u32) {}
}

/// Addresses are those of the bus, whatever the machine state register says.
#[derive(Clone, Copy, Debug, Default)]
pub struct Untranslated;

impl Translate for Untranslated {
    #[inline(always)]
    fn translate(
        &mut self,
        _core: &Core,
        effective: u32,
        _purpose: Purpose,
    ) -> Result<u32, TranslationFault> {
        Ok(effective)
    }
}
