//! Accesses to memory: one look at the table of pages gives the host's bytes and checks permission.

use super::Emitter;
use super::regions::Look;
use crate::code::{Flag, Word, guest_memory, own_memory, width_type};
use crate::frame::adapter::Adapter;
use crate::frame::context::at;
use crate::frame::exits::Exit;
use crate::frame::key::Flavour;
use crate::frame::tables::{
    ADDEND, DATA_SHIFT, INDEX_MASK, PAGE, READ, WRITE, bus_offset, data_offset,
};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block, InstBuilder, Value, types};
use socscope_isa::{StaticCycleModel, Values};
use socscope_memory::{Direction, Endianness, RegionIndex, Width};

/// Host address of the first byte that an instruction accesses, where one look is enough for all of them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Span {
    pub base: Option<Value>,
    pub offset: u32,
    pub host: Value,
    pub bus: Value,
}

/// Where bytes lie: the host's address, and that on the bus.
#[derive(Clone, Copy)]
struct Place {
    host: Value,
    bus: Value,
}

/// An address as a value, if it has one, plus a constant.
pub(super) fn parts(address: Word) -> (Option<Value>, u32) {
    match address {
        Word::Constant(address) => (None, address),
        Word::Value(value) => (Some(value), 0),
        Word::Sum(value, offset) => (Some(value), offset),
    }
}

