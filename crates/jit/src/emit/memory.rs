//! Accesses to memory: one look at the table of granules gives the host's bytes and checks region, permission and alignment.

use super::reading::width_type;
use super::word::Word;
use super::{Emitter, Exit};
use crate::context::at;
use crate::granules::{ADDEND, READ_TAG, WRITE_TAG, tag};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, MemFlagsData, Value, types};
use socscope_isa::Foreseeable;
use socscope_memory::{Direction, RegionIndex, Width};

/// Host address of the first word of a block transfer.
#[derive(Clone, Copy, Debug)]
pub(super) struct Block {
    base: Option<Value>,
    offset: u32,
    host: Value,
}

impl<M: Foreseeable> Emitter<'_, M> {
    /// The guest's memory: aligned as far as it matters, never trapping, because it was looked up.
    pub(super) fn guest_memory() -> MemFlagsData {
        MemFlagsData::new().with_notrap()
    }

    /// The context and the table.
    pub(super) fn own_memory() -> MemFlagsData {
        MemFlagsData::trusted()
    }

    pub(super) fn load_word(&mut self, offset: i32) -> Value {
        self.builder
            .ins()
            .load(types::I32, Self::own_memory(), self.context, offset)
    }

    pub(super) fn store_word(&mut self, word: Word, offset: i32) {
        let value = self.value(word);
        self.builder
            .ins()
            .store(Self::own_memory(), value, self.context, offset);
    }

    pub(super) fn store_byte_value(&mut self, value: Value, offset: i32) {
        self.builder
            .ins()
            .store(Self::own_memory(), value, self.context, offset);
    }

    /// Two bytes side by side: where the flags come from, and the carry.
    pub(super) fn store_bytes(&mut self, origin: u8, carry: u8) {
        let both = i64::from(origin) | i64::from(carry) << 8;
        let value = self.builder.ins().iconst(types::I16, both);
        self.builder
            .ins()
            .store(Self::own_memory(), value, self.context, at::ORIGIN);
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
            _ => self.builder.ins().ireduce(width_type(width), value),
        };
        self.builder
            .ins()
            .store(Self::guest_memory(), value, pointer, 0);
    }

    /// The only access of an instruction, a write: where the table forbids it because of code nearby, a call does it.
    pub(super) fn store_single(&mut self, address: Word, width: Width, value: Word) {
        self.count_access(width, Direction::Write);
        let (guest, value) = (self.value(address), self.value(value));
        let entry = self.entry_of(guest, width);
        let good = self.has_tag(entry, Direction::Write);
        let [plain, aside, done] = std::array::from_fn(|_| self.builder.create_block());
        self.builder.set_cold_block(aside);
        self.builder.ins().brif(good, plain, &[], aside, &[]);
        self.builder.switch_to_block(aside);
        if let Some(otherwise) = self.otherwise {
            // Another region: no code nearby.
            let found = self.tag_of(entry, Direction::Write);
            let helped = self.builder.create_block();
            self.builder.ins().brif(found, otherwise, &[], helped, &[]);
            self.builder.switch_to_block(helped);
        }
        let how = width as u32 | self.assumed_region().map_or(0, tag) << 8;
        let wrote = self.call_write_beside_code(guest, value, how);
        let refused = self.builder.create_block();
        self.builder.set_cold_block(refused);
        self.builder.ins().brif(wrote, done, &[], refused, &[]);
        self.builder.switch_to_block(refused);
        self.refuse(guest, Direction::Write);
        self.builder.switch_to_block(plain);
        let addend = self
            .builder
            .ins()
            .load(types::I64, Self::own_memory(), entry, ADDEND);
        let wide = self.builder.ins().uextend(types::I64, guest);
        let pointer = self.builder.ins().iadd(addend, wide);
        self.store_at(pointer, width, value);
        self.builder.ins().jump(done, &[]);
        self.builder.switch_to_block(done);
    }

    fn look_up(&mut self, address: Word, width: Width, direction: Direction, words: u32) -> Value {
        let guest = self.value(address);
        let first = self.entry_of(guest, width);
        self.require_tag(first, guest, direction);
        let addend = self
            .builder
            .ins()
            .load(types::I64, Self::own_memory(), first, ADDEND);
        if words > 1 && self.is_block_transfer() {
            let bytes = self.constant(4 * (words - 1));
            let last = self.builder.ins().iadd(guest, bytes);
            let entry = self.entry_of(last, Width::Word);
            self.require_tag(entry, guest, direction);
            // Both ends at the same distance: all between lies in one piece of the host's memory.
            let other = self
                .builder
                .ins()
                .load(types::I64, Self::own_memory(), entry, ADDEND);
            let same = self.builder.ins().icmp(IntCC::Equal, addend, other);
            self.require(same, guest, direction);
        }
        self.aligned.push((address, width.bytes() - 1));
        let wide = self.builder.ins().uextend(types::I64, guest);
        self.builder.ins().iadd(addend, wide)
    }

    /// Address of a guest address's entry, without the table's offset.
    fn entry_of(&mut self, guest: Value, width: Width) -> Value {
        let index = match width {
            Width::Byte => {
                let shifted = self.builder.ins().ushr_imm_u(guest, 4);
                self.builder.ins().band_imm_u(shifted, 0x0fff_fff0)
            }
            _ => {
                let low_bits = i64::from(width.bytes().trailing_zeros());
                let rotated = self.builder.ins().rotr_imm_u(guest, low_bits);
                let shifted = self.builder.ins().ushr_imm_u(rotated, 4 - low_bits);
                self.builder
                    .ins()
                    .band_imm_u(shifted, 0xffff_fff0_i64 >> (4 - low_bits) & !15)
            }
        };
        let index = self.builder.ins().uextend(types::I64, index);
        self.builder.ins().iadd(self.context, index)
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
                let wanted = self.constant(tag(region));
                self.builder.ins().icmp(IntCC::Equal, found, wanted)
            }
            None => {
                let none = self.constant(0);
                self.builder.ins().icmp(IntCC::NotEqual, found, none)
            }
        }
    }

    fn tag_of(&mut self, entry: Value, direction: Direction) -> Value {
        let offset = match direction {
            Direction::Read => READ_TAG,
            Direction::Write => WRITE_TAG,
        };
        self.builder
            .ins()
            .load(types::I32, Self::own_memory(), entry, offset)
    }

    /// Goes on if the condition holds, else leaves the instruction to the interpreter, with the address that it wanted.
    fn require(&mut self, good: Value, guest: Value, direction: Direction) {
        let (on, off) = (self.builder.create_block(), self.builder.create_block());
        self.builder.set_cold_block(off);
        self.builder.ins().brif(good, on, &[], off, &[]);
        self.builder.switch_to_block(off);
        self.refuse(guest, direction);
        self.builder.switch_to_block(on);
    }

    /// Leaves the instruction to the code for another region, or to the interpreter, with the address that it wanted.
    fn refuse(&mut self, guest: Value, direction: Direction) {
        if let Some(otherwise) = self.otherwise {
            self.builder.ins().jump(otherwise, &[]);
            return;
        }
        self.builder
            .ins()
            .store(Self::own_memory(), guest, self.context, at::EXIT_ADDRESS);
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

    /// Whether a word is known to have none of the bits `low`.
    pub(super) fn is_aligned(&self, word: Word, low: u32) -> bool {
        self.aligned
            .iter()
            .any(|&(known, bits)| known == word && low & !bits == 0)
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
