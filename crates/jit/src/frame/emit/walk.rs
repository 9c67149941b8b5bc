//! The walk through a plan: one stretch of instructions after the other.

use super::lookups::Looked;
use super::reading::Leaving;
use super::values::{Before, Registers};
use super::{Emitter, Place};
use crate::code::{Flag, Word};
use crate::frame::adapter::Adapter;
use crate::frame::exits::Exit;
use crate::frame::plan::{Flow, Planned};
use crate::profile::Counted;
use crate::states::StateIndex;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block, Inst, InstBuilder, Value, types};
use cranelift_codegen::isa::TargetFrontendConfig;
use socscope_isa::StaticCycleModel;
use socscope_memory::{Direction, RegionIndex, Width};
use std::collections::BTreeMap;

/// After so many instructions of a stretch it is looked at again whether those that follow are in time: all that does not fit is interpreted.
const SEGMENT_INSTRUCTIONS: u32 = 12;

/// What is known where the way forks, to go on from after one branch is done.
#[derive(Clone)]
pub(crate) struct Chain<F> {
    before: Before<F>,
    made: BTreeMap<u32, Value>,
    counted: Option<Counted>,
    /// Data accesses of the instruction so far.
    accesses: Vec<(Width, Direction)>,
    looked: Looked,
}

