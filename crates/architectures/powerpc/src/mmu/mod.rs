//! Memory management (manual: "Memory management"): blocks, then segments with translation buffers and the page table behind them.

mod block;
mod buffer;
mod table;
mod translation;

pub(super) use table::Wanted;
pub use translation::{Attributes, Translate, TranslationFault, Untranslated};

use super::{Core, CoreModel, Msr, TlbOperation, special};
use buffer::{Buffer, Entry};
use serde::{Deserialize, Serialize};
use socscope_core::{KnownPages, Purpose, TRANSLATION_CLASSES, translation_class};
use socscope_memory::Bus;
use table::Segment;

/// Entries of each of the two translation buffers, for instructions and for data.
const TLB_ENTRIES: usize = TRANSLATION_CLASSES;

/// The bits of an address that name its page.
const PAGE: u32 = !0xfff;

/// The state of translation beside [`Core`]: the translation buffers. They are larger than those of the chips and have one way; an entry
/// stays until tlbie, or until another page of its index is used.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mmu {
    model: CoreModel,
    instruction: Buffer,
    data: Buffer,
    /// Classes whose entries other cores have yet to drop, as bits.
    broadcasts: u64,
    #[serde(skip)]
    known: KnownPages,
}

impl Mmu {
    /// Of a core after reset: nothing is in the buffers.
    pub fn new(model: CoreModel) -> Mmu {
        Mmu {
            model,
            instruction: Buffer::default(),
            data: Buffer::default(),
            broadcasts: 0,
            known: KnownPages::default(),
        }
    }

    /// The translations that are known, and what of them changed.
    #[inline(always)]
    pub fn known_mut(&mut self) -> &mut KnownPages {
        &mut self.known
    }

    /// What tlbie asked the other cores of the bus to [`Mmu::invalidate`] since this was last called: an address of each class.
    pub fn take_broadcasts(&mut self) -> impl Iterator<Item = u32> + use<> {
        let classes = std::mem::take(&mut self.broadcasts);
        (0..u64::BITS)
            .filter(move |class| classes >> class & 1 != 0)
            .map(|class| class << 12)
    }

    /// The chips have 64 classes of entries (the 603 has 32), and tlbie drops a whole one: firmware that clears a buffer visits no more.
    fn classes(&self) -> usize {
        match self.model {
            CoreModel::Ppc603e => 32,
            _ => 64,
        }
    }

    /// All entries of the page's class go, as another core of the bus wants it.
    pub fn invalidate(&mut self, effective: u32) {
        let classes = self.classes();
        for index in (translation_class(effective) % classes..TLB_ENTRIES).step_by(classes) {
            for fetching in [true, false] {
                self.replace(fetching, index, Entry::default());
            }
        }
    }

    fn replace(&mut self, fetching: bool, index: usize, entry: Entry) {
        let buffer = if fetching {
            &mut self.instruction
        } else {
            &mut self.data
        };
        let before = buffer.replace(index, entry);
        if before.is_valid() && before != entry {
            self.known.drop_class(fetching, index);
        }
    }

    /// Loads an entry that software found.
    fn load(&mut self, core: &Core, fetching: bool, effective: u32) {
        let compared = if self.model.has_search_registers() && !fetching {
            special::DCMP
        } else {
            special::ICMP
        };
        let (compared, word) = (core.special(compared), core.special(special::RPA));
        let entry = Entry::new(compared >> 7 & 0x00ff_ffff, effective, word);
        self.replace(fetching, translation_class(effective), entry);
    }

    /// Address of a page on the bus, with WIMG and PP of its entry in the low bits.
    #[inline(always)]
    fn page<B: Bus>(
        &mut self,
        core: &Core,
        bus: &mut B,
        effective: u32,
        purpose: Purpose,
    ) -> Result<u32, TranslationFault> {
        let problem = core.msr().has(Msr::PROBLEM);
        match self.known.find(effective, purpose, problem) {
            Some(word) => Ok(word),
            None => self.find(core, bus, effective, purpose),
        }
    }

    #[cold]
    #[inline(never)]
    fn find<B: Bus>(
        &mut self,
        core: &Core,
        bus: &mut B,
        effective: u32,
        purpose: Purpose,
    ) -> Result<u32, TranslationFault> {
        let word = match block::find(core, effective, purpose) {
            Some(word) if is_permitted_in_block(word, purpose) => word,
            Some(_) => return Err(TranslationFault::PROTECTED),
            None => self.find_page(core, bus, effective, purpose)?,
        };
        if table::is_beyond(core, word) {
            return Err(TranslationFault::Refused);
        }
        let problem = core.msr().has(Msr::PROBLEM);
        self.known.put(effective, purpose, problem, word);
        Ok(word)
    }

