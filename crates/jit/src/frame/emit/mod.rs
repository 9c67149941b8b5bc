//! From a plan to machine code: the third reading of the instructions, with values of the compiler.

mod calls;
mod change;
mod conditions;
mod devices;
mod finders;
mod finding;
mod granules;
mod jumps;
mod leave;
mod lookups;
mod memory;
mod multiplier;
mod prepare;
mod profile;
mod reading;
mod regions;
mod values;
mod walk;

pub(crate) use calls::Helpers;
pub(crate) use finders::finders;
pub(crate) use lookups::LookupFacts;
pub(crate) use values::REGISTERS_MAX;

use super::adapter::Adapter;
use super::context::at;
use super::exits::{Exit, Exits};
use super::key::Flavour;
use super::learning::Seen;
use super::plan::Plan;
use crate::code::{Flag, Writer};
use crate::compiler::{signature, trampoline_signature};
use crate::profile::{Mode, ProfileFacts, Profiler};
use crate::states::{Costs, StateIndex, States};
use cranelift_codegen::ir::{Block, InstBuilder, SigRef, Value, types};
use cranelift_codegen::isa::CallConv;
use cranelift_frontend::{FunctionBuilder, Variable};
use devices::Reached;
use lookups::Looking;
use memory::Span;
use reading::Leaving;
use socscope_isa::StaticCycleModel;
use socscope_memory::RegionIndex;
use std::collections::{BTreeMap, BTreeSet};
use values::{Before, Registers};

/// A place in the program, with the timing model's state there.
pub(crate) type Place = (u32, StateIndex);

/// What the code is made for.
pub(crate) struct Facts<'a, A: Adapter> {
    pub model: A::Model,
    pub flavour: A::Flavour,
    pub costs: &'a Costs,
    pub helpers: Helpers,
    /// Places on the bus of instructions that access devices.
    pub devices: &'a BTreeSet<u32>,
    /// Exceptions and their ends are the interpreter's.
    pub leaves_exceptions: bool,
    /// Special registers whose writes code tells an observer of that wants to hear of some.
    pub special_registers: &'a [u32],
    /// The region that data accesses are counted for at first, or that those are taken to reach which were never seen.
    pub assumed: RegionIndex,
    /// Regions that accesses have reached, where they are learnt.
    pub seen: &'a Seen,
    /// Whether regions that are learnt make a difference, to cycles or to counts.
    pub regions_matter: bool,
    pub region_of: &'a dyn Fn(u32) -> RegionIndex,
    /// Whether a region is plain memory, which translated code may reach by itself.
    pub is_memory: &'a dyn Fn(RegionIndex) -> bool,
    pub profile: Option<ProfileFacts<'a>>,
    /// What the timing model looks up while the code runs.
    pub lookups: Option<LookupFacts>,
}

impl<A: Adapter> Facts<'_, A> {
    /// What the code does for an observer.
    pub fn mode(&self) -> Mode {
        match &self.profile {
            None => Mode::Plain,
            Some(facts) if facts.counting => Mode::Counting,
            Some(_) => Mode::Following,
        }
    }
}

/// What flows between the blocks of a translation.
pub(crate) struct Variables {
    registers: Vec<Variable>,
    /// Fractions of cycles until the deadline.
    budget: Variable,
}

/// Signatures of what translated code calls.
struct Signatures {
    tail: SigRef,
    /// Of helpers that take two or three numbers.
    two: SigRef,
    three: SigRef,
}

/// Makes the code of one translation.
pub(crate) struct Emitter<'a, A: Adapter, M: StaticCycleModel<A::Class>> {
    pub code: Writer<'a>,
    pub plan: &'a Plan<A>,
    states: &'a mut States<M>,
    exits: &'a mut Exits<A::Flavour, M>,
    pub facts: &'a Facts<'a, A>,
    variables: Variables,
    /// What the architecture declares.
    pub declared: A::Declared,
    profiler: Option<Profiler<'a>>,
    /// The block that is filled last, and the budget there.
    entry: Block,
    granted: Value,
    signatures: Signatures,
    /// Blocks by place, and those whose code is still to be made.
    blocks: BTreeMap<Place, Block>,
    waiting: Vec<Place>,

    // The stretch of code that is being made.
    registers: Registers,
    /// What is known of flags.
    pub flags: A::Flags,
    /// Cost since the budget was last brought up to date.
    spent: u64,
    /// The most that the stretch may have cost beyond that, because of multiplications.
    unforeseen: u64,
    looking: Looking,

    // The instruction that is being read.
    pub address: u32,
    /// The address behind it.
    pub next: u32,
    /// The timing model's state before the instruction.
    state: StateIndex,
    model: M,
    /// When its last access transfers its data, after its begin, in what the model counts.
    transfers_at: u64,
    before: Before<A::Flags>,
    /// Models for multipliers of one to four significant bytes, and the number of bytes.
    by_multiplier: Option<([M; 4], Value)>,
    leaving: Option<Leaving<A::Flavour>>,
    /// The region that its accesses are taken to reach; `None` where that makes no difference.
    assumed: Option<RegionIndex>,
    /// Where it is tried with the next region.
    otherwise: Option<Block>,
    /// Conditions under which it was left to the interpreter already.
    excluded: Vec<Flag>,
    /// Bytes that its accesses touch together, where one look is enough for all.
    span_bytes: u32,
    span: Option<Span>,
    /// Its stores cannot fail: that was looked at.
    pub prepared: bool,
    /// Its accesses are counted as soon as they are made: nothing can refuse it any more then.
    is_counted_at_once: bool,
    pub failed: bool,
    /// Its way behind an access to a device, which is made when the rest is.
    reached: Option<Reached>,
    /// While that way is made: what the device gave.
    given: Option<Value>,
    change: Option<A::Change>,
    /// A special register that it writes, by number, and what.
    pub written: Option<(u32, Value)>,
    /// Whether other code than this goes on behind it.
    pub goes_elsewhere: Option<Value>,
}

