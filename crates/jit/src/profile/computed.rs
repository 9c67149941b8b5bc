//! Jumps to computed addresses under a profile: calls, returns, and jumps inside a function or to another one's beginning.

use super::calls::{Callee, frame_word};
use super::{Chained, Profiler, Site, targets};
use crate::code::{Writer, own_memory};
use crate::shared::ShadowFrame;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block as Code, InstBuilder, Value, types};

impl Profiler<'_> {
    /// A call of a computed address: the blocks of what it may do; none where only the hooks can say.
    pub fn look_at_computed_call(
        &self,
        code: &mut Writer,
        site: Site,
        address: Value,
        out: Code,
    ) -> Vec<(Code, Chained)> {
        let (first, last, _) = self.range(site.address);
        if !(first..=last).contains(&site.next) {
            code.builder.ins().jump(out, &[]);
            return vec![];
        }
        let callee = self.look_at_target(code, address, out);
        let entered = self.look_at_call(code, site, callee, out);
        vec![(code.next_block(), Chained::Enters(entered))]
    }

    /// A jump to a computed address. If it `mostly_returns`, the hooks do what else it is: each way is much code.
    pub fn look_at_computed_jump(
        &self,
        code: &mut Writer,
        site: Site,
        (address, mostly_returns): (Value, bool),
        out: Code,
    ) -> Vec<(Code, Chained)> {
        let top = self.top(code);
        let wanted = frame_word(code, top, ShadowFrame::RETURN_ADDRESS);
        let [returns, jumps] = std::array::from_fn(|_| code.builder.create_block());
        let same = code.builder.ins().icmp(IntCC::Equal, wanted, address);
        code.only_if(same, jumps);
        let sp = code.value(site.stack);
        let its = frame_word(code, top, ShadowFrame::SP);
        let same = code.builder.ins().icmp(IntCC::Equal, its, sp);
        code.only_if(same, jumps);
        let builder = &mut code.builder;
        let flags = own_memory();
        let back = builder
            .ins()
            .load(types::I64, flags, top, ShadowFrame::BACK);
        let frame = builder.ins().isub(top, back);
        builder.ins().jump(returns, &[]);
        let returning = (returns, Chained::Returns(frame));
        if mostly_returns {
            code.builder.switch_to_block(jumps);
            code.builder.ins().jump(out, &[]);
            return vec![returning];
        }
        let outside = code.builder.create_block();
        let (first, last, own) = self.range(site.address);
        code.builder.switch_to_block(jumps);
        let start = code.constant(first);
        let distance = code.builder.ins().isub(address, start);
        let length = code.constant(last - first);
        let inside = IntCC::UnsignedLessThanOrEqual;
        let inside = code.builder.ins().icmp(inside, distance, length);
        code.only_if(inside, outside);
        // The lowest frame's function returns slowly, also when it has called itself.
        let lowest = code.builder.ins().bor_imm_u(address, 1);
        let other = code.builder.ins().icmp(IntCC::NotEqual, wanted, lowest);
        code.only_if(other, out);
        let jumps = code.next_block();
        code.builder.switch_to_block(outside);
        let mut ways = vec![returning, (jumps, Chained::Nothing)];
        let callee = self.look_at_target(code, address, out);
        let builder = &mut code.builder;
        let starts = builder
            .ins()
            .band_imm_u(callee.constant, i64::from(targets::STARTS));
        code.only_if(starts, out);
        let builder = &mut code.builder;
        let other = builder
            .ins()
            .icmp_imm_s(IntCC::NotEqual, callee.function, own);
        code.only_if(other, out);
        let entered = self.look_at_jump(code, site, (address, callee), out);
        ways.push((code.next_block(), Chained::Enters(entered)));
        ways
    }

    /// The function around a computed address.
    fn look_at_target(&self, code: &mut Writer, address: Value, out: Code) -> Callee {
        let flags = own_memory();
        let context = code.context;
        let table = code
            .builder
            .ins()
            .load(types::I64, flags, context, self.fields.targets);
        let offset = code.table_offset(address, targets::COUNT, targets::SHIFT);
        let builder = &mut code.builder;
        let entry = builder.ins().iadd(table, offset);
        let known = builder
            .ins()
            .load(types::I32, flags, entry, targets::ADDRESS);
        let same = builder.ins().icmp(IntCC::Equal, known, address);
        code.only_if(same, out);
        let builder = &mut code.builder;
        Callee {
            function: builder
                .ins()
                .load(types::I64, flags, entry, targets::FUNCTION),
            constant: builder
                .ins()
                .load(types::I32, flags, entry, targets::CONSTANT),
        }
    }
}
