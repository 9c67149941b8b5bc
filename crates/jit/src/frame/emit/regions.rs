//! Regions of data accesses under a profile. Code counts them for the region that most accesses probably reach; where the table names another one, off
//! the common way, the count moves there.

use super::Emitter;
use crate::frame::adapter::Adapter;
use crate::frame::context::at;
use crate::frame::exits::Exit;
use crate::frame::tables::{PAGE, TAG_SHIFT, tag};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block, InstBuilder, Value, types};
use socscope_isa::StaticCycleModel;
use socscope_memory::{Direction, Width};

/// Accesses behind one look at the table.
#[derive(Clone, Copy)]
pub(crate) struct Look {
    pub width: Width,
    pub direction: Direction,
    /// From the first byte to the last one.
    pub bytes: u32,
    /// Accesses that are counted.
    pub count: u32,
}

impl<A: Adapter, M: StaticCycleModel<A::Class>> Emitter<'_, A, M> {
    /// What an entry that allows the common way holds: the page of the last byte, and the region's tag. An address that is no multiple of the width has
    /// none: it is several accesses.
    pub(super) fn tagged_page(&mut self, guest: Value, last: Value, look: Look) -> Value {
        let tag = match self.counts() {
            true => i64::from(tag(self.facts.assumed)),
            false => 0,
        };
        let builder = &mut self.code.builder;
        let low = look.width.bytes() - 1;
        let page = if look.bytes == look.width.bytes() {
            builder.ins().band_imm_u(guest, i64::from(PAGE | low))
        } else {
            let page = builder.ins().band_imm_u(last, i64::from(PAGE));
            let low = builder.ins().band_imm_u(guest, i64::from(low));
            builder.ins().bor(page, low)
        };
        match tag {
            0 => page,
            _ => builder.ins().bor_imm_u(page, tag),
        }
    }

    /// Whether the look at the table has to find more than the page.
    pub(super) fn tells_accesses_apart(&self) -> bool {
        self.counts() || self.looks_up() || !A::UNALIGNED
    }

    /// Off the common way: goes to `plain` where only the region is another one; the interpreter does what is several accesses.
    pub(super) fn look_for_region(
        &mut self,
        (guest, last, found): (Value, Value, Value),
        look: Look,
        plain: Block,
    ) {
        if !self.tells_accesses_apart() {
            return;
        }
        let low = i64::from(look.width.bytes() - 1);
        if low != 0 {
            let low = self.code.builder.ins().band_imm_u(guest, low);
            let [aligned, not] = self.cold_blocks();
            self.code.builder.ins().brif(low, not, &[], aligned, &[]);
            self.code.builder.switch_to_block(not);
            self.leave_instruction();
            self.code.builder.switch_to_block(aligned);
        }
        if !self.counts() {
            return;
        }
        let builder = &mut self.code.builder;
        let named = PAGE | ((1 << TAG_SHIFT) - 1);
        let page = builder.ins().band_imm_u(last, i64::from(PAGE));
        let found_page = builder.ins().band_imm_u(found, i64::from(named));
        let same = builder.ins().icmp(IntCC::Equal, found_page, page);
        let [there, helper] = self.cold_blocks();
        let builder = &mut self.code.builder;
        builder.ins().brif(same, there, &[], helper, &[]);
        builder.switch_to_block(there);
        let tag = builder.ins().band_imm_u(found, i64::from(!named));
        self.move_counts(tag, look);
        self.code.builder.ins().jump(plain, &[]);
        self.code.builder.switch_to_block(helper);
    }

    /// Off the common way, after a helper has found the region.
    pub(super) fn region_was_found(&mut self, look: Look) {
        if self.counts() {
            let tag = self.load(types::I32, at::REACHED_TAG);
            self.move_counts(tag, look);
        }
    }

    /// The accesses have reached a region with this tag.
    fn move_counts(&mut self, found: Value, look: Look) {
        if look.count == 0 {
            return;
        }
        if self.is_counted_at_once {
            if let Some(profiler) = &self.profiler {
                let builder = &mut self.code.builder;
                let region = builder.ins().ushr_imm_u(found, i64::from(TAG_SHIFT));
                let kind = (look.width, look.direction);
                let to = (region, self.facts.assumed);
                profiler.move_accesses(&mut self.code, to, kind, look.count);
            }
            return;
        }
        // What was counted so far would stay if a later access were refused.
        let wanted = self.code.constant(tag(self.facts.assumed));
        let builder = &mut self.code.builder;
        let same = builder.ins().icmp(IntCC::Equal, found, wanted);
        let [on, left] = self.cold_blocks();
        self.code.builder.ins().brif(same, on, &[], left, &[]);
        self.code.builder.switch_to_block(left);
        self.leave_instruction();
        self.code.builder.switch_to_block(on);
    }

    fn leave_instruction(&mut self) {
        self.leave_before(Exit::Left {
            address: self.address,
            state: self.state,
            function: self.address,
        });
    }
}
