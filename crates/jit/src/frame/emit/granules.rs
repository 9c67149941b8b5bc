//! Accesses to memory where regions are learnt: one look at the table of granules gives the host's bytes and checks region, permission and alignment.

use super::Emitter;
use super::memory::{Span, parts};
use crate::code::{Word, own_memory};
use crate::frame::adapter::Adapter;
use crate::frame::context::at;
use crate::frame::exits::Exit;
use crate::frame::granules::{ADDEND, READ_TAG, WRITE_TAG, how, tag};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Value, types};
use socscope_isa::StaticCycleModel;
use socscope_memory::{Direction, Width};

impl<A: Adapter, M: StaticCycleModel<A::Class>> Emitter<'_, A, M> {
    /// The host's address of the guest's `address`; leaves to the interpreter when the table does not allow the access.
    pub(super) fn granule_pointer(
        &mut self,
        address: Word,
        width: Width,
        direction: Direction,
    ) -> Value {
        let (base, offset) = parts(address);
        if let Some(span) = self.span
            && span.base == base
        {
            let distance = i64::from(offset.wrapping_sub(span.offset) as i32);
            return self.code.builder.ins().iadd_imm_s(span.host, distance);
        }
        let host = self.look_up_granules(address, width, direction);
        if self.span_bytes != 0 {
            // Nothing is looked up by the address on the bus where there are granules.
            let bus = self.code.value(address);
            self.span = Some(Span {
                base,
                offset,
                host,
                bus,
            });
        }
        host
    }

    /// Writes data. The only access of an instruction, where the table forbids it because of code nearby, is done by a call.
    pub(super) fn write_granule(&mut self, address: Word, width: Width, value: Word) {
        if !self.is_counted_at_once {
            let pointer = self.granule_pointer(address, width, Direction::Write);
            let value = self.code.value(value);
            return self.store_at(pointer, width, value);
        }
        let (guest, value) = (self.code.value(address), self.code.value(value));
        let entry = self.granule_of(guest, width);
        let good = self.has_tag(entry, Direction::Write);
        let [plain, aside, done] = std::array::from_fn(|_| self.code.builder.create_block());
        self.code.builder.set_cold_block(aside);
        self.code.builder.ins().brif(good, plain, &[], aside, &[]);
        self.code.builder.switch_to_block(aside);
        if let Some(otherwise) = self.otherwise {
            // Another region: no code nearby.
            let found = self.tag_of(entry, Direction::Write);
            let helped = self.code.builder.create_block();
            let builder = &mut self.code.builder;
            builder.ins().brif(found, otherwise, &[], helped, &[]);
            builder.switch_to_block(helped);
        }
        let wanted = self.code.constant(how(width, self.assumed));
        let store = self.facts.helpers.store;
        let wrote = self.call_helper(store, &[guest, value, wanted]);
        let refused = self.code.builder.create_block();
        self.code.builder.set_cold_block(refused);
        self.code.builder.ins().brif(wrote, done, &[], refused, &[]);
        self.code.builder.switch_to_block(refused);
        self.ask_device(guest, Some(value), width);
        self.refuse_granule(guest, Direction::Write);
        self.code.builder.switch_to_block(plain);
        let pointer = self.granule_address(entry, guest);
        self.store_at(pointer, width, value);
        self.code.builder.ins().jump(done, &[]);
        self.code.builder.switch_to_block(done);
    }

    fn look_up_granules(&mut self, address: Word, width: Width, direction: Direction) -> Value {
        let guest = self.code.value(address);
        let first = self.granule_of(guest, width);
        let good = self.has_tag(first, direction);
        self.require_granule(good, guest, (width, direction));
        if self.span_bytes != 0 {
            let bytes = self.code.constant(self.span_bytes - width.bytes());
            let last = self.code.builder.ins().iadd(guest, bytes);
            let last = self.granule_of(last, width);
            let good = self.has_tag(last, direction);
            self.require_granule(good, guest, (width, direction));
            // Both ends at the same distance: all between lies in one piece of the host's memory.
            let [first, last] = [first, last].map(|entry| self.load_addend(entry));
            let same = self.code.builder.ins().icmp(IntCC::Equal, first, last);
            self.require_granule(same, guest, (width, direction));
        }
        self.code.aligned.push((address, width.bytes() - 1));
        self.granule_address(first, guest)
    }

    fn load_addend(&mut self, entry: Value) -> Value {
        let builder = &mut self.code.builder;
        builder.ins().load(types::I64, own_memory(), entry, ADDEND)
    }

    fn granule_address(&mut self, entry: Value, guest: Value) -> Value {
        let addend = self.load_addend(entry);
        let wide = self.code.builder.ins().uextend(types::I64, guest);
        self.code.builder.ins().iadd(addend, wide)
    }

    /// Address of a guest address's entry, without the table's offset.
    fn granule_of(&mut self, guest: Value, width: Width) -> Value {
        let context = self.code.context;
        let builder = &mut self.code.builder;
        let index = match width {
            Width::Byte => {
                let shifted = builder.ins().ushr_imm_u(guest, 4);
                builder.ins().band_imm_u(shifted, 0x0fff_fff0)
            }
            _ => {
                let low_bits = i64::from(width.bytes().trailing_zeros());
                let rotated = builder.ins().rotr_imm_u(guest, low_bits);
                let shifted = builder.ins().ushr_imm_u(rotated, 4 - low_bits);
                let mask = 0xffff_fff0_i64 >> (4 - low_bits) & !15;
                builder.ins().band_imm_u(shifted, mask)
            }
        };
        let index = builder.ins().uextend(types::I64, index);
        builder.ins().iadd(context, index)
    }

    /// Whether an entry allows an access.
    fn has_tag(&mut self, entry: Value, direction: Direction) -> Value {
        let found = self.tag_of(entry, direction);
        let (condition, tag) = match self.assumed {
            Some(region) => (IntCC::Equal, tag(region)),
            None => (IntCC::NotEqual, 0),
        };
        let tag = self.code.constant(tag);
        self.code.builder.ins().icmp(condition, found, tag)
    }

    fn tag_of(&mut self, entry: Value, direction: Direction) -> Value {
        let offset = match direction {
            Direction::Read => READ_TAG,
            Direction::Write => WRITE_TAG,
        };
        let builder = &mut self.code.builder;
        builder.ins().load(types::I32, own_memory(), entry, offset)
    }

    /// Goes on if the condition holds, else leaves the instruction to the interpreter, with the address that it wanted.
    fn require_granule(
        &mut self,
        good: Value,
        guest: Value,
        (width, direction): (Width, Direction),
    ) {
        let [on, off] = std::array::from_fn(|_| self.code.builder.create_block());
        self.code.builder.set_cold_block(off);
        self.code.builder.ins().brif(good, on, &[], off, &[]);
        self.code.builder.switch_to_block(off);
        if direction == Direction::Read {
            self.ask_device(guest, None, width);
        }
        self.refuse_granule(guest, direction);
        self.code.builder.switch_to_block(on);
    }

    /// Leaves the instruction to the code for another region, or to the interpreter, with the address that it wanted.
    fn refuse_granule(&mut self, guest: Value, direction: Direction) {
        if let Some(otherwise) = self.otherwise {
            self.code.builder.ins().jump(otherwise, &[]);
            return;
        }
        self.code.store_value(guest, at::EXIT_ADDRESS);
        self.leave_before(Exit::Access {
            address: self.address,
            state: self.state,
            direction,
        });
    }
}
