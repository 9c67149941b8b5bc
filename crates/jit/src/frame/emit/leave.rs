//! Jumps inside a translation, and the ways out of it.

use super::{Emitter, Place};
use crate::code::{Word, own_memory};
use crate::entries;
use crate::frame::adapter::Adapter;
use crate::frame::context::at;
use crate::frame::exits::Exit;
use crate::frame::key::{Flavour, PAGE_SHIFT, key_part};
use crate::frame::tables::{FETCH_SHIFT, INDEX_MASK, fetch_offset};
use crate::states::StateIndex;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Value, types};
use socscope_isa::StaticCycleModel;

/// Blocks in one translation, at most.
const BLOCKS_MAX: usize = 1_000;
/// Places behind calls that a return is compared with.
const RETURNS_MAX: usize = 6;

impl<A: Adapter, M: StaticCycleModel<A::Class>> Emitter<'_, A, M> {
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
    fn jump_to(&mut self, place: Place) {
        self.flush();
        self.hand_over_counts();
        self.count_found();
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

    /// A number that the engine may change, at an address that stays.
    fn load_slot(&mut self, location: u64) -> Value {
        let location = self.code.builder.ins().iconst(types::I64, location as i64);
        self.code
            .builder
            .ins()
            .load(types::I64, own_memory(), location, 0)
    }

    /// Leaves for a known place outside: straight on when its code exists and its page lies where it did, else by way of the engine.
    fn exit_to(&mut self, (address, state): Place) {
        self.flush();
        self.pay();
        let (slot, location) = self.exits.slots.add();
        let (page, page_location) = self.exits.slots.add();
        let exit = self.exits.add(Exit::Known {
            address,
            state,
            slot,
            page,
        });
        let code = self.load_slot(location);
        let (on, out) = (
            self.code.builder.create_block(),
            self.code.builder.create_block(),
        );
        self.code.builder.set_cold_block(out);
        self.code.builder.ins().brif(code, on, &[], out, &[]);
        self.code.builder.switch_to_block(on);
        if !self.plan.is_near(address) {
            let wanted = self.load_slot(page_location);
            let address = self.code.constant(address);
            let entry = self.fetch_entry(address);
            let same = self.code.builder.ins().icmp(IntCC::Equal, entry, wanted);
            let (there, aside) = (
                self.code.builder.create_block(),
                self.code.builder.create_block(),
            );
            self.code.builder.set_cold_block(aside);
            self.code.builder.ins().brif(same, there, &[], aside, &[]);
            self.code.builder.switch_to_block(aside);
            let entry = self.find_page(address, out);
            let same = self.code.builder.ins().icmp(IntCC::Equal, entry, wanted);
            self.code.builder.ins().brif(same, there, &[], out, &[]);
            self.code.builder.switch_to_block(there);
        }
        self.call_on(code);
        self.code.builder.switch_to_block(out);
        self.return_with(exit, 0);
    }

    /// What the table says of the page of an address that instructions are fetched from.
    fn fetch_entry(&mut self, address: Value) -> Value {
        let table = fetch_offset(self.facts.flavour.fetch_table());
        let context = self.code.context;
        let builder = &mut self.code.builder;
        let page = builder.ins().ushr_imm_u(address, 12);
        let index = builder.ins().band_imm_u(page, INDEX_MASK);
        let index = builder.ins().uextend(types::I64, index);
        let offset = builder.ins().ishl_imm_u(index, i64::from(FETCH_SHIFT));
        let place = builder.ins().iadd(context, offset);
        builder.ins().load(types::I64, own_memory(), place, table)
    }

    /// The same after the page was looked for, as the fetch of the instruction there does it; jumps to `out` when that would come too early.
    fn find_page(&mut self, address: Value, out: cranelift_codegen::ir::Block) -> Value {
        self.require_time(out);
        let table = self.code.constant(self.facts.flavour.fetch_table() as u32);
        self.call_helper(self.facts.helpers.fetch, &[address, table])
    }

    /// Jumps to `out` when the next instruction would come too late.
    pub(super) fn require_time(&mut self, out: cranelift_codegen::ir::Block) {
        let budget = self.code.builder.use_var(self.variables.budget);
        let zero = self.code.builder.ins().iconst(types::I64, 0);
        let in_time = self
            .code
            .builder
            .ins()
            .icmp(IntCC::SignedGreaterThan, budget, zero);
        let on = self.code.builder.create_block();
        self.code.builder.set_cold_block(on);
        self.code.builder.ins().brif(in_time, on, &[], out, &[]);
        self.code.builder.switch_to_block(on);
    }

    pub(super) fn call_on(&mut self, code: Value) {
        self.emit_counts(0);
        self.count_found();
        self.note_region();
        let budget = self.code.builder.use_var(self.variables.budget);
        let arguments = [self.code.context, budget];
        self.code
            .builder
            .ins()
            .return_call_indirect(self.signatures.tail, code, &arguments);
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

    /// Goes on at a computed address: behind a call, or where its code is found, or by way of the engine.
    pub(super) fn computed(&mut self, target: Word, state: StateIndex) {
        self.flush();
        self.pay();
        let address = self.code.value(target);
        if self.plan.returns.len() <= RETURNS_MAX {
            for place in self.plan.returns.clone() {
                self.return_to(address, (place, state));
            }
        }
        let out = self.code.builder.create_block();
        self.code.builder.set_cold_block(out);
        if let Some(part) = key_part(self.facts.flavour, state, self.facts.mode()) {
            self.look_up_entry(address, part, out);
        } else {
            self.code.builder.ins().jump(out, &[]);
        }
        self.code.builder.switch_to_block(out);
        self.code.store_value(address, at::EXIT_ADDRESS);
        let exit = self.exits.add(Exit::Computed { state });
        self.return_with(exit, 0);
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

    /// Goes on at a computed address if its code is found; else at `out`.
    fn look_up_entry(&mut self, address: Value, part: u64, out: cranelift_codegen::ir::Block) {
        let low = self.physical_page(address, out);
        let builder = &mut self.code.builder;
        let high = builder.ins().ishl_imm_u(low, i64::from(PAGE_SHIFT));
        let wide = builder.ins().uextend(types::I64, address);
        let part = builder.ins().iconst(types::I64, part as i64);
        let wanted = builder.ins().bor(wide, part);
        let wanted = builder.ins().bor(wanted, high);
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
        let code = builder.ins().load(types::I64, own_memory(), entry, 8);
        self.call_on(code);
    }

    /// The page on the bus, in the upper bits of the lower half, of instructions at an address.
    fn physical_page(&mut self, address: Value, out: cranelift_codegen::ir::Block) -> Value {
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
