//! Translations that were found, to be found again at once. They follow from the state beside them, and are no part of it.

use super::{KNOWN_PAGES, PAGE, Purpose, place, places_of};

/// A page: its address, with the generation in the low bits; where it lies, with what the architecture keeps of it in the low bits.
#[derive(Clone, Copy, Default)]
struct Slot {
    page: u32,
    word: u32,
}

/// Reads, writes and fetches, with and without privilege.
const TABLES: usize = 8;

/// One table for each purpose and privilege.
pub(super) struct Derived {
    slots: Box<[Slot; TABLES * KNOWN_PAGES]>,
    /// 1 to 4095; slots of another one are empty.
    generation: u32,
}

impl Default for Derived {
    fn default() -> Derived {
        let slots = vec![Slot::default(); TABLES * KNOWN_PAGES];
        Derived {
            slots: slots
                .try_into()
                .unwrap_or_else(|_| unreachable!("of this length")),
            generation: 1,
        }
    }
}

#[inline(always)]
fn slot(place: usize, purpose: Purpose, unprivileged: bool) -> usize {
    let table = (purpose as usize) << 1 | usize::from(unprivileged);
    table * KNOWN_PAGES + place
}

impl Derived {
    #[inline(always)]
    pub fn find(&self, effective: u32, purpose: Purpose, unprivileged: bool) -> Option<u32> {
        let slot =
            self.slots[slot(place(effective), purpose, unprivileged) & (TABLES * KNOWN_PAGES - 1)];
        (slot.page == effective & PAGE | self.generation).then_some(slot.word)
    }

    pub fn put(&mut self, effective: u32, purpose: Purpose, unprivileged: bool, word: u32) {
        let page = effective & PAGE | self.generation;
        self.slots[slot(place(effective), purpose, unprivileged)] = Slot { page, word };
    }

    /// Drops what was derived of the pages of one class.
    pub fn drop_class(&mut self, fetching: bool, class: usize) {
        let purposes: &[Purpose] = if fetching {
            &[Purpose::Fetch]
        } else {
            &[Purpose::Read, Purpose::Write]
        };
        for &purpose in purposes {
            for unprivileged in [false, true] {
                for place in places_of(class) {
                    self.slots[slot(place, purpose, unprivileged)] = Slot::default();
                }
            }
        }
    }

    pub fn drop_all(&mut self) {
        self.generation += 1;
        if self.generation & PAGE != 0 {
            *self = Derived::default();
        }
    }
}
