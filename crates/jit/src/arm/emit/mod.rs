//! From a plan to machine code: the third reading of the instructions, with values of the compiler.

mod exceptions;
mod flags;
mod leave;
mod memory;
mod profile;
mod reading;
mod status;
mod walk;

use crate::arm::compile::Facts;
use crate::arm::context::{Context, at, settle_flags, write_beside_code};
use crate::arm::exits::{Exit, Exits};
use crate::arm::plan::Plan;
use crate::code::{Word, Writer, own_memory};
use crate::compiler::signature;
use crate::profile::Profiler;
use crate::states::{StateIndex, States};
use cranelift_codegen::ir::{
    AbiParam, Block as Code, InstBuilder, SigRef, Signature, Type, Value, types,
};
use cranelift_codegen::isa::CallConv;
use cranelift_frontend::{FunctionBuilder, Variable};
use flags::Flags;
use memory::Block;
use reading::Leaving;
use socscope_arm::InstructionSet;
use socscope_isa::{CycleClass, StaticCycleModel};
use socscope_memory::RegionIndex;
use std::collections::BTreeMap;

/// A place in the program, with the timing model's state there.
pub(crate) type Place = (u32, StateIndex);

/// What flows between the blocks of a translation.
struct Variables {
    registers: [Variable; 15],
    /// Fractions of cycles until the deadline.
    budget: Variable,
    result: Variable,
    carry: Variable,
    overflow: Variable,
}

/// What there was before an instruction.
#[derive(Clone, Default)]
struct Before {
    known: [Option<Word>; 15],
    dirty: u16,
    flags: Flags,
    spent: u64,
}

/// Makes the code of one translation.
pub(crate) struct Emitter<'a, M: StaticCycleModel> {
    code: Writer<'a>,
    plan: &'a Plan,
    states: &'a mut States<M>,
    exits: &'a mut Exits<M>,
    facts: &'a Facts<'a>,
    variables: Variables,
    profiler: Option<Profiler<'a>>,
    tail: SigRef,
    helper: SigRef,
    write_helper: SigRef,
    enter_helper: SigRef,
    restore_helper: SigRef,
    /// Blocks by place, and those whose code is still to be made.
    blocks: BTreeMap<Place, Code>,
    waiting: Vec<Place>,

    // The stretch of code that is being made.
    known: [Option<Word>; 15],
    dirty: u16,
    flags: Flags,
    /// Cost since the budget was last brought up to date.
    spent: u64,
    /// The most that the stretch may have cost beyond that, because of multiplications.
    unforeseen: u64,

    // The instruction that is being read.
    set: InstructionSet,
    address: u32,
    /// The timing model's state before the instruction.
    state: StateIndex,
    class: CycleClass,
    model: M,
    before: Before,
    /// Models for multipliers of one to four significant bytes, and the number of bytes.
    by_multiplier: Option<([M; 4], Value)>,
    leaving: Option<Leaving>,
    assumed: Option<RegionIndex>,
    /// Where the instruction is tried with the next region.
    otherwise: Option<Code>,
    accesses_left: u32,
    block: Option<Block>,
    /// That the mode has r13 and r14 of its own was looked at.
    banks_known: bool,
    failed: bool,
}

