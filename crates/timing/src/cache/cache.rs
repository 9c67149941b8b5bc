//! One set-associative cache: which lines it holds, not what is in them.

use super::geometry::{Geometry, Replacement};
use super::recent::Recent;
use serde::{Deserialize, Serialize};
use socscope_isa::{HeldLine, LinePlaces, LineTable, Order};
use std::mem::offset_of;

/// What was asked of a cache, and what it had.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CacheCounts {
    /// Reads, or fetches, that found their line.
    pub read_hits: u64,
    /// Reads, or fetches, that did not.
    pub read_misses: u64,
    /// Writes that found their line.
    pub write_hits: u64,
    /// Writes that did not.
    pub write_misses: u64,
    /// Changed lines that were written to the next level, to make room or because software asked for it.
    pub write_backs: u64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[repr(C)]
pub(super) struct Entry {
    pub line: u32,
    pub valid: bool,
    pub changed: bool,
    // Translated code reads it as one number.
    #[serde(skip)]
    unused: [u8; 2],
}

const _: () = {
    assert!(size_of::<Entry>() as u32 == HeldLine::BYTES);
    assert!(offset_of!(Entry, line) == 0 && offset_of!(Entry, valid) == 4);
    assert!(offset_of!(Entry, changed) as u32 == HeldLine::CHANGED);
};

/// What an access met.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Met {
    pub hit: bool,
    /// A changed line that had to make room.
    pub written_back: Option<u32>,
}

/// A write-back, write-allocate cache.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Saved")]
pub(super) struct Cache {
    geometry: Geometry,
    /// All ways of the first set, then of the second one, ...
    entries: Vec<Entry>,
    /// Of each set: the ways from the most recently used one on, four bits each; or the nodes of the tree from the root on, one bit each.
    order: Vec<u64>,
    pub counts: CacheCounts,
    /// What follows from entries and order.
    #[serde(skip)]
    recent: Recent,
}

/// What is saved of it.
#[derive(Deserialize)]
struct Saved {
    geometry: Geometry,
    entries: Vec<Entry>,
    order: Vec<u64>,
    counts: CacheCounts,
}

impl From<Saved> for Cache {
    fn from(saved: Saved) -> Cache {
        let Saved {
            geometry,
            entries,
            order,
            counts,
        } = saved;
        let mut cache = Cache {
            geometry,
            entries,
            order,
            counts,
            recent: Recent::default(),
        };
        // Others are refused.
        if cache.is_whole() {
            cache.recent = Recent::new(geometry.sets());
            (0..geometry.sets() as usize).for_each(|set| cache.note_recent(set));
        }
        cache
    }
}

/// Way n in place n.
const INITIAL_ORDER: u64 = 0xfedc_ba98_7654_3210;

impl Cache {
    pub fn new(geometry: Geometry) -> Cache {
        let lines = (geometry.sets() * geometry.ways()) as usize;
        let order = match geometry.replacement {
            Replacement::LeastRecentlyUsed => INITIAL_ORDER,
            Replacement::Tree => 0,
        };
        Cache {
            geometry,
            entries: vec![Entry::default(); lines],
            order: vec![order; geometry.sets() as usize],
            counts: CacheCounts::default(),
            recent: Recent::new(geometry.sets()),
        }
    }

    /// Without any line; counts go on.
    pub fn empty(&mut self) {
        *self = Cache {
            counts: self.counts,
            ..Cache::new(self.geometry)
        };
    }

    pub fn geometry(&self) -> &Geometry {
        &self.geometry
    }

    /// Whether a saved state is one that a cache can have.
    pub fn is_whole(&self) -> bool {
        let (sets, ways) = (self.geometry.sets(), self.geometry.ways());
        let way = |order: u64, place: u32| 1_u32 << (order >> (4 * place) & 0xf);
        let named = |order: u64| (0..ways).fold(0, |all, place| all | way(order, place));
        let are_ways = |order: &u64| named(*order) == (1_u32 << ways) - 1;
        self.geometry.is_possible()
            && self.entries.len() == (sets * ways) as usize
            && self.order.len() == sets as usize
            && match self.geometry.replacement {
                Replacement::LeastRecentlyUsed => self.order.iter().all(are_ways),
                Replacement::Tree => true,
            }
    }

    fn ways(&self, set: usize) -> std::ops::Range<usize> {
        let ways = self.geometry.ways() as usize;
        set * ways..(set + 1) * ways
    }

    fn find(&self, line: u32) -> Option<usize> {
        let ways = self.ways(self.geometry.set_of(line));
        let first = ways.start;
        let found = self.entries[ways]
            .iter()
            .position(|entry| entry.valid && entry.line == line);
        found.map(|way| first + way)
    }

    /// A read or write of a line, which is in the cache afterwards.
    #[inline]
    pub fn access(&mut self, line: u32, write: bool) -> Met {
        if self.recent.table(write)[self.geometry.set_of(line)] == line {
            self.count_hits(write, 1);
            return Met {
                hit: true,
                written_back: None,
            };
        }
        let met = self.establish(line, write);
        let count = match (write, met.hit) {
            (false, true) => &mut self.counts.read_hits,
            (false, false) => &mut self.counts.read_misses,
            (true, true) => &mut self.counts.write_hits,
            (true, false) => &mut self.counts.write_misses,
        };
        *count += 1;
        met
    }

    /// Accesses that found their line, and changed nothing.
    #[inline]
    pub fn count_hits(&mut self, write: bool, hits: u64) {
        match write {
            true => self.counts.write_hits += hits,
            false => self.counts.read_hits += hits,
        }
    }

    /// Of each set, the line whose next read, or write, changes nothing but a count.
    pub fn recent(&self, write: bool) -> &[u32] {
        self.recent.table(write)
    }

