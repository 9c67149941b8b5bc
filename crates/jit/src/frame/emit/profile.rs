//! What code adds to the counting and following of a profile: see [`Profiler`](crate::profile::Profiler).

use super::{Emitter, Place};
use crate::code::Word;
use crate::frame::adapter::Adapter;
use crate::frame::context::at;
use crate::frame::exits::Exit;
use crate::frame::plan::Planned;
use crate::profile::{Chained, Site};
use crate::states::StateIndex;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block, InstBuilder, Value};
use socscope_isa::StaticCycleModel;

impl<A: Adapter, M: StaticCycleModel<A::Class>> Emitter<'_, A, M> {
    /// Whether data accesses are counted.
    pub(super) fn counts(&self) -> bool {
        let profiler = self.profiler.as_ref();
        profiler.is_some_and(|profiler| profiler.facts.counting)
    }

    /// The instruction is done.
    pub(super) fn count_executed(&mut self) {
        if let Some(profiler) = &mut self.profiler {
            profiler.count_executed(self.facts.assumed);
        }
    }

    /// Whether execution that falls from one address to another comes into another function.
    pub(super) fn crosses(&self, from: u32, to: u32) -> bool {
        let profiler = self.profiler.as_ref();
        profiler.is_some_and(|profiler| profiler.crosses(from, to))
    }

    /// Adds what was counted to the counters of the context that runs; `spent` is the cost since the budget was last brought up to date.
    pub(super) fn emit_counts(&mut self, spent: u64) {
        if let Some(profiler) = &self.profiler {
            profiler.emit_counts(&mut self.code, spent);
        }
    }

    /// Hands the counts over to another block of the translation.
    pub(super) fn hand_over_counts(&mut self) {
        if let Some(profiler) = &mut self.profiler {
            profiler.hand_over(&mut self.code);
        }
    }

    /// Control goes on in other code, perhaps of another region.
    pub(super) fn note_region(&mut self) {
        if self.profiler.is_some() {
            let own = Word::Constant(u32::from(self.plan.region.0));
            self.code.store_word(own, at::CAME_REGION);
            let budget = self.code.builder.use_var(self.variables.budget);
            self.code.store_value(budget, at::CAME_BUDGET);
        }
    }

    /// Leaves the instruction to the interpreter, as if nothing of it had happened, in a block of its own.
    fn left_aside(&mut self, block: Block, computed: bool) {
        self.code.builder.set_cold_block(block);
        self.code.builder.switch_to_block(block);
        self.leave_before(Exit::Left {
            address: self.address,
            state: self.state,
            function: self.address,
            computed,
        });
    }

    fn site(&mut self) -> Site {
        Site {
            address: self.address,
            next: self.next,
            stack: self.register_word(A::STACK),
        }
    }

    /// A branch to a known address, with what it does to the chain of calls.
    pub(super) fn branch_known(
        &mut self,
        planned: &Planned<A::Class>,
        target: u32,
        state: StateIndex,
    ) {
        let site = self.site();
        let Some(profiler) = &self.profiler else {
            self.look_accesses_up(None);
            return self.go((target, state));
        };
        let chained = if profiler.follows_calls() {
            let out = self.code.builder.create_block();
            let maybe_return = self.plan.behind_calls.contains(&target);
            let code = &mut self.code;
            let chained = if planned.links && target != site.next {
                profiler.look_at_known_call(code, site, target, out)
            } else {
                profiler.look_at_known_jump(code, site, (target, maybe_return), out)
            };
            let here = self.code.next_block();
            self.left_aside(out, false);
            self.code.builder.switch_to_block(here);
            chained
        } else {
            Some(Chained::Nothing)
        };
        let Some(chained) = chained else {
            let before = self.before.clone();
            self.go_back(&before);
            return self.exit_left();
        };
        self.count_executed();
        self.look_accesses_up(None);
        self.chain_calls(chained);
        self.go((target, state));
    }

    /// A branch to a computed address, with what it does to the chain of calls.
    pub(super) fn branch_computed(
        &mut self,
        planned: &Planned<A::Class>,
        target: Word,
        state: StateIndex,
    ) {
        let follows = self.profiler.as_ref().map(|all| all.follows_calls());
        if follows != Some(true) {
            self.count_executed();
            self.look_accesses_up(None);
            return self.computed(target, state);
        }
        let address = self.code.value(target);
        let ways = self.look_at_computed(planned, address);
        let chain = self.chain();
        for (block, chained) in ways {
            self.resume(chain.clone());
            self.code.builder.switch_to_block(block);
            self.count_executed();
            self.look_accesses_up(None);
            self.chain_calls(chained);
            self.computed(Word::Value(address), state);
        }
    }

    fn look_at_computed(
        &mut self,
        planned: &Planned<A::Class>,
        address: Value,
    ) -> Vec<(Block, Chained)> {
        let site = self.site();
        let out = self.code.builder.create_block();
        let Some(profiler) = &self.profiler else {
            return vec![];
        };
        let code = &mut self.code;
        let ways = if planned.links {
            let next = code.constant(site.next);
            let calls = code.builder.ins().icmp(IntCC::NotEqual, address, next);
            code.only_if(calls, out);
            profiler.look_at_computed_call(code, site, address, out)
        } else {
            let to = (address, planned.mostly_returns);
            profiler.look_at_computed_jump(code, site, to, out)
        };
        self.left_aside(out, true);
        ways
    }

    fn chain_calls(&mut self, chained: Chained) {
        if matches!(chained, Chained::Nothing) {
            return;
        }
        self.pay();
        if let Some(profiler) = &mut self.profiler {
            profiler.chain_calls(&mut self.code, chained);
        }
    }

    /// Execution falls into another function. Goes on there if that is plain, else by way of the interpreter, whose hooks hear of it.
    pub(super) fn fall_into_other_function(&mut self, place: Place, from: u32) {
        self.flush();
        let out = self.code.builder.create_block();
        self.code.builder.set_cold_block(out);
        let profiler = self.profiler.as_ref();
        let fall = (from, place.0);
        let entered = profiler.and_then(|all| all.look_at_fall(&mut self.code, fall, out));
        let here = self.code.builder.create_block();
        let next = if entered.is_some() { here } else { out };
        self.code.builder.ins().jump(next, &[]);
        self.code.builder.switch_to_block(out);
        let exit = self.exits.add(Exit::Left {
            address: place.0,
            state: place.1,
            function: from,
            computed: false,
        });
        self.return_with(exit, self.spent);
        if let Some(entered) = entered {
            self.code.builder.switch_to_block(here);
            self.chain_calls(entered);
            self.go(place);
        }
    }
}
