//! A core alone, and caches whose misses stall the core.

#[expect(clippy::module_inception)]
mod cache;
mod geometry;
mod label;
mod lookups;
mod recent;

pub use cache::CacheCounts;
pub use geometry::{Geometry, GeometryError, Replacement};

use crate::{BaseModel, FixedCpi};
use cache::{Cache, Met};
use lookups::Fetching;
use serde::{Deserialize, Serialize};
use socscope_isa::{CycleModel, LineOperation, NO_LINE, Operands};
use socscope_memory::{AccessCost, Direction, RegionIndex, Sequence, Width};

/// Cycles that an access adds to its instruction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Latencies {
    /// A fetch that the first level has; 0 where the pipeline hides it.
    pub fetch_hit_cycles: u32,
    /// A data access that the first level has; 0 where the pipeline hides it.
    pub data_hit_cycles: u32,
    /// Each access of the second level, which a miss of the first one makes.
    pub second_level_cycles: u32,
    /// A line that is read from memory.
    pub memory_cycles: u32,
    /// A changed line that is written to memory; 0 where a buffer hides it.
    pub write_back_cycles: u32,
}

impl Latencies {
    /// Reading a line that the first level does not have, which met this in the second level, if there is one.
    fn of_fill(&self, met: Option<Met>) -> u64 {
        let memory = u64::from(self.memory_cycles);
        let Some(met) = met else {
            return memory;
        };
        let mut cycles = u64::from(self.second_level_cycles);
        if met.written_back.is_some() {
            cycles += u64::from(self.write_back_cycles);
        }
        match met.hit {
            true => cycles,
            false => cycles + memory,
        }
    }
}

/// The caches of one core.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Caches {
    /// First level, for instructions.
    pub instruction: Geometry,
    /// First level, for data.
    pub data: Geometry,
    /// Second level, for both.
    pub second_level: Option<Geometry>,
    /// What they cost.
    pub latencies: Latencies,
}

/// What a cache is called in results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CacheName {
    /// First level, for instructions.
    Instruction,
    /// First level, for data.
    Data,
    /// Second level.
    SecondLevel,
}

/// Charges what a core alone takes for every instruction, and stalls for every access that its caches have to pass on.
///
/// Write-back, write-allocate; the second level is neither inclusive nor exclusive. What is not in one of the cached regions passes the
/// caches by and waits for the wait states of its region.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CacheModel<B = FixedCpi> {
    base: B,
    instruction: Cache,
    data: Cache,
    second_level: Option<Cache>,
    latencies: Latencies,
    /// Regions whose contents are cached, by number; those behind the end are not.
    cached: Vec<bool>,
    /// The line of the last fetch, which needs no look while it is fetched from again.
    fetching: Fetching,
    /// Cycles of the present instruction beside its base cost.
    stall: u64,
}

impl<B: BaseModel> CacheModel<B> {
    /// Empty caches before a core of `base` cost, which counts no waits itself; `cached` says of each region whether it is cached.
    pub fn new(base: B, caches: &Caches, cached: Vec<bool>) -> CacheModel<B> {
        CacheModel {
            base,
            instruction: Cache::new(caches.instruction),
            data: Cache::new(caches.data),
            second_level: caches.second_level.map(Cache::new),
            latencies: caches.latencies,
            cached,
            fetching: Fetching(NO_LINE),
            stall: 0,
        }
    }

    /// Says anew of each region whether it is cached.
    pub fn set_cached(&mut self, cached: Vec<bool>) {
        self.cached = cached;
    }

    /// The core is reset: the caches are empty. Counts go on.
    pub fn reset(&mut self) {
        self.instruction.empty();
        self.data.empty();
        if let Some(second) = &mut self.second_level {
            second.empty();
        }
        self.fetching = Fetching(NO_LINE);
        self.stall = 0;
        self.base.reset();
    }

    /// What its caches were asked for and had.
    pub fn counts(&self) -> impl Iterator<Item = (CacheName, CacheCounts)> {
        let second_level = self.second_level.as_ref();
        [
            (CacheName::Instruction, self.instruction.counts),
            (CacheName::Data, self.data.counts),
        ]
        .into_iter()
        .chain(second_level.map(|cache| (CacheName::SecondLevel, cache.counts)))
    }

    /// Entries of the tables that code looks into, for whoever compares: the lines whose next access changes nothing but a count, or [`NO_LINE`].
    pub fn entries(&self) -> [&[u32]; 3] {
        [
            self.instruction.recent(false),
            self.data.recent(false),
            self.data.recent(true),
        ]
    }

    /// The cost of an instruction without its accesses.
    pub fn base(&self) -> &B {
        &self.base
    }

    /// Whether a saved model is one of the same core, caches and costs, and whole.
    pub fn takes(&self, saved: &CacheModel<B>) -> bool {
        let geometries = |model: &CacheModel<B>| {
            let second_level = model.second_level.as_ref();
            (
                *model.instruction.geometry(),
                *model.data.geometry(),
                second_level.map(|cache| *cache.geometry()),
                model.latencies,
            )
        };
        let caches = [&saved.instruction, &saved.data];
        let mut caches = caches.into_iter().chain(&saved.second_level);
        geometries(self) == geometries(saved)
            && self.base.takes(&saved.base)
            && caches.all(Cache::is_whole)
    }

    fn is_cached(&self, region: RegionIndex) -> bool {
        *self.cached.get(usize::from(region.0)).unwrap_or(&false)
    }

    fn stall_for(&mut self, cycles: u32) {
        self.stall += u64::from(cycles);
    }

