//! What of a timing model is not known when code is made: what accesses cost depends on those before.
//!
//! Most accesses change nothing of such a model but a count. Translated code finds that out by itself, in tables that the model keeps, and counts.
//! Another line that is held it finds in its set, and keeps the order as the model would. It tells the model of the rest, as the interpreter does.

use socscope_memory::{AccessCost, Direction, RegionIndex, Width};

/// What an access is looked up as: its place in what [`Lookups`] gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lookup {
    /// An instruction is fetched.
    Fetch = 0,
    /// Data are read.
    Read = 1,
    /// Data are written.
    Write = 2,
}

/// A number that no line has: lines have two bytes at least.
pub const NO_LINE: u32 = u32::MAX;

/// A table by which accesses are looked up, as far as it is known when code is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct LineTable {
    /// An address on the bus shifted right by so many bits is its line's number.
    pub shift: u32,
    /// Its entries, a power of two; the lowest bits of a line's number say which one is asked.
    pub entries: u32,
    /// Cycles that each access adds to its instruction, whatever it finds.
    pub cycles: u32,
    /// Lines of the set that an entry stands for.
    pub ways: u32,
    /// How the set remembers in which order they were used.
    pub order: Order,
}

/// In which order the lines of a set were used: a number of 64 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Order {
    /// Some bits of it are set, others cleared: [`Lookups::used`].
    Bits,
    /// Ways from the most recently used one on, four bits each.
    Recency,
}

/// A line that is held, as code reads it.
#[derive(Clone, Copy, Debug)]
pub struct HeldLine;

impl HeldLine {
    /// Bytes of one; those of a set lie one behind the other.
    pub const BYTES: u32 = 8;
    /// Bits that say whether there is one, and which: its number in the lower half, and [`HeldLine::VALID`]. The lowest byte comes first.
    pub const MASK: u64 = 0xff_ffff_ffff;
    /// There is one.
    pub const VALID: u64 = 1 << 32;
    /// The byte that is 1 when it was changed.
    pub const CHANGED: u32 = 5;
}

/// Where the state lies that code changes when it finds a line: addresses of what belongs to the first set.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct LinePlaces {
    /// The table's entries.
    pub entries: u64,
    /// Entries of the table for what is read or fetched, and of that for what is written.
    pub held: u64,
    /// See above.
    pub changed: u64,
    /// The lines of the set: [`HeldLine`].
    pub lines: u64,
    /// Its order.
    pub order: u64,
}

/// The part of a model that code looks up. Its arrays are by [`Lookup`].
pub trait Lookups {
    /// The tables.
    fn tables(&self) -> [LineTable; 3];
    /// What remains of a set's order where its bits say it, and what is added, when a way is used.
    fn used(&self, lookup: Lookup, way: u32) -> (u64, u64);
    /// Where the state lies; it stays there until the model is reset, moved or replaced.
    fn places(&mut self) -> [LinePlaces; 3];
    /// Whether accesses to a region are looked up.
    fn looks_up(&self, region: RegionIndex) -> bool;
    /// The line of the last fetch, unless that was not looked up.
    fn fetching(&self) -> u32;
    /// Code has found so many accesses in the tables, the last fetch in the line `fetching`.
    fn found(&mut self, counts: [u64; 3], fetching: u32);
    /// Cycles beside its own that an instruction would wait for its fetch from an address on the bus; nothing changes.
    fn fetch_cycles(&self, address: u32, region: RegionIndex) -> u64;
    /// The cycle, from where the part that is run ahead has it, in which a data access would transfer its data that is not looked up and comes next.
    fn transfers_at(&self, cost: &AccessCost, width: Width, direction: Direction) -> u64;
    /// Cycles beside its own that the present instruction waits, as far as the model was told. They are not asked for again.
    fn take_stall(&mut self) -> u64;
}
