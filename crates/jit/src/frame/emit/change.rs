//! Instructions that change the machine state: code for the new one goes on.

use super::Emitter;
use crate::frame::adapter::Adapter;
use crate::frame::context::at;
use crate::frame::exits::Exit;
use crate::states::StateIndex;
use cranelift_codegen::ir::{InstBuilder, Value};
use socscope_isa::StaticCycleModel;
use socscope_memory::Width;

impl<A: Adapter, M: StaticCycleModel<A::Class>> Emitter<'_, A, M> {
    /// The instruction does this at its end, unless it depends on something.
    pub fn change(&mut self, change: A::Change) {
        if self.code.predicate.is_some() || self.facts.exceptions_told {
            self.failed = true;
        } else {
            self.change = Some(change);
        }
    }

    /// Ends the instruction, and with it the sequence: class and fetched width of an exception's entry that comes with it, and what writes the new
    /// machine state to the context and says where that goes on. The engine knows the code; false where the timing model has too many states.
    pub fn resume_after(
        &mut self,
        entry: Option<(A::Class, Width)>,
        write: impl FnOnce(&mut Self) -> Value,
    ) -> bool {
        let mut ended = self.end();
        if let Some(entry) = entry {
            ended = ended.and_then(|first| self.enter_exception(entry, first));
        }
        let Some((cost, state)) = ended else {
            return false;
        };
        self.spent += cost;
        self.look_accesses_up(None);
        let target = write(self);
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
        self.call_on(code, None);
        self.code.builder.switch_to_block(out);
        self.code.store_value(target, at::EXIT_ADDRESS);
        let exit = self.add_exit(Exit::Computed {
            state,
            flavour: self.facts.flavour,
            refill: None,
        });
        self.return_with(exit, 0);
        true
    }

    /// The entry of an exception after an instruction that took the time and led to the state `ended`: both together.
    fn enter_exception(
        &mut self,
        (class, width): (A::Class, Width),
        ended: (u64, StateIndex),
    ) -> Option<(u64, StateIndex)> {
        let region = self.plan.region;
        let fetch = self.facts.costs.cost(region);
        self.model = self.states.model(ended.1).clone();
        self.model.begin(class, region, &fetch, width);
        let (cost, state) = self.end()?;
        Some((ended.0 + cost, state))
    }
}
