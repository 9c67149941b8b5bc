//! Helpers that find a line which its set holds, but has not used last, and use it: code that is made once, without a call of the host.

use crate::arena::Arena;
use crate::code::own_memory;
use crate::compiler::Compiler;
use crate::frame::context::at;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block, InstBuilder, Value, types};
use cranelift_frontend::FunctionBuilder;
use socscope_isa::{HeldLine, LinePlaces, LineTable, Lookup, Lookups, NO_LINE, Order};
use std::mem::offset_of;

/// What is looked up, by number.
const LOOKUPS: [Lookup; 3] = [Lookup::Fetch, Lookup::Read, Lookup::Write];
/// They leave this where helpers leave their result.
pub(crate) const FOUND: i64 = 1;
const NOT_FOUND: i64 = 0;

/// Makes the helpers.
pub(crate) fn finders(
    compiler: &mut Compiler,
    arena: &mut Arena,
    lookups: &dyn Lookups,
) -> Option<[u64; 3]> {
    let tables = lookups.tables();
    let mut made = [0; 3];
    for (lookup, place) in LOOKUPS.into_iter().zip(&mut made) {
        let table = tables[lookup as usize];
        let used = |way| lookups.used(lookup, way);
        *place = compiler.code_helper(arena, 2, |builder, arguments| {
            let finder = Finder {
                builder,
                context: arguments[0],
                address: arguments[1],
                lookup,
                table,
            };
            finder.write(used);
        })?;
    }
    Some(made)
}

struct Finder<'a, 'b> {
    builder: &'a mut FunctionBuilder<'b>,
    context: Value,
    /// On the bus.
    address: Value,
    lookup: Lookup,
    table: LineTable,
}

impl Finder<'_, '_> {
    fn write(mut self, used: impl Fn(u32) -> (u64, u64)) {
        let LineTable { shift, entries, .. } = self.table;
        let builder = &mut self.builder;
        let line = builder.ins().ushr_imm_u(self.address, i64::from(shift));
        let wide = builder.ins().uextend(types::I64, line);
        let set = builder.ins().band_imm_u(wide, i64::from(entries - 1));
        let bytes = self.table.ways * HeldLine::BYTES;
        let distance = builder.ins().imul_imm_u(set, i64::from(bytes));
        let lines = self.start(offset_of!(LinePlaces, lines));
        let lines = self.builder.ins().iadd(lines, distance);
        let order_place = self.element(offset_of!(LinePlaces, order), set, 3);
        let builder = &mut self.builder;
        let before = builder.ins().load(types::I64, own_memory(), order_place, 0);
        let valid = builder.ins().iconst(types::I64, HeldLine::VALID as i64);
        let wanted = builder.ins().bor(wide, valid);
        let found = builder.create_block();
        // Where the line lies, all of it, the order after its use.
        let [place, held, order] = [(); 3].map(|()| builder.append_block_param(found, types::I64));
        self.search((lines, wanted), found, (before, used));
        self.finish(NOT_FOUND);
        let builder = &mut self.builder;
        builder.switch_to_block(found);
        builder.ins().store(own_memory(), order, order_place, 0);
        self.note(set, line, (place, held));
        self.finish(FOUND);
    }

    /// The address of what belongs to the first set.
    fn start(&mut self, field: usize) -> Value {
        let places = at::LOOKUPS + (self.lookup as usize * size_of::<LinePlaces>() + field) as i32;
        let builder = &mut self.builder;
        builder
            .ins()
            .load(types::I64, own_memory(), self.context, places)
    }

    /// The address of a set's element, which is 1 << `shift` bytes long.
    fn element(&mut self, field: usize, set: Value, shift: u32) -> Value {
        let start = self.start(field);
        let builder = &mut self.builder;
        let offset = builder.ins().ishl_imm_u(set, i64::from(shift));
        builder.ins().iadd(start, offset)
    }

