//! What code adds to the counting and following of a profile: see [`Profiler`](crate::profile::Profiler).

use super::{Emitter, Place};
use crate::code::Word;
use crate::frame::adapter::Adapter;
use crate::frame::context::at;
use crate::frame::engine::follow_how;
use crate::frame::exits::Exit;
use crate::frame::key::Flavour;
use crate::frame::plan::Planned;
use crate::profile::{Chained, CountedPlaces, Kind, Owed, Site};
use crate::states::StateIndex;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block, InstBuilder, Value, types};
use socscope_isa::StaticCycleModel;
use socscope_memory::RegionIndex;

impl<A: Adapter, M: StaticCycleModel<A::Class>> Emitter<'_, A, M> {
    /// Whether data accesses are counted.
    pub(super) fn counts(&self) -> bool {
        let profiler = self.profiler.as_ref();
        profiler.is_some_and(|profiler| profiler.facts.counting)
    }

    /// The instruction is done.
    pub(super) fn count_executed(&mut self) {
        if let Some(profiler) = &mut self.profiler {
            profiler.count_executed(self.assumed.unwrap_or(self.plan.region));
        }
    }

    /// Whether execution that falls from one address to another comes into another function.
    pub(super) fn crosses(&self, from: u32, to: u32) -> bool {
        let profiler = self.profiler.as_ref();
        profiler.is_some_and(|profiler| profiler.crosses(from, to))
    }

    /// Adds what was counted to the counters of the context that runs; the budget is up to date.
    pub(super) fn emit_counts(&mut self) {
        if let Some(profiler) = &self.profiler {
            profiler.emit_counts(&mut self.code);
        }
    }

    /// What an exit leaves to the engine; `spent` is the cost since the budget was last brought up to date.
    pub(super) fn leave_to_account(&mut self, spent: u64) -> Owed {
        let Some(profiler) = &self.profiler else {
            return Owed {
                spent,
                ..Owed::default()
            };
        };
        let places = CountedPlaces {
            executed: at::EXECUTED,
            mark: at::MARK,
        };
        profiler.hand_to_engine(&mut self.code, places);
        profiler.owed(spent)
    }

    /// Hands the counts over to another block of the translation.
    pub(super) fn hand_over_counts(&mut self) {
        if let Some(profiler) = &mut self.profiler {
            profiler.hand_over(&mut self.code);
        }
    }

    /// Control goes on in other code, of another region perhaps, or of this one.
    pub(super) fn note_region(&mut self, to: Option<RegionIndex>) {
        if self.profiler.is_some() && to != Some(self.plan.region) {
            let own = Word::Constant(u32::from(self.plan.region.0));
            self.code.store_word(own, at::CAME_REGION);
            let budget = self.code.builder.use_var(self.variables.budget);
            self.code.store_value(budget, at::CAME_BUDGET);
        }
    }

    /// Leaves the instruction to the interpreter, as if nothing of it had happened, in a block of its own.
    pub(super) fn left_aside(&mut self, block: Block) {
        self.code.builder.set_cold_block(block);
        self.code.builder.switch_to_block(block);
        self.leave_before(Exit::Left {
            address: self.address,
            state: self.state,
            function: self.address,
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
        if !profiler.follows_calls() {
            self.count_executed();
            self.look_accesses_up(None);
            return self.go((target, state));
        }
        let [out, calls] = std::array::from_fn(|_| self.code.builder.create_block());
        let maybe_return = self.plan.behind_calls.contains(&target);
        let is_call = (A::CALLS_NEXT || target != site.next) && A::calls(self, planned, calls);
        let Some(profiler) = &self.profiler else {
            return;
        };
        let code = &mut self.code;
        let (kind, chained) = if is_call {
            let chained = profiler.look_at_known_call(code, site, target, out);
            (Kind::CALL, chained)
        } else {
            let to = (target, maybe_return);
            (Kind::JUMP, profiler.look_at_known_jump(code, site, to, out))
        };
        let mut ways = vec![];
        match chained {
            Some(chained) => ways.push((self.code.next_block(), chained)),
            None => {
                self.code.builder.ins().jump(out, &[]);
            }
        }
        ways.extend([
            (out, Chained::Told(kind)),
            (calls, Chained::Told(Kind::CALL)),
        ]);
        let chain = self.chain();
        for (block, chained) in ways {
            self.resume(chain.clone());
            if !self.switch_to_way(block, chained) {
                continue;
            }
            self.flush();
            self.count_executed();
            self.look_accesses_up(None);
            let leave = self.chain_calls(chained, Word::Constant(target));
            self.leave_from(leave, |emitter| {
                let exit = emitter.add_exit(Exit::Reached {
                    address: target,
                    state,
                    function: target,
                });
                emitter.return_with(exit, emitter.spent);
            });
            self.go((target, state));
        }
    }

    /// Goes on with one of the ways that a transfer may go, if anything leads there.
    pub(super) fn switch_to_way(&mut self, block: Block, chained: Chained) -> bool {
        let builder = &mut self.code.builder;
        if matches!(chained, Chained::Told(_)) {
            builder.set_cold_block(block);
        }
        builder.seal_block(block);
        builder.switch_to_block(block);
        !builder.is_unreachable()
    }

    /// Fills the block by which code leaves, if there is one, and goes on where it was.
    pub(super) fn leave_from(&mut self, leave: Option<Block>, write: impl FnOnce(&mut Self)) {
        let Some(leave) = leave else {
            return;
        };
        let here = self.code.next_block();
        let chain = self.chain();
        self.code.builder.switch_to_block(leave);
        write(self);
        self.resume(chain);
        self.code.builder.switch_to_block(here);
    }

    /// What a branch to a computed address may do to the chain of calls, and the blocks for it.
    pub(super) fn look_at_computed(
        &mut self,
        planned: &Planned<A::Class>,
        address: Value,
    ) -> Vec<(Block, Chained)> {
        let site = self.site();
        let [out, calls] = std::array::from_fn(|_| self.code.builder.create_block());
        let is_call = A::calls(self, planned, calls);
        let mut jumps = None;
        if is_call && !A::CALLS_NEXT {
            let next = self.code.constant(site.next);
            let builder = &mut self.code.builder;
            let others = builder.ins().icmp(IntCC::NotEqual, address, next);
            let block = builder.create_block();
            self.code.only_if(others, block);
            jumps = Some((block, Chained::Told(Kind::JUMP)));
        }
        let Some(profiler) = &self.profiler else {
            return vec![];
        };
        let code = &mut self.code;
        let (kind, mut ways) = if is_call {
            let ways = profiler.look_at_computed_call(code, site, address, out);
            (Kind::CALL, ways)
        } else {
            let to = (address, planned.mostly_returns);
            let ways = profiler.look_at_computed_jump(code, site, to, out);
            (Kind::JUMP, ways)
        };
        ways.extend([
            (out, Chained::Told(kind)),
            (calls, Chained::Told(Kind::CALL)),
        ]);
        ways.extend(jumps);
        ways
    }

    /// Does what a transfer to an address does to the chain of calls. Where a block is given, code leaves by it, after the instruction. Registers are in
    /// the context.
    pub(super) fn chain_calls(&mut self, chained: Chained, to: Word) -> Option<Block> {
        if matches!(chained, Chained::Nothing) {
            return None;
        }
        self.pay();
        if let Chained::Told(kind) = chained {
            return Some(self.tell(kind, to));
        }
        if let Some(profiler) = &mut self.profiler {
            profiler.chain_calls(&mut self.code, chained);
        }
        None
    }

    /// The stack pointer is that of what an exception interrupts.
    pub fn note_interrupted_stack(&mut self) {
        if A::TELLS_CHANGES {
            let stack = self.register_word(A::STACK);
            self.code.store_word(stack, at::INTERRUPTED_STACK);
        }
    }

    /// Tells the hooks that want to know of the special register that the instruction has written, if it has; whether the run is to end behind it.
    pub(super) fn tell_written(&mut self) -> Option<Value> {
        let (number, value) = self.written.take()?;
        let number = self.code.constant(number);
        let heard = self.code.load_word(at::HEARD);
        let builder = &mut self.code.builder;
        let stops = builder.declare_var(types::I64);
        let not = builder.ins().iconst(types::I64, 0);
        builder.def_var(stops, not);
        let [tell, on] = std::array::from_fn(|_| builder.create_block());
        builder.set_cold_block(tell);
        builder.ins().brif(heard, tell, &[], on, &[]);
        builder.switch_to_block(tell);
        let said = self.call_helper(self.facts.helpers.special, &[number, value]);
        let builder = &mut self.code.builder;
        builder.def_var(stops, said);
        builder.ins().jump(on, &[]);
        builder.switch_to_block(on);
        Some(builder.use_var(stops))
    }

    /// Leaves behind the instruction if the run is to end there.
    pub(super) fn leave_if_stopped(&mut self, stops: Option<Value>, place: Place) {
        let Some(stops) = stops else {
            return;
        };
        let [leave, on] = std::array::from_fn(|_| self.code.builder.create_block());
        self.code.builder.set_cold_block(leave);
        self.code.builder.ins().brif(stops, leave, &[], on, &[]);
        self.code.builder.switch_to_block(on);
        self.leave_from(Some(leave), |emitter| emitter.leave_behind(place));
    }

    /// Leaves behind the instruction, for a place that something may come before.
    pub(super) fn leave_behind(&mut self, (address, state): Place) {
        self.flush();
        let exit = self.add_exit(Exit::Reached {
            address,
            state,
            function: self.address,
        });
        self.return_with(exit, self.spent);
    }

    /// Lets the hooks of the observer follow; the block by which code leaves if it may not go on.
    pub(super) fn tell(&mut self, kind: Kind, to: Word) -> Block {
        self.emit_counts();
        let state = self.facts.flavour.execution_state();
        for (word, place) in [(self.address, at::ACCESSING), (self.next, at::BEHIND)] {
            self.code.store_word(Word::Constant(word), place);
        }
        let to = self.code.value(to);
        let how = self.code.constant(follow_how(kind, state));
        let goes_on = self.call_helper(self.facts.helpers.follow, &[to, how]);
        if let Some(profiler) = &mut self.profiler {
            profiler.context_changed(&mut self.code);
        }
        let [on, leave] = std::array::from_fn(|_| self.code.builder.create_block());
        self.code.builder.set_cold_block(leave);
        self.code.builder.ins().brif(goes_on, on, &[], leave, &[]);
        self.code.builder.switch_to_block(on);
        leave
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
        let exit = self.add_exit(Exit::Left {
            address: place.0,
            state: place.1,
            function: from,
        });
        self.return_with(exit, self.spent);
        if let Some(entered) = entered {
            self.code.builder.switch_to_block(here);
            self.chain_calls(entered, Word::Constant(place.0));
            self.go(place);
        }
    }
}
