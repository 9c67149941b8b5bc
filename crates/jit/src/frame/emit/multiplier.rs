//! Multiplications: their duration depends on the number of significant bytes of an operand.

use super::Emitter;
use crate::code::Word;
use crate::frame::adapter::Adapter;
use crate::states::StateIndex;
use cranelift_codegen::ir::{InstBuilder, types};
use socscope_isa::StaticCycleModel;

/// More fractions of a cycle than these no byte of an operand costs.
const STEP_MAX: u64 = 1_000;

impl<A: Adapter, M: StaticCycleModel<A::Class>> Emitter<'_, A, M> {
    /// Tells the timing model of an operand.
    pub fn multiplied(&mut self, operand: Word, signed: bool) {
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

    /// The instruction ends: its time, without what was paid when the code runs, and the timing model's state.
    pub(super) fn end(&mut self) -> Option<(u64, StateIndex)> {
        let Some((mut ends, bytes)) = self.by_multiplier.take() else {
            let cost = self.model.end();
            return Some((cost, self.states.index(&self.model)?));
        };
        let costs: [u64; 4] = std::array::from_fn(|index| ends[index].end());
        let step = costs[1].wrapping_sub(costs[0]);
        let linear = (1..4).all(|index| costs[index].wrapping_sub(costs[index - 1]) == step);
        if !linear || step > STEP_MAX || ends.iter().any(|model| *model != ends[0]) {
            return None;
        }
        let extra = self.code.builder.ins().uextend(types::I64, bytes);
        let extra = self.code.builder.ins().iadd_imm_s(extra, -1);
        let extra = self.code.builder.ins().imul_imm_s(extra, step as i64);
        let budget = self.code.builder.use_var(self.variables.budget);
        let left = self.code.builder.ins().isub(budget, extra);
        self.code.builder.def_var(self.variables.budget, left);
        self.unforeseen += 3 * step;
        self.model = ends[0].clone();
        Some((costs[0], self.states.index(&self.model)?))
    }
}