    /// How code looks lines up, where each access takes so many cycles.
    pub fn table(&self, cycles: u32) -> LineTable {
        let geometry = &self.geometry;
        LineTable {
            shift: geometry.line().trailing_zeros(),
            entries: geometry.sets(),
            cycles,
            ways: geometry.ways(),
            order: match geometry.replacement {
                Replacement::LeastRecentlyUsed => Order::Recency,
                Replacement::Tree => Order::Bits,
            },
        }
    }

    /// Bits of a set's order that stay, and those that are added, when a way is used.
    pub fn used_bits(&self, way: u32) -> (u64, u64) {
        let used = |order| pointing_away(order, self.geometry.ways(), way as usize);
        (used(u64::MAX), used(0))
    }

    /// Where code finds what lookups of reads, or of writes, need.
    pub fn places(&mut self, write: bool) -> LinePlaces {
        let [held, changed] = self.recent.addresses();
        LinePlaces {
            entries: if write { changed } else { held },
            held,
            changed,
            lines: self.entries.as_mut_ptr() as u64,
            order: self.order.as_mut_ptr() as u64,
        }
    }

    /// What the next access to a line will meet.
    pub fn foresee(&self, line: u32) -> Met {
        if self.find(line).is_some() {
            return Met {
                hit: true,
                written_back: None,
            };
        }
        let set = self.geometry.set_of(line);
        let entry = &self.entries[self.ways(set).start + self.victim(set)];
        Met {
            hit: false,
            written_back: (entry.valid && entry.changed).then_some(entry.line),
        }
    }

    /// The same as an access, without counting a hit or a miss.
    #[inline]
    pub fn establish(&mut self, line: u32, changed: bool) -> Met {
        let set = self.geometry.set_of(line);
        let first = self.ways(set).start;
        if let Some(place) = self.find(line) {
            self.entries[place].changed |= changed;
            self.used(set, place - first);
            return Met {
                hit: true,
                written_back: None,
            };
        }
        let way = self.victim(set);
        let entry = &mut self.entries[first + way];
        let leaves = entry.valid && entry.changed;
        let written_back = leaves.then_some(entry.line);
        *entry = Entry {
            line,
            valid: true,
            changed,
            ..Entry::default()
        };
        self.counts.write_backs += u64::from(leaves);
        self.used(set, way);
        Met {
            hit: false,
            written_back,
        }
    }

    /// Writes a line back where it was changed, and lets it leave if asked. Whether it was written.
    pub fn clean(&mut self, line: u32, leave: bool) -> bool {
        let Some(place) = self.find(line) else {
            return false;
        };
        let entry = &mut self.entries[place];
        let changed = std::mem::take(&mut entry.changed);
        entry.valid = !leave;
        self.counts.write_backs += u64::from(changed);
        self.note_recent(self.geometry.set_of(line));
        changed
    }

    /// Lets a line leave, with its changes.
    pub fn discard(&mut self, line: u32) {
        if let Some(place) = self.find(line) {
            self.entries[place] = Entry::default();
            self.note_recent(self.geometry.set_of(line));
        }
    }

    /// An empty way, or the one that has to make room.
    fn victim(&self, set: usize) -> usize {
        let ways = self.ways(set);
        let empty = self.entries[ways].iter().position(|entry| !entry.valid);
        empty.unwrap_or_else(|| match self.geometry.replacement {
            Replacement::LeastRecentlyUsed => {
                let last = 4 * (self.geometry.ways() - 1);
                (self.order[set] >> last & 0xf) as usize
            }
            Replacement::Tree => pointed_to(self.order[set], self.geometry.ways()),
        })
    }

    fn used(&mut self, set: usize, way: usize) {
        let order = &mut self.order[set];
        *order = match self.geometry.replacement {
            Replacement::LeastRecentlyUsed => moved_to_front(*order, way as u64),
            Replacement::Tree => pointing_away(*order, self.geometry.ways(), way),
        };
        let entry = self.entries[self.ways(set).start + way];
        self.recent.note(set, entry);
    }

    /// Finds out anew what the last use of a set leaves to be known.
    fn note_recent(&mut self, set: usize) {
        let way = match self.geometry.replacement {
            Replacement::LeastRecentlyUsed => (self.order[set] & 0xf) as usize,
            // All nodes above the way that was used last point away from it.
            Replacement::Tree => pointed_to(!self.order[set], self.geometry.ways()),
        };
        let entry = self.entries[self.ways(set).start + way];
        self.recent.note(set, entry);
    }
}

/// `way` before all that were in front of it.
fn moved_to_front(order: u64, way: u64) -> u64 {
    let mut place = 0;
    while place < 60 && order >> place & 0xf != way {
        place += 4;
    }
    let before = order & ((1 << place) - 1);
    let behind = if place == 60 {
        0
    } else {
        order >> (place + 4) << (place + 4)
    };
    behind | before << 4 | way
}

/// Node 0 is the root; the children of node n are 2n + 1 and 2n + 2. A bit of one points to the upper half.
fn pointed_to(tree: u64, ways: u32) -> usize {
    let mut node = 0;
    while node < ways - 1 {
        node = 2 * node + 1 + (tree >> node & 1) as u32;
    }
    (node - (ways - 1)) as usize
}

/// All nodes above `way` point to the other half.
fn pointing_away(tree: u64, ways: u32, way: usize) -> u64 {
    let mut tree = tree;
    let mut node = way as u32 + ways - 1;
    while node > 0 {
        let parent = (node - 1) / 2;
        let is_upper = node == 2 * parent + 2;
        tree = if is_upper {
            tree & !(1 << parent)
        } else {
            tree | 1 << parent
        };
        node = parent;
    }
    tree
}
