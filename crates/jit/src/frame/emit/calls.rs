//! Calls of helpers, through code that preserves all registers.

use super::Emitter;
use crate::arena::Arena;
use crate::compiler::Compiler;
use crate::frame::adapter::Adapter;
use crate::frame::context::{OWN_HELPERS, at};
use cranelift_codegen::ir::{InstBuilder, Value, types};
use socscope_isa::StaticCycleModel;

/// Where the helpers are called.
#[derive(Clone, Copy)]
pub(crate) struct Helpers {
    pub read: u64,
    pub write: u64,
    pub store: u64,
    pub fetch: u64,
    pub load_device: u64,
    pub store_device: u64,
    pub resume: u64,
    pub follow: u64,
    pub special: u64,
    pub tell_model: u64,
    /// Ways to lines that are held, by what is looked up; none where the timing model looks nothing up.
    pub find: Option<[u64; 3]>,
    /// The architecture's own.
    pub own: [u64; OWN_HELPERS],
}

impl Helpers {
    /// Makes the ways to them.
    pub fn new(compiler: &mut Compiler, arena: &mut Arena) -> Option<Helpers> {
        let mut way = |function, numbers, returns| {
            compiler.trampoline(arena, (function, at::HELPED), numbers, returns)
        };
        let mut own = [0; OWN_HELPERS];
        for (place, address) in (at::OWN_HELPER..).step_by(8).zip(&mut own) {
            *address = way(place, 2, types::I64)?;
        }
        Some(Helpers {
            read: way(at::READ_HELPER, 2, types::I64)?,
            write: way(at::WRITE_HELPER, 2, types::I64)?,
            store: way(at::STORE_HELPER, 3, types::I32)?,
            fetch: way(at::FETCH_HELPER, 2, types::I64)?,
            load_device: way(at::LOAD_DEVICE_HELPER, 2, types::I64)?,
            store_device: way(at::STORE_DEVICE_HELPER, 3, types::I64)?,
            resume: way(at::RESUME_HELPER, 2, types::I64)?,
            follow: way(at::FOLLOW_HELPER, 2, types::I64)?,
            special: way(at::SPECIAL_HELPER, 2, types::I64)?,
            tell_model: way(at::TELL_MODEL_HELPER, 2, types::I64)?,
            find: None,
            own,
        })
    }
}

impl<A: Adapter, M: StaticCycleModel<A::Class>> Emitter<'_, A, M> {
    /// Calls a helper.
    pub fn call_helper(&mut self, helper: u64, numbers: &[Value]) -> Value {
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
