//! The walk through page tables (manual: "Translation tables", for versions 4 and 5 and, with subpages or without, for version 6).

use super::entry::Entry;
use super::fault::{TranslationFault, status};
use crate::system_control::{Register, control};
use crate::{CoreModel, SystemControl, Version};
use socscope_memory::{Bus, Width};

/// What a descriptor says of the address that it was looked up for, and whether its page is of one address space only.
pub(super) struct Described {
    pub entry: Entry,
    pub is_global: bool,
}

struct Walk<'a> {
    model: CoreModel,
    control: &'a SystemControl,
    address: u32,
}

/// The descriptor of a modified virtual address.
pub(super) fn walk<B: Bus>(
    model: CoreModel,
    control: &SystemControl,
    bus: &mut B,
    address: u32,
) -> Result<Described, TranslationFault> {
    let walk = Walk {
        model,
        control,
        address,
    };
    walk.first_level(bus)
}

/// AP of a page all of which may be read and written.
const ALL: u8 = 0xff;

/// AP of a whole page.
const fn all_parts(access: u32) -> u8 {
    (access & 3) as u8 * 0b0101_0101
}

impl Walk<'_> {
    fn fault<T>(&self, status: u32, domain: u32) -> Result<T, TranslationFault> {
        Err(TranslationFault::new(self.address, status, domain))
    }

    /// Whether the tables have no subpages: rights as version 6 has them.
    fn is_extended(&self) -> bool {
        self.model.has(Version::V6) && self.control.has(control::EXTENDED_PAGES)
    }

    fn word<B: Bus>(
        &self,
        bus: &mut B,
        address: u32,
        at_fault: (u32, u32),
    ) -> Result<u32, TranslationFault> {
        // Tables are memory: what they cost is part of no model, so that no cycle is named.
        match bus.read(address, Width::Word, |_, _| 0) {
            Ok(access)
                if self.model.has(Version::V6)
                    && self.control.has(control::BIG_ENDIAN_EXCEPTIONS) =>
            {
                Ok(access.value.swap_bytes())
            }
            Ok(access) => Ok(access.value),
            Err(_) => self.fault(at_fault.0, at_fault.1),
        }
    }

    /// The table of the first level, and the number of its entry.
    fn table(&self) -> Result<u32, TranslationFault> {
        let split = self.control.get(Register::TableControl);
        let bits = split & 7;
        let second = bits != 0 && self.address >> (32 - bits) != 0;
        if split >> if second { 5 } else { 4 } & 1 != 0 {
            return self.fault(status::TRANSLATION, 0);
        }
        let (base, bits) = match second {
            true => (self.control.get(Register::TableBase1), 0),
            false => (self.control.get(Register::TableBase0), bits),
        };
        let mask = !0 << (14 - bits);
        Ok(base & mask | self.address >> 18 & !mask & !3)
    }

    fn first_level<B: Bus>(&self, bus: &mut B) -> Result<Described, TranslationFault> {
        let place = self.table()?;
        let word = self.word(bus, place, (status::WALK, 0))?;
        let domain = word >> 5 & 15;
        let second = |base: u32, shift: u32| {
            let index = (self.address >> shift) & ((1 << (20 - shift)) - 1);
            base | index << 2
        };
        match word & 3 {
            1 => self.second_level(bus, second(word & 0xffff_fc00, 12), domain, false),
            2 => self.section(word, domain),
            // Fine tables went with version 6.
            3 if !self.model.has(Version::V6) => {
                self.second_level(bus, second(word & 0xffff_f000, 10), domain, true)
            }
            _ => self.fault(status::TRANSLATION, domain),
        }
    }

    fn section(&self, word: u32, domain: u32) -> Result<Described, TranslationFault> {
        let v6 = self.model.has(Version::V6);
        let (domain, size_bits) = match v6 && word >> 18 & 1 != 0 {
            true => (0, 24),
            false => (domain, 20),
        };
        let extended = self.is_extended();
        let bit = |place: u32| extended && word >> place & 1 != 0;
        let entry = self.entry(word, size_bits, domain, all_parts(word >> 10));
        self.described(
            Entry {
                read_only: bit(15),
                not_executable: bit(4),
                ..entry
            },
            bit(17),
        )
    }

    /// Without what only some descriptors have.
    fn entry(&self, word: u32, size_bits: u8, domain: u32, access: u8) -> Entry {
        let inside = (1_u32 << size_bits) - 1;
        Entry {
            physical: word & !inside | self.address & inside & !0xfff,
            access,
            domain: domain as u8,
            size_bits,
            ..Entry::default()
        }
    }

    fn described(&self, entry: Entry, of_one_space: bool) -> Result<Described, TranslationFault> {
        let has_access_flag = self.is_extended() && self.control.has(control::ACCESS_FLAG);
        if has_access_flag && entry.access & 1 == 0 {
            let status = match entry.size_bits {
                20.. => status::ACCESS_FLAG_SECTION,
                _ => status::ACCESS_FLAG_PAGE,
            };
            return self.fault(status, entry.domain.into());
        }
        // APX with all of AP: from version 6K on, all may read; reserved before, as nothing of AP with APX is.
        let is_reserved = entry.read_only && entry.access == ALL && !self.model.has(Version::V6K);
        let entry = Entry {
            has_access_flag,
            access: if is_reserved { 0 } else { entry.access },
            ..entry
        };
        Ok(Described {
            entry,
            is_global: !of_one_space,
        })
    }

    fn second_level<B: Bus>(
        &self,
        bus: &mut B,
        place: u32,
        domain: u32,
        is_fine: bool,
    ) -> Result<Described, TranslationFault> {
        let word = self.word(bus, place, (status::WALK | status::PAGE, domain))?;
        let extended = self.is_extended();
        let bit = |place: u32| extended && word >> place & 1 != 0;
        let v6 = self.model.has(Version::V6);
        match word & 3 {
            1 => {
                // Each part of a large page with subpages has 16 kB.
                let access = match extended {
                    true => word >> 4,
                    false => word >> (4 + 2 * (self.address >> 14 & 3)),
                };
                let entry = self.entry(word, 16, domain, all_parts(access));
                self.described(
                    Entry {
                        read_only: bit(9),
                        not_executable: bit(15),
                        ..entry
                    },
                    bit(11),
                )
            }
            2 | 3 if extended => {
                let entry = self.entry(word, 12, domain, all_parts(word >> 4));
                self.described(
                    Entry {
                        read_only: bit(9),
                        not_executable: bit(0),
                        ..entry
                    },
                    bit(11),
                )
            }
            2 => self.described(self.entry(word, 12, domain, (word >> 4) as u8), false),
            // An extended small page.
            3 if v6 => self.described(self.entry(word, 12, domain, all_parts(word >> 4)), false),
            3 if is_fine => {
                // A tiny page: its part of the page of 4 kB alone is known.
                let entry = self.entry(word, 12, domain, all_parts(word >> 4));
                let physical = word & !0x3ff;
                self.described(
                    Entry {
                        physical,
                        size_bits: 10,
                        ..entry
                    },
                    false,
                )
            }
            _ => self.fault(status::TRANSLATION | status::PAGE, domain),
        }
    }
}
