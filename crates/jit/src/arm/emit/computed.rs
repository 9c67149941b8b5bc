//! Jumps to computed addresses under a profile: calls, returns, and jumps inside a function or to another one's beginning.

use super::calls::{Callee, Chained};
use super::{Before, Emitter};
use crate::arm::context::at;
use crate::arm::targets;
use crate::code::own_memory;
use crate::shared::ShadowFrame;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block as Code, InstBuilder, Value, types};
use socscope_arm::{LINK, Leave, STACK, Value as Target};
use socscope_isa::StaticCycleModel;

impl<M: StaticCycleModel> Emitter<'_, M> {
    /// A transfer to a computed address: what it may do, and the blocks for it. None when it was left to the interpreter.
    pub(super) fn look_at_computed(
        &mut self,
        address: Value,
        before: &Before,
    ) -> Vec<(Code, Chained)> {
        let out = self.code.builder.create_block();
        let ways = if self.is_call(out) {
            self.look_at_computed_call(address, out)
        } else {
            self.look_at_computed_jump(address, out)
        };
        self.left_aside(out, before, true);
        ways
    }

    fn look_at_computed_call(&mut self, address: Value, out: Code) -> Vec<(Code, Chained)> {
        let next = self.address.wrapping_add(self.set.width().bytes());
        let (first, last, _) = self.range(self.address);
        if !(first..=last).contains(&next) {
            self.code.builder.ins().jump(out, &[]);
            return vec![];
        }
        let callee = self.look_at_target(address, out);
        let entered = self.look_at_call(callee, out);
        vec![(self.next_block(), Chained::Enters(entered))]
    }

    fn look_at_computed_jump(&mut self, address: Value, out: Code) -> Vec<(Code, Chained)> {
        let top = self.top();
        let sp = self.register_word(STACK);
        let wanted = self.frame_word(top, ShadowFrame::RETURN_ADDRESS);
        let [returns, jumps, outside] = std::array::from_fn(|_| self.code.builder.create_block());
        let same = self.code.builder.ins().icmp(IntCC::Equal, wanted, address);
        self.only_if(same, jumps);
        let sp = self.code.value(sp);
        let its = self.frame_word(top, ShadowFrame::SP);
        let same = self.code.builder.ins().icmp(IntCC::Equal, its, sp);
        self.only_if(same, jumps);
        let flags = own_memory();
        let back = self
            .code
            .builder
            .ins()
            .load(types::I64, flags, top, ShadowFrame::BACK);
        let frame = self.code.builder.ins().isub(top, back);
        self.code.builder.ins().jump(returns, &[]);
        let (first, last, own) = self.range(self.address);
        self.code.builder.switch_to_block(jumps);
        let start = self.code.constant(first);
        let distance = self.code.builder.ins().isub(address, start);
        let length = self.code.constant(last - first);
        let inside = self
            .code
            .builder
            .ins()
            .icmp(IntCC::UnsignedLessThanOrEqual, distance, length);
        self.only_if(inside, outside);
        // The lowest frame's function returns slowly, also when it has called itself.
        let lowest = self.code.builder.ins().bor_imm_u(address, 1);
        let other = self
            .code
            .builder
            .ins()
            .icmp(IntCC::NotEqual, wanted, lowest);
        self.only_if(other, out);
        let jumps = self.next_block();
        self.code.builder.switch_to_block(outside);
        let mut ways = vec![
            (returns, Chained::Returns(frame)),
            (jumps, Chained::Nothing),
        ];
        if self.is_seldom_a_jump() {
            self.code.builder.ins().jump(out, &[]);
            return ways;
        }
        let callee = self.look_at_target(address, out);
        let starts = self
            .code
            .builder
            .ins()
            .band_imm_u(callee.constant, i64::from(targets::STARTS));
        self.only_if(starts, out);
        let other = self
            .code
            .builder
            .ins()
            .icmp_imm_s(IntCC::NotEqual, callee.function, own);
        self.only_if(other, out);
        let entered = self.look_at_jump(address, callee, out);
        ways.push((self.next_block(), Chained::Enters(entered)));
        ways
    }

    /// Whether a jump to a computed address leads to another function's begin so seldom that the interpreter may do it: a return of the usual kinds.
    fn is_seldom_a_jump(&self) -> bool {
        use socscope_isa::CycleClass::LoadMultiple;
        let by_link = self
            .plan
            .instructions
            .get(&self.address)
            .is_some_and(|planned| {
                matches!(
                    planned.footprint.leave,
                    Some(
                        Leave::BranchExchange(Target::Register(LINK, 0))
                            | Leave::Branch(Target::Register(LINK, 0))
                    )
                )
            });
        by_link || self.class == LoadMultiple
    }

    /// The function around a computed address.
    fn look_at_target(&mut self, address: Value, out: Code) -> Callee {
        let flags = own_memory();
        let table = self
            .code
            .builder
            .ins()
            .load(types::I64, flags, self.code.context, at::TARGETS);
        let offset = self.table_offset(address, targets::COUNT, targets::SHIFT);
        let entry = self.code.builder.ins().iadd(table, offset);
        let known = self
            .code
            .builder
            .ins()
            .load(types::I32, flags, entry, targets::ADDRESS);
        let same = self.code.builder.ins().icmp(IntCC::Equal, known, address);
        self.only_if(same, out);
        Callee {
            function: self
                .code
                .builder
                .ins()
                .load(types::I64, flags, entry, targets::FUNCTION),
            constant: self
                .code
                .builder
                .ins()
                .load(types::I32, flags, entry, targets::CONSTANT),
        }
    }
}
