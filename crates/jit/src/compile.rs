//! The compiler: a plan becomes machine code in the arena.

use crate::arena::Arena;
use crate::emit::{Emitter, signature};
use crate::entries::Mode;
use crate::exits::Exits;
use crate::learning::Seen;
use crate::plan::Plan;
use crate::states::{Costs, StateIndex, States};
use cranelift_codegen::Context;
use cranelift_codegen::control::ControlPlane;
use cranelift_codegen::ir::{AbiParam, Signature};
use cranelift_codegen::ir::{Function, InstBuilder, UserFuncName, types};
use cranelift_codegen::isa::{CallConv, OwnedTargetIsa};
use cranelift_codegen::settings::{self, Configurable, Flags};
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};
use socscope_interpreter::Ranges;
use socscope_isa::Foreseeable;
use socscope_memory::RegionIndex;

/// What accesses are known to do.
pub(crate) struct Facts<'a> {
    pub costs: &'a Costs,
    pub region_of: &'a dyn Fn(u32) -> RegionIndex,
    /// Regions that accesses reached so far.
    pub seen: &'a Seen,
    /// Whether a region is plain memory, which translated code may reach by itself.
    pub is_memory: &'a dyn Fn(RegionIndex) -> bool,
    /// The region of accesses that were never seen.
    pub guess: RegionIndex,
    /// Whether regions make a difference, to cycles or to counts.
    pub regions_matter: bool,
    pub mode: Mode,
    pub profile: Option<ProfileFacts<'a>>,
}

/// What a profile wants.
pub(crate) struct ProfileFacts<'a> {
    pub counting: bool,
    /// Fractions in a cycle.
    pub fractions: u64,
    pub functions: &'a dyn Ranges,
}

/// Calls translated code: code, context, budget; gives the budget left.
pub(crate) type Enter = unsafe extern "C" fn(u64, *mut crate::context::Context, i64) -> i64;

pub(crate) struct Compiler {
    isa: OwnedTargetIsa,
    context: Context,
    builder_context: FunctionBuilderContext,
}

impl Compiler {
    /// A compiler for this host; `None` on hosts without one.
    pub fn new() -> Option<Compiler> {
        let mut flags = settings::builder();
        for (name, value) in [
            ("opt_level", "none"),
            ("preserve_frame_pointers", "true"),
            (
                "enable_verifier",
                if cfg!(debug_assertions) {
                    "true"
                } else {
                    "false"
                },
            ),
            ("enable_probestack", "false"),
            ("unwind_info", "false"),
        ] {
            flags.set(name, value).ok()?;
        }
        let isa = cranelift_native::builder()
            .ok()?
            .finish(Flags::new(flags))
            .ok()?;
        Some(Compiler {
            isa,
            context: Context::new(),
            builder_context: FunctionBuilderContext::new(),
        })
    }

    /// The way in: a function of the host's convention that calls translated code.
    pub fn entrance(&mut self, arena: &mut Arena) -> Option<u64> {
        let mut outer = Signature::new(CallConv::SystemV);
        outer.params = vec![AbiParam::new(types::I64); 3];
        outer.returns = vec![AbiParam::new(types::I64)];
        let mut function = Function::with_name_signature(UserFuncName::default(), outer);
        let mut builder = FunctionBuilder::new(&mut function, &mut self.builder_context);
        let block = builder.create_block();
        builder.append_block_params_for_function_params(block);
        builder.switch_to_block(block);
        let parameters = builder.block_params(block).to_vec();
        let tail = builder.import_signature(signature(CallConv::Tail));
        let call = builder
            .ins()
            .call_indirect(tail, parameters[0], &parameters[1..]);
        let result = builder.inst_results(call)[0];
        builder.ins().return_(&[result]);
        builder.seal_all_blocks();
        builder.finalize(self.isa.frontend_config());
        self.assemble(function, arena)
    }

    /// Compiles a plan, entered with the timing model in state `start`; the address of the code, or `None` when the arena is full.
    pub fn translate<M: Foreseeable>(
        &mut self,
        plan: &Plan,
        states: &mut States<M>,
        exits: &mut Exits<M>,
        facts: &Facts,
        start: StateIndex,
        arena: &mut Arena,
    ) -> Option<u64> {
        exits.set = plan.set;
        exits.region = plan.region;
        let name = UserFuncName::default();
        let mut function = Function::with_name_signature(name, signature(CallConv::Tail));
        let builder = FunctionBuilder::new(&mut function, &mut self.builder_context);
        let emitter = Emitter::new(builder, plan, states, exits, facts, start);
        emitter.finish(self.isa.frontend_config());
        self.assemble(function, arena)
    }

    fn assemble(&mut self, function: Function, arena: &mut Arena) -> Option<u64> {
        self.context.clear();
        self.context.func = function;
        let mut control = ControlPlane::default();
        let compiled = match self.context.compile(self.isa.as_ref(), &mut control) {
            Ok(compiled) => compiled,
            Err(error) => {
                debug_assert!(false, "{:?}", error.inner);
                return None;
            }
        };
        debug_assert!(compiled.buffer.relocs().is_empty());
        arena.add(compiled.code_buffer())
    }
}
