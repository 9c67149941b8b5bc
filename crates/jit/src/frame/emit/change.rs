//! Instructions that change the machine state: code for the new one goes on.

use super::Emitter;
use crate::frame::adapter::Adapter;
use crate::frame::context::at;
use crate::frame::exits::Exit;
use crate::states::StateIndex;
use cranelift_codegen::ir::InstBuilder;
use socscope_isa::StaticCycleModel;

impl<A: Adapter, M: StaticCycleModel<A::Class>> Emitter<'_, A, M> {
    /// The instruction does this at its end, unless it depends on something.
    pub fn change(&mut self, change: A::Change) {
        if self.code.predicate.is_some() || self.facts.exceptions_told {
            self.failed = true;
        } else {
            self.change = Some(change);
        }
    }

    /// Ends the sequence with a change of the machine state.
    pub(super) fn make_change(&mut self, change: A::Change, state: StateIndex) {
        let target = A::change(self, change);
        self.flush();
        self.pay();
        let out = self.code.builder.create_block();
        self.code.builder.set_cold_block(out);
        self.require_time(out);
        let number = self.code.constant(state.0);
        let code = self.call_helper(self.facts.helpers.resume, &[target, number]);
        let on = self.code.builder.create_block();
        self.code.builder.ins().brif(code, on, &[], out, &[]);
        self.code.builder.switch_to_block(on);
        self.call_on(code);
        self.code.builder.switch_to_block(out);
        self.code.store_value(target, at::EXIT_ADDRESS);
        let exit = self.exits.add(Exit::Computed { state });
        self.return_with(exit, 0);
    }
}
