//! What has to be so for a frame to be made without the hooks of the profile; else the code goes to the block `out`.

use super::Profiler;
use super::calls::Callee;
use crate::code::{Writer, own_memory};
use crate::shared::{FILTER_SLOTS, Known, STEPS, ShadowFrame, Step, Tracker};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block as Code, InstBuilder, Value, types};

impl Profiler<'_> {
    /// The context that a step is known to lead to.
    pub(super) fn look_at_step(
        &self,
        code: &mut Writer,
        step: Step,
        callee: Callee,
        out: Code,
    ) -> Value {
        let builder = &mut code.builder;
        let node = builder.use_var(self.node);
        let place = builder.ins().ushr_imm_u(node, i64::from(Known::NODE_SHIFT));
        let place = builder.ins().ireduce(types::I32, place);
        let place = builder.ins().iadd(place, callee.constant);
        let place = builder.ins().band_imm_u(place, STEPS as i64 - 1);
        let place = builder.ins().uextend(types::I64, place);
        let place = builder.ins().ishl_imm_u(place, i64::from(Known::SHIFT));
        let known = builder.ins().iadd(self.tracker, place);
        let first = Tracker::STEPS + Known::first(step);
        let [from, function, to] = [Known::FROM, Known::FUNCTION, Known::TO].map(|offset| {
            let flags = own_memory();
            builder.ins().load(types::I64, flags, known, first + offset)
        });
        let same = builder.ins().icmp(IntCC::Equal, node, from);
        code.only_if(same, out);
        let builder = &mut code.builder;
        let same = builder.ins().icmp(IntCC::Equal, callee.function, function);
        code.only_if(same, out);
        to
    }

    /// Room on the stack, and no frame outside it that may have the same name.
    pub(super) fn look_at_room(
        &self,
        code: &mut Writer,
        (top, sp): (Value, Value),
        callee: Callee,
        out: Code,
    ) {
        let flags = own_memory();
        let builder = &mut code.builder;
        let limit = builder
            .ins()
            .load(types::I64, flags, self.tracker, Tracker::LIMIT);
        let room = builder.ins().icmp(IntCC::NotEqual, top, limit);
        code.only_if(room, out);
        let builder = &mut code.builder;
        let slot = builder.ins().ushr_imm_u(sp, 2);
        let slot = builder.ins().iadd(slot, callee.constant);
        let slot = builder.ins().band_imm_u(slot, FILTER_SLOTS as i64 - 1);
        let slot = builder.ins().uextend(types::I64, slot);
        let byte = builder.ins().iadd(self.tracker, slot);
        let byte = builder.ins().load(types::I8, flags, byte, Tracker::FILTER);
        let none = builder.ins().icmp_imm_s(IntCC::Equal, byte, 0);
        code.only_if(none, out);
    }

    /// Above a call's frame only that function itself may not be jumped to: that is another one was seen. Else a call of the host looks further down.
    pub(super) fn look_at_round(&self, code: &mut Writer, back: Value, callee: Callee, out: Code) {
        let builder = &mut code.builder;
        let [further, on] = std::array::from_fn(|_| builder.create_block());
        builder.set_cold_block(further);
        let bytes = i64::from(ShadowFrame::BYTES);
        let called = builder.ins().icmp_imm_s(IntCC::Equal, back, bytes);
        builder.ins().brif(called, on, &[], further, &[]);
        builder.switch_to_block(further);
        let round = self.call_may_be_in_jump_chain(code, callee.function);
        code.builder.ins().brif(round, out, &[], on, &[]);
        code.builder.switch_to_block(on);
    }

    fn call_may_be_in_jump_chain(&self, code: &mut Writer, of: Value) -> Value {
        type Helper = unsafe extern "C" fn(*const Tracker, i64) -> u32;
        let function = may_be_in_jump_chain as Helper as usize as i64;
        let builder = &mut code.builder;
        let function = builder.ins().iconst(types::I64, function);
        let arguments = [self.tracker, of];
        let call = builder
            .ins()
            .call_indirect(self.round_helper, function, &arguments);
        builder.inst_results(call)[0]
    }
}

/// Called by translated code: whether a jump to a function is no fast one, because the function that runs was reached from there by jumps alone.
///
/// # Safety
/// `tracker` is that of the observer whose run it is.
unsafe extern "C" fn may_be_in_jump_chain(tracker: *const Tracker, function: i64) -> u32 {
    // SAFETY: translated code passes the tracker's address, which lives as long as the observer, and nobody writes it now.
    u32::from(unsafe { (*tracker).may_be_in_jump_chain(function) })
}