    /// Looks at one line of the set after the other; goes on where none is the wanted one.
    fn search(
        &mut self,
        (lines, wanted): (Value, Value),
        found: Block,
        (order, used): (Value, impl Fn(u32) -> (u64, u64)),
    ) {
        for way in 0..self.table.ways {
            let offset = (way * HeldLine::BYTES) as i32;
            let builder = &mut self.builder;
            let held = builder.ins().load(types::I64, own_memory(), lines, offset);
            let which = builder.ins().band_imm_u(held, HeldLine::MASK as i64);
            let same = builder.ins().icmp(IntCC::Equal, which, wanted);
            let [there, next] = [(); 2].map(|()| builder.create_block());
            builder.ins().brif(same, there, &[], next, &[]);
            builder.switch_to_block(there);
            let place = builder.ins().iadd_imm_s(lines, i64::from(offset));
            let after = match self.table.order {
                Order::Bits => self.with_bits(order, used(way)),
                Order::Recency => self.with_front(order, way),
            };
            let arguments = [place.into(), held.into(), after.into()];
            self.builder.ins().jump(found, &arguments);
            self.builder.switch_to_block(next);
        }
    }

    fn with_bits(&mut self, order: Value, (stay, set): (u64, u64)) -> Value {
        let builder = &mut self.builder;
        let [stay, set] = [stay, set].map(|bits| builder.ins().iconst(types::I64, bits as i64));
        let order = builder.ins().band(order, stay);
        builder.ins().bor(order, set)
    }

    /// The way before all that were in front of it.
    fn with_front(&mut self, order: Value, way: u32) -> Value {
        const EACH: u64 = 0x1111_1111_1111_1111;
        let builder = &mut self.builder;
        let constant = |builder: &mut FunctionBuilder, bits: u64| {
            builder.ins().iconst(types::I64, bits as i64)
        };
        // Its place is the lowest one of which nothing is left.
        let ways = constant(builder, EACH * u64::from(way));
        let left = builder.ins().bxor(order, ways);
        let each = constant(builder, EACH);
        let less = builder.ins().isub(left, each);
        let borrowed = builder.ins().band_not(less, left);
        let highest = constant(builder, EACH << 3);
        let borrowed = builder.ins().band(borrowed, highest);
        let place = builder.ins().ctz(borrowed);
        let place = builder.ins().band_imm_u(place, 60);
        let one = constant(builder, 1);
        let before = builder.ins().ishl(one, place);
        let before = builder.ins().iadd_imm_s(before, -1);
        let moved = builder.ins().band(order, before);
        let moved = builder.ins().ishl_imm_u(moved, 4);
        let until = builder.ins().ishl_imm_u(before, 4);
        let until = builder.ins().bor_imm_u(until, 0xf);
        let behind = builder.ins().band_not(order, until);
        let after = builder.ins().bor(behind, moved);
        builder.ins().bor_imm_u(after, i64::from(way))
    }

    /// The line is the one that its set has used last.
    fn note(&mut self, set: Value, line: Value, (place, held): (Value, Value)) {
        let held_place = self.element(offset_of!(LinePlaces, held), set, 2);
        let changed_place = self.element(offset_of!(LinePlaces, changed), set, 2);
        let builder = &mut self.builder;
        builder.ins().store(own_memory(), line, held_place, 0);
        let changed = match self.lookup {
            Lookup::Write => {
                let one = builder.ins().iconst(types::I8, 1);
                let offset = HeldLine::CHANGED as i32;
                builder.ins().store(own_memory(), one, place, offset);
                line
            }
            Lookup::Fetch | Lookup::Read => {
                let shift = i64::from(8 * HeldLine::CHANGED);
                let changed = builder.ins().ushr_imm_u(held, shift);
                let changed = builder.ins().band_imm_u(changed, 1);
                let none = builder.ins().iconst(types::I32, i64::from(NO_LINE as i32));
                builder.ins().select(changed, line, none)
            }
        };
        builder.ins().store(own_memory(), changed, changed_place, 0);
        if self.lookup == Lookup::Fetch {
            let context = self.context;
            builder
                .ins()
                .store(own_memory(), line, context, at::FETCHING);
        }
    }

    fn finish(&mut self, result: i64) {
        let builder = &mut self.builder;
        let result = builder.ins().iconst(types::I64, result);
        builder
            .ins()
            .store(own_memory(), result, self.context, at::HELPED);
        builder.ins().return_(&[]);
    }
}