impl<'a, M: StaticCycleModel> Emitter<'a, M> {
    /// Begins a function.
    pub fn new(
        mut builder: FunctionBuilder<'a>,
        plan: &'a Plan,
        states: &'a mut States<M>,
        exits: &'a mut Exits<M>,
        facts: &'a Facts<'a>,
        start: StateIndex,
    ) -> Emitter<'a, M> {
        let entry = builder.create_block();
        builder.append_block_params_for_function_params(entry);
        builder.switch_to_block(entry);
        let context = builder.block_params(entry)[0];
        let budget = builder.block_params(entry)[1];
        let tail = builder.import_signature(signature(CallConv::Tail));
        let mut import = |parameters: &[Type], returns: &[Type]| {
            let mut signature = Signature::new(CallConv::SystemV);
            signature.params = parameters.iter().map(|ty| AbiParam::new(*ty)).collect();
            signature.returns = returns.iter().map(|ty| AbiParam::new(*ty)).collect();
            builder.import_signature(signature)
        };
        use types::{I32, I64};
        let helper = import(&[I64], &[]);
        let write_helper = import(&[I64, I32, I32, I32], &[I32]);
        let enter_helper = import(&[I64, I32, I32], &[]);
        let restore_helper = import(&[I64], &[I32]);
        let variables = Variables {
            registers: std::array::from_fn(|_| builder.declare_var(types::I32)),
            budget: builder.declare_var(types::I64),
            result: builder.declare_var(types::I32),
            carry: builder.declare_var(types::I8),
            overflow: builder.declare_var(types::I8),
        };
        builder.def_var(variables.budget, budget);
        let profiler = facts.profile.as_ref().map(|wanted| {
            let counted = (plan.region, variables.budget);
            let profiler = Profiler::new(&mut builder, context, wanted, at::PROFILE, counted);
            profiler.enter(&mut builder, budget);
            profiler
        });
        let model = states.model(start).clone();
        let mut emitter = Emitter {
            code: Writer::new(builder, context),
            plan,
            states,
            exits,
            facts,
            unforeseen: 0,
            variables,
            profiler,
            tail,
            helper,
            write_helper,
            enter_helper,
            restore_helper,
            blocks: BTreeMap::new(),
            waiting: vec![],
            known: [None; 15],
            dirty: 0,
            flags: Flags::default(),
            spent: 0,
            set: plan.set,
            address: plan.start,
            state: start,
            class: CycleClass::Data,
            model,
            before: Before::default(),
            by_multiplier: None,
            leaving: None,
            assumed: None,
            otherwise: None,
            accesses_left: 0,
            block: None,
            banks_known: false,
            failed: false,
        };
        emitter.load_registers();
        let live = plan.live.get(&plan.start).copied().unwrap_or(0);
        emitter.hand_over_flags(live);
        emitter.jump_to((plan.start, start));
        emitter
    }

    /// Loads what the translation may read, or change under a condition.
    fn load_registers(&mut self) {
        // A profile looks at stack pointer and link register.
        let mut used = if self.profiled() { 3 << 13 } else { 0 };
        for planned in self.plan.instructions.values() {
            let found = &planned.footprint;
            used |= found.reads.0 | found.writes.0 | found.user_reads.0 | found.user_writes.0;
        }
        for index in 0..15 {
            let value = if used >> index & 1 != 0 {
                self.code.load_word(at::register(index))
            } else {
                self.code.constant(0)
            };
            self.code
                .builder
                .def_var(self.variables.registers[index as usize], value);
        }
    }

    fn register_word(&mut self, index: u32) -> Word {
        let slot = (index & 15).min(14) as usize;
        if let Some(word) = self.known[slot] {
            return word;
        }
        let value = self.code.builder.use_var(self.variables.registers[slot]);
        let word = Word::Value(value);
        self.known[slot] = Some(word);
        word
    }

    fn write_register(&mut self, index: u32, word: Word) {
        let slot = (index & 15).min(14) as usize;
        self.known[slot] = Some(word);
        self.dirty |= 1 << slot;
    }

    /// Brings changed registers and flags to the context, so that everything may leave from here.
    fn flush(&mut self) {
        let dirty = std::mem::take(&mut self.dirty);
        for index in (0..15).filter(|index| dirty >> index & 1 != 0) {
            let word = self.register_word(index);
            let value = self.code.value(word);
            self.known[index as usize] = Some(match word {
                Word::Constant(_) => word,
                _ => Word::Value(value),
            });
            self.code
                .builder
                .def_var(self.variables.registers[index as usize], value);
            self.code.builder.ins().store(
                own_memory(),
                value,
                self.code.context,
                at::register(index),
            );
        }
        self.flush_flags();
    }

    fn before(&self) -> Before {
        Before {
            known: self.known,
            dirty: self.dirty,
            flags: self.flags,
            spent: self.spent,
        }
    }

    /// Forgets what an instruction did.
    fn go_back(&mut self, before: &Before) {
        self.known = before.known;
        self.dirty = before.dirty;
        self.flags = before.flags;
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

    /// Ends the translation here, `spent` after the budget was last brought up to date. What is known by now, the engine accounts for: it costs no code.
    fn return_with(&mut self, exit: u32, spent: u64) {
        let owed = self.leave_to_account(spent);
        self.exits.owe(exit, owed);
        let number = self.code.constant(exit);
        self.code
            .builder
            .ins()
            .store(own_memory(), number, self.code.context, at::EXIT);
        let budget = self.code.builder.use_var(self.variables.budget);
        self.code.builder.ins().return_(&[budget]);
    }

    fn call_settle_flags(&mut self) {
        let function = settle_flags as unsafe extern "C" fn(*mut Context) as usize as i64;
        let function = self.code.builder.ins().iconst(types::I64, function);
        self.code
            .builder
            .ins()
            .call_indirect(self.helper, function, &[self.code.context]);
    }

    fn call_write_beside_code(&mut self, guest: Value, value: Value, how: u32) -> Value {
        type Helper = unsafe extern "C" fn(*mut Context, u32, u32, u32) -> u32;
        let function = write_beside_code as Helper as usize as i64;
        let function = self.code.builder.ins().iconst(types::I64, function);
        let how = self.code.constant(how);
        let call = self.code.builder.ins().call_indirect(
            self.write_helper,
            function,
            &[self.code.context, guest, value, how],
        );
        self.code.builder.inst_results(call)[0]
    }

    /// A multiplication: its duration depends on the number of significant bytes of an operand.
    fn multiplied(&mut self, operand: Word, signed: bool) {
        if let Word::Constant(value) = operand {
            self.model.multiplier(value, signed);
            return;
        }
        let models: [M; 4] = std::array::from_fn(|bytes| {
            let mut model = self.model.clone();
            model.multiplier(1 << (8 * bytes), signed);
            model
        });
        if models.iter().all(|model| *model == models[0]) {
            self.model = models[0].clone();
            return;
        }
        let value = self.code.value(operand);
        let magnitude = if signed {
            let sign = self.code.builder.ins().sshr_imm_u(value, 31);
            self.code.builder.ins().bxor(value, sign)
        } else {
            value
        };
        let some = self.code.builder.ins().bor_imm_u(magnitude, 1);
        let zeros = self.code.builder.ins().clz(some);
        let limit = self.code.constant(39);
        let bits = self.code.builder.ins().isub(limit, zeros);
        let bytes = self.code.builder.ins().ushr_imm_u(bits, 3);
        self.by_multiplier = Some((models, bytes));
    }
}
