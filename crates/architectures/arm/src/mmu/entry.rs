//! Entries of the translation buffers: one for each page of 4 kB, whatever described it.

use super::fault::{TranslationFault, status};
use crate::{SystemControl, system_control::Register, system_control::control};
use serde::{Deserialize, Serialize};
use socscope_core::{KNOWN_PAGES, Purpose, known_place};

/// The bits of an address that name its page.
pub(super) const PAGE: u32 = !0xfff;

/// What a descriptor says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Entry {
    /// The page, with bit 0 set; 0 for no entry.
    pub(super) tag: u32,
    /// The address space, of pages that are not global.
    pub(super) space: Option<u8>,
    /// Where it lies on the bus.
    pub physical: u32,
    /// AP of the four parts of the page, in two bits each, the first one lowest.
    pub access: u8,
    /// APX: nothing is written.
    pub read_only: bool,
    /// XN.
    pub not_executable: bool,
    /// AP has its lowest bit for another purpose.
    pub has_access_flag: bool,
    pub domain: u8,
    /// What was described: a section of 2^20 bytes, a page of 2^12, and so on.
    pub size_bits: u8,
}

/// Bits of a section's number.
const SECTION: u8 = 20;
/// AP: reads and writes with privilege, none without; all.
const FULL: u8 = 3;

impl Entry {
    /// For the page of a modified virtual address.
    pub fn of(self, address: u32, space: Option<u8>) -> Entry {
        let tag = address & PAGE | 1;
        Entry { tag, space, ..self }
    }

    pub fn is_valid(self) -> bool {
        self.tag != 0
    }

    /// Whether it is that of an address in an address space.
    pub fn is_for(self, address: u32, space: u8) -> bool {
        self.tag == address & PAGE | 1 && self.space.is_none_or(|own| own == space)
    }

    /// Whether what it was made from covers an address; `space`: in this address space, or a global one.
    pub fn covers(self, address: u32, space: Option<u8>) -> bool {
        let same = |(own, asked)| own == asked;
        self.is_valid()
            && (self.tag ^ address) >> self.size_bits.min(31) == 0
            && self.space.zip(space).is_none_or(same)
    }

    /// Whether it is one of an address space.
    pub fn is_of(self, space: u8) -> bool {
        self.space == Some(space)
    }

    /// Whether all parts of the page have the same rights.
    pub fn is_uniform(self) -> bool {
        self.size_bits >= 12 && self.access == (self.access & 3) * 0b0101_0101
    }

    fn kind(self) -> u32 {
        match self.size_bits {
            SECTION.. => 0,
            _ => status::PAGE,
        }
    }

    /// The address on the bus of one that it is for.
    pub fn place_of(self, address: u32) -> u32 {
        let inside = !PAGE & ((1_u32 << self.size_bits.min(12)) - 1);
        self.physical | address & inside
    }

    /// What the status registers say of a bus that refuses an access there.
    pub fn external(self) -> u32 {
        status::EXTERNAL | self.kind() | u32::from(self.domain) << 4
    }

    /// Whether an access is permitted (manual: "Access permissions", "Domains").
    pub fn check(
        self,
        control: &SystemControl,
        address: u32,
        purpose: Purpose,
        unprivileged: bool,
    ) -> Result<(), TranslationFault> {
        let fault = |status| {
            let status = status | self.kind();
            Err(TranslationFault::new(address, status, self.domain.into()))
        };
        match control.get(Register::Domains) >> (2 * (self.domain & 15)) & 3 {
            // A manager is not asked for rights.
            3 => return Ok(()),
            1 => {}
            _ => return fault(status::DOMAIN),
        }
        let access = self.access >> (2 * (address >> 10 & 3)) & 3;
        let access = if self.has_access_flag {
            access | 1
        } else {
            access
        };
        let (reads, writes) = match (access, self.read_only) {
            // What is reserved permits nothing.
            (0, true) => (false, false),
            (0, false) => match (control.has(control::SYSTEM), control.has(control::ROM)) {
                (true, false) => (!unprivileged, false),
                (system, rom) => (rom && !system, false),
            },
            (1, read_only) => (!unprivileged, !unprivileged && !read_only),
            (2, read_only) => (true, !unprivileged && !read_only),
            (FULL.., read_only) => (true, !read_only),
        };
        let permitted = match purpose {
            Purpose::Fetch => reads && !self.not_executable,
            Purpose::Read => reads,
            Purpose::Write => writes,
        };
        match permitted {
            true => Ok(()),
            false => fault(status::PERMISSION),
        }
    }
}

/// Entries by the low bits of their page's number.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Saved", into = "Saved")]
pub(super) struct Buffer {
    entries: Vec<Entry>,
    /// Which of them are valid, a bit for each: kernels that forget all of a buffer do so often, and few of it are.
    valid: Vec<u64>,
}

/// The valid entries, each behind its place.
#[derive(Serialize, Deserialize)]
struct Saved(Vec<(u16, Entry)>);

impl Default for Buffer {
    fn default() -> Buffer {
        Buffer {
            entries: vec![Entry::default(); KNOWN_PAGES],
            valid: vec![0; KNOWN_PAGES / 64],
        }
    }
}

impl From<Buffer> for Saved {
    fn from(buffer: Buffer) -> Saved {
        let places = buffer.places(|_| true).into_iter();
        Saved(
            places
                .map(|place| (place as u16, buffer.entries[place]))
                .collect(),
        )
    }
}

impl TryFrom<Saved> for Buffer {
    type Error = String;

    fn try_from(saved: Saved) -> Result<Buffer, String> {
        let mut buffer = Buffer::default();
        for (place, entry) in saved.0 {
            let place = usize::from(place);
            if !entry.is_valid() || place != known_place(entry.tag) {
                return Err(format!(
                    "no entry of a translation buffer belongs to place {place}"
                ));
            }
            buffer.replace(place, entry);
        }
        Ok(buffer)
    }
}

impl Buffer {
    /// The entry of an address.
    pub fn find(&self, address: u32, space: u8) -> Option<Entry> {
        let entry = self.entries[known_place(address)];
        entry.is_for(address, space).then_some(entry)
    }

    /// Puts an entry in the place of another, which is returned.
    pub fn replace(&mut self, place: usize, entry: Entry) -> Entry {
        let bit = 1 << (place % 64);
        match entry.is_valid() {
            true => self.valid[place / 64] |= bit,
            false => self.valid[place / 64] &= !bit,
        }
        std::mem::replace(&mut self.entries[place], entry)
    }

    /// The places of valid entries of a kind.
    pub fn places(&self, is_one: impl Fn(Entry) -> bool) -> Vec<usize> {
        let words = self
            .valid
            .iter()
            .enumerate()
            .filter(|(_, word)| **word != 0);
        let bits = |(at, word): (usize, &u64)| {
            let word = *word;
            (0..64)
                .filter(move |bit| word >> bit & 1 != 0)
                .map(move |bit| at * 64 + bit)
        };
        let places = words.flat_map(bits);
        places
            .filter(|&place| is_one(self.entries[place]))
            .collect()
    }
}
