//! What an engine tells a timing model about each instruction.

use crate::{Lookups, Operands};
use serde::{Deserialize, Serialize};
use socscope_memory::{AccessCost, Direction, RegionIndex, Width};

/// The bus-cycle pattern that an instruction follows; every encoding names its class.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum CycleClass {
    /// The condition failed: one opcode fetch.
    NotExecuted,
    /// Data processing with an immediate or constant-shift operand; also moves from and to status registers.
    Data,
    /// Data processing with a register-specified shift.
    DataShiftByRegister,
    /// B, BL, BX.
    Branch,
    /// First half of a branch with link that has two: one opcode fetch.
    BranchPrefix,
    /// LDR and its byte, half-word and signed forms.
    Load,
    /// STR and its forms.
    Store,
    /// LDM, POP.
    LoadMultiple,
    /// STM, PUSH.
    StoreMultiple,
    /// SWP, SWPB.
    Swap,
    /// MUL.
    Multiply,
    /// MLA.
    MultiplyAccumulate,
    /// UMULL, SMULL.
    MultiplyLong,
    /// UMLAL, SMLAL.
    MultiplyAccumulateLong,
    /// SWI, and the entry of every exception but the undefined-instruction trap.
    Exception,
    /// The undefined-instruction trap, unclaimed coprocessor instructions included.
    Undefined,
    /// SMULxy, SMULWy, SMLAxy, SMLAWy.
    MultiplyHalf,
    /// SMLALxy.
    MultiplyHalfLong,
    /// QADD, QSUB, QDADD, QDSUB.
    Saturate,
}

/// What an instruction does to the cache line of an address, beside accesses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineOperation {
    /// The line is made in the data cache without reading memory.
    Establish,
    /// What was changed is written to memory.
    Clean,
    /// What was changed is written to memory, and the line leaves the data caches.
    Flush,
    /// The line leaves the data caches, and what was changed is lost.
    Discard,
    /// The line leaves the instruction caches.
    DiscardInstructions,
}

/// A timing model. An engine calls `begin`, then the facts in the order in which they happen, then `end`, for every instruction
/// and every exception entry. `C` are the cycle classes of the architecture.
pub trait CycleModel<C = CycleClass> {
    /// Whether it wants [`CycleModel::operands`]; nobody pays for what no model asks for.
    const WANTS_OPERANDS: bool = false;
    /// An instruction (or exception entry) begins. Its first cycle fetches the opcode two instructions ahead, of `width`,
    /// from `region`, of cost `fetch`.
    fn begin(&mut self, class: C, region: RegionIndex, fetch: &AccessCost, width: Width);
    /// Follows `begin` of an instruction, also of one whose condition failed; not told of exception entries.
    #[inline(always)]
    fn operands(&mut self, _operands: &Operands) {}
    /// The cycle, 0 for the instruction's first, in which a data access that comes next would transfer its data: the last cycle of the access, behind
    /// its wait states and the transfers that its width takes. A device sees the access there. Asked of what no cache holds, before
    /// [`CycleModel::data_at`] tells of the access; changes nothing.
    fn transfers_at(
        &self,
        region: RegionIndex,
        cost: &AccessCost,
        width: Width,
        direction: Direction,
    ) -> u64;
    /// A data access, in the order in which the instruction makes them.
    fn data(&mut self, region: RegionIndex, cost: &AccessCost, width: Width, direction: Direction);
    /// A data access at `address` on the bus: [`CycleModel::data`] for models that tell no addresses apart.
    #[inline(always)]
    fn data_at(
        &mut self,
        _address: u32,
        region: RegionIndex,
        cost: &AccessCost,
        width: Width,
        direction: Direction,
    ) {
        self.data(region, cost, width, direction);
    }
    /// Follows `begin` when the instruction was fetched from `address` on the bus; not told of exception entries.
    #[inline(always)]
    fn fetched(&mut self, _address: u32, _region: RegionIndex) {}
    /// The instruction works on the cache line of `address` on the bus.
    #[inline(always)]
    fn line_operation(&mut self, _operation: LineOperation, _address: u32, _region: RegionIndex) {}
    /// The multiplier operand (Rs) of a multiplication, for early termination.
    fn multiplier(&mut self, operand: u32, signed: bool);
    /// The program counter was written: two opcodes are fetched from the target's `region`, of cost `fetch`.
    fn refill(&mut self, region: RegionIndex, fetch: &AccessCost, width: Width);
    /// The instruction ends. Gives its cycles.
    fn end(&mut self) -> u64;
}

/// A model whose costs a translator can know: one part it runs ahead of time, another part, if there is one, is looked up while code runs.
pub trait StaticCycleModel<C = CycleClass>: CycleModel<C> + Clone + PartialEq {
    /// The part that is run ahead: between two instructions it has few states, it does not depend on values other than addresses (by region) and
    /// multipliers, and on a multiplier only through the number of its significant bytes.
    type Ahead: StaticCycleModel<C, Ahead = Self::Ahead>;
    /// That part as a model that gives costs in fractions of a cycle and, so counted, forgets nothing but what [`PartialEq`] compares.
    fn ahead_of_time(&self) -> AheadOfTime<Self::Ahead>;
    /// Takes over the state of such a model after a stretch of instructions; `owed` is what is left of the last cycle, in fractions.
    fn take_over(&mut self, ahead: &Self::Ahead, owed: u64);
    /// Whether costs depend on the regions that are accessed.
    fn depends_on_regions(&self) -> bool;
    /// Whether costs depend even on which of several regions is accessed whose accesses all take a cycle.
    fn tells_equal_regions_apart(&self) -> bool {
        true
    }
    /// The part that code looks up.
    fn lookups(&mut self) -> Option<&mut dyn Lookups> {
        None
    }
}

/// How a model is run ahead of time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AheadOfTime<M> {
    /// The model; it counts fractions of a cycle.
    pub model: M,
    /// Fractions in a cycle.
    pub fractions: u64,
    /// Fractions of the present cycle that are used up.
    pub owed: u64,
}
