//! What translations of addresses have in common, whatever their tables look like.

mod changes;
mod derived;

pub use changes::Changes;
use derived::Derived;
use serde::{Deserialize, Serialize};

/// Classes of pages, by the low bits of their numbers: what changes in translation buffers is told by class.
pub const TRANSLATION_CLASSES: usize = 1024;

/// Pages that are known at once, by the low bits of their numbers: a multiple of the classes. In a program's inner loop each page that takes the place
/// of another costs a walk through the page tables.
pub const KNOWN_PAGES: usize = 4 * TRANSLATION_CLASSES;

/// The bits of an address that name its page.
const PAGE: u32 = !0xfff;

/// Class of an address's page.
#[inline(always)]
pub const fn class(address: u32) -> usize {
    (address >> 12) as usize % TRANSLATION_CLASSES
}

/// Place of an address's page among those that are known.
#[inline(always)]
pub const fn place(address: u32) -> usize {
    (address >> 12) as usize % KNOWN_PAGES
}

/// Places of a class.
pub fn places_of(class: usize) -> impl Iterator<Item = usize> {
    (class % TRANSLATION_CLASSES..KNOWN_PAGES).step_by(TRANSLATION_CLASSES)
}

/// What an address is used for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Purpose {
    /// An instruction is fetched.
    Fetch,
    /// Data are read.
    Read,
    /// Data are written.
    Write,
}

/// Translations of pages that were found, to be found again at once, and what of them changed since somebody asked, who derives tables from them. They
/// follow from the state of a translation, and are no part of it: who restores or copies a state begins anew.
#[derive(Default)]
pub struct KnownPages {
    derived: Derived,
    changes: NotTaken,
}

/// Changes that nobody took yet: at first, everything.
struct NotTaken(Changes);

impl Default for NotTaken {
    fn default() -> NotTaken {
        NotTaken(Changes::ALL)
    }
}

impl Clone for KnownPages {
    fn clone(&self) -> KnownPages {
        KnownPages::default()
    }
}

impl PartialEq for KnownPages {
    fn eq(&self, _other: &KnownPages) -> bool {
        true
    }
}

impl Eq for KnownPages {}

impl std::fmt::Debug for KnownPages {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("KnownPages")
    }
}

impl KnownPages {
    /// Where the page of an address lies, with what was kept of it in the low bits.
    #[inline(always)]
    pub fn find(&self, address: u32, purpose: Purpose, unprivileged: bool) -> Option<u32> {
        self.derived.find(address, purpose, unprivileged)
    }

    /// The page of an address is known from now on.
    pub fn put(&mut self, address: u32, purpose: Purpose, unprivileged: bool, word: u32) {
        self.derived.put(address, purpose, unprivileged, word);
    }

    /// What was known of the pages of one class, for fetches or for data, is out of date.
    pub fn drop_class(&mut self, fetching: bool, class: usize) {
        self.derived.drop_class(fetching, class);
        self.changes.0.add(fetching, class);
    }

    /// All is out of date.
    pub fn drop_all(&mut self) {
        self.derived.drop_all();
        self.changes.0 = Changes::ALL;
    }

    /// Whether there are changes that [`KnownPages::take_changes`] would tell.
    #[inline(always)]
    pub fn have_changes(&self) -> bool {
        !self.changes.0.is_empty()
    }

    /// What changed since this was last called; everything, the first time.
    pub fn take_changes(&mut self) -> Changes {
        std::mem::take(&mut self.changes.0)
    }
}
