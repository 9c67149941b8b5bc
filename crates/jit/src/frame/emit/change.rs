//! Instructions that change the machine state: code for the new one goes on.

use super::{Emitter, Place};
use crate::code::Word;
use crate::frame::adapter::Adapter;
use crate::frame::context::at;
use crate::frame::exits::Exit;
use crate::profile::{Chained, Kind};
use crate::states::StateIndex;
use cranelift_codegen::ir::{InstBuilder, Value};
use socscope_isa::StaticCycleModel;
use socscope_memory::Width;

impl<A: Adapter, M: StaticCycleModel<A::Class>> Emitter<'_, A, M> {
    /// The instruction does this at its end, unless it depends on something.
    pub fn change(&mut self, change: A::Change) {
        if self.code.predicate.is_some() || self.facts.leaves_exceptions {
            self.failed = true;
        } else {
            self.change = Some(change);
        }
    }

    /// Ends the instruction, and with it the sequence: what a profile is told, class and fetched width of an exception's entry that comes with it, the
    /// flavour of what comes next, as far as registers are given back by it, and what writes the new machine state to the context and says where that
    /// goes on. The engine knows the code; false where the timing model has too many states, or has to know the region that it goes on in.
    pub fn resume_after(
        &mut self,
        kind: Kind,
        entry: Option<(A::Class, Width)>,
        flavour: A::Flavour,
        write: impl FnOnce(&mut Self) -> Value,
    ) -> bool {
        if A::REFILLS {
            // Where it goes on is not known: in any region it takes the same.
            if self.facts.regions_matter {
                return false;
            }
            let fetch = self.facts.costs.cost(self.plan.region);
            let width = A::lengths(flavour)[0];
            self.model.refill(self.plan.region, &fetch, width);
        }
        let Some((cost, ended)) = self.end() else {
            return false;
        };
        let entered = match entry {
            Some(entry) => self.enter_exception(entry, ended),
            None => Some((0, ended)),
        };
        let Some((more, state)) = entered else {
            return false;
        };
        self.spent += cost;
        self.count_executed();
        self.look_accesses_up(None);
        self.note_interrupted_stack();
        let target = write(self);
        self.flush();
        self.tell_change(kind, target, (more, state), flavour);
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
        self.exit_changed(target, state, flavour);
        true
    }

    /// Goes on behind the instruction in the code for the machine state that it has written, if it has written one that this code is not made for.
    pub(super) fn go_elsewhere(&mut self, next: Place) {
        let Some(elsewhere) = self.goes_elsewhere.take() else {
            return;
        };
        let [leave, on] = std::array::from_fn(|_| self.code.builder.create_block());
        self.code.builder.set_cold_block(leave);
        self.code.builder.ins().brif(elsewhere, leave, &[], on, &[]);
        self.code.builder.switch_to_block(on);
        self.leave_from(Some(leave), |emitter| emitter.resume_at(next));
    }

    /// Goes on in the code of a place that the engine knows.
    fn resume_at(&mut self, (address, state): Place) {
        // Only the hooks of a profile can follow into another function from here.
        if self.crosses(self.address, address) {
            return self.leave_behind((address, state));
        }
        self.flush();
        self.pay();
        let [on, out] = std::array::from_fn(|_| self.code.builder.create_block());
        self.code.builder.set_cold_block(out);
        self.require_time(out);
        let [target, number] = [address, state.0].map(|number| self.code.constant(number));
        let code = self.call_helper(self.facts.helpers.resume, &[target, number]);
        self.code.builder.ins().brif(code, on, &[], out, &[]);
        self.code.builder.switch_to_block(on);
        self.call_on(code, None);
        self.code.builder.switch_to_block(out);
        self.leave_behind((address, state));
    }

    /// Lets the observer know. A profile's contexts pay for the instruction before, and for the `more` that the entry of an exception takes behind.
    fn tell_change(
        &mut self,
        kind: Kind,
        target: Value,
        (more, state): (u64, StateIndex),
        flavour: A::Flavour,
    ) {
        let leave_by = |emitter: &mut Self| emitter.exit_changed(target, state, flavour);
        if self.profiler.is_none() {
            self.tell_if_told((kind, target), more, leave_by);
            self.spent += more;
            return;
        }
        self.tell_end(more);
        let leave = self.chain_calls(Chained::Told(kind), Word::Value(target));
        self.spent += more;
        if let (Some(profiler), 1..) = (&mut self.profiler, more) {
            profiler.takes_time();
        }
        self.leave_from(leave, leave_by);
    }

    /// Lets an observer without a profile know that wants to: the same code is for all others, too. It costs `more` until the change is over.
    pub(super) fn tell_if_told(
        &mut self,
        (kind, target): (Kind, Value),
        more: u64,
        leave_by: impl FnOnce(&mut Self),
    ) {
        if !A::TELLS_CHANGES {
            return;
        }
        self.pay();
        let told = self.code.load_word(at::TOLD);
        let [tell, on] = std::array::from_fn(|_| self.code.builder.create_block());
        self.code.builder.set_cold_block(tell);
        self.code.builder.ins().brif(told, tell, &[], on, &[]);
        let chain = self.chain();
        self.code.builder.switch_to_block(tell);
        self.tell_end(more);
        let leave = self.tell(kind, Word::Value(target));
        self.code.builder.ins().jump(on, &[]);
        self.code.builder.switch_to_block(leave);
        self.spent += more;
        leave_by(self);
        self.resume(chain);
        self.code.builder.switch_to_block(on);
    }

    /// Goes on by way of the engine.
    fn exit_changed(&mut self, target: Value, state: StateIndex, flavour: A::Flavour) {
        self.code.store_value(target, at::EXIT_ADDRESS);
        let exit = self.add_exit(Exit::Computed {
            state,
            flavour,
            refill: None,
        });
        self.return_with(exit, self.spent);
    }

    /// The entry of an exception after an instruction that led to the state `ended`.
    fn enter_exception(
        &mut self,
        (class, width): (A::Class, Width),
        ended: StateIndex,
    ) -> Option<(u64, StateIndex)> {
        let region = self.plan.region;
        let fetch = self.facts.costs.cost(region);
        self.model = self.states.model(ended).clone();
        self.model.begin(class, region, &fetch, width);
        self.end()
    }
}
