//! Memory management (manual: part B, "Virtual Memory System Architecture"): translation buffers with the page tables behind them.

mod abort;
mod entry;
mod fault;
mod walk;

pub(crate) use abort::Abort;
pub use fault::TranslationFault;
use fault::status;

use crate::system_control::{Register, Scope, Side, control};
use crate::{Core, CoreModel, Mode, SystemControl, Version};
use entry::{Buffer, Entry, PAGE};
use serde::{Deserialize, Serialize};
use socscope_core::{KnownPages, Purpose, TRANSLATION_CLASSES, known_place};
use socscope_memory::Bus;
use walk::{Described, walk};

/// The translation buffers, for instructions and for data. They are larger than those of the chips, have one way and an entry for each page of 4 kB,
/// whatever described it; an entry stays until it is invalidated, or until another page of its place is used. Data never take the place of instructions,
/// as they do in the one buffer that later chips have: so it makes no difference when an instruction of a page is looked up again. Tiny pages are looked
/// up each time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mmu {
    model: CoreModel,
    data: Buffer,
    instructions: Buffer,
    #[serde(skip)]
    known: KnownPages,
}

/// In the low bits of what is known of a page.
const KNOWN: u32 = 1;

impl Mmu {
    /// After reset: nothing is in the buffers.
    pub(crate) fn new(model: CoreModel) -> Mmu {
        Mmu {
            model,
            data: Buffer::default(),
            instructions: Buffer::default(),
            known: KnownPages::default(),
        }
    }

    /// The translations that are known, and what of them changed.
    #[inline(always)]
    pub fn known_mut(&mut self) -> &mut KnownPages {
        &mut self.known
    }

    /// Registers were written that translations depend on beside the buffers.
    pub(crate) fn registers_changed(&mut self) {
        self.known.drop_all();
    }

    fn buffer(&self, fetching: bool) -> &Buffer {
        match fetching {
            true => &self.instructions,
            false => &self.data,
        }
    }

    fn replace(&mut self, fetching: bool, place: usize, entry: Entry) {
        let before = match fetching {
            true => self.instructions.replace(place, entry),
            false => self.data.replace(place, entry),
        };
        if before.is_valid() && before != entry {
            self.known.drop_class(fetching, place % TRANSLATION_CLASSES);
        }
    }

    /// Entries go; `value` names the address, or the address space, as the register is written.
    pub(crate) fn forget(&mut self, (side, scope): (Side, Scope), value: u32) {
        let space = (value & 0xff) as u8;
        let of_space = self.model.has(Version::V6).then_some(space);
        let is_one = |entry: Entry| match scope {
            Scope::All => entry.is_valid(),
            Scope::Address => entry.covers(value, of_space),
            Scope::AddressInAll => entry.covers(value, None),
            Scope::Space => entry.is_of(space),
        };
        // From version 5TEJ on the chips have one buffer, whatever side is named.
        let both = side == Side::Both || self.model.has(Version::V5TEJ);
        for (fetching, of) in [(false, Side::Data), (true, Side::Instructions)] {
            if both || side == of {
                for place in self.buffer(fetching).places(is_one) {
                    self.replace(fetching, place, Entry::default());
                }
            }
        }
    }

    /// The entry of a modified virtual address, from a buffer or the tables.
    fn entry<B: Bus>(
        &mut self,
        control: &SystemControl,
        bus: &mut B,
        address: u32,
        fetching: bool,
    ) -> Result<Entry, TranslationFault> {
        let space = control.get(Register::Context) as u8;
        if let Some(entry) = self.buffer(fetching).find(address, space) {
            return Ok(entry);
        }
        let Described { entry, is_global } = walk(self.model, control, bus, address)?;
        let entry = entry.of(address, (!is_global).then_some(space));
        if entry.size_bits >= 12 {
            self.replace(fetching, known_place(address), entry);
        }
        Ok(entry)
    }

    #[cold]
    #[inline(never)]
    fn find<B: Bus>(
        &mut self,
        control: &SystemControl,
        bus: &mut B,
        address: u32,
        (purpose, unprivileged): (Purpose, bool),
    ) -> Result<u32, TranslationFault> {
        let modified = control.modified(address);
        if !control.has(control::MMU) {
            self.known
                .put(address, purpose, unprivileged, modified & PAGE | KNOWN);
            return Ok(modified);
        }
        let entry = self.entry(control, bus, modified, purpose == Purpose::Fetch)?;
        entry.check(control, modified, purpose, unprivileged)?;
        if entry.is_uniform() {
            self.known
                .put(address, purpose, unprivileged, entry.physical | KNOWN);
        }
        Ok(entry.place_of(address))
    }
}

impl Core {
    /// Whether accesses have no more rights than programs.
    #[inline(always)]
    pub fn is_unprivileged(&self) -> bool {
        self.status().mode == Mode::User
    }

    /// The address on the bus of one that the program uses. Tables are read on `bus`.
    ///
    /// # Errors
    /// The abort that the access is answered with.
    #[inline(always)]
    pub fn translate<B: Bus>(
        &mut self,
        bus: &mut B,
        address: u32,
        purpose: Purpose,
        unprivileged: bool,
    ) -> Result<u32, TranslationFault> {
        let (control, mmu) = self.control_and_mmu();
        match mmu {
            Some(mmu) if control.translates() => {
                match mmu.known.find(address, purpose, unprivileged) {
                    Some(word) => Ok(word & PAGE | address & !PAGE),
                    None => mmu.find(control, bus, address, (purpose, unprivileged)),
                }
            }
            _ => Ok(address),
        }
    }

    /// The same, where the whole page of 4 kB lies together and has the same rights; else `None`, as where the access would abort.
    pub fn translate_page<B: Bus>(
        &mut self,
        bus: &mut B,
        address: u32,
        purpose: Purpose,
        unprivileged: bool,
    ) -> Option<u32> {
        let physical = self.translate(bus, address, purpose, unprivileged).ok()?;
        let (control, mmu) = self.control_and_mmu();
        let whole = !control.translates()
            || mmu.is_some_and(|mmu| mmu.known.find(address, purpose, unprivileged).is_some());
        whole.then_some(physical)
    }

    /// The address on the bus of a line that caches are told of, by its modified virtual address: no rights are needed.
    pub(crate) fn translate_line<B: Bus>(
        &mut self,
        bus: &mut B,
        address: u32,
    ) -> Result<u32, TranslationFault> {
        let (control, mmu) = self.control_and_mmu();
        match mmu {
            Some(mmu) if control.has(control::MMU) => {
                let entry = mmu.entry(control, bus, address, false)?;
                Ok(entry.place_of(address))
            }
            _ => Ok(address),
        }
    }

    /// What the fault status registers say of a bus that refuses an access at an address that has a translation.
    pub(crate) fn external_abort<B: Bus>(
        &mut self,
        bus: &mut B,
        address: u32,
        fetching: bool,
    ) -> u32 {
        let tells_kinds = !self.model().has(Version::V6) && self.control.has(control::MMU);
        let modified = self.control.modified(address);
        let (control, mmu) = self.control_and_mmu();
        let mmu = mmu.filter(|_| tells_kinds);
        let entry = mmu.and_then(|mmu| mmu.entry(control, bus, modified, fetching).ok());
        entry.map_or(status::EXTERNAL, Entry::external)
    }
}
