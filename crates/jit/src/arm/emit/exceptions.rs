//! Software interrupts and returns from exceptions: the mode changes by a call of the host, and code for what comes next goes on.

use super::flags::Flags;
use super::reading::Leaving;
use super::status::{FAST, MODES, UNBANKED};
use super::{Before, Emitter};
use crate::arm::context::{Context, at, enter_supervisor, restore_status};
use crate::code::Word;
use cranelift_codegen::ir::{InstBuilder, Value, types};
use socscope_arm::{Exception, InstructionSet, LINK, STACK};
use socscope_isa::StaticCycleModel;

impl<M: StaticCycleModel> Emitter<'_, M> {
    /// Whether nobody has to be told of exceptions and returns.
    pub(super) fn changes_mode(&self) -> bool {
        let planned = self.plan.instructions.get(&self.address);
        planned.is_some_and(|planned| planned.flow == crate::arm::plan::Flow::Changes)
    }

    /// A software interrupt. Out of the fast interrupt's mode it is the interpreter's.
    pub(super) fn raise(&mut self) {
        self.require_other_modes(FAST);
        self.leaving = Some(Leaving::SoftwareInterrupt);
    }

    /// A return from an exception, unless an interrupt comes first or the mode is an unusual one.
    pub(super) fn return_to_interrupted(&mut self, target: Word) {
        self.require_other_modes(UNBANKED | FAST);
        let saved = self.code.load_word(at::SAVED);
        self.demand_mode(saved, MODES & !FAST);
        self.demand_flags(saved);
        self.demand_quiet();
        self.leaving = Some(Leaving::Return(target));
    }

    /// Goes on in the handler of software interrupts.
    pub(super) fn enter_handler(&mut self, before: &Before) {
        self.flush();
        type Helper = unsafe extern "C" fn(*mut Context, u32, u32);
        let helper = enter_supervisor as Helper as usize as i64;
        let address = self.code.constant(self.address);
        let thumb = self.set == InstructionSet::Thumb;
        let thumb = self.code.constant(u32::from(thumb));
        let context = self.code.context;
        let builder = &mut self.code.builder;
        let helper = builder.ins().iconst(types::I64, helper);
        let arguments = [context, address, thumb];
        builder
            .ins()
            .call_indirect(self.enter_helper, helper, &arguments);
        self.take_over_mode();
        let vector = Exception::SoftwareInterrupt.vector();
        self.computed(Word::Constant(vector), InstructionSet::Arm, before);
    }

    /// Goes on in what an exception has interrupted.
    pub(super) fn leave_handler(&mut self, target: Word, before: &Before) {
        let target = self.code.value(target);
        self.flush();
        let thumb = self.call_restore_status();
        self.take_over_mode();
        let [thumb_next, arm_next] = [(); 2].map(|()| self.code.builder.create_block());
        let builder = &mut self.code.builder;
        builder.ins().brif(thumb, thumb_next, &[], arm_next, &[]);
        let (model, chain) = (self.model.clone(), self.chain());
        let ways = [
            (thumb_next, InstructionSet::Thumb),
            (arm_next, InstructionSet::Arm),
        ];
        for (block, set) in ways {
            self.resume(chain.clone());
            self.code.builder.switch_to_block(block);
            self.model = model.clone();
            self.computed(Word::Value(target), set, before);
        }
    }

    fn call_restore_status(&mut self) -> Value {
        type Helper = unsafe extern "C" fn(*mut Context) -> u32;
        let helper = restore_status as Helper as usize as i64;
        let context = self.code.context;
        let builder = &mut self.code.builder;
        let helper = builder.ins().iconst(types::I64, helper);
        let call = builder
            .ins()
            .call_indirect(self.restore_helper, helper, &[context]);
        builder.inst_results(call)[0]
    }

    /// The context has the registers and flags of another mode.
    fn take_over_mode(&mut self) {
        for index in [STACK, LINK] {
            let value = self.code.load_word(at::register(index));
            let slot = index as usize;
            let variable = self.variables.registers[slot];
            self.code.builder.def_var(variable, value);
            self.known[slot] = Some(Word::Value(value));
        }
        self.flags = Flags::default();
    }
}
