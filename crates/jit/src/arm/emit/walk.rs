//! The walk through a plan: one stretch of instructions after the other.

use super::reading::Leaving;
use super::{Before, Emitter, Place, StateIndex};
use crate::arm::exits::Exit;
use crate::arm::plan::{Flow, Planned};
use crate::code::{Flag, Word};
use crate::profile::Counted;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Inst, InstBuilder, Value, types};
use cranelift_codegen::isa::TargetFrontendConfig;
use socscope_arm::{ALWAYS, condition, instruction};
use socscope_isa::{CycleClass, StaticCycleModel};
use socscope_memory::RegionIndex;
use std::collections::BTreeMap;

/// What is known where the way forks, to go on from after one branch is done.
#[derive(Clone)]
pub(super) struct Chain {
    known: [Option<Word>; 15],
    dirty: u16,
    flags: super::Flags,
    made: BTreeMap<u32, Value>,
    spent: u64,
    counted: Option<Counted>,
}

impl<M: StaticCycleModel> Emitter<'_, M> {
    /// Makes all code.
    pub fn finish(mut self, config: TargetFrontendConfig) {
        while let Some(place) = self.waiting.pop() {
            self.stretch(place);
        }
        self.code.builder.seal_all_blocks();
        self.code.builder.finalize(config);
    }

    pub(super) fn chain(&self) -> Chain {
        Chain {
            known: self.known,
            dirty: self.dirty,
            flags: self.flags,
            made: self.code.made.clone(),
            spent: self.spent,
            counted: self.profiler.as_ref().map(|profiler| profiler.counted()),
        }
    }

    pub(super) fn resume(&mut self, chain: Chain) {
        let Chain {
            known,
            dirty,
            flags,
            made,
            spent,
            counted,
        } = chain;
        self.known = known;
        self.dirty = dirty;
        self.flags = flags;
        self.code.made = made;
        self.spent = spent;
        if let (Some(profiler), Some(counted)) = (&mut self.profiler, counted) {
            profiler.resume(counted);
        }
    }

    /// Instructions from a leader to the next one. Interrupts and events are looked at where it begins: the budget is enough for the last
    /// instruction to begin before the deadline.
    fn stretch(&mut self, place: Place) {
        let block = self.blocks[&place];
        self.code.builder.switch_to_block(block);
        self.known = [None; 15];
        self.dirty = 0;
        self.code.begin_anew();
        self.spent = 0;
        if let Some(profiler) = &mut self.profiler {
            profiler.resume(Counted::default());
        }
        let live = self.plan.live.get(&place.0).copied().unwrap_or(0);
        self.take_over_flags(live);
        let bound = self.check_budget(place);
        let mut worst = 0;
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
                self.exits.reason = planned.reason();
                self.exit_left();
                break;
            }
            let is_leader = plan.leaders.contains(&address);
            if address != place.0 && (is_leader || self.blocks.contains_key(&(address, state))) {
                self.go((address, state));
                break;
            }
            worst = self.spent + self.unforeseen;
            match self.step(planned) {
                Some(next) if self.crosses(address, next.0) => {
                    self.go_on(next);
                    break;
                }
                Some(next) => (address, state) = next,
                None => break,
            }
        }
        self.unforeseen = 0;
        self.code
            .builder
            .func
            .replace(bound)
            .iconst(types::I64, worst as i64);
    }

    /// Leaves when the budget is not greater than a bound, which is filled in when it is known.
    fn check_budget(&mut self, (address, state): Place) -> Inst {
        let bound = self.code.builder.ins().iconst(types::I64, 0);
        let budget = self.code.builder.use_var(self.variables.budget);
        let enough = self
            .code
            .builder
            .ins()
            .icmp(IntCC::SignedGreaterThan, budget, bound);
        let (on, out) = (
            self.code.builder.create_block(),
            self.code.builder.create_block(),
        );
        self.code.builder.set_cold_block(out);
        self.code.builder.ins().brif(enough, on, &[], out, &[]);
        self.code.builder.switch_to_block(out);
        let exit = self.exits.add(Exit::Deadline { address, state });
        self.return_with(exit, 0);
        self.code.builder.switch_to_block(on);
        self.code.builder.func.dfg.value_def(bound).unwrap_inst()
    }

    /// One instruction; where the same stretch goes on, if it does.
    fn step(&mut self, planned: &Planned) -> Option<Place> {
        self.model = self.states.model(self.state).clone();
        let next = self.address.wrapping_add(self.set.width().bytes());
        if planned.condition == ALWAYS {
            return self.execute(planned);
        }
        match condition(self, planned.condition) {
            Flag::Constant(true) => self.execute(planned),
            Flag::Constant(false) => {
                let (cost, state) = self.pass()?;
                self.spent += cost;
                self.count_executed();
                Some((next, state))
            }
            holds if self.is_simple(planned) => {
                self.code.predicate = Some(holds);
                let place = self.execute(planned);
                self.code.predicate = None;
                place
            }
            holds => self.fork(planned, holds),
        }
    }

    /// Whether a conditional instruction can be done without a branch: it takes the same time in any case, and changes registers only.
    fn is_simple(&mut self, planned: &Planned) -> bool {
        let found = &planned.footprint;
        let multiplies = matches!(
            planned.class,
            CycleClass::Multiply
                | CycleClass::MultiplyAccumulate
                | CycleClass::MultiplyLong
                | CycleClass::MultiplyAccumulateLong
        );
        let changes_status = found.status_written;
        if planned.flow != Flow::Falls || !found.accesses.is_empty() || multiplies || changes_status
        {
            return false;
        }
        let region = self.plan.region;
        let fetch = self.facts.costs.cost(region);
        let cost = |class| {
            let mut model = self.model.clone();
            model.begin(class, region, &fetch, self.set.width());
            let cycles = model.end();
            (cycles, model)
        };
        cost(planned.class) == cost(CycleClass::NotExecuted)
    }

    /// A conditional instruction as a branch around it.
    fn fork(&mut self, planned: &Planned, holds: Flag) -> Option<Place> {
        self.flush();
        let condition = self.code.truth(holds);
        let (yes, no) = (
            self.code.builder.create_block(),
            self.code.builder.create_block(),
        );
        self.code.builder.ins().brif(condition, yes, &[], no, &[]);
        let (chain, address, state) = (self.chain(), self.address, self.state);
        let model = self.model.clone();
        self.code.builder.switch_to_block(yes);
        let next = address.wrapping_add(self.set.width().bytes());
        if let Some(place) = self.execute(planned) {
            self.go_on(place);
        }
        self.resume(chain);
        self.address = address;
        self.state = state;
        self.model = model;
        self.set_accesses(&[]);
        self.code.builder.switch_to_block(no);
        let Some((cost, state)) = self.pass() else {
            self.exit_left();
            return None;
        };
        self.spent += cost;
        self.count_executed();
        if planned.flow == Flow::Falls && !self.crosses(address, next) {
            self.go((next, state));
            return None;
        }
        Some((next, state))
    }

    /// The time of an instruction whose condition fails, and the timing model's state after it.
    fn pass(&mut self) -> Option<(u64, StateIndex)> {
        let region = self.plan.region;
        let fetch = self.facts.costs.cost(region);
        self.model
            .begin(CycleClass::NotExecuted, region, &fetch, self.set.width());
        self.end()
    }

    /// The effects of an instruction, for each of the regions that it may reach.
    fn execute(&mut self, planned: &Planned) -> Option<Place> {
        let mut regions = self.assumptions(planned);
        let last = regions.pop().flatten();
        for region in regions {
            self.flush();
            let (chain, model) = (self.chain(), self.model.clone());
            let otherwise = self.code.builder.create_block();
            self.otherwise = Some(otherwise);
            let place = self.execute_in(planned, region);
            self.otherwise = None;
            if let Some(place) = place {
                self.go_on(place);
            }
            self.resume(chain);
            self.model = model;
            self.set_accesses(&[]);
            self.code.builder.switch_to_block(otherwise);
        }
        self.execute_in(planned, last)
    }

    /// Goes on behind the instruction.
    fn go_on(&mut self, place: Place) {
        if self.crosses(self.address, place.0) {
            self.fall_into_other_function(place, self.address);
        } else {
            self.go(place);
        }
    }

    /// The effects of an instruction whose accesses reach a region, under the predicate if there is one.
    fn execute_in(&mut self, planned: &Planned, region: Option<RegionIndex>) -> Option<Place> {
        let before = self.before();
        self.before = before.clone();
        self.exits.reason = planned.reason();
        if !planned.footprint.accesses.is_empty() {
            self.flush();
        }
        self.class = planned.class;
        self.accesses_left = planned.footprint.accesses.len() as u32;
        self.assumed = region;
        self.set_accesses(&[]);
        self.code.aligned.clear();
        self.block = None;
        self.by_multiplier = None;
        self.leaving = None;
        self.banks_known = false;
        self.failed = false;
        let own = self.plan.region;
        let fetch = self.facts.costs.cost(own);
        self.model
            .begin(planned.class, own, &fetch, self.set.width());
        (instruction::<Self>(self.set, planned.word).read)(self, planned.word);
        let leaving = self.leaving.take();
        if self.by_multiplier.is_some() && leaving.is_some() {
            self.failed = true;
        }
        if !self.failed {
            match leaving {
                None => {
                    let next = self.address.wrapping_add(self.set.width().bytes());
                    if let Some((cost, state)) = self.end() {
                        self.spent += cost;
                        self.count_executed();
                        return Some((next, state));
                    }
                }
                Some(Leaving::Branch(Word::Constant(target))) => {
                    if self.jump_known(target, &before) {
                        return None;
                    }
                }
                Some(Leaving::Branch(target)) => {
                    self.computed(target, self.set, &before);
                    return None;
                }
                Some(Leaving::Exchange(target)) => {
                    self.exchange(target, &before);
                    return None;
                }
                Some(Leaving::SoftwareInterrupt) => {
                    self.enter_handler(&before);
                    return None;
                }
                Some(Leaving::Return(target)) => {
                    self.leave_handler(target, &before);
                    return None;
                }
            }
        }
        self.go_back(&before);
        self.code.predicate = None;
        self.exit_left();
        None
    }

    /// A jump to a known address, with what it does to the chain of calls; false when it must be left to the interpreter.
    fn jump_known(&mut self, target: u32, before: &Before) -> bool {
        let target = self.set.width().align(target);
        let chained = if self.profiled() {
            match self.look_at_transfer(target, before) {
                None => return false,
                some => some,
            }
        } else {
            None
        };
        let Some(place) = self.arrive(target) else {
            return false;
        };
        self.count_executed();
        if let Some(chained) = chained {
            self.chain_calls(chained);
        }
        self.go(place);
        true
    }

    /// A jump to a known address: the place, its time added.
    fn arrive(&mut self, target: u32) -> Option<Place> {
        let width = self.set.width();
        let target = width.align(target);
        let region = (self.facts.region_of)(target);
        let fetch = self.facts.costs.cost(region);
        self.model.refill(region, &fetch, width);
        let (cost, state) = self.end()?;
        self.spent += cost;
        Some((target, state))
    }

    /// The instruction ends: its time and the timing model's state.
    pub(super) fn end(&mut self) -> Option<(u64, StateIndex)> {
        let Some((models, bytes)) = self.by_multiplier.take() else {
            let cost = self.model.end();
            let model = self.model.clone();
            return Some((cost, self.states.index(&model)?));
        };
        let mut ends = models;
        let costs: [u64; 4] = std::array::from_fn(|index| ends[index].end());
        let step = costs[1].wrapping_sub(costs[0]);
        let linear = (1..4).all(|index| costs[index].wrapping_sub(costs[index - 1]) == step);
        if !linear || step > 1_000 || ends.iter().any(|model| *model != ends[0]) {
            return None;
        }
        let extra = self.code.builder.ins().uextend(types::I64, bytes);
        let extra = self.code.builder.ins().iadd_imm_s(extra, -1);
        let extra = self.code.builder.ins().imul_imm_s(extra, step as i64);
        let budget = self.code.builder.use_var(self.variables.budget);
        let left = self.code.builder.ins().isub(budget, extra);
        self.code.builder.def_var(self.variables.budget, left);
        self.unforeseen += 3 * step;
        self.model = ends[0].clone();
        let model = self.model.clone();
        Some((costs[0], self.states.index(&model)?))
    }

    /// The regions that an instruction's accesses are taken to reach, one after the other.
    fn assumptions(&self, planned: &Planned) -> Vec<Option<RegionIndex>> {
        let facts = self.facts;
        if !facts.regions_matter || planned.footprint.accesses.is_empty() {
            return vec![None];
        }
        let seen = facts.seen.regions(self.address);
        let memories = seen.iter().filter(|region| (facts.is_memory)(**region));
        let mut regions: Vec<_> = memories.copied().map(Some).collect();
        if regions.is_empty() {
            regions.push(Some(seen.first().copied().unwrap_or(facts.guess)));
        }
        regions
    }
}
