//! System calls and returns from exceptions: the machine state changes, and code for the new one goes on.

use super::adapter::PowerPc;
use super::state::at;
use crate::code::own_memory;
use crate::frame::Emitter;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Value, types};
use socscope_isa::StaticCycleModel;
use socscope_powerpc::{Class, Exception, HIGH_VECTORS, Msr, SRR0, SRR1};

/// How an instruction changes the machine state and where control is.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Change {
    /// sc.
    SystemCall,
    /// rfi.
    Return,
}

impl<M: StaticCycleModel<Class>> Emitter<'_, PowerPc, M> {
    /// Writes the new machine state; where it goes on.
    pub fn write_change(&mut self, change: Change) -> Value {
        let before = self.code.load_word(at::MACHINE_STATE);
        let kept = self.load(types::I64, at::KEPT);
        let (machine_state, target) = match change {
            Change::SystemCall => self.enter_handler(before, kept),
            Change::Return => self.leave_handler(before, kept),
        };
        let mask = i64::from(self.facts.model.msr_mask());
        let machine_state = self.code.builder.ins().band_imm_u(machine_state, mask);
        self.code.store_value(machine_state, at::MACHINE_STATE);
        target
    }

    /// What [`socscope_powerpc::Core::enter`] does for a system call.
    fn enter_handler(&mut self, before: Value, kept: Value) -> (Value, Value) {
        let next = self.code.constant(self.next);
        let builder = &mut self.code.builder;
        let saved = builder.ins().band_imm_u(before, i64::from(Msr::SAVED));
        builder.ins().store(own_memory(), next, kept, place(SRR0));
        builder.ins().store(own_memory(), saved, kept, place(SRR1));
        let handler = builder
            .ins()
            .band_imm_u(before, i64::from(Msr::KEPT_BY_HANDLER));
        let little = builder.ins().ushr_imm_u(
            handler,
            i64::from(Msr::EXCEPTION_LITTLE_ENDIAN.trailing_zeros()),
        );
        let little = builder
            .ins()
            .band_imm_u(little, i64::from(Msr::LITTLE_ENDIAN));
        let handler = builder.ins().bor(handler, little);
        let high = builder
            .ins()
            .band_imm_u(before, i64::from(Msr::EXCEPTION_PREFIX));
        let high = builder.ins().icmp_imm_s(IntCC::NotEqual, high, 0);
        let vector = Exception::SystemCall.vector();
        let high_vector = builder
            .ins()
            .iconst(types::I32, i64::from(HIGH_VECTORS | vector));
        let low_vector = builder.ins().iconst(types::I32, i64::from(vector));
        let target = builder.ins().select(high, high_vector, low_vector);
        (handler, target)
    }

    /// What rfi does.
    fn leave_handler(&mut self, before: Value, kept: Value) -> (Value, Value) {
        let builder = &mut self.code.builder;
        let target = builder
            .ins()
            .load(types::I32, own_memory(), kept, place(SRR0));
        let saved = builder
            .ins()
            .load(types::I32, own_memory(), kept, place(SRR1));
        let lost = Msr::SAVED | Msr::POWER_MANAGEMENT;
        let stays = builder.ins().band_imm_u(before, i64::from(!lost));
        let restored = builder.ins().band_imm_u(saved, i64::from(Msr::SAVED));
        let machine_state = builder.ins().bor(stays, restored);
        let target = builder.ins().band_imm_u(target, i64::from(!3_u32));
        (machine_state, target)
    }
}

/// Offset of a special register behind the first one.
fn place(number: u32) -> i32 {
    4 * number as i32
}
