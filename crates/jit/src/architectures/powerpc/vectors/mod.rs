//! Vectors: registers and status lie in the core, and what has no short code is computed by a call.

mod bytes;
mod elements;
mod limits;

use super::adapter::PowerPc;
use super::state::{State, at};
use crate::code::{Flag, Word, own_memory};
use crate::frame::{Context, Emitter};
use cranelift_codegen::ir::{InstBuilder, MemFlagsData, Value, types};
use elements::BYTES;
use socscope_isa::{StaticCycleModel, Values};
use socscope_powerpc::vector::{self, Operation};
use socscope_powerpc::{Class, Core, Msr};
use std::sync::Mutex;

impl<M: StaticCycleModel<Class>> Emitter<'_, PowerPc, M> {
    /// Leaves the instruction to the interpreter, which takes the exception, where AltiVec is not available; looked at once in a stretch.
    pub fn require_vectors(&mut self) -> Flag {
        if !self.flags.vectors {
            let state = Word::Value(self.code.load_word(at::MACHINE_STATE));
            let available = self.bit(state, Msr::VECTORS.trailing_zeros());
            let absent = self.flag_not(available);
            self.leave_if(absent);
            self.flags.vectors = true;
        }
        Flag::Constant(true)
    }

    pub fn read_vector(&mut self, index: u32) -> Value {
        let registers = self.load(types::I64, at::VECTORS);
        let builder = &mut self.code.builder;
        builder
            .ins()
            .load(BYTES, own_memory(), registers, 16 * index as i32)
    }

    /// Writes a register in the core: nothing may leave the instruction behind this.
    pub fn write_vector(&mut self, index: u32, value: Value) {
        if self.code.predicate.is_some() {
            return self.beyond();
        }
        let registers = self.load(types::I64, at::VECTORS);
        let builder = &mut self.code.builder;
        builder
            .ins()
            .store(own_memory(), value, registers, 16 * index as i32);
    }

    /// Of four words, the most significant first.
    pub fn vector_of(&mut self, words: [Word; 4]) -> Value {
        let [first, rest @ ..] = words;
        let value = self.code.value(first);
        let mut all = self.code.builder.ins().splat(types::I32X4, value);
        for (word, lane) in rest.into_iter().zip([2, 1, 0]) {
            if word != first {
                let value = self.code.value(word);
                all = self.code.builder.ins().insertlane(all, value, lane);
            }
        }
        elements::taken_as(&mut self.code.builder, BYTES, all)
    }

    pub fn words_of_vector(&mut self, value: Value) -> [Word; 4] {
        let builder = &mut self.code.builder;
        let words = elements::taken_as(builder, types::I32X4, value);
        [3, 2, 1, 0].map(|lane| Word::Value(builder.ins().extractlane(words, lane)))
    }

    pub fn compute_vector(&mut self, operation: Operation, operands: [Value; 3]) -> Value {
        let Some(made) = elements::compute(&mut self.code.builder, operation, operands) else {
            return self.call_vector(operation, operands);
        };
        if let Some(unfit) = made.unfit {
            let some = self.code.builder.ins().vany_true(unfit);
            let some = self.code.builder.ins().uextend(types::I32, some);
            let before = self.vector_status_value();
            let after = self.code.builder.ins().bor(before, some);
            self.write_vector_status(after);
        }
        made.value
    }

    pub fn vector_status_value(&mut self) -> Value {
        let place = self.load(types::I64, at::VECTOR_STATUS);
        let builder = &mut self.code.builder;
        builder.ins().load(types::I32, own_memory(), place, 0)
    }

    pub fn write_vector_status(&mut self, value: Value) {
        if self.code.predicate.is_some() {
            return self.beyond();
        }
        let place = self.load(types::I64, at::VECTOR_STATUS);
        let builder = &mut self.code.builder;
        builder.ins().store(own_memory(), value, place, 0);
    }

    /// Has a call compute it.
    fn call_vector(&mut self, operation: Operation, operands: [Value; 3]) -> Value {
        type Helper = unsafe extern "C" fn(*mut Context<PowerPc>, *const Operation);
        // The context is aligned to 8 bytes only.
        let scratch = MemFlagsData::new().with_notrap();
        let context = self.code.context;
        let builder = &mut self.code.builder;
        for (place, value) in (at::OPERANDS..).step_by(16).zip(operands) {
            builder.ins().store(scratch, value, context, place);
        }
        let function = compute as Helper as usize as i64;
        let function = builder.ins().iconst(types::I64, function);
        let operation = std::ptr::from_ref(kept(operation)) as i64;
        let operation = builder.ins().iconst(types::I64, operation);
        builder
            .ins()
            .call_indirect(self.declared.vector, function, &[context, operation]);
        builder.ins().load(BYTES, scratch, context, at::OPERANDS)
    }
}

/// The same operation at a place of its own, to which code may lead as long as the program runs. There are some hundred operations.
fn kept(operation: Operation) -> &'static Operation {
    static ALL: Mutex<Vec<&'static Operation>> = Mutex::new(vec![]);
    let mut all = match ALL.lock() {
        Ok(all) => all,
        Err(poisoned) => poisoned.into_inner(),
    };
    if let Some(known) = all.iter().find(|known| ***known == operation) {
        return known;
    }
    let new = Box::leak(Box::new(operation));
    all.push(new);
    new
}

/// Called by translated code: computes of the operands in the context, and leaves the result in the place of the first one.
///
/// # Safety
/// `context` is the one that the code was entered with, and `operation` is what [`kept`] gave.
unsafe extern "C" fn compute(context: *mut Context<PowerPc>, operation: *const Operation) {
    // SAFETY: as above; nothing else refers to the context while the code runs.
    let state = unsafe { &mut *context }.state_mut();
    // SAFETY: it stays as long as the program runs, and nobody writes to it.
    let operation = unsafe { *operation };
    // SAFETY: the engine put the address of the core's register there, and uses it for nothing else until the code returns.
    let status = unsafe { &mut *(state.vector_status as *mut u32) };
    let [a, b, c] = state
        .operands
        .map(|[low, high]| u128::from(high) << 64 | u128::from(low));
    let computed = vector::compute(operation, a, b, c, *status);
    *status |= u32::from(computed.saturated) * vector::SATURATED;
    state.operands[0] = [computed.value as u64, (computed.value >> 64) as u64];
}

impl State {
    /// Where the core's vector registers and status lie.
    pub fn lead_to_vectors(&mut self, core: &mut Core) {
        self.vectors = core.vector.as_mut_ptr() as u64;
        self.vector_status = std::ptr::from_mut(&mut core.vector_status) as u64;
    }
}