impl<A: Adapter, M: StaticCycleModel<A::Class>> Emitter<'_, A, M> {
    /// Makes all code.
    pub fn finish(mut self, config: TargetFrontendConfig) {
        let first = (self.plan.start, self.state);
        while let Some(place) = self.waiting.pop() {
            self.stretch(place);
        }
        self.enter(first);
        self.code.builder.seal_all_blocks();
        self.code.builder.finalize(config);
    }

    pub fn chain(&self) -> Chain<A::Flags> {
        Chain {
            before: self.before(),
            made: self.code.made.clone(),
            counted: self.profiler.as_ref().map(|profiler| profiler.counted()),
            accesses: self
                .profiler
                .as_ref()
                .map_or(vec![], |profiler| profiler.accesses.clone()),
            looked: self.looking.looked.clone(),
        }
    }

    pub fn resume(&mut self, chain: Chain<A::Flags>) {
        self.go_back(&chain.before);
        self.code.made = chain.made;
        self.looking.looked = chain.looked;
        if let (Some(profiler), Some(counted)) = (&mut self.profiler, chain.counted) {
            profiler.resume(counted);
            profiler.accesses = chain.accesses;
        }
    }

    /// Instructions from a leader to the next one, in segments. Events are looked at where one begins: the budget is enough for its last instruction
    /// to begin before the deadline.
    fn stretch(&mut self, place: Place) {
        let block = self.blocks[&place];
        self.code.builder.switch_to_block(block);
        self.registers = Registers::default();
        self.code.begin_anew();
        self.spent = 0;
        self.unforeseen = 0;
        self.begin_looking();
        if let Some(profiler) = &mut self.profiler {
            profiler.resume(Counted::default());
        }
        A::take_over_flags(self, self.plan.live_flags(place.0));
        let mut bound = self.check_budget(place);
        let (mut worst, mut length) = (0, 0);
        let (mut address, mut state) = place;
        loop {
            self.address = address;
            self.state = state;
            let plan = self.plan;
            let Some(planned) = plan.instructions.get(&address) else {
                self.go((address, state));
                break;
            };
            if planned.flow == Flow::Left {
                self.exits.reason = planned.reason;
                self.exit_left();
                break;
            }
            let is_leader = plan.leaders.contains(&address);
            if address != place.0 && (is_leader || self.blocks.contains_key(&(address, state))) {
                self.go((address, state));
                break;
            }
            if length == SEGMENT_INSTRUCTIONS {
                self.end_segment(bound, worst);
                bound = self.check_budget_within((address, state));
                length = 0;
            }
            length += 1;
            worst = self.spent + self.unforeseen;
            match self.step(planned) {
                Some(next) if self.crosses(address, next.0) => {
                    self.fall_into_other_function(next, address);
                    break;
                }
                Some(next) => (address, state) = next,
                None => break,
            }
        }
        self.end_segment(bound, worst);
    }

    /// The last instruction of a segment begins so much after the stretch at most.
    fn end_segment(&mut self, bound: Inst, worst: u64) {
        self.end_looking(worst);
        let function = &mut self.code.builder.func;
        function.replace(bound).iconst(types::I64, worst as i64);
    }

    /// Leaves when the budget is not greater than a bound, which is filled in when it is known.
    fn check_budget(&mut self, (address, state): Place) -> Inst {
        let (bound, on) = self.fork_by_budget();
        let exit = self.add_exit(Exit::Deadline { address, state });
        self.return_with(exit, 0);
        self.code.builder.switch_to_block(on);
        bound
    }

    /// The same before an instruction within a stretch. What multiplications have cost so far, the budget knows.
    fn check_budget_within(&mut self, (address, state): Place) -> Inst {
        let (bound, on) = self.fork_by_budget();
        self.before = self.before();
        self.leave_before(Exit::Deadline { address, state });
        self.unforeseen = 0;
        self.code.builder.switch_to_block(on);
        bound
    }

    /// Goes to a block where the budget is greater than a bound; in the present one it is not.
    fn fork_by_budget(&mut self) -> (Inst, Block) {
        let builder = &mut self.code.builder;
        let bound = builder.ins().iconst(types::I64, 0);
        let budget = builder.use_var(self.variables.budget);
        let enough = builder.ins().icmp(IntCC::SignedGreaterThan, budget, bound);
        let (on, out) = (builder.create_block(), builder.create_block());
        builder.set_cold_block(out);
        builder.ins().brif(enough, on, &[], out, &[]);
        builder.switch_to_block(out);
        let bound = builder.func.dfg.value_def(bound).unwrap_inst();
        (bound, on)
    }

    /// The timing model at the begin of an instruction that is told it as one of a class.
    pub(super) fn begun(&self, planned: &Planned<A::Class>, class: A::Class) -> M {
        let mut model = self.states.model(self.state).clone();
        let (region, facts) = (self.plan.region, self.facts);
        model.begin(class, region, &facts.costs.cost(region), planned.width);
        if M::WANTS_OPERANDS {
            model.operands(&A::operands(facts.model, facts.flavour, planned.word));
        }
        model
    }

    /// Nothing of the instruction has been done: what is left of another one, or of another way through this one, is forgotten.
    pub(super) fn begin_instruction(&mut self) {
        self.model = self.states.model(self.state).clone();
        self.by_multiplier = None;
        self.begin_accesses();
        if let Some(profiler) = &mut self.profiler {
            profiler.accesses.clear();
        }
    }

    /// The effects of an instruction whose accesses reach a region, under the predicate if there is one; where the same stretch goes on, if it does.
    pub(super) fn execute_in(
        &mut self,
        planned: &Planned<A::Class>,
        region: Option<RegionIndex>,
    ) -> Option<Place> {
        if planned.may_leave && self.has_many_dirty_values() {
            self.flush();
        }
        self.before = self.before();
        self.begin_instruction();
        self.assumed = region;
        self.leaving = None;
        self.excluded.clear();
        self.code.aligned.clear();
        self.span = None;
        self.span_bytes = planned.span_bytes;
        self.prepared = false;
        self.other_table = None;
        self.is_counted_at_once = planned.looks_once;
        self.failed = false;
        self.exits.reason = planned.reason;
        self.change = None;
        self.written = None;
        self.goes_elsewhere = None;
        self.model = self.begun(planned, planned.class);
        A::read(self, planned.word, planned.width);
        let leaving = self.leaving.take();
        let change = self.change.take();
        if let Some(change) = change {
            if self.failed || !A::changes(self, change) {
                self.fail();
            }
            return None;
        }
        if A::REFILLS
            && let Some(leaving) = leaving
        {
            self.jump(planned, leaving);
            return None;
        }
        let ended = if self.failed { None } else { self.end() };
        self.finish_reached(planned, ended);
        let Some((cost, state)) = ended else {
            self.fail();
            return None;
        };
        self.spent += cost;
        let next = (self.next, state);
        let Some(Leaving {
            target, condition, ..
        }) = leaving
        else {
            self.count_executed();
            let stops = self.tell_written();
            self.look_accesses_up(Some(next));
            self.leave_if_stopped(stops, next);
            self.go_elsewhere(next);
            return Some(next);
        };
        let Some(condition) = condition else {
            self.branch(planned, target, state);
            return None;
        };
        let holds = self.code.truth(condition);
        let (yes, no) = (
            self.code.builder.create_block(),
            self.code.builder.create_block(),
        );
        self.code.builder.ins().brif(holds, yes, &[], no, &[]);
        let chain = self.chain();
        self.code.builder.switch_to_block(yes);
        self.branch(planned, target, state);
        self.resume(chain);
        self.code.builder.switch_to_block(no);
        self.count_executed();
        self.look_accesses_up(Some(next));
        Some(next)
    }

    fn branch(&mut self, planned: &Planned<A::Class>, target: Word, state: StateIndex) {
        match target {
            Word::Constant(target) => {
                let target = self.plan.unit().align(target);
                self.branch_known(planned, target, state);
            }
            target => self.branch_computed(planned, target, state),
        }
    }

    /// The interpreter does the instruction, of which nothing has happened.
    pub(super) fn fail(&mut self) {
        let before = self.before.clone();
        self.go_back(&before);
        self.code.predicate = None;
        self.exit_left();
    }

    /// Leaves as it was before the instruction. What goes on elsewhere is not concerned.
    pub(super) fn leave_before(&mut self, exit: Exit<A::Flavour, M>) {
        let chain = self.chain();
        let before = self.before.clone();
        self.go_back(&before);
        self.flush();
        let exit = self.add_exit(exit);
        self.return_with(exit, self.spent);
        self.resume(chain);
    }

    /// Leaves the instruction to the interpreter unless the condition holds. Nothing of it has happened yet.
    pub fn demand(&mut self, condition: Value) {
        let [on, out] = std::array::from_fn(|_| self.code.builder.create_block());
        self.code.builder.ins().brif(condition, on, &[], out, &[]);
        self.left_aside(out);
        self.code.builder.switch_to_block(on);
    }

    /// Leaves to the interpreter if the condition holds. Nothing of the instruction has been kept yet.
    pub fn leave_if(&mut self, condition: Flag) {
        match condition {
            Flag::Constant(false) => {}
            Flag::Constant(true) => self.failed = true,
            _ if self.failed => {}
            _ => {
                let value = self.code.truth(condition);
                let out = self.code.builder.create_block();
                let on = self.code.builder.create_block();
                self.code.builder.set_cold_block(out);
                self.code.builder.ins().brif(value, out, &[], on, &[]);
                self.code.builder.switch_to_block(out);
                self.leave_before(Exit::Left {
                    address: self.address,
                    state: self.state,
                    function: self.address,
                });
                self.code.builder.switch_to_block(on);
                self.excluded.push(condition);
            }
        }
    }
}