impl<A: Adapter, M: StaticCycleModel<A::Class>> Emitter<'_, A, M> {
    /// Reads data; leaves to the interpreter where that is no plain memory's.
    pub(super) fn read(&mut self, address: Word, width: Width) -> Word {
        self.tell_access(width, Direction::Read);
        if let Some(given) = self.given {
            return Word::Value(given);
        }
        let pointer = match A::LEARNS {
            true => self.granule_pointer(address, width, Direction::Read),
            false => self.pointer(address, width, Direction::Read),
        };
        let order = A::order(self.facts.model);
        let builder = &mut self.code.builder;
        let value = builder
            .ins()
            .load(width_type(width), guest_memory(), pointer, 0);
        let value = match (order, width) {
            (_, Width::Byte) | (Endianness::Little, _) => value,
            (Endianness::Big, _) => builder.ins().bswap(value),
        };
        Word::Value(match width {
            Width::Word => value,
            _ => builder.ins().uextend(types::I32, value),
        })
    }

    /// Writes data; leaves to the interpreter where that is no plain memory's, or an instruction of translated code.
    pub(super) fn write(&mut self, address: Word, width: Width, value: Word) {
        self.tell_access(width, Direction::Write);
        if self.given.is_some() {
            return;
        }
        if A::LEARNS {
            return self.write_granule(address, width, value);
        }
        let value = self.code.value(value);
        if self.span_bytes != 0 {
            let pointer = self.pointer(address, width, Direction::Write);
            self.store_at(pointer, width, value);
            return;
        }
        let guest = self.code.value(address);
        let [plain, aside, done] = std::array::from_fn(|_| self.code.builder.create_block());
        self.code.builder.set_cold_block(aside);
        let on_bus = self.code.builder.append_block_param(done, types::I32);
        let look = Look {
            width,
            direction: Direction::Write,
            bytes: width.bytes(),
            count: 1,
        };
        let (entry, last, found, good) = self.look_up((address, guest), look);
        self.code.builder.ins().brif(good, plain, &[], aside, &[]);
        self.code.builder.switch_to_block(aside);
        self.look_for_region((guest, last, found), look, plain);
        self.ask_device(guest, Some(value), width);
        let how = self.how(width.bytes());
        let wrote = self.call_helper(self.facts.helpers.store, &[guest, value, how]);
        let [refused, helped] = self.cold_blocks();
        self.code
            .builder
            .ins()
            .brif(wrote, helped, &[], refused, &[]);
        self.code.builder.switch_to_block(helped);
        self.region_was_found(look);
        let bus = self.reached_bus(guest);
        self.code.builder.ins().jump(done, &[bus.into()]);
        self.code.builder.switch_to_block(refused);
        self.refuse(Direction::Write);
        self.code.builder.switch_to_block(plain);
        let pointer = self.host_address(entry, guest);
        self.store_at(pointer, width, value);
        let bus = self.bus_address(entry, guest);
        self.code.builder.ins().jump(done, &[bus.into()]);
        self.code.builder.switch_to_block(done);
        self.note_access((width, Direction::Write), (on_bus, 0));
    }

    /// A store under a condition, which cannot fail.
    pub(super) fn write_if(&mut self, holds: Flag, address: Word, width: Width, value: Word) {
        let holds = self.code.truth(holds);
        let [yes, done] = std::array::from_fn(|_| self.code.builder.create_block());
        let on_bus = self.code.builder.append_block_param(done, types::I32);
        let nowhere = self.code.constant(0);
        let builder = &mut self.code.builder;
        builder.ins().brif(holds, yes, &[], done, &[nowhere.into()]);
        self.code.builder.switch_to_block(yes);
        let predicate = self.code.predicate.take();
        self.write(address, width, value);
        let accessed = self.only_accessed_if(holds, on_bus).unwrap_or(nowhere);
        self.code.predicate = predicate;
        if let Some(profiler) = &mut self.profiler {
            profiler.count_last_access(&mut self.code, self.facts.assumed);
        }
        let accessed = [accessed.into()];
        self.code.builder.ins().jump(done, &accessed);
        self.code.builder.switch_to_block(done);
    }

    /// Does what an access of one byte would do to the translation of addresses; where it lies on the bus.
    pub fn touch(&mut self, address: Word, direction: Direction) -> Value {
        let look = Look {
            width: Width::Byte,
            direction,
            bytes: 1,
            count: 0,
        };
        self.host_pointer(address, look).bus
    }

    pub(super) fn store_at(&mut self, pointer: Value, width: Width, value: Value) {
        let order = A::order(self.facts.model);
        let builder = &mut self.code.builder;
        let value = match width {
            Width::Word => value,
            _ => builder.ins().ireduce(width_type(width), value),
        };
        let value = match (order, width) {
            (_, Width::Byte) | (Endianness::Little, _) => value,
            (Endianness::Big, _) => builder.ins().bswap(value),
        };
        builder.ins().store(guest_memory(), value, pointer, 0);
    }

    /// The host's address of the guest's.
    fn pointer(&mut self, address: Word, width: Width, direction: Direction) -> Value {
        let (base, offset) = parts(address);
        if let Some(span) = self.span
            && span.base == base
        {
            let distance = offset.wrapping_sub(span.offset);
            self.note_access((width, direction), (span.bus, distance));
            let distance = i64::from(distance);
            return self.code.builder.ins().iadd_imm_s(span.host, distance);
        }
        let bytes = width.bytes().max(self.span_bytes);
        let look = Look {
            width,
            direction,
            bytes,
            count: bytes / width.bytes(),
        };
        let Place { host, bus } = self.host_pointer(address, look);
        self.note_access((width, direction), (bus, 0));
        if self.span_bytes != 0 {
            self.span = Some(Span {
                base,
                offset,
                host,
                bus,
            });
        }
        host
    }

    fn host_pointer(&mut self, address: Word, look: Look) -> Place {
        let guest = self.code.value(address);
        let [plain, aside, done] = std::array::from_fn(|_| self.code.builder.create_block());
        self.code.builder.set_cold_block(aside);
        let [host, bus] =
            [types::I64, types::I32].map(|ty| self.code.builder.append_block_param(done, ty));
        let (entry, last, at, good) = self.look_up((address, guest), look);
        self.code.builder.ins().brif(good, plain, &[], aside, &[]);
        self.code.builder.switch_to_block(aside);
        self.look_for_region((guest, last, at), look, plain);
        self.ask_device(guest, None, look.width);
        let how = self.how(look.bytes);
        let helper = match look.direction {
            Direction::Read => self.facts.helpers.read,
            Direction::Write => self.facts.helpers.write,
        };
        let pointer = self.call_helper(helper, &[guest, how]);
        let [refused, helped] = self.cold_blocks();
        self.code
            .builder
            .ins()
            .brif(pointer, helped, &[], refused, &[]);
        // A way of its own: moves between registers are made there.
        self.code.builder.switch_to_block(helped);
        self.region_was_found(look);
        let reached = self.reached_bus(guest);
        let reached = [pointer.into(), reached.into()];
        self.code.builder.ins().jump(done, &reached);
        self.code.builder.switch_to_block(refused);
        self.refuse(look.direction);
        self.code.builder.switch_to_block(plain);
        let pointer = self.host_address(entry, guest);
        let found = self.bus_address(entry, guest);
        let found = [pointer.into(), found.into()];
        self.code.builder.ins().jump(done, &found);
        self.code.builder.switch_to_block(done);
        Place { host, bus }
    }

    /// The address on the bus of a guest's address whose page the table has; the same address where nobody asks for it.
    fn bus_address(&mut self, entry: Value, guest: Value) -> Value {
        let table = self.data_table();
        if !self.looks_up() || table == 0 {
            return guest;
        }
        let builder = &mut self.code.builder;
        let distance = builder
            .ins()
            .load(types::I32, own_memory(), entry, bus_offset(table));
        builder.ins().iadd(guest, distance)
    }

    /// The same behind a helper.
    pub fn reached_bus(&mut self, guest: Value) -> Value {
        match self.looks_up() {
            true => self.load(types::I32, at::REACHED_BUS),
            false => guest,
        }
    }

    pub(super) fn cold_blocks(&mut self) -> [Block; 2] {
        std::array::from_fn(|_| {
            let block = self.code.builder.create_block();
            self.code.builder.set_cold_block(block);
            block
        })
    }

    /// The table of pages that the instruction's data are looked up in.
    fn data_table(&self) -> usize {
        self.other_table
            .unwrap_or_else(|| self.facts.flavour.data_table())
    }

    /// The number of bytes and the table, for a helper.
    pub(super) fn how(&mut self, bytes: u32) -> Value {
        let table = self.data_table() as u32;
        self.code.constant(table << 8 | bytes)
    }

    /// The entry of an address, the last byte's address, what the entry holds, and whether that is the page of all bytes and allows the access.
    fn look_up(
        &mut self,
        (address, guest): (Word, Value),
        look: Look,
    ) -> (Value, Value, Value, Value) {
        let bytes = look.bytes;
        let last = match address {
            _ if bytes == 1 => guest,
            Word::Sum(base, offset) => {
                let offset = offset.wrapping_add(bytes - 1);
                self.code.value(Word::Sum(base, offset))
            }
            _ => self.code.value(Word::Sum(guest, bytes - 1)),
        };
        let table = data_offset(self.data_table());
        let context = self.code.context;
        let builder = &mut self.code.builder;
        // Shifted at once by page size and entry size.
        let shifted = builder.ins().ushr_imm_u(guest, i64::from(12 - DATA_SHIFT));
        let offset = builder.ins().band_imm_u(shifted, INDEX_MASK << DATA_SHIFT);
        let offset = builder.ins().uextend(types::I64, offset);
        let entry = builder.ins().iadd(context, offset);
        let place = match look.direction {
            Direction::Read => READ,
            Direction::Write => WRITE,
        };
        let found = builder
            .ins()
            .load(types::I32, own_memory(), entry, table + place);
        let page = if self.tells_accesses_apart() {
            self.tagged_page(guest, last, look)
        } else {
            let builder = &mut self.code.builder;
            builder.ins().band_imm_u(last, i64::from(PAGE))
        };
        let good = self.code.builder.ins().icmp(IntCC::Equal, page, found);
        (entry, last, found, good)
    }

    fn host_address(&mut self, entry: Value, guest: Value) -> Value {
        let table = data_offset(self.data_table());
        let builder = &mut self.code.builder;
        let addend = builder
            .ins()
            .load(types::I64, own_memory(), entry, table + ADDEND);
        let wide = builder.ins().uextend(types::I64, guest);
        builder.ins().iadd(addend, wide)
    }

    /// Leaves the instruction to the interpreter.
    fn refuse(&mut self, direction: Direction) {
        self.leave_before(Exit::Access {
            address: self.address,
            state: self.state,
            direction,
        });
    }

    /// An access that happens only under a condition: without it, the instruction is the interpreter's.
    pub fn require_predicate(&mut self) {
        if let Some(predicate) = self.code.predicate.take() {
            let otherwise = self.flag_not(predicate);
            self.leave_if(otherwise);
        }
    }

    /// Whether a condition is known not to hold, because the instruction was left if it did.
    pub fn is_excluded(&self, condition: Flag) -> bool {
        let expression = self.code.expression_of(condition);
        self.excluded
            .iter()
            .any(|&other| other == condition || self.code.expression_of(other) == expression)
    }

    fn tell_access(&mut self, width: Width, direction: Direction) {
        let region = self.assumed.unwrap_or(RegionIndex::UNMAPPED);
        let cost = self.facts.costs.cost(region);
        self.transfers_at = self.model.transfers_at(region, &cost, width, direction);
        self.model.data(region, &cost, width, direction);
        if let Some(profiler) = &mut self.profiler {
            profiler.accesses.push((width, direction));
        }
    }
}
