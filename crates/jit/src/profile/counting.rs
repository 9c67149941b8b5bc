//! What translated code counts for a profile.

use super::Profiler;
use super::owed::{CountedPlaces, Owed};
use crate::code::{Writer, own_memory};
use crate::shared::{NodePointer, Tracker};
use cranelift_codegen::ir::{InstBuilder, Value, types};
use socscope_memory::{Direction, RegionIndex, Width};
use std::collections::BTreeMap;

/// Instructions, and data accesses by the offset of their counter, since they were last brought up to date.
#[derive(Clone, Default)]
pub(crate) struct Counted {
    instructions: u64,
    accesses: BTreeMap<i32, u64>,
    /// Nothing was counted since the context changed, not even by the code.
    nothing: bool,
}

/// Adds to a number of 64 bits.
fn add_to(code: &mut Writer, base: Value, offset: i32, amount: Value) {
    let builder = &mut code.builder;
    let old = builder.ins().load(types::I64, own_memory(), base, offset);
    let new = builder.ins().iadd(old, amount);
    builder.ins().store(own_memory(), new, base, offset);
}

impl Profiler<'_> {
    /// The instruction is done; its accesses have reached a region.
    pub fn count_executed(&mut self, region: RegionIndex) {
        self.counted.instructions += 1;
        self.counted.nothing = false;
        if self.facts.counting {
            for &(width, direction) in &self.accesses {
                let offset = NodePointer::data_offset(region, width, direction);
                *self.counted.accesses.entry(offset).or_default() += 1;
            }
        }
        self.accesses.clear();
    }

    /// What was counted, where the way forks.
    pub fn counted(&self) -> Counted {
        self.counted.clone()
    }

    /// Goes on with what was counted there.
    pub fn resume(&mut self, counted: Counted) {
        self.counted = counted;
    }

    /// Adds what was counted to the counters of the context that runs; the budget is up to date.
    pub fn emit_counts(&self, code: &mut Writer) {
        if !self.facts.counting || self.counted.nothing {
            return;
        }
        let node = code.builder.use_var(self.node);
        let executed = self.executed(code);
        let line = NodePointer::code_offset(self.region);
        add_to(code, node, line, executed);
        add_to(code, self.tracker, Tracker::INSTRUCTIONS, executed);
        let now = code.builder.use_var(self.budget);
        let mark = code.builder.use_var(self.mark);
        let cycles = self.cycles_between(code, mark, now);
        add_to(code, node, line + 8, cycles);
        self.emit_accesses(code, node);
    }

    /// What an exit here leaves to the engine, as far as that is known by now, `spent` after the budget was last brought up to date.
    pub fn owed(&self, spent: u64) -> Owed {
        let Counted {
            instructions,
            accesses,
            ..
        } = &self.counted;
        let accesses = accesses.iter().map(|(&offset, &count)| (offset, count));
        Owed {
            spent,
            executed: *instructions,
            accesses: accesses.collect(),
        }
    }

    /// Lets the engine have the rest: what was counted when the code ran, at these places of the context.
    pub fn hand_to_engine(&self, code: &mut Writer, places: CountedPlaces) {
        if self.facts.counting {
            let CountedPlaces { executed, mark } = places;
            for (variable, place) in [(self.executed, executed), (self.mark, mark)] {
                let value = code.builder.use_var(variable);
                code.store_value(value, place);
            }
        }
    }

    fn executed(&self, code: &mut Writer) -> Value {
        let executed = code.builder.use_var(self.executed);
        let more = self.counted.instructions as i64;
        code.builder.ins().iadd_imm_s(executed, more)
    }

    /// Whole cycles that ended while the budget went from `mark` to `now`.
    fn cycles_between(&self, code: &mut Writer, mark: Value, now: Value) -> Value {
        let context = code.context;
        let builder = &mut code.builder;
        if self.facts.fractions == 1 {
            return builder.ins().isub(mark, now);
        }
        let flags = own_memory();
        let granted = builder
            .ins()
            .load(types::I64, flags, context, self.fields.granted);
        let fractions = self.facts.fractions as i64;
        let fractions = builder.ins().iconst(types::I64, fractions);
        let [until_now, until_mark] = [now, mark].map(|budget| {
            let used = builder.ins().isub(granted, budget);
            builder.ins().udiv(used, fractions)
        });
        builder.ins().isub(until_now, until_mark)
    }

    fn emit_accesses(&self, code: &mut Writer, node: Value) {
        for (&offset, &count) in &self.counted.accesses {
            let count = code.builder.ins().iconst(types::I64, count as i64);
            add_to(code, node, offset, count);
        }
    }

    /// So many accesses of the instruction, which are counted for one region, have reached the one of this number.
    pub fn move_accesses(
        &self,
        code: &mut Writer,
        (reached, counted): (Value, RegionIndex),
        (width, direction): (Width, Direction),
        count: u32,
    ) {
        let node = code.builder.use_var(self.node);
        let [zero, one] = [0, 1].map(|number| NodePointer::code_offset(RegionIndex(number)));
        let builder = &mut code.builder;
        let region = builder.ins().uextend(types::I64, reached);
        let distance = builder.ins().imul_imm_s(region, i64::from(one - zero));
        let line = builder.ins().iadd(node, distance);
        let [more, less] =
            [1, -1].map(|sign| builder.ins().iconst(types::I64, sign * i64::from(count)));
        let first = NodePointer::data_offset(RegionIndex(0), width, direction);
        add_to(code, line, first, more);
        let offset = NodePointer::data_offset(counted, width, direction);
        add_to(code, node, offset, less);
    }

    /// The last access noted is counted here and now, whatever becomes of the instruction.
    pub fn count_last_access(&mut self, code: &mut Writer, region: RegionIndex) {
        let Some((width, direction)) = self.accesses.pop() else {
            return;
        };
        if self.facts.counting {
            let node = code.builder.use_var(self.node);
            let one = code.builder.ins().iconst(types::I64, 1);
            let offset = NodePointer::data_offset(region, width, direction);
            add_to(code, node, offset, one);
        }
    }

    /// Hands the counts over to another block of the translation.
    pub fn hand_over(&mut self, code: &mut Writer) {
        if self.facts.counting {
            let executed = self.executed(code);
            code.builder.def_var(self.executed, executed);
            if !self.counted.accesses.is_empty() {
                let node = code.builder.use_var(self.node);
                self.emit_accesses(code, node);
            }
        }
        self.counted = Counted::default();
    }

    /// The context changes, and the budget is up to date: what was counted belongs to the old one.
    pub(super) fn change_node(&mut self, code: &mut Writer, node: Value) {
        self.emit_counts(code);
        self.take_node(code, node);
        let tracker = self.tracker;
        let builder = &mut code.builder;
        builder
            .ins()
            .store(own_memory(), node, tracker, Tracker::NODE);
    }

    /// The hooks have changed the context: nothing was counted for it yet.
    pub fn context_changed(&mut self, code: &mut Writer) {
        let flags = own_memory();
        let builder = &mut code.builder;
        let node = builder
            .ins()
            .load(types::I64, flags, self.tracker, Tracker::NODE);
        self.take_node(code, node);
    }

    fn take_node(&mut self, code: &mut Writer, node: Value) {
        self.counted = Counted {
            nothing: true,
            ..Counted::default()
        };
        let builder = &mut code.builder;
        if self.facts.counting {
            let zero = builder.ins().iconst(types::I64, 0);
            builder.def_var(self.executed, zero);
            let budget = builder.use_var(self.budget);
            builder.def_var(self.mark, budget);
        }
        builder.def_var(self.node, node);
    }

    /// A context is entered.
    pub(super) fn count_entry(&self, code: &mut Writer, node: Value) {
        if self.facts.counting {
            let one = code.builder.ins().iconst(types::I64, 1);
            add_to(code, node, NodePointer::ENTERED, one);
        }
    }

    /// What was last done cost more: a context pays for it, and not the one that runs.
    pub fn charge(&self, code: &mut Writer, node: Value, more: i64) {
        if self.facts.counting {
            let more = code.builder.ins().iconst(types::I64, more);
            let cycles = NodePointer::code_offset(self.region) + 8;
            add_to(code, node, cycles, more);
            let mark = code.builder.use_var(self.mark);
            let mark = code.builder.ins().isub(mark, more);
            code.builder.def_var(self.mark, mark);
        }
    }

    /// The budget has become less by an amount that is no time.
    pub fn grant(&self, code: &mut Writer, less: Value) {
        if self.facts.counting {
            let mark = code.builder.use_var(self.mark);
            let mark = code.builder.ins().isub(mark, less);
            code.builder.def_var(self.mark, mark);
        }
    }

    /// The context that runs takes time without an instruction.
    pub fn takes_time(&mut self) {
        self.counted.nothing = false;
    }

    /// The context that runs.
    pub fn node(&self, code: &mut Writer) -> Value {
        code.builder.use_var(self.node)
    }
}
