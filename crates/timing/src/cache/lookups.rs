//! Caches for translated code: it finds the lines that are held by itself.

use super::{CacheModel, wait_states};
use crate::BaseModel;
use serde::{Deserialize, Serialize};
use socscope_isa::{
    AheadOfTime, LinePlaces, LineTable, Lookup, Lookups, NO_LINE, StaticCycleModel,
};
use socscope_memory::{AccessCost, Direction, RegionIndex, Width};

/// The line of the last fetch, or [`NO_LINE`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Option<u32>", into = "Option<u32>")]
pub(super) struct Fetching(pub u32);

impl From<Option<u32>> for Fetching {
    fn from(line: Option<u32>) -> Fetching {
        Fetching(line.unwrap_or(NO_LINE))
    }
}

impl From<Fetching> for Option<u32> {
    fn from(fetching: Fetching) -> Option<u32> {
        (fetching.0 != NO_LINE).then_some(fetching.0)
    }
}

impl<B: BaseModel> Lookups for CacheModel<B> {
    fn tables(&self) -> [LineTable; 3] {
        let latencies = &self.latencies;
        [
            (&self.instruction, latencies.fetch_hit_cycles),
            (&self.data, latencies.data_hit_cycles),
            (&self.data, latencies.data_hit_cycles),
        ]
        .map(|(cache, cycles)| cache.table(cycles))
    }

    fn used(&self, lookup: Lookup, way: u32) -> (u64, u64) {
        match lookup {
            Lookup::Fetch => self.instruction.used_bits(way),
            Lookup::Read | Lookup::Write => self.data.used_bits(way),
        }
    }

    fn places(&mut self) -> [LinePlaces; 3] {
        [
            self.instruction.places(false),
            self.data.places(false),
            self.data.places(true),
        ]
    }

    fn looks_up(&self, region: RegionIndex) -> bool {
        self.is_cached(region)
    }

    fn fetching(&self) -> u32 {
        self.fetching.0
    }

    fn found(&mut self, counts: [u64; 3], fetching: u32) {
        let of = |lookup: Lookup| counts[lookup as usize];
        self.instruction.count_hits(false, of(Lookup::Fetch));
        self.data.count_hits(false, of(Lookup::Read));
        self.data.count_hits(true, of(Lookup::Write));
        self.fetching = Fetching(fetching);
    }

    fn fetch_cycles(&self, address: u32, region: RegionIndex) -> u64 {
        if !self.is_cached(region) {
            return 0;
        }
        let line = self.instruction.geometry().line_of(address);
        let hit = u64::from(self.latencies.fetch_hit_cycles);
        match self.instruction.foresee(line).hit {
            true => hit,
            false => hit + self.fill_cycles(address),
        }
    }

    fn transfers_at(&self, cost: &AccessCost, width: Width, direction: Direction) -> u64 {
        self.stall + wait_states(cost, width, direction)
    }

    fn take_stall(&mut self) -> u64 {
        std::mem::take(&mut self.stall)
    }
}

impl<C, B: BaseModel + StaticCycleModel<C>> StaticCycleModel<C> for CacheModel<B> {
    type Ahead = B::Ahead;

    fn ahead_of_time(&self) -> AheadOfTime<B::Ahead> {
        self.base.ahead_of_time()
    }

    fn take_over(&mut self, ahead: &B::Ahead, owed: u64) {
        self.base.take_over(ahead, owed);
    }

    fn depends_on_regions(&self) -> bool {
        false
    }

    fn lookups(&mut self) -> Option<&mut dyn Lookups> {
        Some(self)
    }
}
