//! What translated code counts for a profile.

use super::Emitter;
use crate::arm::context::at;
use crate::code::own_memory;
use crate::shared::{NodePointer, Tracker};
use cranelift_codegen::ir::{InstBuilder, Value, types};
use socscope_isa::StaticCycleModel;
use socscope_memory::{Direction, Width};

impl<M: StaticCycleModel> Emitter<'_, M> {
    /// Whether there is a profile.
    pub(super) fn profiled(&self) -> bool {
        self.facts.profile.is_some()
    }

    pub(super) fn counting(&self) -> bool {
        self.facts
            .profile
            .as_ref()
            .is_some_and(|facts| facts.counting)
    }

    /// The instruction is done.
    pub(super) fn count_executed(&mut self) {
        self.pending += 1;
        if self.counting() {
            let region = self.assumed.unwrap_or(self.plan.region);
            for &(width, direction) in &self.accesses {
                let offset = NodePointer::data_offset(region, width, direction);
                *self.tallies.entry(offset).or_default() += 1;
            }
        }
        self.accesses.clear();
    }

    /// First and last address of the function around an address.
    pub(super) fn range(&self, address: u32) -> (u32, u32, i64) {
        match &self.facts.profile {
            Some(facts) => facts.functions.range_of(address),
            None => (0, u32::MAX, 0),
        }
    }

    /// Whether execution that falls from one address to another comes into another function.
    pub(super) fn crosses(&self, from: u32, to: u32) -> bool {
        let (first, last, _) = self.range(from);
        !(first..=last).contains(&to)
    }

    pub(super) fn add_to(&mut self, base: Value, offset: i32, amount: Value) {
        let old = self
            .code
            .builder
            .ins()
            .load(types::I64, own_memory(), base, offset);
        let new = self.code.builder.ins().iadd(old, amount);
        self.code
            .builder
            .ins()
            .store(own_memory(), new, base, offset);
    }

    /// Adds what was counted to the counters of the context that runs; `spent` is the cost since the budget was last brought up to date.
    pub(super) fn emit_counts(&mut self, spent: u64) {
        if !self.counting() {
            return;
        }
        let node = self.code.builder.use_var(self.variables.node);
        let executed = self.code.builder.use_var(self.variables.executed);
        let executed = self
            .code
            .builder
            .ins()
            .iadd_imm_s(executed, self.pending as i64);
        let line = NodePointer::code_offset(self.plan.region);
        self.add_to(node, line, executed);
        self.add_to(self.tracker, Tracker::INSTRUCTIONS, executed);
        let budget = self.code.builder.use_var(self.variables.budget);
        let now = self.code.builder.ins().iadd_imm_s(budget, -(spent as i64));
        let mark = self.code.builder.use_var(self.variables.mark);
        let cycles = self.cycles_between(mark, now);
        self.add_to(node, line + 8, cycles);
        self.emit_tallies(node);
    }

    /// Whole cycles that ended while the budget went from `mark` to `now`.
    fn cycles_between(&mut self, mark: Value, now: Value) -> Value {
        let fractions = self
            .facts
            .profile
            .as_ref()
            .map_or(1, |facts| facts.fractions);
        if fractions == 1 {
            return self.code.builder.ins().isub(mark, now);
        }
        let granted =
            self.code
                .builder
                .ins()
                .load(types::I64, own_memory(), self.code.context, at::GRANTED);
        let fractions = self.code.builder.ins().iconst(types::I64, fractions as i64);
        let [until_now, until_mark] = [now, mark].map(|budget| {
            let used = self.code.builder.ins().isub(granted, budget);
            self.code.builder.ins().udiv(used, fractions)
        });
        self.code.builder.ins().isub(until_now, until_mark)
    }

    fn emit_tallies(&mut self, node: Value) {
        for (offset, count) in self.tallies.clone() {
            let count = self.code.builder.ins().iconst(types::I64, count as i64);
            self.add_to(node, offset, count);
        }
    }

    /// Hands the counts over to another block of the translation.
    pub(super) fn hand_over_counts(&mut self) {
        if self.counting() {
            let executed = self.code.builder.use_var(self.variables.executed);
            let executed = self
                .code
                .builder
                .ins()
                .iadd_imm_s(executed, self.pending as i64);
            self.code.builder.def_var(self.variables.executed, executed);
            if !self.tallies.is_empty() {
                let node = self.code.builder.use_var(self.variables.node);
                self.emit_tallies(node);
            }
        }
        self.pending = 0;
        self.tallies.clear();
    }

    /// The context changes: what was counted belongs to the old one.
    pub(super) fn change_node(&mut self, node: Value) {
        self.pay();
        self.emit_counts(0);
        self.pending = 0;
        self.tallies.clear();
        if self.counting() {
            let zero = self.code.builder.ins().iconst(types::I64, 0);
            self.code.builder.def_var(self.variables.executed, zero);
            let budget = self.code.builder.use_var(self.variables.budget);
            self.code.builder.def_var(self.variables.mark, budget);
        }
        self.code.builder.def_var(self.variables.node, node);
        self.code
            .builder
            .ins()
            .store(own_memory(), node, self.tracker, Tracker::NODE);
    }

    /// Kinds of accesses are counted by width and direction.
    pub(super) fn note_access(&mut self, width: Width, direction: Direction) {
        self.accesses.push((width, direction));
    }
}
