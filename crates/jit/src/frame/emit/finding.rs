//! Finding the code at a computed address.

use super::jumps::Arrival;
use super::leave::BLOCKS_MAX;
use super::{Emitter, Place};
use crate::code::own_memory;
use crate::entries;
use crate::frame::adapter::Adapter;
use crate::frame::context::at;
use crate::frame::exits::{Exit, Refill};
use crate::frame::key::{Flavour, PLACE_SHIFT, key, key_part, region_place};
use crate::frame::learning::jump_from;
use crate::states::StateIndex;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block, InstBuilder, Value, types};
use socscope_isa::StaticCycleModel;
use socscope_memory::RegionIndex;

/// Places behind calls that a return is compared with.
const RETURNS_MAX: usize = 6;

/// A region that a jump may lead to.
#[derive(Clone, Copy)]
struct Elsewhere {
    /// `None` where regions make no difference.
    region: Option<RegionIndex>,
    /// The timing model's state there.
    state: StateIndex,
    /// Fractions of cycles that the jump costs more than into the translation's own region.
    more: i64,
}

impl<A: Adapter, M: StaticCycleModel<A::Class>> Emitter<'_, A, M> {
    /// Goes on behind a call, or where the code is found, or by way of the engine.
    pub(super) fn go_to_computed(&mut self, address: Value, arrival: Arrival<A::Flavour>) {
        let Arrival { flavour, state, .. } = arrival;
        if flavour.fetches_translated() {
            // Looking for a page asks for the time.
            self.pay();
        }
        if flavour == self.facts.flavour && self.plan.returns.len() <= RETURNS_MAX {
            for place in self.plan.returns.clone() {
                self.return_to(address, (place, state));
            }
        }
        self.find_computed(address, arrival);
    }

    /// The same, where that is seldom behind a call of the translation's own.
    pub(super) fn find_computed(&mut self, address: Value, arrival: Arrival<A::Flavour>) {
        let Arrival {
            flavour,
            cost,
            state,
        } = arrival;
        if flavour.fetches_translated() {
            // Looking for a page asks for the time.
            self.pay();
        }
        let matters = A::LEARNS && self.facts.regions_matter;
        let here = Elsewhere {
            region: matters.then_some(self.plan.region),
            state,
            more: 0,
        };
        for way in std::iter::once(here).chain(self.other_regions(flavour, cost)) {
            if let Some(part) = key_part::<A>(flavour, way.state, self.facts.mode()) {
                let next = self.code.builder.create_block();
                self.code.builder.set_cold_block(next);
                self.look_up_entry(address, part, way, next);
                self.code.builder.switch_to_block(next);
            }
        }
        self.exit_computed(address, arrival);
    }

    /// Goes on at a computed address by way of the engine.
    pub(super) fn exit_computed(&mut self, address: Value, arrival: Arrival<A::Flavour>) {
        let Arrival {
            flavour,
            cost,
            state,
        } = arrival;
        self.code.store_value(address, at::EXIT_ADDRESS);
        let refill = A::REFILLS.then(|| Refill {
            from: self.address,
            model: self.model.clone(),
            cost,
        });
        let exit = self.add_exit(Exit::Computed {
            state,
            flavour,
            refill,
        });
        self.return_with(exit, self.spent);
    }

    /// The regions that this jump has also reached, with the timing model's state there and what it costs more than in the translation's own.
    fn other_regions(&mut self, flavour: A::Flavour, cost: u64) -> Vec<Elsewhere> {
        let facts = self.facts;
        if !A::LEARNS || !facts.regions_matter {
            return vec![];
        }
        let profile = facts.profile.as_ref();
        let whole = profile.is_none_or(|facts| facts.fractions == 1);
        let mut found = vec![];
        for &region in facts.seen.regions(jump_from(self.address)) {
            let mut model = self.model.clone();
            model.refill(region, &facts.costs.cost(region), A::lengths(flavour)[0]);
            let more = model.end() as i64 - cost as i64;
            if region != self.plan.region
                && (more == 0 || whole)
                && let Some(state) = self.states.index(&model)
            {
                found.push(Elsewhere {
                    region: Some(region),
                    state,
                    more,
                });
            }
        }
        found
    }

    /// Jumps to the place behind a call, if that is where the address leads.
    fn return_to(&mut self, address: Value, place: Place) {
        if !self.plan.instructions.contains_key(&place.0) || self.blocks.len() >= BLOCKS_MAX {
            return;
        }
        let wanted = self.code.constant(place.0);
        let same = self.code.builder.ins().icmp(IntCC::Equal, address, wanted);
        let [there, other] = std::array::from_fn(|_| self.code.builder.create_block());
        self.code.builder.ins().brif(same, there, &[], other, &[]);
        let chain = self.chain();
        self.code.builder.switch_to_block(there);
        self.jump_to(place);
        self.resume(chain);
        self.code.builder.switch_to_block(other);
    }

    /// Goes on at a computed address if its code is found; else at `out`.
    fn look_up_entry(&mut self, address: Value, part: u64, way: Elsewhere, out: Block) {
        let wanted = self.wanted_key(address, part, way, out);
        let offset = self
            .code
            .table_offset(address, entries::COUNT, entries::SHIFT);
        let table = self.load(types::I64, at::ENTRIES);
        let builder = &mut self.code.builder;
        let entry = builder.ins().iadd(table, offset);
        let key = builder.ins().load(types::I64, own_memory(), entry, 0);
        let found = builder.ins().icmp(IntCC::Equal, key, wanted);
        let on = builder.create_block();
        builder.ins().brif(found, on, &[], out, &[]);
        builder.switch_to_block(on);
        let chain = self.chain();
        self.pay();
        if way.more != 0 {
            self.pay_elsewhere(way.more);
        }
        let code = self
            .code
            .builder
            .ins()
            .load(types::I64, own_memory(), entry, 8);
        self.call_on(code, way.region);
        self.resume(chain);
    }

    fn wanted_key(&mut self, address: Value, part: u64, way: Elsewhere, out: Block) -> Value {
        if A::LEARNS {
            let part = key(0, way.region.map_or(0, region_place), part);
            let builder = &mut self.code.builder;
            let wide = builder.ins().uextend(types::I64, address);
            let part = builder.ins().iconst(types::I64, part as i64);
            return builder.ins().bor(wide, part);
        }
        let low = self.physical_page(address, out);
        let builder = &mut self.code.builder;
        let high = builder.ins().ishl_imm_u(low, i64::from(PLACE_SHIFT));
        let wide = builder.ins().uextend(types::I64, address);
        let part = builder.ins().iconst(types::I64, part as i64);
        let wanted = builder.ins().bor(wide, part);
        builder.ins().bor(wanted, high)
    }

    /// A jump costs more, or less, because of the region that it leads to. The context that it leaves pays.
    fn pay_elsewhere(&mut self, more: i64) {
        let budget = self.code.builder.use_var(self.variables.budget);
        let left = self.code.builder.ins().iadd_imm_s(budget, -more);
        self.code.builder.def_var(self.variables.budget, left);
        if let Some(profiler) = &self.profiler {
            let node = self.code.builder.ins().load(
                types::I64,
                own_memory(),
                self.code.context,
                at::LEFT_NODE,
            );
            profiler.charge(&mut self.code, node, more);
        }
    }

    /// The page on the bus, in the upper bits of the lower half, of instructions at an address.
    fn physical_page(&mut self, address: Value, out: Block) -> Value {
        let page = self.code.builder.ins().band_imm_u(address, 0xffff_f000);
        let page = self.code.builder.ins().uextend(types::I64, page);
        if !self.facts.flavour.fetches_translated() {
            return page;
        }
        let entry = self.fetch_entry(address);
        let builder = &mut self.code.builder;
        let found = builder.ins().ushr_imm_u(entry, 32);
        let same = builder.ins().icmp(IntCC::Equal, found, page);
        let (there, aside) = (builder.create_block(), builder.create_block());
        let entry_there = builder.append_block_param(there, types::I64);
        builder.set_cold_block(aside);
        builder.ins().brif(same, there, &[entry.into()], aside, &[]);
        builder.switch_to_block(aside);
        let entry = self.find_page(address, out);
        let builder = &mut self.code.builder;
        builder.ins().brif(entry, there, &[entry.into()], out, &[]);
        builder.switch_to_block(there);
        // Bit 0, which keeps entries from being 0, goes.
        builder.ins().band_imm_u(entry_there, 0xffff_f000)
    }
}
