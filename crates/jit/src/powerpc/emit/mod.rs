//! From a plan to machine code: the third reading of the instructions, with values of the compiler.

mod conditions;
mod devices;
mod exceptions;
mod float;
mod leave;
mod memory;
mod profile;
mod reading;
mod regions;
mod system;
mod walk;

use super::context::{REGISTERS, at};
use super::exits::Exits;
use super::flavour::Flavour;
use super::plan::Plan;
use crate::arena::Arena;
use crate::code::{Flag, Word, Writer, own_memory};
use crate::compiler::{Compiler, signature, trampoline_signature};
use crate::profile::{Mode, ProfileFacts, Profiler};
use crate::states::{Costs, StateIndex, States};
use conditions::Conditions;
use cranelift_codegen::ir::{AbiParam, Block, InstBuilder, SigRef, Signature, Type, Value, types};
use cranelift_codegen::isa::CallConv;
use cranelift_frontend::{FunctionBuilder, Variable};
use devices::Reached;
use exceptions::Change;
use memory::Span;
use reading::Leaving;
use socscope_isa::StaticCycleModel;
use socscope_memory::RegionIndex;
use socscope_powerpc::{Class, CoreModel};
use std::collections::{BTreeMap, BTreeSet};

/// Registers that ways out bring to the context; more are brought there before.
const DIRTY_MAX: u32 = 8;

/// A place in the program, with the timing model's state there.
pub(crate) type Place = (u32, StateIndex);

/// What the code is made for.
pub(crate) struct Facts<'a> {
    pub core: CoreModel,
    pub flavour: Flavour,
    pub costs: &'a Costs,
    pub helpers: Helpers,
    /// Places on the bus of instructions that access devices.
    pub devices: &'a BTreeSet<u32>,
    /// Exceptions, their ends and special registers are the interpreter's.
    pub exceptions_told: bool,
    /// The region that data accesses are counted for at first.
    pub assumed: RegionIndex,
    pub profile: Option<ProfileFacts<'a>>,
}

impl Facts<'_> {
    /// What the code does for an observer.
    pub fn mode(&self) -> Mode {
        match &self.profile {
            None => Mode::Plain,
            Some(facts) if facts.counting => Mode::Counting,
            Some(_) => Mode::Following,
        }
    }
}

/// Where the helpers are called.
#[derive(Clone, Copy)]
pub(crate) struct Helpers {
    pub read: u64,
    pub write: u64,
    pub store: u64,
    pub fetch: u64,
    pub prepare: u64,
    pub time: u64,
    pub load_device: u64,
    pub store_device: u64,
    pub resume: u64,
}

impl Helpers {
    /// Makes the ways to them.
    pub fn new(compiler: &mut Compiler, arena: &mut Arena) -> Option<Helpers> {
        let mut way = |function, numbers, returns| {
            compiler.trampoline(arena, (function, at::HELPED), numbers, returns)
        };
        Some(Helpers {
            read: way(at::READ_HELPER, 2, types::I64)?,
            write: way(at::WRITE_HELPER, 2, types::I64)?,
            store: way(at::STORE_HELPER, 3, types::I32)?,
            fetch: way(at::FETCH_HELPER, 2, types::I64)?,
            prepare: way(at::PREPARE_HELPER, 2, types::I64)?,
            time: way(at::TIME_HELPER, 2, types::I64)?,
            load_device: way(at::LOAD_DEVICE_HELPER, 2, types::I64)?,
            store_device: way(at::STORE_DEVICE_HELPER, 3, types::I64)?,
            resume: way(at::RESUME_HELPER, 2, types::I64)?,
        })
    }
}

/// What flows between the blocks of a translation.
struct Variables {
    registers: [Variable; REGISTERS],
    /// Fractions of cycles until the deadline.
    budget: Variable,
    carry: Variable,
    conditions: [Variable; 8],
}

/// What there was before an instruction.
#[derive(Clone)]
struct Before {
    known: [Option<Word>; REGISTERS],
    dirty: u64,
    conditions: Conditions,
    spent: u64,
}

/// Signatures of what translated code calls.
struct Signatures {
    tail: SigRef,
    /// Of helpers that take two or three numbers.
    two: SigRef,
    three: SigRef,
    /// Of context, a number and three operands of 64 bits, to one more.
    float: SigRef,
}

