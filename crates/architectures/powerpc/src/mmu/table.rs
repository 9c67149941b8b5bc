//! Segments and the page table (manual: "Memory segment model", "Hashed page tables").

use super::TranslationFault;
use crate::{Core, CoreModel, Msr, special};
use socscope_memory::{Bus, Width};

/// T: a direct-store segment.
const DIRECT_STORE: u32 = 0x8000_0000;
/// Ks: the key of programs with privilege.
const SUPERVISOR_KEY: u32 = 0x4000_0000;
/// Kp: the key of programs without.
const PROBLEM_KEY: u32 = 0x2000_0000;
/// N: nothing is fetched from it.
const NO_EXECUTE: u32 = 0x1000_0000;
/// VSID.
const VIRTUAL_SEGMENT: u32 = 0x00ff_ffff;

/// V: an entry is valid.
const VALID: u32 = 0x8000_0000;
/// H: it lies in the group of the secondary hash.
const SECONDARY: u32 = 0x40;
/// R: the page was referenced.
pub(super) const REFERENCED: u32 = 0x100;
/// C: the page was changed.
pub(super) const CHANGED: u32 = 0x80;

const GROUP_BYTES: u32 = 64;
const ENTRY_BYTES: u32 = 8;

/// A segment register, as an access finds it.
#[derive(Clone, Copy)]
pub(super) struct Segment {
    register: u32,
    /// The key that protection is judged by.
    pub key: bool,
}

impl Segment {
    pub fn of(core: &Core, effective: u32) -> Segment {
        let register = core.segment(effective >> 28);
        let key = if core.msr().has(Msr::PROBLEM) {
            PROBLEM_KEY
        } else {
            SUPERVISOR_KEY
        };
        Segment {
            register,
            key: register & key != 0,
        }
    }

    pub fn is_direct_store(self) -> bool {
        self.register & DIRECT_STORE != 0
    }

    pub fn is_not_executable(self) -> bool {
        self.register & NO_EXECUTE != 0
    }

    /// VSID.
    pub fn number(self) -> u32 {
        self.register & VIRTUAL_SEGMENT
    }

    /// What the first word of an entry for `effective` must be, in the group of the primary hash.
    pub fn compared(self, effective: u32) -> u32 {
        VALID | self.number() << 7 | effective >> 22 & 0x3f
    }

    /// Addresses of the two groups of entries in which a page may be.
    pub fn groups(self, core: &Core, effective: u32) -> [u32; 2] {
        let sdr1 = core.special(special::SDR1);
        let mask = if is_extended(core) { 0x1fff } else { 0x1ff };
        let mask = (sdr1 & mask) << 16 | 0xffff;
        let hash = self.number() ^ effective >> 12 & 0xffff;
        [hash, !hash].map(|hash| sdr1 & 0xffff_0000 | hash.wrapping_mul(GROUP_BYTES) & mask)
    }
}

/// XAEN: entries and SDR1 have fields for addresses of 36 bits.
fn is_extended(core: &Core) -> bool {
    core.model() == CoreModel::E600
        && core.special(special::HID0) & special::HID0_EXTENDED_ADDRESSES != 0
}

/// An entry whose page lies beyond the bus of 32 bits.
pub(super) fn is_beyond(core: &Core, word: u32) -> bool {
    const XPN_AND_X: u32 = 0x0e04;
    is_extended(core) && word & XPN_AND_X != 0
}

/// An entry of the page table.
pub(super) struct Found {
    /// Where its second word lies.
    address: u32,
    /// Its second word.
    pub word: u32,
}

impl Found {
    /// Sets bits of the second word, in memory too if they are not set there.
    pub fn mark<B: Bus>(&mut self, bus: &mut B, bits: u32) -> Result<(), TranslationFault> {
        if self.word & bits != bits {
            self.word |= bits;
            bus.write(self.address, Width::Word, self.word, |_, _| 0)
                .map_err(|_| TranslationFault::Refused)?;
        }
        Ok(())
    }
}

/// The first entry for a page in the order of the manual: primary group, then secondary group.
pub(super) fn search<B: Bus>(
    core: &Core,
    bus: &mut B,
    segment: Segment,
    effective: u32,
) -> Result<Found, TranslationFault> {
    let primary = segment.compared(effective);
    let groups = segment.groups(core, effective);
    for (group, compared) in groups.into_iter().zip([primary, primary | SECONDARY]) {
        for offset in (0..GROUP_BYTES).step_by(ENTRY_BYTES as usize) {
            if word(bus, group + offset)? == compared {
                let address = group + offset + 4;
                let word = word(bus, address)?;
                return Ok(Found { address, word });
            }
        }
    }
    Err(TranslationFault::MISSING)
}

/// Tables are memory: what they cost is part of no model, so that no cycle is named.
fn word<B: Bus>(bus: &mut B, address: u32) -> Result<u32, TranslationFault> {
    match bus.read(address, Width::Word, |_, _| 0) {
        Ok(access) => Ok(access.value),
        Err(_) => Err(TranslationFault::Refused),
    }
}

/// What software shall look for: the first word of the entry, and its two groups.
pub(crate) struct Wanted {
    /// First word of the entry, in the primary group.
    pub compared: u32,
    /// Addresses of the groups.
    pub groups: [u32; 2],
    /// The key that protection is judged by.
    pub key: bool,
}

impl Wanted {
    /// For an address that the translation buffers do not hold.
    pub fn of(core: &Core, effective: u32) -> Wanted {
        let segment = Segment::of(core, effective);
        Wanted {
            compared: segment.compared(effective),
            groups: segment.groups(core, effective),
            key: segment.key,
        }
    }
}
