//! What each core sees of a map: what all share, and over it the regions that only this core sees.

use crate::ranges::{Clash, Range, Ranges};
use crate::{Region, RegionIndex};

/// Who looks at a map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Viewer {
    /// Who is no core, as DMA: sees what all cores share.
    Everyone,
    /// The core that looks now: see [`AddressMap::look_as`](crate::AddressMap::look_as).
    Looking,
    /// A core, by number.
    Core(u16),
}

/// A core that has regions of its own, enabled or not, and what it sees.
#[derive(Clone, Debug)]
struct Own {
    core: u8,
    ranges: Ranges,
}

/// What everybody sees. That of who looks is at hand.
#[derive(Clone, Debug, Default)]
pub(crate) struct Views {
    at_hand: Ranges,
    /// What all share, where that is not at hand.
    shared: Option<Ranges>,
    /// By number of the core. The one that looks has left its ranges here empty.
    own: Vec<Own>,
    looking: u16,
}

impl Views {
    /// Of regions whose places have been checked.
    pub fn new(regions: &[Region], looking: u16) -> Result<Views, Clash> {
        let of = |core: Option<u8>| {
            let all = (0..).zip(regions);
            let own = all.filter(|(_, region)| region.enabled && region.core == core);
            let range = |(index, region): (u16, &Region)| -> Range {
                (region.base, region.last(), RegionIndex(index))
            };
            Ranges::new(own.map(range).collect())
        };
        let mut views = Views {
            at_hand: of(None)?,
            ..Views::default()
        };
        let mut cores: Vec<u8> = regions.iter().filter_map(|region| region.core).collect();
        cores.sort_unstable();
        cores.dedup();
        for core in cores {
            let ranges = of(Some(core))?.over(&views.at_hand);
            views.own.push(Own { core, ranges });
        }
        views.look_as(looking);
        Ok(views)
    }

    fn own(&self, core: u16) -> Option<usize> {
        self.own.iter().position(|own| u16::from(own.core) == core)
    }

    /// Whether a core sees something else than what all share.
    pub fn has_own(&self, core: u16) -> bool {
        !self.own.is_empty() && self.own(core).is_some()
    }

    /// The core that looks.
    pub fn looking(&self) -> u16 {
        self.looking
    }

    /// A core looks from now on.
    pub fn look_as(&mut self, core: u16) {
        let before = std::mem::replace(&mut self.looking, core);
        if self.own.is_empty() {
            return;
        }
        // What is at hand goes back to its place, and then the other comes.
        let shared = match self.own(before) {
            Some(at) if self.shared.is_some() => {
                std::mem::swap(&mut self.at_hand, &mut self.own[at].ranges);
                self.shared.take().unwrap_or_default()
            }
            _ => std::mem::take(&mut self.at_hand),
        };
        match self.own(core) {
            Some(at) => {
                self.at_hand = std::mem::take(&mut self.own[at].ranges);
                self.shared = Some(shared);
            }
            None => self.at_hand = shared,
        }
    }

    /// What somebody sees.
    #[inline]
    pub fn of(&self, viewer: Viewer) -> &Ranges {
        match viewer {
            Viewer::Looking => &self.at_hand,
            Viewer::Core(core) if core == self.looking => &self.at_hand,
            Viewer::Core(core) => match self.own(core) {
                Some(at) => &self.own[at].ranges,
                None => self.of(Viewer::Everyone),
            },
            Viewer::Everyone => self.shared.as_ref().unwrap_or(&self.at_hand),
        }
    }

    /// Puts one more range among what all share; `None` where that takes more, because a core sees something else.
    pub fn insert_shared(&mut self, range: Range) -> Option<Result<(), Clash>> {
        self.own.is_empty().then(|| self.at_hand.insert(range))
    }

    /// The longest list of ranges that somebody sees.
    pub fn longest(&self) -> usize {
        let own = self.own.iter().map(|own| own.ranges.len());
        own.max().unwrap_or(0).max(self.at_hand.len())
    }
}

#[cfg(test)]
mod tests;
