//! A trace's columns.

/// [`Rows::kind`]: an instruction was executed.
pub const EXECUTED: u8 = 0;
/// [`Rows::kind`]: an instruction was passed over, its condition failed.
pub const PASSED: u8 = 1;
/// [`Rows::kind`]: an exception was entered without an instruction of its own.
pub const ENTRY: u8 = 2;
/// [`Cycles::purpose`] of I cycles; other purposes are those of [`Purpose`](socscope_timing::Purpose).
pub const INTERNAL: u8 = 3;

/// Instructions and exception entries, as columns.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rows {
    /// Where the instruction is; for an entry, where the core would have gone on.
    pub address: Vec<u32>,
    /// Bytes of the opcode: 4 or 2.
    pub size: Vec<u8>,
    /// [`EXECUTED`], [`PASSED`] or [`ENTRY`].
    pub kind: Vec<u8>,
    /// [`CycleClass`](socscope_isa::CycleClass), as its number.
    pub class: Vec<u8>,
    /// The status register before it.
    pub status: Vec<u32>,
    /// The stack pointer before it.
    pub stack_pointer: Vec<u32>,
    /// Its first cycle.
    pub cycle: Vec<u64>,
    /// What it took.
    pub cycles: Vec<u32>,
    /// How it left: 0 not, 1 jump, 2 call, 3 exception entry, 4 exception return.
    pub transfer: Vec<u8>,
    /// Where it went; 0 if it did not leave.
    pub target: Vec<u32>,
}

/// Bus cycles in their order, as columns.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cycles {
    /// Which row they belong to.
    pub row: Vec<u32>,
    /// 0 fetch, 1 read, 2 write, [`INTERNAL`].
    pub purpose: Vec<u8>,
    /// 0 nonsequential, 1 sequential, 2 sequential behind an internal cycle; whether it runs into another region is not told here.
    pub sequence: Vec<u8>,
    /// Bytes; 0 for I cycles.
    pub size: Vec<u8>,
    /// Address, or the number of I cycles.
    pub address: Vec<u32>,
    /// What they took on this platform, waits included; filled by [`Trace::price`](super::Trace::price).
    pub cost: Vec<u16>,
    /// The part of it in which the external bus was idle before an access.
    pub wait: Vec<u8>,
}

/// What watched places held, as columns; the first rows are what they hold at the beginning.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Changes {
    /// The first row that finds the value.
    pub row: Vec<u32>,
    /// Number of the watched place.
    pub place: Vec<u8>,
    /// The value.
    pub value: Vec<u32>,
}