/// Makes the code of one translation.
pub(crate) struct Emitter<'a, M: StaticCycleModel<Class>> {
    code: Writer<'a>,
    plan: &'a Plan,
    states: &'a mut States<M>,
    exits: &'a mut Exits,
    facts: &'a Facts<'a>,
    variables: Variables,
    profiler: Option<Profiler<'a>>,
    /// The block that is filled last, and the budget there.
    entry: Block,
    granted: Value,
    signatures: Signatures,
    /// Blocks by place, and those whose code is still to be made.
    blocks: BTreeMap<Place, Block>,
    waiting: Vec<Place>,

    // The stretch of code that is being made.
    known: [Option<Word>; REGISTERS],
    dirty: u64,
    conditions: Conditions,
    /// Cost since the budget was last brought up to date.
    spent: u64,

    // The instruction that is being read.
    address: u32,
    /// The timing model's state before the instruction.
    state: StateIndex,
    model: M,
    /// When its last access transfers its data, after its begin, in what the model counts.
    transfers_at: u64,
    before: Before,
    leaving: Option<Leaving>,
    /// Conditions under which it was left to the interpreter already.
    excluded: Vec<Flag>,
    /// Bytes that its accesses touch together, where one look is enough for all.
    span_bytes: u32,
    span: Option<Span>,
    /// Its stores cannot fail: that was looked at.
    prepared: bool,
    /// Its accesses are counted as soon as they are made: nothing can refuse it any more then.
    is_counted_at_once: bool,
    failed: bool,
    /// Its way behind an access to a device, which is made when the rest is.
    reached: Option<Reached>,
    /// While that way is made: what the device gave.
    given: Option<Value>,
    change: Option<Change>,
}

