//! The compiler: a function becomes machine code in the arena.

use crate::arena::Arena;
use cranelift_codegen::Context;
use cranelift_codegen::control::ControlPlane;
use cranelift_codegen::ir::{
    AbiParam, Function, InstBuilder, MemFlagsData, Signature, Type, UserFuncName, Value, types,
};
use cranelift_codegen::isa::{CallConv, OwnedTargetIsa, TargetFrontendConfig};
use cranelift_codegen::settings::{self, Configurable, Flags};
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};

/// Calls translated code: code, context, budget; gives the budget left.
pub(crate) type Enter<C> = unsafe extern "C" fn(u64, *mut C, i64) -> i64;

/// The signature of all translations: context and budget in, budget left out.
pub(crate) fn signature(convention: CallConv) -> Signature {
    let mut signature = Signature::new(convention);
    signature.params.push(AbiParam::new(types::I64));
    signature.params.push(AbiParam::new(types::I64));
    signature.returns.push(AbiParam::new(types::I64));
    signature
}

/// The signature of [`Compiler::trampoline`].
pub(crate) fn trampoline_signature(numbers: usize) -> Signature {
    let mut signature = Signature::new(CallConv::PreserveAll);
    signature.params.push(AbiParam::new(types::I64));
    for _ in 0..numbers {
        signature.params.push(AbiParam::new(types::I32));
    }
    signature
}

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

    /// A way from translated code to a helper: it calls the function whose address stands at `function` in the context, with the context and numbers
    /// of 32 bits, and leaves its result at `result` there. It changes no register, so that code which seldom calls is none the worse for it.
    pub fn trampoline(
        &mut self,
        arena: &mut Arena,
        (function, result): (i32, i32),
        numbers: usize,
        returns: Type,
    ) -> Option<u64> {
        let name = UserFuncName::default();
        let mut made = Function::with_name_signature(name, trampoline_signature(numbers));
        let mut builder = FunctionBuilder::new(&mut made, &mut self.builder_context);
        let block = builder.create_block();
        builder.append_block_params_for_function_params(block);
        builder.switch_to_block(block);
        let arguments = builder.block_params(block).to_vec();
        let mut helper = trampoline_signature(numbers);
        helper.call_conv = CallConv::SystemV;
        helper.returns = vec![AbiParam::new(returns)];
        let helper = builder.import_signature(helper);
        let own = MemFlagsData::trusted();
        let function = builder.ins().load(types::I64, own, arguments[0], function);
        let call = builder.ins().call_indirect(helper, function, &arguments);
        let value = builder.inst_results(call)[0];
        let value = match returns {
            types::I64 => value,
            _ => builder.ins().uextend(types::I64, value),
        };
        builder.ins().store(own, value, arguments[0], result);
        builder.ins().return_(&[]);
        builder.seal_all_blocks();
        builder.finalize(self.isa.frontend_config());
        self.assemble(made, arena)
    }

    /// A helper that is made of code alone, with its numbers, as [`Compiler::trampoline`] is called; `write` begins behind its entry.
    pub fn code_helper(
        &mut self,
        arena: &mut Arena,
        numbers: usize,
        write: impl FnOnce(&mut FunctionBuilder, &[Value]),
    ) -> Option<u64> {
        let name = UserFuncName::default();
        let mut made = Function::with_name_signature(name, trampoline_signature(numbers));
        let mut builder = FunctionBuilder::new(&mut made, &mut self.builder_context);
        let block = builder.create_block();
        builder.append_block_params_for_function_params(block);
        builder.switch_to_block(block);
        let arguments = builder.block_params(block).to_vec();
        write(&mut builder, &arguments);
        builder.seal_all_blocks();
        builder.finalize(self.isa.frontend_config());
        self.assemble(made, arena)
    }

    /// Compiles the function that `write` fills; the address of the code, or `None` when the arena is full.
    pub fn translate(
        &mut self,
        arena: &mut Arena,
        write: impl FnOnce(FunctionBuilder, TargetFrontendConfig),
    ) -> Option<u64> {
        let name = UserFuncName::default();
        let mut function = Function::with_name_signature(name, signature(CallConv::Tail));
        let builder = FunctionBuilder::new(&mut function, &mut self.builder_context);
        write(builder, self.isa.frontend_config());
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