    fn find_page<B: Bus>(
        &mut self,
        core: &Core,
        bus: &mut B,
        effective: u32,
        purpose: Purpose,
    ) -> Result<u32, TranslationFault> {
        let fetching = purpose == Purpose::Fetch;
        let segment = Segment::of(core, effective);
        match fetching {
            true if segment.is_direct_store() || segment.is_not_executable() => {
                return Err(TranslationFault::NOT_EXECUTABLE);
            }
            false if segment.is_direct_store() => return Err(TranslationFault::DIRECT_STORE),
            _ => {}
        }
        let buffer = if fetching {
            &self.instruction
        } else {
            &self.data
        };
        let needed = match purpose {
            Purpose::Write => table::REFERENCED | table::CHANGED,
            _ => table::REFERENCED,
        };
        if let Some(word) = buffer.find(segment, effective) {
            check_page(word, segment, purpose)?;
            if purpose != Purpose::Write || word & table::CHANGED != 0 {
                return Ok(word);
            }
        }
        if searches_by_software(core) {
            return Err(TranslationFault::Search);
        }
        let mut found = table::search(core, bus, segment, effective)?;
        check_page(found.word, segment, purpose)?;
        found.mark(bus, needed)?;
        let entry = Entry::new(segment.number(), effective, found.word);
        self.replace(fetching, translation_class(effective), entry);
        Ok(found.word)
    }
}

fn searches_by_software(core: &Core) -> bool {
    match core.model() {
        CoreModel::Ppc603e => true,
        CoreModel::Ppc755 => core.special(special::HID2) & special::HID2_SOFTWARE_SEARCH != 0,
        CoreModel::E600 => core.special(special::HID0) & special::HID0_SOFTWARE_SEARCH != 0,
        CoreModel::Ppc750 | CoreModel::Ppc7400 => false,
    }
}

/// PP of a block: 0 no access, 2 all, else reads.
fn is_permitted_in_block(word: u32, purpose: Purpose) -> bool {
    match word & 3 {
        0 => false,
        2 => true,
        _ => purpose != Purpose::Write,
    }
}

/// PP of a page under the segment's key (manual: "Page memory protection"); nothing is fetched from guarded pages.
fn check_page(word: u32, segment: Segment, purpose: Purpose) -> Result<(), TranslationFault> {
    if purpose == Purpose::Fetch && Attributes(word).is_guarded() {
        return Err(TranslationFault::NOT_EXECUTABLE);
    }
    let permitted = match (segment.key, word & 3) {
        (true, 0) => false,
        (true, 1) | (_, 3) => purpose != Purpose::Write,
        _ => true,
    };
    match permitted {
        true => Ok(()),
        false => Err(TranslationFault::PROTECTED),
    }
}

impl Translate for Mmu {
    #[inline(always)]
    fn translate<B: Bus>(
        &mut self,
        core: &Core,
        bus: &mut B,
        effective: u32,
        purpose: Purpose,
    ) -> Result<u32, TranslationFault> {
        if !core.msr().has(Msr::translation(purpose)) {
            return Ok(effective);
        }
        let page = self.page(core, bus, effective, purpose)?;
        Ok(page & PAGE | effective & !PAGE)
    }

    fn attributes<B: Bus>(
        &mut self,
        core: &Core,
        bus: &mut B,
        effective: u32,
        purpose: Purpose,
    ) -> Result<Attributes, TranslationFault> {
        if !core.msr().has(Msr::translation(purpose)) {
            return Ok(Attributes::UNTRANSLATED);
        }
        self.page(core, bus, effective, purpose).map(Attributes)
    }

    fn maintain(&mut self, core: &Core, operation: TlbOperation, address: u32) {
        match operation {
            TlbOperation::Invalidate => {
                self.invalidate(address);
                self.broadcasts |= 1 << (translation_class(address) % self.classes());
            }
            TlbOperation::Synchronize => {}
            TlbOperation::LoadData => self.load(core, false, address),
            TlbOperation::LoadInstruction => self.load(core, true, address),
        }
    }

    fn registers_changed(&mut self) {
        self.known.drop_all();
    }
}