impl<'a, M: StaticCycleModel<Class>> Emitter<'a, M> {
    /// Begins a function.
    pub fn new(
        mut builder: FunctionBuilder<'a>,
        plan: &'a Plan,
        states: &'a mut States<M>,
        exits: &'a mut Exits,
        facts: &'a Facts<'a>,
        start: StateIndex,
    ) -> Emitter<'a, M> {
        let entry = builder.create_block();
        builder.append_block_params_for_function_params(entry);
        // It comes first, but is filled last: when it is known what is used.
        builder.func.layout.append_block(entry);
        let [context, granted] = [0, 1].map(|number| builder.block_params(entry)[number]);
        let mut import = |parameters: &[Type], returns: &[Type]| {
            let mut signature = Signature::new(CallConv::SystemV);
            signature.params = parameters.iter().map(|ty| AbiParam::new(*ty)).collect();
            signature.returns = returns.iter().map(|ty| AbiParam::new(*ty)).collect();
            builder.import_signature(signature)
        };
        use types::{I32, I64};
        let float = import(&[I64, I32, I64, I64, I64], &[I64]);
        let signatures = Signatures {
            tail: builder.import_signature(signature(CallConv::Tail)),
            two: builder.import_signature(trampoline_signature(2)),
            three: builder.import_signature(trampoline_signature(3)),
            float,
        };
        let variables = Variables {
            registers: std::array::from_fn(|_| builder.declare_var(I32)),
            budget: builder.declare_var(I64),
            carry: builder.declare_var(types::I8),
            conditions: std::array::from_fn(|_| builder.declare_var(I64)),
        };
        let mut last = entry;
        let profiler = facts.profile.as_ref().map(|wanted| {
            builder.switch_to_block(entry);
            let fields = at::profile(facts.flavour.fetches_translated);
            let counted = (plan.region, variables.budget);
            let profiler = Profiler::new(&mut builder, context, wanted, fields, counted);
            last = builder.create_block();
            builder.ins().jump(last, &[]);
            builder.func.layout.append_block(last);
            profiler
        });
        let model = states.model(start).clone();
        let conditions = Conditions::default();
        let before = Before {
            known: [None; REGISTERS],
            dirty: 0,
            conditions,
            spent: 0,
        };
        let mut emitter = Emitter {
            code: Writer::new(builder, context),
            plan,
            states,
            exits,
            facts,
            variables,
            profiler,
            entry: last,
            granted,
            signatures,
            blocks: BTreeMap::new(),
            waiting: vec![],
            known: [None; REGISTERS],
            dirty: 0,
            conditions,
            spent: 0,
            address: plan.start,
            state: start,
            model,
            transfers_at: 0,
            before,
            leaving: None,
            excluded: vec![],
            span_bytes: 0,
            span: None,
            prepared: false,
            is_counted_at_once: false,
            failed: false,
            reached: None,
            given: None,
            change: None,
        };
        let first = emitter.code.builder.create_block();
        emitter.blocks.insert((plan.start, start), first);
        emitter.waiting.push((plan.start, start));
        emitter
    }

    /// The way in: everything that lives in values is loaded. What nobody uses makes no code.
    fn enter(&mut self, first: Place) {
        self.code.builder.switch_to_block(self.entry);
        self.code
            .builder
            .def_var(self.variables.budget, self.granted);
        if let Some(profiler) = &self.profiler {
            profiler.enter(&mut self.code.builder, self.granted);
        }
        for index in 0..REGISTERS {
            let value = self.code.load_word(at::register(index as u32));
            self.code
                .builder
                .def_var(self.variables.registers[index], value);
        }
        for field in 0..8 {
            let value = self.load(types::I64, at::condition(field as u32));
            self.code
                .builder
                .def_var(self.variables.conditions[field], value);
        }
        let carry = self.load(types::I8, at::CARRY);
        self.code.builder.def_var(self.variables.carry, carry);
        let block = self.blocks[&first];
        self.code.builder.ins().jump(block, &[]);
    }

    /// A field of the context.
    fn load(&mut self, ty: Type, offset: i32) -> Value {
        let context = self.code.context;
        self.code
            .builder
            .ins()
            .load(ty, own_memory(), context, offset)
    }

    fn register_word(&mut self, index: u32) -> Word {
        let slot = index as usize % REGISTERS;
        if let Some(word) = self.known[slot] {
            return word;
        }
        let variable = self.variables.registers[slot];
        let word = Word::Value(self.code.builder.use_var(variable));
        self.known[slot] = Some(word);
        word
    }

    fn write_register(&mut self, index: u32, word: Word) {
        let slot = index as usize % REGISTERS;
        self.known[slot] = Some(word);
        self.dirty |= 1 << slot;
    }

    /// Whether so much is only in values that each way out would have to bring a lot of it to the context.
    fn has_many_dirty_values(&self) -> bool {
        self.dirty.count_ones() > DIRTY_MAX
    }

    /// Brings changed registers and conditions to the context, so that everything may leave from here.
    fn flush(&mut self) {
        let dirty = std::mem::take(&mut self.dirty);
        for index in (0..REGISTERS).filter(|index| dirty >> index & 1 != 0) {
            let word = self.register_word(index as u32);
            let value = self.code.value(word);
            self.known[index] = Some(match word {
                Word::Constant(_) => word,
                _ => Word::Value(value),
            });
            self.code
                .builder
                .def_var(self.variables.registers[index], value);
            self.code.store_value(value, at::register(index as u32));
        }
        self.flush_conditions();
    }

    fn before(&self) -> Before {
        Before {
            known: self.known,
            dirty: self.dirty,
            conditions: self.conditions,
            spent: self.spent,
        }
    }

    /// Forgets what an instruction did.
    fn go_back(&mut self, before: &Before) {
        self.known = before.known;
        self.dirty = before.dirty;
        self.conditions = before.conditions;
        self.spent = before.spent;
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

    /// Ends the translation here, `spent` after the budget was last brought up to date.
    fn return_with(&mut self, exit: u32, spent: u64) {
        self.emit_counts(spent);
        let number = self.code.constant(exit);
        self.code.store_value(number, at::EXIT);
        let budget = self.code.builder.use_var(self.variables.budget);
        let left = self.code.builder.ins().iadd_imm_s(budget, -(spent as i64));
        self.code.builder.ins().return_(&[left]);
    }

    /// Calls a helper.
    fn call_helper(&mut self, helper: u64, numbers: &[Value]) -> Value {
        let signature = match numbers.len() {
            2 => self.signatures.two,
            _ => self.signatures.three,
        };
        let context = self.code.context;
        let builder = &mut self.code.builder;
        let function = builder.ins().iconst(types::I64, helper as i64);
        let mut arguments = vec![context];
        arguments.extend_from_slice(numbers);
        builder.ins().call_indirect(signature, function, &arguments);
        self.load(types::I64, at::HELPED)
    }
}
