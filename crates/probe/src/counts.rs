//! The counters of one calling context.

use serde::{Deserialize, Serialize};
use socscope_jit::shared::{Counters, DATA_KINDS, Tracking};
use socscope_memory::{Direction, RegionIndex, Width};

/// What one calling context did. Regions are counted apart.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// Instructions and their cycles by the region that holds the code.
    code: Vec<(u64, u64)>,
    data: Vec<[u64; DATA_KINDS]>,
}

impl Counts {
    pub(crate) fn of(counters: &Counters, node: u32) -> Counts {
        let counts = (0..counters.regions()).map(|region| counters.get(node, region));
        let (code, data) = counts
            .map(|(instructions, cycles, data)| ((instructions, cycles), data))
            .unzip();
        Counts { code, data }
    }

    pub(crate) fn put(&self, tracking: &mut Tracking, node: u32) {
        for (region, (&(instructions, cycles), &data)) in
            self.code.iter().zip(&self.data).enumerate()
        {
            tracking.set_counters(node, region, (instructions, cycles, data));
        }
    }

    /// Regions that are counted apart, if that can be said.
    pub(crate) fn regions(&self) -> usize {
        self.code.len().max(self.data.len())
    }

    pub(crate) fn greatest(&self) -> u64 {
        let code = self
            .code
            .iter()
            .flat_map(|&(instructions, cycles)| [instructions, cycles]);
        let data = self.data.iter().flatten().copied();
        code.chain(data).max().unwrap_or(0)
    }

    /// Region, instructions, cycles; only what is not zero.
    pub fn code(&self) -> impl Iterator<Item = (RegionIndex, u64, u64)> {
        let counted = self
            .code
            .iter()
            .enumerate()
            .filter(|(_, counts)| **counts != (0, 0));
        counted.map(|(region, &(instructions, cycles))| {
            (RegionIndex(region as u16), instructions, cycles)
        })
    }

    /// Region, width, direction, accesses; only what is not zero.
    pub fn data_accesses(&self) -> impl Iterator<Item = (RegionIndex, Width, Direction, u64)> {
        self.data.iter().enumerate().flat_map(|(region, kinds)| {
            let kind = move |(index, &count): (usize, &u64)| {
                let direction = if index % 2 == 0 {
                    Direction::Read
                } else {
                    Direction::Write
                };
                (
                    RegionIndex(region as u16),
                    Width::ALL[index / 2],
                    direction,
                    count,
                )
            };
            kinds.iter().enumerate().map(kind).filter(|row| row.3 > 0)
        })
    }
}
