//! Jumps inside a translation, and the ways out of it.

use super::{Before, Emitter, Place, StateIndex};
use crate::arm::context::at;
use crate::arm::exits::Exit;
use crate::arm::key;
use crate::arm::learning::jump_from;
use crate::code::{Word, own_memory};
use crate::entries;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block as Code, InstBuilder, Value, types};
use socscope_arm::InstructionSet;
use socscope_isa::StaticCycleModel;
use socscope_memory::RegionIndex;

/// Blocks in one translation, at most: more states of the timing model lead out of it.
const BLOCKS_MAX: usize = 1_000;
/// Places behind calls that a return is compared with.
const RETURNS_MAX: usize = 6;

/// A region that a jump may lead to.
#[derive(Clone, Copy)]
struct Elsewhere {
    region: RegionIndex,
    /// The timing model's state there.
    state: StateIndex,
    /// Fractions of cycles that the jump costs more than into the translation's own region.
    more: i64,
}

impl<M: StaticCycleModel> Emitter<'_, M> {
    /// Goes on at a known place.
    pub(super) fn go(&mut self, place: Place) {
        let known = self.blocks.contains_key(&place);
        let planned = self.plan.instructions.contains_key(&place.0);
        if known || planned && self.blocks.len() < BLOCKS_MAX {
            self.jump_to(place);
        } else {
            self.exit_to(place);
        }
    }

    /// Jumps to the block of a place.
    pub(super) fn jump_to(&mut self, place: Place) {
        self.flush();
        let live = self.plan.live.get(&place.0).copied().unwrap_or(0);
        self.hand_over_flags(live);
        self.hand_over_counts();
        self.pay();
        let block = match self.blocks.get(&place) {
            Some(&block) => block,
            None => {
                let block = self.code.builder.create_block();
                self.blocks.insert(place, block);
                self.waiting.push(place);
                block
            }
        };
        self.code.builder.ins().jump(block, &[]);
    }

    /// Leaves for a known place outside: straight on when its code exists, else by way of the engine.
    fn exit_to(&mut self, (address, state): Place) {
        self.flush();
        self.pay();
        let (slot, location) = self.exits.slot();
        let exit = self.exits.add(Exit::Known {
            address,
            state,
            slot,
        });
        let location = self.code.builder.ins().iconst(types::I64, location as i64);
        let code = self
            .code
            .builder
            .ins()
            .load(types::I64, own_memory(), location, 0);
        let (on, out) = (
            self.code.builder.create_block(),
            self.code.builder.create_block(),
        );
        self.code.builder.set_cold_block(out);
        self.code.builder.ins().brif(code, on, &[], out, &[]);
        self.code.builder.switch_to_block(out);
        self.return_with(exit, 0);
        self.code.builder.switch_to_block(on);
        self.emit_counts();
        self.note_region((self.facts.region_of)(address));
        self.call_on(code);
    }

    /// Control goes on in a region.
    fn note_region(&mut self, to: RegionIndex) {
        if !self.profiled() || to == self.plan.region {
            return;
        }
        let own = self.code.constant(u32::from(self.plan.region.0));
        self.code.store_word(Word::Value(own), at::CAME_REGION);
        let budget = self.code.builder.use_var(self.variables.budget);
        self.code
            .builder
            .ins()
            .store(own_memory(), budget, self.code.context, at::CAME_BUDGET);
    }

    fn call_on(&mut self, code: Value) {
        let budget = self.code.builder.use_var(self.variables.budget);
        self.code
            .builder
            .ins()
            .return_call_indirect(self.tail, code, &[self.code.context, budget]);
    }

    /// Leaves because the interpreter has to go on at `address`.
    pub(super) fn exit_left(&mut self) {
        self.flush();
        let exit = self.exits.add(Exit::Left {
            address: self.address,
            state: self.state,
            function: self.address,
            computed: false,
        });
        self.return_with(exit, self.spent);
    }

    /// Goes on at a computed address in the instruction set that its bit 0 names.
    pub(super) fn exchange(&mut self, target: Word, before: &Before) {
        const SETS: [InstructionSet; 2] = [InstructionSet::Arm, InstructionSet::Thumb];
        if self.profiled() {
            return self.computed_with_profile(target, &SETS, before);
        }
        self.flush();
        let value = self.code.value(target);
        let bit = self.code.builder.ins().band_imm_u(value, 1);
        let (thumb, arm) = (
            self.code.builder.create_block(),
            self.code.builder.create_block(),
        );
        self.code.builder.ins().brif(bit, thumb, &[], arm, &[]);
        let (model, chain) = (self.model.clone(), self.chain());
        for (block, set) in [(thumb, InstructionSet::Thumb), (arm, InstructionSet::Arm)] {
            self.resume(chain.clone());
            self.code.builder.switch_to_block(block);
            self.model = model.clone();
            self.computed(Word::Value(value), set, before);
        }
    }

    /// Goes on at a computed address in a known instruction set.
    pub(super) fn computed(&mut self, target: Word, set: InstructionSet, before: &Before) {
        if self.profiled() {
            self.computed_with_profile(target, &[set], before);
            return;
        }
        self.flush();
        let target = self.code.value(target);
        let mask = set.width().bytes() - 1;
        let address = self.code.builder.ins().band_imm_u(target, i64::from(!mask));
        let model = self.model.clone();
        let own = self.plan.region;
        let fetch = self.facts.costs.cost(own);
        self.model.refill(own, &fetch, set.width());
        let exit = Exit::Computed {
            from: self.address,
            set,
            model: model.clone(),
        };
        let Some((cost, state)) = self.end() else {
            self.leave_to_engine(address, exit, before.spent);
            return;
        };
        self.spent += cost;
        let elsewhere = self.other_regions(set, &model, cost);
        self.go_to_computed(address, (set, state), (exit, before.spent), &elsewhere);
    }

    /// The same, when a profile follows: as a return, or as a jump inside the function. Of two instruction sets bit 0 of the target names one.
    fn computed_with_profile(&mut self, target: Word, sets: &[InstructionSet], before: &Before) {
        let target = self.code.value(target);
        let address = self.align_target(target, sets);
        let model = self.model.clone();
        let own = self.plan.region;
        let fetch = self.facts.costs.cost(own);
        let mut ends = vec![];
        for &set in sets {
            self.model = model.clone();
            self.model.refill(own, &fetch, set.width());
            ends.extend(self.end().map(|end| (set, end)));
        }
        if ends.len() < sets.len() {
            self.go_back(before);
            self.exit_left();
            return;
        }
        let ways = self.look_at_computed(address, before);
        let (chain, accesses) = (self.chain(), self.accesses());
        for (block, chained) in ways {
            self.resume(chain.clone());
            self.set_accesses(&accesses);
            self.code.builder.switch_to_block(block);
            self.flush();
            self.count_executed();
            let blocks = self.fork_by_set(target, sets);
            let fork = self.chain();
            for (&(set, (cost, state)), block) in ends.iter().zip(blocks) {
                self.resume(fork.clone());
                self.code.builder.switch_to_block(block);
                self.spent += cost;
                let node = self.node();
                self.chain_calls(chained);
                self.code.store_value(node, at::LEFT_NODE);
                let exit = Exit::Arrived {
                    from: self.address,
                    set,
                    model: model.clone(),
                    cost,
                };
                let elsewhere = self.other_regions(set, &model, cost);
                let spent = self.spent;
                self.go_to_computed(address, (set, state), (exit, spent), &elsewhere);
            }
        }
    }

    /// The address that a target names, in the one instruction set or in that of its bit 0.
    fn align_target(&mut self, target: Value, sets: &[InstructionSet]) -> Value {
        let builder = &mut self.code.builder;
        match sets {
            [set] => {
                let mask = set.width().bytes() - 1;
                builder.ins().band_imm_u(target, i64::from(!mask))
            }
            _ => {
                let bit = builder.ins().band_imm_u(target, 1);
                let bit = builder.ins().ishl_imm_u(bit, 1);
                let mask = builder.ins().bor_imm_u(bit, i64::from(!3_u32));
                builder.ins().band(target, mask)
            }
        }
    }

    /// A block for each instruction set that a target may name.
    fn fork_by_set(&mut self, target: Value, sets: &[InstructionSet]) -> Vec<Code> {
        if sets.len() == 1 {
            return vec![self.code.next_block()];
        }
        let builder = &mut self.code.builder;
        let bit = builder.ins().band_imm_u(target, 1);
        let [arm, thumb] = std::array::from_fn(|_| builder.create_block());
        let other = if self.plan.set == InstructionSet::Arm {
            thumb
        } else {
            arm
        };
        builder.set_cold_block(other);
        builder.ins().brif(bit, thumb, &[], arm, &[]);
        vec![arm, thumb]
    }

    /// The regions that this jump has also reached, with the timing model's state there and what it costs more than in the translation's own.
    fn other_regions(&mut self, set: InstructionSet, model: &M, cost: u64) -> Vec<Elsewhere> {
        let facts = self.facts;
        if !facts.regions_matter {
            return vec![];
        }
        let mut found = vec![];
        for &region in facts.seen.regions(jump_from(self.address)) {
            let mut model = model.clone();
            model.refill(region, &facts.costs.cost(region), set.width());
            let more = model.end() as i64 - cost as i64;
            let whole = facts
                .profile
                .as_ref()
                .is_none_or(|facts| facts.fractions == 1);
            if region != self.plan.region
                && (more == 0 || whole)
                && let Some(state) = self.states.index(&model)
            {
                found.push(Elsewhere {
                    region,
                    state,
                    more,
                });
            }
        }
        found
    }

    /// Goes on at a computed address: behind a call, or where its code is found, or by way of the engine.
    fn go_to_computed(
        &mut self,
        address: Value,
        (set, state): (InstructionSet, StateIndex),
        (exit, spent_before): (Exit<M>, u64),
        elsewhere: &[Elsewhere],
    ) {
        if set == self.plan.set && self.plan.returns.len() <= RETURNS_MAX {
            for place in self.plan.returns.clone() {
                self.return_to(address, (place, state));
            }
        }
        let here = Elsewhere {
            region: self.plan.region,
            state,
            more: 0,
        };
        for way in std::iter::once(&here).chain(elsewhere) {
            let next = self.look_up_entry(address, set, *way);
            self.code.builder.set_cold_block(next);
            self.code.builder.switch_to_block(next);
        }
        self.leave_to_engine(address, exit, spent_before);
    }

    /// Jumps to the place behind a call, if that is where the address leads.
    fn return_to(&mut self, address: Value, place: Place) {
        if !self.plan.instructions.contains_key(&place.0) || self.blocks.len() >= BLOCKS_MAX {
            return;
        }
        let wanted = self.code.constant(place.0);
        let same = self.code.builder.ins().icmp(IntCC::Equal, address, wanted);
        let (there, other) = (
            self.code.builder.create_block(),
            self.code.builder.create_block(),
        );
        self.code.builder.ins().brif(same, there, &[], other, &[]);
        let chain = self.chain();
        self.code.builder.switch_to_block(there);
        self.jump_to(place);
        self.resume(chain);
        self.code.builder.switch_to_block(other);
    }

    /// Goes on at a computed address if its code is found, in a certain region; else at the block that it gives.
    fn look_up_entry(&mut self, address: Value, set: InstructionSet, way: Elsewhere) -> Code {
        let table =
            self.code
                .builder
                .ins()
                .load(types::I64, own_memory(), self.code.context, at::ENTRIES);
        let offset = self
            .code
            .table_offset(address, entries::COUNT, entries::SHIFT);
        let entry = self.code.builder.ins().iadd(table, offset);
        let key = self
            .code
            .builder
            .ins()
            .load(types::I64, own_memory(), entry, 0);
        let wide = self.code.builder.ins().uextend(types::I64, address);
        let region = if self.facts.regions_matter {
            way.region
        } else {
            RegionIndex::UNMAPPED
        };
        let rest = key::key(0, set, way.state, self.facts.mode, region);
        let rest = self.code.builder.ins().iconst(types::I64, rest as i64);
        let wanted = self.code.builder.ins().bor(wide, rest);
        let found = self.code.builder.ins().icmp(IntCC::Equal, key, wanted);
        let (on, out) = (
            self.code.builder.create_block(),
            self.code.builder.create_block(),
        );
        self.code.builder.ins().brif(found, on, &[], out, &[]);
        self.code.builder.switch_to_block(on);
        let chain = self.chain();
        self.pay();
        if way.more != 0 {
            self.pay_elsewhere(way.more);
        }
        self.emit_counts();
        self.note_region(way.region);
        let flags = own_memory();
        let code = self.code.builder.ins().load(types::I64, flags, entry, 8);
        self.call_on(code);
        self.resume(chain);
        out
    }

    /// A jump costs more, or less, because of the region that it leads to. The context that it leaves pays.
    fn pay_elsewhere(&mut self, more: i64) {
        let budget = self.code.builder.use_var(self.variables.budget);
        let left = self.code.builder.ins().iadd_imm_s(budget, -more);
        self.code.builder.def_var(self.variables.budget, left);
        if let Some(profiler) = &self.profiler {
            let flags = own_memory();
            let context = self.code.context;
            let builder = &mut self.code.builder;
            let node = builder
                .ins()
                .load(types::I64, flags, context, at::LEFT_NODE);
            profiler.charge(&mut self.code, node, more);
        }
    }

    fn leave_to_engine(&mut self, address: Value, exit: Exit<M>, spent: u64) {
        self.code
            .builder
            .ins()
            .store(own_memory(), address, self.code.context, at::EXIT_ADDRESS);
        let exit = self.exits.add(exit);
        self.return_with(exit, spent);
    }
}
