//! The counters of one calling context.

use socscope_memory::{Direction, RegionIndex, Width};

/// Data counters for each region: three widths in two directions.
pub const REGION_KINDS: usize = 6;

/// What one calling context did. Regions are counted apart.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Instructions and their cycles by the region that holds the code.
    code: Vec<(u64, u64)>,
    data: Vec<[u64; REGION_KINDS]>,
}

impl Counts {
    /// Zero, for a machine with so many regions.
    pub(crate) fn new(regions: usize) -> Counts {
        Counts {
            code: vec![(0, 0); regions],
            data: vec![[0; REGION_KINDS]; regions],
        }
    }

    #[inline]
    pub(crate) fn instruction(&mut self, region: RegionIndex) {
        self.code[region.0 as usize].0 += 1;
    }

    #[inline]
    pub(crate) fn cycles(&mut self, region: RegionIndex, cycles: u64) {
        self.code[region.0 as usize].1 += cycles;
    }

    #[inline]
    pub(crate) fn data(&mut self, region: RegionIndex, width: Width, direction: Direction) {
        self.data[region.0 as usize][width as usize * 2 + direction as usize] += 1;
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
