//! Jumps to known places, in a translation and out of it.

use super::{Emitter, Place};
use crate::code::own_memory;
use crate::frame::adapter::Adapter;
use crate::frame::exits::Exit;
use crate::frame::key::Flavour;
use crate::frame::tables::{FETCH_SHIFT, INDEX_MASK, fetch_offset};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block, InstBuilder, Value, types};
use socscope_isa::StaticCycleModel;
use socscope_memory::RegionIndex;

/// Blocks in one translation, at most.
pub(super) const BLOCKS_MAX: usize = 1_000;

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
    pub(super) fn jump_to(&mut self, place: Place) {
        self.flush();
        A::hand_over_flags(self, self.plan.live_flags(place.0));
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
        let page = (!self.plan.is_near(address)).then(|| self.exits.slots.add());
        let exit = self.add_exit(Exit::Known {
            address,
            state,
            slot,
            page: page.map(|(number, _)| number),
        });
        let code = self.load_slot(location);
        let (on, out) = (
            self.code.builder.create_block(),
            self.code.builder.create_block(),
        );
        self.code.builder.set_cold_block(out);
        self.code.builder.ins().brif(code, on, &[], out, &[]);
        self.code.builder.switch_to_block(on);
        let mut region = None;
        if A::LEARNS {
            region = Some((self.facts.region_of)(address));
        }
        if let Some((_, page_location)) = page {
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
        self.call_on(code, region);
        self.code.builder.switch_to_block(out);
        self.return_with(exit, 0);
    }

    /// What the table says of the page of an address that instructions are fetched from.
    pub(super) fn fetch_entry(&mut self, address: Value) -> Value {
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
    pub(super) fn find_page(&mut self, address: Value, out: Block) -> Value {
        self.require_time(out);
        let table = self.code.constant(self.facts.flavour.fetch_table() as u32);
        self.call_helper(self.facts.helpers.fetch, &[address, table])
    }

    /// Jumps to `out` when the next instruction would come too late.
    pub(super) fn require_time(&mut self, out: Block) {
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

    /// Goes on in other code, of this region, if that is known.
    pub(super) fn call_on(&mut self, code: Value, to: Option<RegionIndex>) {
        self.emit_counts();
        self.count_found();
        self.note_region(to);
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
        let exit = self.add_exit(Exit::Left {
            address: self.address,
            state: self.state,
            function: self.address,
        });
        self.return_with(exit, self.spent);
    }
}