    /// What the first level does not have is read from the second one, or from memory.
    fn fill(&mut self, address: u32) {
        let second = &mut self.second_level;
        let met = second.as_mut().map(|second| {
            let line = second.geometry().line_of(address);
            second.access(line, false)
        });
        self.stall += self.latencies.of_fill(met);
    }

    /// What that would cost.
    fn fill_cycles(&self, address: u32) -> u64 {
        let second = self.second_level.as_ref();
        let met = second.map(|second| second.foresee(second.geometry().line_of(address)));
        self.latencies.of_fill(met)
    }

    /// A changed line leaves the first level: the second one takes it, without reading memory for it, or memory.
    fn write_back(&mut self, address: u32) {
        let evicted = match &mut self.second_level {
            Some(second) => {
                let line = second.geometry().line_of(address);
                second.access(line, true).written_back.is_some()
            }
            None => true,
        };
        if evicted {
            self.stall_for(self.latencies.write_back_cycles);
        }
    }

    fn data_access(&mut self, address: u32, write: bool) {
        let line = self.data.geometry().line_of(address);
        let met = self.data.access(line, write);
        self.stall_for(self.latencies.data_hit_cycles);
        if let Some(line) = met.written_back {
            self.write_back(self.data.geometry().address_of(line));
        }
        if !met.hit {
            self.fill(address);
        }
    }

    /// What software wants written goes to memory, through the second level.
    fn clean(&mut self, address: u32, leave: bool) {
        let line = self.data.geometry().line_of(address);
        let mut written = self.data.clean(line, leave);
        if let Some(second) = &mut self.second_level {
            let line = second.geometry().line_of(address);
            written |= second.clean(line, leave);
        }
        if written {
            self.stall_for(self.latencies.write_back_cycles);
        }
    }
}

/// What an access that passes the caches by waits for.
fn wait_states(cost: &AccessCost, width: Width, direction: Direction) -> u64 {
    let cycles = cost.cycles(Sequence::Nonsequential, direction, width);
    u64::from(cycles.saturating_sub(1))
}

impl<C, B: BaseModel + CycleModel<C>> CycleModel<C> for CacheModel<B> {
    const WANTS_OPERANDS: bool = B::WANTS_OPERANDS;

    #[inline]
    fn begin(&mut self, class: C, region: RegionIndex, fetch: &AccessCost, width: Width) {
        self.base.begin(class, region, fetch, width);
    }

    #[inline]
    fn operands(&mut self, operands: &Operands) {
        self.base.operands(operands);
    }

    /// Behind the stalls of the fetch and of the accesses before, and its own wait states, from where the base has it.
    #[inline]
    fn transfers_at(
        &self,
        region: RegionIndex,
        cost: &AccessCost,
        width: Width,
        direction: Direction,
    ) -> u64 {
        self.base.transfers_at(region, cost, width, direction)
            + self.stall
            + wait_states(cost, width, direction)
    }

    /// Passes the caches by: [`CycleModel::data_at`] says where an access goes.
    #[inline]
    fn data(&mut self, region: RegionIndex, cost: &AccessCost, width: Width, direction: Direction) {
        self.base.data(region, cost, width, direction);
        self.stall += wait_states(cost, width, direction);
    }

    #[inline]
    fn data_at(
        &mut self,
        address: u32,
        region: RegionIndex,
        cost: &AccessCost,
        width: Width,
        direction: Direction,
    ) {
        if self.is_cached(region) {
            self.base.data(region, cost, width, direction);
            self.data_access(address, direction == Direction::Write);
        } else {
            self.data(region, cost, width, direction);
        }
    }

    #[inline]
    fn fetched(&mut self, address: u32, region: RegionIndex) {
        if !self.is_cached(region) {
            self.fetching = Fetching(NO_LINE);
            return;
        }
        self.stall_for(self.latencies.fetch_hit_cycles);
        let line = self.instruction.geometry().line_of(address);
        if self.fetching == Fetching(line) {
            self.instruction.counts.read_hits += 1;
            return;
        }
        self.fetching = Fetching(line);
        if !self.instruction.access(line, false).hit {
            self.fill(address);
        }
    }

    fn line_operation(&mut self, operation: LineOperation, address: u32, region: RegionIndex) {
        if !self.is_cached(region) {
            return;
        }
        match operation {
            LineOperation::Establish => {
                let line = self.data.geometry().line_of(address);
                if let Some(line) = self.data.establish(line, true).written_back {
                    self.write_back(self.data.geometry().address_of(line));
                }
            }
            LineOperation::Clean => self.clean(address, false),
            LineOperation::Flush => self.clean(address, true),
            LineOperation::Discard => {
                let line = self.data.geometry().line_of(address);
                self.data.discard(line);
                if let Some(second) = &mut self.second_level {
                    let line = second.geometry().line_of(address);
                    second.discard(line);
                }
            }
            LineOperation::DiscardInstructions => {
                let line = self.instruction.geometry().line_of(address);
                self.instruction.discard(line);
                self.fetching = Fetching(NO_LINE);
            }
        }
    }

    #[inline]
    fn multiplier(&mut self, operand: u32, signed: bool) {
        self.base.multiplier(operand, signed);
    }

    #[inline]
    fn refill(&mut self, region: RegionIndex, fetch: &AccessCost, width: Width) {
        self.base.refill(region, fetch, width);
    }

    #[inline]
    fn end(&mut self) -> u64 {
        self.base.end() + std::mem::take(&mut self.stall)
    }
}
