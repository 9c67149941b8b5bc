//! Floating point: registers lie in the core, arithmetic is done by calls.

use super::adapter::PowerPc;
use super::state::{State, at};
use crate::code::{Word, own_memory};
use crate::frame::{Context, Emitter};
use cranelift_codegen::ir::{InstBuilder, Value, types};
use socscope_isa::StaticCycleModel;
use socscope_powerpc::{Class, Core, float};

/// What a call does with up to three numbers of 64 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Work {
    /// [`float::compute`].
    Compute(float::Operation),
    /// [`float::compare`], ordered or not; the status follows.
    Compare(bool),
    FromSingle,
    ToSingle,
    /// Writes the status register.
    SetStatus,
}

use float::Operation as O;
use float::Precision::{Double, Single};

/// All kinds of work; translated code names them by number.
const WORKS: [Work; 27] = [
    Work::Compute(O::Add(Double)),
    Work::Compute(O::Add(Single)),
    Work::Compute(O::Subtract(Double)),
    Work::Compute(O::Subtract(Single)),
    Work::Compute(O::Multiply(Double)),
    Work::Compute(O::Multiply(Single)),
    Work::Compute(O::Divide(Double)),
    Work::Compute(O::Divide(Single)),
    fused(Double, false, false),
    fused(Double, false, true),
    fused(Double, true, false),
    fused(Double, true, true),
    fused(Single, false, false),
    fused(Single, false, true),
    fused(Single, true, false),
    fused(Single, true, true),
    Work::Compute(O::Round),
    Work::Compute(O::ToInteger(false)),
    Work::Compute(O::ToInteger(true)),
    Work::Compute(O::Reciprocal),
    Work::Compute(O::ReciprocalRoot),
    Work::Compare(false),
    Work::Compare(true),
    Work::FromSingle,
    Work::ToSingle,
    Work::SetStatus,
    // Numbers beyond the list read as this.
    Work::SetStatus,
];

const fn fused(precision: float::Precision, subtract: bool, negate: bool) -> Work {
    Work::Compute(O::MultiplyAdd {
        precision,
        subtract,
        negate,
    })
}

impl<M: StaticCycleModel<Class>> Emitter<'_, PowerPc, M> {
    pub fn read_float(&mut self, index: u32) -> Value {
        let registers = self.load(types::I64, at::FLOAT);
        let offset = 8 * index as i32;
        let builder = &mut self.code.builder;
        builder
            .ins()
            .load(types::I64, own_memory(), registers, offset)
    }

    /// Writes a register in the core, if the present condition holds: nothing may leave the instruction behind this.
    pub fn write_float(&mut self, index: u32, value: Value) {
        let value = match self.code.predicate {
            None => value,
            Some(predicate) => {
                let old = self.read_float(index);
                let holds = self.code.truth(predicate);
                self.code.builder.ins().select(holds, value, old)
            }
        };
        let registers = self.load(types::I64, at::FLOAT);
        let offset = 8 * index as i32;
        let builder = &mut self.code.builder;
        builder.ins().store(own_memory(), value, registers, offset);
    }

    /// The two halves, the high one first.
    pub fn words_of(&mut self, value: Value) -> (Word, Word) {
        let builder = &mut self.code.builder;
        let high = builder.ins().ushr_imm_u(value, 32);
        let high = builder.ins().ireduce(types::I32, high);
        let low = builder.ins().ireduce(types::I32, value);
        (Word::Value(high), Word::Value(low))
    }

    /// Has a call do it.
    pub fn call_float(&mut self, work: Work, operands: [Value; 3]) -> Value {
        type Helper = unsafe extern "C" fn(*mut Context<PowerPc>, u32, u64, u64, u64) -> u64;
        let Some(number) = WORKS.iter().position(|known| *known == work) else {
            self.failed = true;
            return operands[0];
        };
        let number = self.code.constant(number as u32);
        let builder = &mut self.code.builder;
        let function = compute as Helper as usize as i64;
        let function = builder.ins().iconst(types::I64, function);
        let [a, b, c] = operands;
        let arguments = [self.code.context, number, a, b, c];
        let call = builder
            .ins()
            .call_indirect(self.declared.float, function, &arguments);
        builder.inst_results(call)[0]
    }
}

/// Called by translated code: does the work of this number.
///
/// # Safety
/// `context` is the one that the code was entered with.
unsafe extern "C" fn compute(
    context: *mut Context<PowerPc>,
    number: u32,
    a: u64,
    b: u64,
    c: u64,
) -> u64 {
    // SAFETY: as above; nothing else refers to the context while the code runs.
    let state = unsafe { &mut *context }.state_mut();
    // SAFETY: the engine put the address of the core's register there, and uses it for nothing else until the code returns.
    let status = unsafe { &mut *(state.float_status as *mut u32) };
    let number = (number as usize).min(WORKS.len() - 1);
    match WORKS[number] {
        Work::Compute(operation) => {
            let unit = state.model.float_unit();
            let computed = float::compute(operation, [a, b, c], *status, unit);
            *status = float::status::summarised(computed.status);
            state.float_written = u8::from(computed.written);
            computed.value
        }
        Work::Compare(ordered) => {
            let (condition, after) = float::compare(ordered, a, b, *status);
            *status = float::status::summarised(after);
            u64::from(condition)
        }
        Work::FromSingle => float::double_from_single(a as u32),
        Work::ToSingle => u64::from(float::single_from_double(a)),
        Work::SetStatus => {
            *status = float::status::summarised(a as u32);
            0
        }
    }
}

impl State {
    /// Where the core's floating-point registers and status lie.
    pub fn lead_to_float(&mut self, core: &mut Core) {
        self.model = core.model();
        self.float = core.float.as_mut_ptr() as u64;
        self.float_status = std::ptr::from_mut(&mut core.float_status) as u64;
    }
}
