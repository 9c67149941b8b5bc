//! Accesses to memory: one look at the table of granules gives the host's bytes and checks region, permission and alignment.

use super::{Emitter, Exit};
use crate::arm::context::at;
use crate::arm::granules::{ADDEND, READ_TAG, WRITE_TAG, tag};
use crate::code::{Word, guest_memory, own_memory, width_type};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Value, types};
use socscope_isa::StaticCycleModel;
use socscope_memory::{Direction, RegionIndex, Width};

/// Host address of the first word of a block transfer.
#[derive(Clone, Copy, Debug)]
pub(super) struct Block {
    base: Option<Value>,
    offset: u32,
    host: Value,
}

impl<M: StaticCycleModel> Emitter<'_, M> {
    /// Two bytes side by side: where the flags come from, and the carry.
    pub(super) fn store_bytes(&mut self, origin: u8, carry: u8) {
        let both = i64::from(origin) | i64::from(carry) << 8;
        let value = self.code.builder.ins().iconst(types::I16, both);
        self.code
            .builder
            .ins()
            .store(own_memory(), value, self.code.context, at::ORIGIN);
    }

    /// The host's address of the guest's `address`; leaves to the interpreter when the table does not allow the access.
    pub(super) fn host_pointer(
        &mut self,
        address: Word,
        width: Width,
        direction: Direction,
    ) -> Value {
        self.count_access(width, direction);
        let (base, offset) = match address {
            Word::Constant(address) => (None, address),
            Word::Value(value) => (Some(value), 0),
            Word::Sum(value, offset) => (Some(value), offset),
        };
        if let Some(block) = self.block
            && block.base == base
        {
            let distance = offset.wrapping_sub(block.offset);
            return self
                .code
                .builder
                .ins()
                .iadd_imm_s(block.host, i64::from(distance as i32));
        }
        let words = self.accesses_left;
        let host = self.look_up(address, width, direction, words);
        if words > 1 && self.is_block_transfer() {
            self.block = Some(Block { base, offset, host });
        }
        host
    }

    /// The low part of a value to the host's memory.
    pub(super) fn store_at(&mut self, pointer: Value, width: Width, value: Value) {
        let value = match width {
            Width::Word => value,
            _ => self.code.builder.ins().ireduce(width_type(width), value),
        };
        self.code
            .builder
            .ins()
            .store(guest_memory(), value, pointer, 0);
    }

    /// The only access of an instruction, a write: where the table forbids it because of code nearby, a call does it.
    pub(super) fn store_single(&mut self, address: Word, width: Width, value: Word) {
        self.count_access(width, Direction::Write);
        let (guest, value) = (self.code.value(address), self.code.value(value));
        let entry = self.entry_of(guest, width);
        let good = self.has_tag(entry, Direction::Write);
        let [plain, aside, done] = std::array::from_fn(|_| self.code.builder.create_block());
        self.code.builder.set_cold_block(aside);
        self.code.builder.ins().brif(good, plain, &[], aside, &[]);
        self.code.builder.switch_to_block(aside);
        if let Some(otherwise) = self.otherwise {
            // Another region: no code nearby.
            let found = self.tag_of(entry, Direction::Write);
            let helped = self.code.builder.create_block();
            self.code
                .builder
                .ins()
                .brif(found, otherwise, &[], helped, &[]);
            self.code.builder.switch_to_block(helped);
        }
        let how = width as u32 | self.assumed_region().map_or(0, tag) << 8;
        let wrote = self.call_write_beside_code(guest, value, how);
        let refused = self.code.builder.create_block();
        self.code.builder.set_cold_block(refused);
        self.code.builder.ins().brif(wrote, done, &[], refused, &[]);
        self.code.builder.switch_to_block(refused);
        self.refuse(guest, Direction::Write);
        self.code.builder.switch_to_block(plain);
        let addend = self
            .code
            .builder
            .ins()
            .load(types::I64, own_memory(), entry, ADDEND);
        let wide = self.code.builder.ins().uextend(types::I64, guest);
        let pointer = self.code.builder.ins().iadd(addend, wide);
        self.store_at(pointer, width, value);
        self.code.builder.ins().jump(done, &[]);
        self.code.builder.switch_to_block(done);
    }

    fn look_up(&mut self, address: Word, width: Width, direction: Direction, words: u32) -> Value {
        let guest = self.code.value(address);
        let first = self.entry_of(guest, width);
        self.require_tag(first, guest, direction);
        let addend = self
            .code
            .builder
            .ins()
            .load(types::I64, own_memory(), first, ADDEND);
        if words > 1 && self.is_block_transfer() {
            let bytes = self.code.constant(4 * (words - 1));
            let last = self.code.builder.ins().iadd(guest, bytes);
            let entry = self.entry_of(last, Width::Word);
            self.require_tag(entry, guest, direction);
            // Both ends at the same distance: all between lies in one piece of the host's memory.
            let other = self
                .code
                .builder
                .ins()
                .load(types::I64, own_memory(), entry, ADDEND);
            let same = self.code.builder.ins().icmp(IntCC::Equal, addend, other);
            self.require(same, guest, direction);
        }
        self.code.aligned.push((address, width.bytes() - 1));
        let wide = self.code.builder.ins().uextend(types::I64, guest);
        self.code.builder.ins().iadd(addend, wide)
    }

    /// Address of a guest address's entry, without the table's offset.
    fn entry_of(&mut self, guest: Value, width: Width) -> Value {
        let index = match width {
            Width::Byte => {
                let shifted = self.code.builder.ins().ushr_imm_u(guest, 4);
                self.code.builder.ins().band_imm_u(shifted, 0x0fff_fff0)
            }
            _ => {
                let low_bits = i64::from(width.bytes().trailing_zeros());
                let rotated = self.code.builder.ins().rotr_imm_u(guest, low_bits);
                let shifted = self.code.builder.ins().ushr_imm_u(rotated, 4 - low_bits);
                self.code
                    .builder
                    .ins()
                    .band_imm_u(shifted, 0xffff_fff0_i64 >> (4 - low_bits) & !15)
            }
        };
        let index = self.code.builder.ins().uextend(types::I64, index);
        self.code.builder.ins().iadd(self.code.context, index)
    }

    fn require_tag(&mut self, entry: Value, guest: Value, direction: Direction) {
        let good = self.has_tag(entry, direction);
        self.require(good, guest, direction);
    }

    /// Whether an entry allows an access.
    fn has_tag(&mut self, entry: Value, direction: Direction) -> Value {
        let found = self.tag_of(entry, direction);
        match self.assumed_region() {
            Some(region) => {
                let wanted = self.code.constant(tag(region));
                self.code.builder.ins().icmp(IntCC::Equal, found, wanted)
            }
            None => {
                let none = self.code.constant(0);
                self.code.builder.ins().icmp(IntCC::NotEqual, found, none)
            }
        }
    }

    fn tag_of(&mut self, entry: Value, direction: Direction) -> Value {
        let offset = match direction {
            Direction::Read => READ_TAG,
            Direction::Write => WRITE_TAG,
        };
        self.code
            .builder
            .ins()
            .load(types::I32, own_memory(), entry, offset)
    }

    /// Goes on if the condition holds, else leaves the instruction to the interpreter, with the address that it wanted.
    fn require(&mut self, good: Value, guest: Value, direction: Direction) {
        let (on, off) = (
            self.code.builder.create_block(),
            self.code.builder.create_block(),
        );
        self.code.builder.set_cold_block(off);
        self.code.builder.ins().brif(good, on, &[], off, &[]);
        self.code.builder.switch_to_block(off);
        self.refuse(guest, direction);
        self.code.builder.switch_to_block(on);
    }

    /// Leaves the instruction to the code for another region, or to the interpreter, with the address that it wanted.
    fn refuse(&mut self, guest: Value, direction: Direction) {
        if let Some(otherwise) = self.otherwise {
            self.code.builder.ins().jump(otherwise, &[]);
            return;
        }
        self.code
            .builder
            .ins()
            .store(own_memory(), guest, self.code.context, at::EXIT_ADDRESS);
        let exit = self.exits.add(Exit::Access {
            address: self.address,
            state: self.state,
            direction,
        });
        self.return_with(exit, self.spent);
    }

    fn is_block_transfer(&self) -> bool {
        use socscope_isa::CycleClass::{LoadMultiple, StoreMultiple};
        matches!(self.class, LoadMultiple | StoreMultiple)
    }

    /// The region that accesses of this instruction are taken to reach; `None` when it makes no difference.
    fn assumed_region(&self) -> Option<RegionIndex> {
        self.assumed
    }

    /// Tells the timing model, and counts for a profile.
    fn count_access(&mut self, width: Width, direction: Direction) {
        let region = self.assumed.unwrap_or(RegionIndex::UNMAPPED);
        let cost = self.facts.costs.cost(region);
        self.model.data(region, &cost, width, direction);
        self.note_access(width, direction);
    }
}
