//! One set-associative cache: which lines it holds, not what is in them.

use super::geometry::{Geometry, Replacement};
use serde::{Deserialize, Serialize};

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
struct Entry {
    line: u32,
    valid: bool,
    changed: bool,
}

/// What an access met.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Met {
    pub hit: bool,
    /// A changed line that had to make room.
    pub written_back: Option<u32>,
}

/// A write-back, write-allocate cache.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Cache {
    geometry: Geometry,
    /// All ways of the first set, then of the second one, ...
    entries: Vec<Entry>,
    /// Of each set: the ways from the most recently used one on, four bits each; or the nodes of the tree from the root on, one bit each.
    order: Vec<u64>,
    pub counts: CacheCounts,
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
        let is_way = |order: u64, place: u32| (order >> (4 * place) & 0xf) < u64::from(ways);
        let are_ways = |order: &u64| (0..ways).all(|place| is_way(*order, place));
        self.entries.len() == (sets * ways) as usize
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

    /// The same, without counting a hit or a miss.
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
        changed
    }

    /// Lets a line leave, with its changes.
    pub fn discard(&mut self, line: u32) {
        if let Some(place) = self.find(line) {
            self.entries[place] = Entry::default();
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