impl<'a, A: Adapter, M: StaticCycleModel<A::Class>> Emitter<'a, A, M> {
    /// Begins a function.
    pub fn new(
        mut builder: FunctionBuilder<'a>,
        plan: &'a Plan<A>,
        states: &'a mut States<M>,
        exits: &'a mut Exits<A::Flavour, M>,
        facts: &'a Facts<'a, A>,
        start: StateIndex,
    ) -> Emitter<'a, A, M> {
        const { assert!(A::REGISTERS <= REGISTERS_MAX) };
        let entry = builder.create_block();
        builder.append_block_params_for_function_params(entry);
        // It comes first, but is filled last: when it is known what is used.
        builder.func.layout.append_block(entry);
        let [context, granted] = [0, 1].map(|number| builder.block_params(entry)[number]);
        let signatures = Signatures {
            tail: builder.import_signature(signature(CallConv::Tail)),
            two: builder.import_signature(trampoline_signature(2)),
            three: builder.import_signature(trampoline_signature(3)),
        };
        let variables = Variables {
            registers: (0..A::REGISTERS)
                .map(|_| builder.declare_var(types::I32))
                .collect(),
            budget: builder.declare_var(types::I64),
        };
        let declared = A::declare(&mut builder);
        let mut last = entry;
        let profiler = facts.profile.as_ref().map(|wanted| {
            builder.switch_to_block(entry);
            let fields = at::profile(facts.flavour.fetches_translated());
            let counted = (plan.region, variables.budget);
            let profiler = Profiler::new(&mut builder, context, wanted, fields, counted);
            last = builder.create_block();
            builder.ins().jump(last, &[]);
            builder.func.layout.append_block(last);
            profiler
        });
        let model = states.model(start).clone();
        let mut emitter = Emitter {
            code: Writer::new(builder, context),
            plan,
            states,
            exits,
            facts,
            variables,
            declared,
            profiler,
            entry: last,
            granted,
            signatures,
            blocks: BTreeMap::new(),
            waiting: vec![],
            registers: Registers::default(),
            flags: A::Flags::default(),
            spent: 0,
            unforeseen: 0,
            looking: Looking::default(),
            address: plan.start,
            next: plan.start,
            state: start,
            model,
            transfers_at: 0,
            before: Before::default(),
            by_multiplier: None,
            leaving: None,
            assumed: None,
            otherwise: None,
            excluded: vec![],
            span_bytes: 0,
            span: None,
            prepared: false,
            is_counted_at_once: false,
            failed: false,
            reached: None,
            given: None,
            change: None,
            written: None,
            goes_elsewhere: None,
        };
        let first = emitter.code.builder.create_block();
        emitter.blocks.insert((plan.start, start), first);
        emitter.waiting.push((plan.start, start));
        emitter
    }

    /// The way in: everything that lives in values is loaded. What nobody uses makes no code.
    fn enter(&mut self, first: Place) {
        self.code.builder.switch_to_block(self.entry);
        self.registers = Registers::default();
        self.flags = A::Flags::default();
        self.code.begin_anew();
        self.code
            .builder
            .def_var(self.variables.budget, self.granted);
        if let Some(profiler) = &self.profiler {
            profiler.enter(&mut self.code.builder, self.granted);
        }
        for index in 0..A::REGISTERS {
            let value = self.code.load_word(at::register(index as u32));
            let variable = self.variables.registers[index];
            self.code.builder.def_var(variable, value);
        }
        A::load_flags(self);
        let block = self.blocks[&first];
        self.code.builder.ins().jump(block, &[]);
    }

    /// Brings the budget up to date.
    fn pay(&mut self) {
        let spent = std::mem::take(&mut self.spent);
        if spent != 0 {
            let budget = self.code.builder.use_var(self.variables.budget);
            let left = self.code.builder.ins().iadd_imm_s(budget, -(spent as i64));
            self.code.builder.def_var(self.variables.budget, left);
        }
    }

    /// A new exit's number.
    fn add_exit(&mut self, exit: Exit<A::Flavour, M>) -> u32 {
        self.exits.add(exit, (self.plan.flavour, self.plan.region))
    }

    /// Ends the translation here, `spent` after the budget was last brought up to date. What is known by now, the engine accounts for: it costs no code.
    fn return_with(&mut self, exit: u32, spent: u64) {
        let owed = self.leave_to_account(spent);
        self.exits.owe(exit, owed);
        self.count_found();
        let number = self.code.constant(exit);
        self.code.store_value(number, at::EXIT);
        let budget = self.code.builder.use_var(self.variables.budget);
        self.code.builder.ins().return_(&[budget]);
    }
}
