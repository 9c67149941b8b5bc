//! Jumps that fill the pipeline, and jumps to computed addresses: what they cost, and the ways that they may go.

use super::Emitter;
use super::reading::Leaving;
use crate::code::Word;
use crate::frame::adapter::Adapter;
use crate::frame::context::at;
use crate::frame::plan::Planned;
use crate::profile::{Chained, Kind};
use crate::states::StateIndex;
use cranelift_codegen::ir::{Block, InstBuilder, Value};
use socscope_isa::StaticCycleModel;

/// How a jump comes to code of a flavour in the translation's own region.
#[derive(Clone, Copy)]
pub(crate) struct Arrival<F> {
    pub(super) flavour: F,
    /// What is still to be paid.
    pub(super) cost: u64,
    /// The timing model's state there.
    pub(super) state: StateIndex,
}

impl<A: Adapter, M: StaticCycleModel<A::Class>> Emitter<'_, A, M> {
    /// The instruction jumps always, and fills the pipeline.
    pub(super) fn jump(&mut self, planned: &Planned<A::Class>, leaving: Leaving<A::Flavour>) {
        if self.failed || self.by_multiplier.is_some() {
            return self.fail();
        }
        let own = [self.facts.flavour];
        let flavours = leaving.flavours.as_ref().map_or(&own[..], |all| &all[..]);
        match leaving.target {
            Word::Constant(target) if leaving.flavours.is_none() => {
                let target = self.plan.unit().align(target);
                let region = (self.facts.region_of)(target);
                let fetch = self.facts.costs.cost(region);
                self.model.refill(region, &fetch, self.plan.unit());
                let Some((cost, state)) = self.end() else {
                    return self.fail();
                };
                self.spent += cost;
                self.branch_known(planned, target, state);
            }
            target => match self.arrivals(flavours) {
                Some(arrivals) => self.arrive(planned, target, &arrivals),
                None => self.fail(),
            },
        }
    }

    /// A branch to a computed address, whose time was paid.
    pub(super) fn branch_computed(
        &mut self,
        planned: &Planned<A::Class>,
        target: Word,
        state: StateIndex,
    ) {
        let arrival = Arrival {
            flavour: self.facts.flavour,
            cost: 0,
            state,
        };
        self.arrive(planned, target, &[arrival]);
    }

    /// How the instruction, which fills the pipeline now, comes to code of these flavours; `None` when the timing model has too many states.
    pub fn arrivals(&mut self, flavours: &[A::Flavour]) -> Option<Vec<Arrival<A::Flavour>>> {
        let own = self.plan.region;
        let fetch = self.facts.costs.cost(own);
        let arrival = |&flavour: &A::Flavour| {
            let mut model = self.model.clone();
            model.refill(own, &fetch, A::lengths(flavour)[0]);
            let cost = model.end();
            let state = self.states.index(&model)?;
            Some(Arrival {
                flavour,
                cost,
                state,
            })
        };
        flavours.iter().map(arrival).collect()
    }

    /// Goes on at an address that the one flavour allows, in another machine state, of which the observer is told. The new state is in the context.
    pub fn arrive_by(&mut self, kind: Kind, target: Word, arrival: Arrival<A::Flavour>) {
        let target = self.code.value(target);
        self.count_executed();
        self.look_accesses_up(None);
        self.spent += arrival.cost;
        if self.profiler.is_none() {
            let leave_by = |emitter: &mut Self| emitter.exit_computed(target, arrival);
            self.tell_if_told((kind, target), 0, leave_by);
        } else {
            self.tell_end(0);
            self.follow_to(Chained::Told(kind), (target, arrival));
        }
        self.find_computed(target, arrival);
    }

    /// Does what a transfer to a computed address does to the chain of calls.
    fn follow_to(&mut self, chained: Chained, (address, arrival): (Value, Arrival<A::Flavour>)) {
        self.leave_node();
        let leave = self.chain_calls(chained, Word::Value(address));
        self.leave_from(leave, |emitter| emitter.exit_computed(address, arrival));
    }

    /// Goes on at a computed address, which the one flavour allows; of two, its bit 0 names one.
    pub(super) fn arrive(
        &mut self,
        planned: &Planned<A::Class>,
        target: Word,
        arrivals: &[Arrival<A::Flavour>],
    ) {
        let target = self.code.value(target);
        let profiler = self.profiler.as_ref();
        let follows = profiler.is_some_and(|all| all.follows_calls());
        let (address, ways) = if follows {
            let address = self.align_by_flavour(target, arrivals);
            let ways = self.look_at_computed(planned, address);
            (Some(address), ways)
        } else {
            let here = self.code.next_block();
            (None, vec![(here, Chained::Nothing)])
        };
        let chain = self.chain();
        for (block, chained) in ways {
            self.resume(chain.clone());
            if !self.switch_to_way(block, chained) {
                continue;
            }
            self.flush();
            self.count_executed();
            self.look_accesses_up(None);
            let blocks = self.fork_by_flavour(target, arrivals);
            let fork = self.chain();
            for (arrival, block) in arrivals.iter().zip(blocks) {
                if let Some(block) = block {
                    self.resume(fork.clone());
                    self.code.builder.switch_to_block(block);
                }
                let address = match address {
                    Some(address) => address,
                    None if arrivals.len() == 1 => target,
                    None => self.align(target, arrival.flavour),
                };
                self.spent += arrival.cost;
                self.follow_to(chained, (address, *arrival));
                match chained {
                    Chained::Told(_) => self.find_computed(address, *arrival),
                    _ => self.go_to_computed(address, *arrival),
                }
            }
        }
    }

    /// Notes the calling context that a jump may leave, if that has still to pay when it is known where it leads.
    fn leave_node(&mut self) {
        if A::REFILLS
            && let Some(profiler) = &self.profiler
        {
            let node = profiler.node(&mut self.code);
            self.code.store_value(node, at::LEFT_NODE);
        }
    }

    fn align(&mut self, target: Value, flavour: A::Flavour) -> Value {
        let mask = A::lengths(flavour)[0].bytes() - 1;
        let builder = &mut self.code.builder;
        builder.ins().band_imm_u(target, i64::from(!mask))
    }

    /// The address that a target names.
    fn align_by_flavour(&mut self, target: Value, arrivals: &[Arrival<A::Flavour>]) -> Value {
        let [even, odd] = arrivals else {
            return target;
        };
        let [even, odd] = [even, odd].map(|arrival| self.align(target, arrival.flavour));
        let builder = &mut self.code.builder;
        let bit = builder.ins().band_imm_u(target, 1);
        builder.ins().select(bit, odd, even)
    }

    /// A block for each flavour that a target may name, if there are two.
    fn fork_by_flavour(
        &mut self,
        target: Value,
        arrivals: &[Arrival<A::Flavour>],
    ) -> Vec<Option<Block>> {
        if arrivals.len() == 1 {
            return vec![None];
        }
        let builder = &mut self.code.builder;
        let bit = builder.ins().band_imm_u(target, 1);
        let [even, odd] = std::array::from_fn(|_| builder.create_block());
        for (block, arrival) in [even, odd].into_iter().zip(arrivals) {
            if arrival.flavour != self.facts.flavour {
                builder.set_cold_block(block);
            }
        }
        builder.ins().brif(bit, odd, &[], even, &[]);
        vec![Some(even), Some(odd)]
    }
}
