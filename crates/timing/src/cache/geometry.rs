//! What a cache is made of.

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// Which line of a set makes room for another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Replacement {
    /// The one that was not used for the longest time.
    LeastRecentlyUsed,
    /// The one to which a binary tree points, whose nodes point away from what was used last (as in the e600's first-level caches).
    Tree,
}

/// Sizes that make no cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum GeometryError {
    /// Lines are not found by shifting.
    #[error("lines of {0} bytes are not possible; give a power of two from 4 to 4096")]
    Line(u32),
    /// Sets are not found by shifting.
    #[error("{0} sets are not possible; give a power of two from 1 to 65536")]
    Sets(u32),
    /// The bytes do not make whole ways.
    #[error(
        "{size} bytes are not a multiple of {sets} sets of {line} bytes, or more than 16 of them; give sets x line x ways"
    )]
    Ways {
        /// Bytes of the cache.
        size: u32,
        /// Its sets.
        sets: u32,
        /// Bytes of a line.
        line: u32,
    },
    /// A tree needs a power of two of ways.
    #[error(
        "a replacement tree over {0} ways is not possible; give 1, 2, 4, 8 or 16 ways, or \"lru\""
    )]
    Tree(u32),
}

/// Size and organisation of a cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Geometry {
    line_shift: u32,
    sets: u32,
    ways: u32,
    /// Which line makes room.
    pub replacement: Replacement,
}

impl Geometry {
    /// A cache of `size` bytes in `sets` sets of lines of `line` bytes.
    pub fn new(
        size: u32,
        line: u32,
        sets: u32,
        replacement: Replacement,
    ) -> Result<Geometry, GeometryError> {
        if !line.is_power_of_two() || !(4..=4096).contains(&line) {
            return Err(GeometryError::Line(line));
        }
        if !sets.is_power_of_two() || sets > 0x1_0000 {
            return Err(GeometryError::Sets(sets));
        }
        let ways = size / (line * sets);
        if !(1..=16).contains(&ways) || ways * line * sets != size {
            return Err(GeometryError::Ways { size, sets, line });
        }
        if replacement == Replacement::Tree && !ways.is_power_of_two() {
            return Err(GeometryError::Tree(ways));
        }
        Ok(Geometry {
            line_shift: line.trailing_zeros(),
            sets,
            ways,
            replacement,
        })
    }

    /// Whether a saved one is one that could be made.
    pub(super) fn is_possible(&self) -> bool {
        let Geometry {
            line_shift,
            sets,
            ways,
            ..
        } = *self;
        let size = 1_u32.checked_shl(line_shift).and_then(|line| {
            let size = line.checked_mul(sets)?.checked_mul(ways)?;
            Some((size, line))
        });
        let made = size.map(|(size, line)| Geometry::new(size, line, sets, self.replacement));
        made == Some(Ok(*self))
    }

    /// Bytes of the cache.
    pub fn size(&self) -> u32 {
        self.line() * self.sets * self.ways
    }

    /// Bytes of a line.
    pub fn line(&self) -> u32 {
        1 << self.line_shift
    }

    /// Sets.
    pub fn sets(&self) -> u32 {
        self.sets
    }

    /// Lines of a set.
    pub fn ways(&self) -> u32 {
        self.ways
    }

    /// The number of the line that an address lies in.
    #[inline]
    pub fn line_of(&self, address: u32) -> u32 {
        address >> self.line_shift
    }

    /// The first address of a line.
    #[inline]
    pub fn address_of(&self, line: u32) -> u32 {
        line << self.line_shift
    }

    /// The set that a line can only be in.
    #[inline]
    pub fn set_of(&self, line: u32) -> usize {
        (line & (self.sets - 1)) as usize
    }
}
