//! What translated code does for a profile: counts, and the calls and returns that are plain. All else it leaves to the interpreter and its hooks.

use super::word::Word;
use super::{Before, Emitter};
use crate::context::at;
use crate::exits::Exit;
use crate::shared::{NodePointer, ShadowFrame, Tracker, filter_constant};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block as Code, InstBuilder, Value, types};
use socscope_isa::Foreseeable;
use socscope_isa::arm::{LINK, STACK};
use socscope_memory::{Direction, Width};

/// What a transfer of control does to the chain of calls.
pub(super) enum Chained {
    /// Nothing: it stays in the function.
    Nothing,
    /// A call by this site.
    Call(Call),
    /// A return from the frame at the top.
    Return(Value),
}

/// Where a transfer to a computed address may lead, with the frame at the top.
pub(super) enum Ways {
    /// Back to the caller, or elsewhere in the function.
    ReturnOrJump(Code, Code, Value),
    /// Into the function that this site called before.
    Call(Call),
}

/// A call whose conditions were looked at.
pub(super) struct Call {
    cell: u64,
    top: Value,
    sp: Value,
    return_address: u32,
}

impl<M: Foreseeable> Emitter<'_, M> {
    /// Whether there is a profile.
    pub(super) fn profiled(&self) -> bool {
        self.facts.profile.is_some()
    }

    fn counting(&self) -> bool {
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
    fn range(&self, address: u32) -> (u32, u32, i64) {
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

    fn add_to(&mut self, base: Value, offset: i32, amount: Value) {
        let old = self
            .builder
            .ins()
            .load(types::I64, Self::own_memory(), base, offset);
        let new = self.builder.ins().iadd(old, amount);
        self.builder
            .ins()
            .store(Self::own_memory(), new, base, offset);
    }

    /// Adds what was counted to the counters of the context that runs; `spent` is the cost since the budget was last brought up to date.
    pub(super) fn emit_counts(&mut self, spent: u64) {
        if !self.counting() {
            return;
        }
        let node = self.builder.use_var(self.variables.node);
        let executed = self.builder.use_var(self.variables.executed);
        let executed = self.builder.ins().iadd_imm_s(executed, self.pending as i64);
        let line = NodePointer::code_offset(self.plan.region);
        self.add_to(node, line, executed);
        self.add_to(self.tracker, Tracker::INSTRUCTIONS, executed);
        let budget = self.builder.use_var(self.variables.budget);
        let now = self.builder.ins().iadd_imm_s(budget, -(spent as i64));
        let mark = self.builder.use_var(self.variables.mark);
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
            return self.builder.ins().isub(mark, now);
        }
        let granted =
            self.builder
                .ins()
                .load(types::I64, Self::own_memory(), self.context, at::GRANTED);
        let fractions = self.builder.ins().iconst(types::I64, fractions as i64);
        let [until_now, until_mark] = [now, mark].map(|budget| {
            let used = self.builder.ins().isub(granted, budget);
            self.builder.ins().udiv(used, fractions)
        });
        self.builder.ins().isub(until_now, until_mark)
    }

    fn emit_tallies(&mut self, node: Value) {
        for (offset, count) in self.tallies.clone() {
            let count = self.builder.ins().iconst(types::I64, count as i64);
            self.add_to(node, offset, count);
        }
    }

    /// Hands the counts over to another block of the translation.
    pub(super) fn hand_over_counts(&mut self) {
        if self.counting() {
            let executed = self.builder.use_var(self.variables.executed);
            let executed = self.builder.ins().iadd_imm_s(executed, self.pending as i64);
            self.builder.def_var(self.variables.executed, executed);
            if !self.tallies.is_empty() {
                let node = self.builder.use_var(self.variables.node);
                self.emit_tallies(node);
            }
        }
        self.pending = 0;
        self.tallies.clear();
    }

    /// The context changes: what was counted belongs to the old one.
    fn change_node(&mut self, node: Value) {
        self.pay();
        self.emit_counts(0);
        self.pending = 0;
        self.tallies.clear();
        if self.counting() {
            let zero = self.builder.ins().iconst(types::I64, 0);
            self.builder.def_var(self.variables.executed, zero);
            let budget = self.builder.use_var(self.variables.budget);
            self.builder.def_var(self.variables.mark, budget);
        }
        self.builder.def_var(self.variables.node, node);
        self.builder
            .ins()
            .store(Self::own_memory(), node, self.tracker, Tracker::NODE);
    }

    /// Leaves the instruction to the interpreter, as if nothing of it had happened, in a block of its own.
    pub(super) fn left_aside(&mut self, block: Code, before: &Before, cell: Option<usize>) {
        self.builder.set_cold_block(block);
        self.builder.switch_to_block(block);
        let chain = self.chain();
        self.go_back(before);
        self.aside = true;
        self.flush();
        let exit = self.exits.add(Exit::Left {
            address: self.address,
            state: self.state,
            function: self.address,
            cell,
        });
        self.return_with(exit, before.spent);
        self.aside = false;
        self.resume(chain);
    }

    /// Goes on if the condition holds, else to `otherwise`.
    fn only_if(&mut self, condition: Value, otherwise: Code) {
        let on = self.builder.create_block();
        self.builder.ins().brif(condition, on, &[], otherwise, &[]);
        self.builder.switch_to_block(on);
    }

    /// Whether the link register says that this is a call: known, or looked at when the code runs, where a call is left to the interpreter.
    fn is_call(&mut self, otherwise: Code) -> bool {
        let next = self.address.wrapping_add(self.set.width().bytes());
        match self.register_word(LINK) {
            Word::Constant(link) => link & !1 == next,
            link => {
                let link = self.value(link);
                let link = self.builder.ins().band_imm_u(link, i64::from(!1_u32));
                let next = self.constant(next);
                let other = self.builder.ins().icmp(IntCC::NotEqual, link, next);
                self.only_if(other, otherwise);
                false
            }
        }
    }

    fn top(&mut self) -> Value {
        self.builder
            .ins()
            .load(types::I64, Self::own_memory(), self.tracker, Tracker::TOP)
    }

    fn frame_word(&mut self, frame: Value, offset: i32) -> Value {
        self.builder
            .ins()
            .load(types::I32, Self::own_memory(), frame, offset)
    }

    /// A transfer to a known address: what it does to the chain of calls, the conditions looked at; `None` when only the hooks can say.
    pub(super) fn look_at_transfer(&mut self, target: u32, before: &Before) -> Option<Chained> {
        let next = self.address.wrapping_add(self.set.width().bytes());
        let out = self.builder.create_block();
        let (first, last, _) = self.range(self.address);
        let mut cell = None;
        let chained = if self.is_call(out) {
            let (number, location) = self.exits.cell();
            cell = Some(number);
            (first..=last).contains(&next).then(|| {
                let (_, _, function) = self.range(target);
                let constant = self.constant(filter_constant(function));
                Chained::Call(self.look_at_call(next, location, constant, out))
            })
        } else if !(first..=last).contains(&target) {
            None
        } else {
            if self.plan.behind_leaves.contains(&target) {
                let top = self.top();
                let address = self.frame_word(top, ShadowFrame::RETURN_ADDRESS);
                let address = self.builder.ins().band_imm_u(address, i64::from(!1_u32));
                let target = self.constant(target);
                let other = self.builder.ins().icmp(IntCC::NotEqual, address, target);
                self.only_if(other, out);
            }
            Some(Chained::Nothing)
        };
        // With a known link register nothing has ended the block yet.
        let here = self.builder.create_block();
        self.builder.ins().jump(here, &[]);
        self.left_aside(out, before, cell);
        self.builder.switch_to_block(here);
        chained
    }

    fn look_at_call(&mut self, next: u32, location: u64, constant: Value, out: Code) -> Call {
        let cell = self.builder.ins().iconst(types::I64, location as i64);
        let known = self
            .builder
            .ins()
            .load(types::I64, Self::own_memory(), cell, 0);
        let node = self.builder.use_var(self.variables.node);
        let same = self.builder.ins().icmp(IntCC::Equal, node, known);
        self.only_if(same, out);
        let top = self.top();
        let limit =
            self.builder
                .ins()
                .load(types::I64, Self::own_memory(), self.tracker, Tracker::LIMIT);
        let room = self.builder.ins().icmp(IntCC::NotEqual, top, limit);
        self.only_if(room, out);
        let sp = self.register_word(STACK);
        let sp = self.value(sp);
        let above = self.frame_word(top, ShadowFrame::SP);
        let below = self.builder.ins().icmp(IntCC::UnsignedLessThan, sp, above);
        self.only_if(below, out);
        let slot = self.builder.ins().ushr_imm_u(sp, 2);
        let slot = self.builder.ins().iadd(slot, constant);
        let slot = self.builder.ins().band_imm_u(slot, 4095);
        let slot = self.builder.ins().uextend(types::I64, slot);
        let byte = self.builder.ins().iadd(self.tracker, slot);
        let byte = self
            .builder
            .ins()
            .load(types::I8, Self::own_memory(), byte, Tracker::FILTER);
        let none = self.builder.ins().icmp_imm_s(IntCC::Equal, byte, 0);
        self.only_if(none, out);
        Call {
            cell: location,
            top,
            sp,
            return_address: next,
        }
    }

    /// Does what a transfer does to the chain of calls.
    pub(super) fn chain_calls(&mut self, chained: Chained) {
        match chained {
            Chained::Nothing => {}
            Chained::Call(call) => self.chain_call(&call),
            Chained::Return(top) => self.chain_return(top),
        }
    }

    fn chain_call(&mut self, call: &Call) {
        let cell = self.builder.ins().iconst(types::I64, call.cell as i64);
        let node = self
            .builder
            .ins()
            .load(types::I64, Self::own_memory(), cell, 8);
        let frame = self
            .builder
            .ins()
            .iadd_imm_s(call.top, i64::from(ShadowFrame::BYTES));
        let return_address = self.constant(call.return_address);
        for (value, offset) in [
            (node, ShadowFrame::NODE),
            (call.sp, ShadowFrame::SP),
            (return_address, ShadowFrame::RETURN_ADDRESS),
        ] {
            self.builder
                .ins()
                .store(Self::own_memory(), value, frame, offset);
        }
        self.builder
            .ins()
            .store(Self::own_memory(), frame, self.tracker, Tracker::TOP);
        self.change_node(node);
    }

    /// A call of a computed address, when it is the one that the site's cell knows.
    fn look_at_computed_call(
        &mut self,
        address: Value,
        out: Code,
        before: &Before,
    ) -> Option<Ways> {
        let next = self.address.wrapping_add(self.set.width().bytes());
        let (first, last, _) = self.range(self.address);
        if !(first..=last).contains(&next) {
            self.builder.ins().jump(out, &[]);
            self.left_aside(out, before, None);
            return None;
        }
        let (number, location) = self.exits.cell();
        let cell = self.builder.ins().iconst(types::I64, location as i64);
        let known = self
            .builder
            .ins()
            .load(types::I32, Self::own_memory(), cell, 16);
        let same = self.builder.ins().icmp(IntCC::Equal, known, address);
        self.only_if(same, out);
        let constant = self
            .builder
            .ins()
            .load(types::I32, Self::own_memory(), cell, 24);
        let call = self.look_at_call(next, location, constant, out);
        let here = self.builder.current_block()?;
        self.left_aside(out, before, Some(number));
        self.builder.switch_to_block(here);
        Some(Ways::Call(call))
    }

    /// A transfer to a computed address: what it may be; `None` when it was left to the interpreter.
    pub(super) fn look_at_computed(&mut self, address: Value, before: &Before) -> Option<Ways> {
        let out = self.builder.create_block();
        if self.is_call(out) {
            return self.look_at_computed_call(address, out, before);
        }
        let top = self.top();
        let wanted = self.frame_word(top, ShadowFrame::RETURN_ADDRESS);
        let (returns, jumps) = (self.builder.create_block(), self.builder.create_block());
        let same = self.builder.ins().icmp(IntCC::Equal, wanted, address);
        self.only_if(same, jumps);
        let sp = self.register_word(STACK);
        let sp = self.value(sp);
        let its = self.frame_word(top, ShadowFrame::SP);
        let same = self.builder.ins().icmp(IntCC::Equal, its, sp);
        self.builder.ins().brif(same, returns, &[], jumps, &[]);
        let (first, last, _) = self.range(self.address);
        self.builder.switch_to_block(jumps);
        let start = self.constant(first);
        let distance = self.builder.ins().isub(address, start);
        let length = self.constant(last - first);
        let inside = self
            .builder
            .ins()
            .icmp(IntCC::UnsignedLessThanOrEqual, distance, length);
        self.only_if(inside, out);
        // The lowest frame's function returns slowly, also when it has called itself.
        let lowest = self.builder.ins().bor_imm_u(address, 1);
        let other = self.builder.ins().icmp(IntCC::NotEqual, wanted, lowest);
        self.only_if(other, out);
        let jumps = self.builder.current_block()?;
        self.left_aside(out, before, None);
        Some(Ways::ReturnOrJump(returns, jumps, top))
    }

    fn chain_return(&mut self, top: Value) {
        let frame = self
            .builder
            .ins()
            .iadd_imm_s(top, -i64::from(ShadowFrame::BYTES));
        let node =
            self.builder
                .ins()
                .load(types::I64, Self::own_memory(), frame, ShadowFrame::NODE);
        self.builder
            .ins()
            .store(Self::own_memory(), frame, self.tracker, Tracker::TOP);
        self.change_node(node);
    }

    /// Kinds of accesses are counted by width and direction.
    pub(super) fn note_access(&mut self, width: Width, direction: Direction) {
        self.accesses.push((width, direction));
    }
}
