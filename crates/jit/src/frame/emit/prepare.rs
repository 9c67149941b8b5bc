//! Instructions whose addresses are looked at before anything happens: reservations, and lines that are set to zero.

use super::Emitter;
use crate::code::{Expression, Flag, Word};
use crate::frame::adapter::Adapter;
use crate::frame::key::Flavour;
use crate::frame::prepare::{DONE, IMPOSSIBLE, PREPARE, how};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Value};
use socscope_isa::StaticCycleModel;

impl<A: Adapter, M: StaticCycleModel<A::Class>> Emitter<'_, A, M> {
    /// Looks at an address before the instruction does something with it; what the helper says, after the instruction was left if it cannot be done.
    pub fn prepare(&mut self, work: u8, address: Word) -> Value {
        self.require_predicate();
        let guest = self.code.value(address);
        let how = how(self.facts.flavour.data_table(), work);
        let how = self.code.constant(how);
        let result = self.call_helper(self.facts.helpers.own[PREPARE], &[guest, how]);
        let builder = &mut self.code.builder;
        let impossible = builder
            .ins()
            .icmp_imm_s(IntCC::Equal, result, IMPOSSIBLE as i64);
        let impossible = self.code.express(Expression::Value(impossible));
        self.leave_if(impossible);
        result
    }

    /// The same, before a store that is made only if the address is reserved: whether it is.
    pub fn prepare_conditional(&mut self, work: u8, address: Word) -> Flag {
        let result = self.prepare(work, address);
        self.prepared = true;
        let builder = &mut self.code.builder;
        let held = builder.ins().icmp_imm_s(IntCC::Equal, result, DONE as i64);
        self.code.express(Expression::Value(held))
    }
}
