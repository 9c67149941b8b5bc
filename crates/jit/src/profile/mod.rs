//! What translated code does for a profile, whatever its architecture: it counts, and follows calls and returns.

mod calls;
mod computed;
mod conditions;
mod counting;
mod owed;
mod targets;

pub(crate) use calls::{Chained, Kind, Site};
pub(crate) use counting::Counted;
pub(crate) use owed::{CountedPlaces, Owed, Ran};
pub(crate) use targets::Targets;

use crate::code::own_memory;
use crate::shared::Tracker;
use cranelift_codegen::ir::{AbiParam, InstBuilder, SigRef, Signature, Value, types};
use cranelift_codegen::isa::CallConv;
use cranelift_frontend::{FunctionBuilder, Variable};
use socscope_core::{ExecutionState, Ranges};
use socscope_memory::{Direction, RegionIndex, Width};

/// What a profile wants.
pub(crate) struct ProfileFacts<'a> {
    pub counting: bool,
    /// Fractions in a cycle.
    pub fractions: u64,
    pub functions: &'a dyn Ranges,
    /// Whose code it is.
    pub state: ExecutionState,
}

/// What translated code does for an observer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    /// Nothing.
    Plain = 0,
    /// It follows calls and returns.
    Following = 1,
    /// It also counts.
    Counting = 2,
}

/// Offsets in the context that translated code works on.
#[derive(Clone, Copy)]
pub(crate) struct Fields {
    /// Address of the tracker.
    pub tracker: i32,
    /// Address of the table of functions by computed address.
    pub targets: i32,
    /// Fractions of cycles that the budget and those that were used up before it amount to, at the entry.
    pub granted: i32,
}

/// Makes the part of a translation's code that a profile wants.
pub(crate) struct Profiler<'a> {
    pub facts: &'a ProfileFacts<'a>,
    fields: Fields,
    /// The region that holds the translation's instructions.
    region: RegionIndex,
    tracker: Value,
    round_helper: SigRef,
    /// Fractions of cycles until the deadline.
    budget: Variable,
    /// The calling context.
    node: Variable,
    /// Instructions executed since the counters were last brought up to date, and the budget then.
    executed: Variable,
    mark: Variable,
    counted: Counted,
    /// Data accesses of the instruction that is being read.
    pub accesses: Vec<(Width, Direction)>,
}

impl<'a> Profiler<'a> {
    /// Where code begins that all other code comes behind.
    pub fn new(
        builder: &mut FunctionBuilder,
        context: Value,
        facts: &'a ProfileFacts<'a>,
        fields: Fields,
        (region, budget): (RegionIndex, Variable),
    ) -> Profiler<'a> {
        let mut round_helper = Signature::new(CallConv::SystemV);
        round_helper.params = vec![AbiParam::new(types::I64); 2];
        round_helper.returns.push(AbiParam::new(types::I32));
        let [node, executed, mark] = std::array::from_fn(|_| builder.declare_var(types::I64));
        let flags = own_memory();
        let tracker = builder
            .ins()
            .load(types::I64, flags, context, fields.tracker);
        Profiler {
            facts,
            fields,
            region,
            tracker,
            round_helper: builder.import_signature(round_helper),
            budget,
            node,
            executed,
            mark,
            counted: Counted::default(),
            accesses: vec![],
        }
    }

    /// The way in, with this budget.
    pub fn enter(&self, builder: &mut FunctionBuilder, budget: Value) {
        let flags = own_memory();
        let node = builder
            .ins()
            .load(types::I64, flags, self.tracker, Tracker::NODE);
        builder.def_var(self.node, node);
        let zero = builder.ins().iconst(types::I64, 0);
        builder.def_var(self.executed, zero);
        builder.def_var(self.mark, budget);
    }

    /// First and last address of the function around an address, and its number.
    pub fn range(&self, address: u32) -> (u32, u32, i64) {
        let found = self.facts.functions.range_of(self.facts.state, address);
        found.unwrap_or((0, u32::MAX, 0))
    }

    /// Whether calls are followed here.
    pub fn follows_calls(&self) -> bool {
        let found = self.facts.functions.range_of(self.facts.state, 0);
        found.is_some()
    }

    /// Whether execution that falls from one address to another comes into another function.
    pub fn crosses(&self, from: u32, to: u32) -> bool {
        let (first, last, _) = self.range(from);
        !(first..=last).contains(&to)
    }
}
