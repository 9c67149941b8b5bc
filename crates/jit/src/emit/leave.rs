//! Jumps inside a translation, and the ways out of it.

use super::profile::{Chained, Ways};
use super::word::Word;
use super::{Before, Emitter, Place, StateIndex};
use crate::context::at;
use crate::entries;
use crate::exits::Exit;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Value, types};
use socscope_isa::Foreseeable;
use socscope_isa::arm::InstructionSet;
use socscope_memory::RegionIndex;

/// Blocks in one translation, at most: more states of the timing model lead out of it.
const BLOCKS_MAX: usize = 1_000;
/// Places behind calls that a return is compared with.
const RETURNS_MAX: usize = 6;

impl<M: Foreseeable> Emitter<'_, M> {
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
                let block = self.builder.create_block();
                self.blocks.insert(place, block);
                self.waiting.push(place);
                block
            }
        };
        self.builder.ins().jump(block, &[]);
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
        let location = self.builder.ins().iconst(types::I64, location as i64);
        let code = self
            .builder
            .ins()
            .load(types::I64, Self::own_memory(), location, 0);
        let (on, out) = (self.builder.create_block(), self.builder.create_block());
        self.builder.set_cold_block(out);
        self.builder.ins().brif(code, on, &[], out, &[]);
        self.builder.switch_to_block(out);
        self.return_with(exit, 0);
        self.builder.switch_to_block(on);
        self.emit_counts(0);
        self.call_on(code);
    }

    /// The region that is part of an entry's name.
    fn key_region(&self) -> RegionIndex {
        if self.facts.regions_matter {
            self.plan.region
        } else {
            RegionIndex::UNMAPPED
        }
    }

    fn call_on(&mut self, code: Value) {
        let budget = self.builder.use_var(self.variables.budget);
        self.builder
            .ins()
            .return_call_indirect(self.tail, code, &[self.context, budget]);
    }

    /// Leaves because the interpreter has to go on at `address`.
    pub(super) fn exit_left(&mut self) {
        self.flush();
        let exit = self.exits.add(Exit::Left {
            address: self.address,
            state: self.state,
            function: self.address,
            cell: None,
        });
        self.return_with(exit, self.spent);
    }

    /// Goes on at a computed address in the instruction set that its bit 0 names.
    pub(super) fn exchange(&mut self, target: Word, before: &Before) {
        self.flush();
        let value = self.value(target);
        let bit = self.builder.ins().band_imm_u(value, 1);
        let (thumb, arm) = (self.builder.create_block(), self.builder.create_block());
        self.builder.ins().brif(bit, thumb, &[], arm, &[]);
        let (model, chain) = (self.model.clone(), self.chain());
        for (block, set) in [(thumb, InstructionSet::Thumb), (arm, InstructionSet::Arm)] {
            self.resume(chain.clone());
            self.builder.switch_to_block(block);
            self.model = model.clone();
            self.computed(Word::Value(value), set, before);
        }
    }

    /// Goes on at a computed address in a known instruction set.
    pub(super) fn computed(&mut self, target: Word, set: InstructionSet, before: &Before) {
        if self.profiled() {
            self.computed_with_profile(target, set, before);
            return;
        }
        self.flush();
        let target = self.value(target);
        let mask = set.width().bytes() - 1;
        let address = self.builder.ins().band_imm_u(target, i64::from(!mask));
        let model = self.model.clone();
        let fetch = self.facts.costs.cost(self.plan.region);
        self.model.refill(&fetch, set.width());
        let exit = Exit::Computed { set, model };
        let Some((cost, state)) = self.end() else {
            self.leave_to_engine(address, exit, before.spent);
            return;
        };
        self.spent += cost;
        self.go_to_computed(address, (set, state), exit, before.spent);
    }

    /// The same, when a profile follows: as a return, or as a jump inside the function.
    fn computed_with_profile(&mut self, target: Word, set: InstructionSet, before: &Before) {
        let target = self.value(target);
        let mask = set.width().bytes() - 1;
        let address = self.builder.ins().band_imm_u(target, i64::from(!mask));
        let model = self.model.clone();
        let fetch = self.facts.costs.cost(self.plan.region);
        self.model.refill(&fetch, set.width());
        let Some((cost, state)) = self.end() else {
            self.go_back(before);
            self.exit_left();
            return;
        };
        let ways = match self.look_at_computed(address, before) {
            None => return,
            Some(Ways::Call(call)) => vec![(None, Chained::Call(call))],
            Some(Ways::ReturnOrJump(returns, jumps, top)) => vec![
                (Some(returns), Chained::Return(top)),
                (Some(jumps), Chained::Nothing),
            ],
        };
        let (chain, accesses) = (self.chain(), self.accesses.clone());
        for (block, chained) in ways {
            if let Some(block) = block {
                self.resume(chain.clone());
                self.accesses.clone_from(&accesses);
                self.builder.switch_to_block(block);
            }
            self.flush();
            self.spent += cost;
            self.count_executed();
            let node = self.builder.use_var(self.variables.node);
            self.chain_calls(chained);
            let exit = Exit::Arrived {
                set,
                model: model.clone(),
                cost,
            };
            self.builder
                .ins()
                .store(Self::own_memory(), node, self.context, at::LEFT_NODE);
            let spent = self.spent;
            self.go_to_computed(address, (set, state), exit, spent);
        }
    }

    /// Goes on at a computed address: behind a call, or where its code is found, or by way of the engine.
    fn go_to_computed(
        &mut self,
        address: Value,
        (set, state): (InstructionSet, StateIndex),
        exit: Exit<M>,
        spent_before: u64,
    ) {
        if set == self.plan.set && self.plan.returns.len() <= RETURNS_MAX {
            for place in self.plan.returns.clone() {
                self.return_to(address, (place, state));
            }
        }
        self.look_up_entry(address, set, (exit, spent_before), state);
    }

    /// Jumps to the place behind a call, if that is where the address leads.
    fn return_to(&mut self, address: Value, place: Place) {
        if !self.plan.instructions.contains_key(&place.0) || self.blocks.len() >= BLOCKS_MAX {
            return;
        }
        let wanted = self.constant(place.0);
        let same = self.builder.ins().icmp(IntCC::Equal, address, wanted);
        let (there, other) = (self.builder.create_block(), self.builder.create_block());
        self.builder.ins().brif(same, there, &[], other, &[]);
        let chain = self.chain();
        self.builder.switch_to_block(there);
        self.jump_to(place);
        self.resume(chain);
        self.builder.switch_to_block(other);
    }

    /// Looks for the code of a computed address.
    fn look_up_entry(
        &mut self,
        address: Value,
        set: InstructionSet,
        (exit, spent_before): (Exit<M>, u64),
        state: StateIndex,
    ) {
        let table =
            self.builder
                .ins()
                .load(types::I64, Self::own_memory(), self.context, at::ENTRIES);
        let index = self
            .builder
            .ins()
            .ushr_imm_u(address, i64::from(entries::ADDRESS_SHIFT));
        let index = self
            .builder
            .ins()
            .band_imm_u(index, i64::from(entries::COUNT as u32 - 1));
        let wide = self.builder.ins().uextend(types::I64, index);
        let offset = self.builder.ins().ishl_imm_u(wide, 4);
        let entry = self.builder.ins().iadd(table, offset);
        let key = self
            .builder
            .ins()
            .load(types::I64, Self::own_memory(), entry, 0);
        let wide = self.builder.ins().uextend(types::I64, address);
        let rest = entries::key(0, set, state, self.facts.mode, self.key_region());
        let rest = self.builder.ins().iconst(types::I64, rest as i64);
        let wanted = self.builder.ins().bor(wide, rest);
        let found = self.builder.ins().icmp(IntCC::Equal, key, wanted);
        let (on, out) = (self.builder.create_block(), self.builder.create_block());
        self.builder.set_cold_block(out);
        self.builder.ins().brif(found, on, &[], out, &[]);
        self.builder.switch_to_block(out);
        self.leave_to_engine(address, exit, spent_before);
        self.builder.switch_to_block(on);
        self.pay();
        self.emit_counts(0);
        let code = self
            .builder
            .ins()
            .load(types::I64, Self::own_memory(), entry, 8);
        self.call_on(code);
    }

    fn leave_to_engine(&mut self, address: Value, exit: Exit<M>, spent: u64) {
        self.builder
            .ins()
            .store(Self::own_memory(), address, self.context, at::EXIT_ADDRESS);
        let exit = self.exits.add(exit);
        self.return_with(exit, spent);
    }
}
