//! What a bus access is for.

use socscope_memory::Direction;

/// What a bus access is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Purpose {
    /// An opcode fetch.
    Fetch = 0,
    /// Data are read.
    Read = 1,
    /// Data are written.
    Write = 2,
}

impl Purpose {
    /// All of them, in the order of their numbers.
    pub const ALL: [Purpose; 3] = [Purpose::Fetch, Purpose::Read, Purpose::Write];

    /// Which way the data go.
    #[inline]
    pub fn direction(self) -> Direction {
        match self {
            Purpose::Fetch | Purpose::Read => Direction::Read,
            Purpose::Write => Direction::Write,
        }
    }
}

impl From<Direction> for Purpose {
    #[inline]
    fn from(direction: Direction) -> Purpose {
        match direction {
            Direction::Read => Purpose::Read,
            Direction::Write => Purpose::Write,
        }
    }
}
