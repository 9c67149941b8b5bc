//! Instructions that may be passed over, each in a time of its own, and instructions that reach different regions.

use super::{Emitter, Place};
use crate::code::Flag;
use crate::frame::adapter::Adapter;
use crate::frame::plan::{Flow, Planned};
use cranelift_codegen::ir::InstBuilder;
use socscope_isa::StaticCycleModel;
use socscope_memory::RegionIndex;

impl<A: Adapter, M: StaticCycleModel<A::Class>> Emitter<'_, A, M> {
    /// One instruction; where the same stretch goes on, if it does.
    pub(super) fn step(&mut self, planned: &Planned<A::Class>) -> Option<Place> {
        self.next = self.address.wrapping_add(planned.width.bytes());
        self.model = self.states.model(self.state).clone();
        let Some(passed) = A::PASSED else {
            return self.execute(planned);
        };
        match A::condition(self, planned.word) {
            Flag::Constant(true) => self.execute(planned),
            Flag::Constant(false) => self.pass(planned, passed),
            holds if self.is_simple(planned, passed) => {
                self.code.predicate = Some(holds);
                let place = self.execute(planned);
                self.code.predicate = None;
                place
            }
            holds => self.fork(planned, passed, holds),
        }
    }

    /// Whether a conditional instruction can be done without a branch: it takes the same time in any case, and changes registers only.
    fn is_simple(&mut self, planned: &Planned<A::Class>, passed: A::Class) -> bool {
        if planned.flow != Flow::Falls || planned.may_leave {
            return false;
        }
        let cost = |class| {
            let mut model = self.begun(planned, class);
            let cycles = model.end();
            (cycles, model)
        };
        cost(planned.class) == cost(passed)
    }

    /// A conditional instruction as a branch around it.
    fn fork(
        &mut self,
        planned: &Planned<A::Class>,
        passed: A::Class,
        holds: Flag,
    ) -> Option<Place> {
        self.flush();
        let condition = self.code.truth(holds);
        let [yes, no] = std::array::from_fn(|_| self.code.builder.create_block());
        self.code.builder.ins().brif(condition, yes, &[], no, &[]);
        let (chain, address, state) = (self.chain(), self.address, self.state);
        self.code.builder.switch_to_block(yes);
        if let Some(place) = self.execute(planned) {
            self.go_on(place);
        }
        self.resume(chain);
        (self.address, self.state) = (address, state);
        self.next = address.wrapping_add(planned.width.bytes());
        self.code.builder.switch_to_block(no);
        let place = self.pass(planned, passed)?;
        if planned.flow == Flow::Falls && !self.crosses(address, place.0) {
            self.go(place);
            return None;
        }
        Some(place)
    }

    /// The condition does not hold.
    fn pass(&mut self, planned: &Planned<A::Class>, passed: A::Class) -> Option<Place> {
        self.begin_instruction();
        self.assumed = None;
        self.model = self.begun(planned, passed);
        let Some((cost, state)) = self.end() else {
            self.exit_left();
            return None;
        };
        self.spent += cost;
        self.count_executed();
        let next = (self.next, state);
        self.look_accesses_up(Some(next));
        Some(next)
    }

    /// The effects of an instruction, for each of the regions that it may reach.
    fn execute(&mut self, planned: &Planned<A::Class>) -> Option<Place> {
        let mut regions = self.assumptions(planned);
        let last = regions.pop().flatten();
        for region in regions {
            self.flush();
            let chain = self.chain();
            let otherwise = self.code.builder.create_block();
            self.otherwise = Some(otherwise);
            let place = self.execute_in(planned, region);
            self.otherwise = None;
            if let Some(place) = place {
                self.go_on(place);
            }
            self.resume(chain);
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

    /// The regions that an instruction's accesses are taken to reach, one after the other.
    fn assumptions(&self, planned: &Planned<A::Class>) -> Vec<Option<RegionIndex>> {
        let facts = self.facts;
        if !A::LEARNS {
            return vec![Some(facts.assumed)];
        }
        if !facts.regions_matter || planned.accesses == 0 {
            return vec![None];
        }
        let seen = facts.seen.regions(self.address);
        let asks = facts.devices.contains(&self.plan.on_bus(self.address));
        let known = seen
            .iter()
            .filter(|region| asks || (facts.is_memory)(**region));
        let mut regions: Vec<_> = known.copied().map(Some).collect();
        if regions.is_empty() {
            regions.push(Some(seen.first().copied().unwrap_or(facts.assumed)));
        }
        regions
    }
}
