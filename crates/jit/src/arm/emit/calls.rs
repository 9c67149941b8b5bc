//! What translated code does to a profile's chain of calls: the calls, jumps and returns that are plain. All else it leaves to the interpreter and its
//! hooks.

use super::{Before, Emitter, Place};
use crate::arm::exits::Exit;
use crate::code::{Word, own_memory};
use crate::shared::{FILTER_SLOTS, Known, STEPS, ShadowFrame, Step, Tracker, filter_constant};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block as Code, InstBuilder, Value, types};
use socscope_arm::{LINK, STACK};
use socscope_isa::StaticCycleModel;

/// What a transfer of control does to the chain of calls.
#[derive(Clone, Copy)]
pub(super) enum Chained {
    /// Nothing: it stays in the function.
    Nothing,
    /// It enters another function.
    Enters(Entered),
    /// A return from the frame at the top, which leads to this one.
    Returns(Value),
}

/// The frame of a function that is entered; that this may be done was looked at.
#[derive(Clone, Copy)]
pub(super) struct Entered {
    /// The frame at the top.
    top: Value,
    node: Value,
    sp: Value,
    return_address: Value,
    back: Value,
}

/// A function, with what its frames are filtered with.
#[derive(Clone, Copy)]
pub(super) struct Callee {
    pub function: Value,
    pub constant: Value,
}

impl<M: StaticCycleModel> Emitter<'_, M> {
    /// Leaves the instruction to the interpreter, as if nothing of it had happened, in a block of its own.
    pub(super) fn left_aside(&mut self, block: Code, before: &Before, computed: bool) {
        self.code.builder.set_cold_block(block);
        self.code.builder.switch_to_block(block);
        let chain = self.chain();
        self.go_back(before);
        self.code.aside = true;
        self.flush();
        let exit = self.exits.add(Exit::Left {
            address: self.address,
            state: self.state,
            function: self.address,
            computed,
        });
        self.return_with(exit, before.spent);
        self.code.aside = false;
        self.resume(chain);
    }

    /// Goes on if the condition holds, else to `otherwise`.
    pub(super) fn only_if(&mut self, condition: Value, otherwise: Code) {
        let on = self.code.builder.create_block();
        self.code
            .builder
            .ins()
            .brif(condition, on, &[], otherwise, &[]);
        self.code.builder.switch_to_block(on);
    }

    /// Whether the link register says that this is a call: known, or looked at when the code runs, where a call is left to the interpreter.
    pub(super) fn is_call(&mut self, otherwise: Code) -> bool {
        let next = self.address.wrapping_add(self.set.width().bytes());
        match self.register_word(LINK) {
            Word::Constant(link) => link & !1 == next,
            link => {
                let link = self.code.value(link);
                let link = self.code.builder.ins().band_imm_u(link, i64::from(!1_u32));
                let next = self.code.constant(next);
                let other = self.code.builder.ins().icmp(IntCC::NotEqual, link, next);
                self.only_if(other, otherwise);
                false
            }
        }
    }

    /// A block that is jumped to from here, still without code.
    pub(super) fn next_block(&mut self) -> Code {
        let block = self.code.builder.create_block();
        self.code.builder.ins().jump(block, &[]);
        block
    }

    pub(super) fn top(&mut self) -> Value {
        self.code
            .builder
            .ins()
            .load(types::I64, own_memory(), self.tracker, Tracker::TOP)
    }

    pub(super) fn frame_word(&mut self, frame: Value, offset: i32) -> Value {
        self.code
            .builder
            .ins()
            .load(types::I32, own_memory(), frame, offset)
    }

    /// A transfer to a known address: what it does to the chain of calls, the conditions looked at; `None` when only the hooks can say.
    pub(super) fn look_at_transfer(&mut self, target: u32, before: &Before) -> Option<Chained> {
        let next = self.address.wrapping_add(self.set.width().bytes());
        let out = self.code.builder.create_block();
        let (first, last, own) = self.range(self.address);
        let (start, _, function) = self.range(target);
        let chained = if self.is_call(out) {
            (first..=last).contains(&next).then(|| {
                let callee = self.callee(function);
                Chained::Enters(self.look_at_call(callee, out))
            })
        } else if (first..=last).contains(&target) {
            if self.plan.behind_leaves.contains(&target) {
                let top = self.top();
                let address = self.frame_word(top, ShadowFrame::RETURN_ADDRESS);
                let address = self
                    .code
                    .builder
                    .ins()
                    .band_imm_u(address, i64::from(!1_u32));
                let target = self.code.constant(target);
                let other = self
                    .code
                    .builder
                    .ins()
                    .icmp(IntCC::NotEqual, address, target);
                self.only_if(other, out);
            }
            Some(Chained::Nothing)
        } else if target == start && function != own {
            let (callee, target) = (self.callee(function), self.code.constant(target));
            Some(Chained::Enters(self.look_at_jump(target, callee, out)))
        } else {
            None
        };
        // With a known link register nothing has ended the block yet.
        let here = self.next_block();
        self.left_aside(out, before, false);
        self.code.builder.switch_to_block(here);
        chained
    }

    fn callee(&mut self, function: i64) -> Callee {
        Callee {
            function: self.code.builder.ins().iconst(types::I64, function),
            constant: self.code.constant(filter_constant(function)),
        }
    }

    /// A call, when its context is known and its frame finds room.
    pub(super) fn look_at_call(&mut self, callee: Callee, out: Code) -> Entered {
        let next = self.address.wrapping_add(self.set.width().bytes());
        let node = self.look_at_step(Step::Call, callee, out);
        let top = self.top();
        let sp = self.register_word(STACK);
        let sp = self.code.value(sp);
        let above = self.frame_word(top, ShadowFrame::SP);
        let below = self
            .code
            .builder
            .ins()
            .icmp(IntCC::UnsignedLessThan, sp, above);
        self.only_if(below, out);
        self.look_at_room(top, sp, callee, out);
        let back = i64::from(ShadowFrame::BYTES);
        Entered {
            top,
            node,
            sp,
            return_address: self.code.constant(next),
            back: self.code.builder.ins().iconst(types::I64, back),
        }
    }

    /// A jump to another function's first instruction, when it is no return.
    pub(super) fn look_at_jump(&mut self, target: Value, callee: Callee, out: Code) -> Entered {
        let top = self.top();
        let sp = self.register_word(STACK);
        let sp = self.code.value(sp);
        let its = self.frame_word(top, ShadowFrame::SP);
        let [lowest, on] = std::array::from_fn(|_| self.code.builder.create_block());
        self.code.builder.set_cold_block(lowest);
        let same = self.code.builder.ins().icmp(IntCC::Equal, sp, its);
        self.code.builder.ins().brif(same, on, &[], lowest, &[]);
        self.code.builder.switch_to_block(lowest);
        let highest = self.code.constant(u32::MAX);
        let same = self.code.builder.ins().icmp(IntCC::Equal, its, highest);
        self.code.builder.ins().brif(same, on, &[], out, &[]);
        self.code.builder.switch_to_block(on);
        let entered = self.look_at_entrance(top, sp, callee, out);
        let way_back = entered.return_address;
        let way_back = self
            .code
            .builder
            .ins()
            .band_imm_u(way_back, i64::from(!1_u32));
        let other = self
            .code
            .builder
            .ins()
            .icmp(IntCC::NotEqual, way_back, target);
        self.only_if(other, out);
        entered
    }

    /// A fall into another function.
    fn look_at_fall(&mut self, callee: Callee, out: Code) -> Entered {
        let top = self.top();
        let sp = self.frame_word(top, ShadowFrame::SP);
        let highest = self.code.constant(u32::MAX);
        let other = self.code.builder.ins().icmp(IntCC::NotEqual, sp, highest);
        self.only_if(other, out);
        self.look_at_entrance(top, sp, callee, out)
    }

    /// A function that is entered without a call.
    fn look_at_entrance(&mut self, top: Value, sp: Value, callee: Callee, out: Code) -> Entered {
        let node = self.look_at_step(Step::Jump, callee, out);
        let flags = own_memory();
        let back = self
            .code
            .builder
            .ins()
            .load(types::I64, flags, top, ShadowFrame::BACK);
        self.look_at_round(back, callee, out);
        self.look_at_room(top, sp, callee, out);
        let bytes = i64::from(ShadowFrame::BYTES);
        Entered {
            top,
            node,
            sp,
            return_address: self.frame_word(top, ShadowFrame::RETURN_ADDRESS),
            back: self.code.builder.ins().iadd_imm_s(back, bytes),
        }
    }

    /// Above a call's frame only that function itself may not be jumped to: that is another one was seen. Else a call of the host looks further down.
    fn look_at_round(&mut self, back: Value, callee: Callee, out: Code) {
        let [further, on] = std::array::from_fn(|_| self.code.builder.create_block());
        self.code.builder.set_cold_block(further);
        let called =
            self.code
                .builder
                .ins()
                .icmp_imm_s(IntCC::Equal, back, i64::from(ShadowFrame::BYTES));
        self.code.builder.ins().brif(called, on, &[], further, &[]);
        self.code.builder.switch_to_block(further);
        let round = self.call_may_be_in_jump_chain(callee.function);
        self.code.builder.ins().brif(round, out, &[], on, &[]);
        self.code.builder.switch_to_block(on);
    }

    /// The context that a step is known to lead to.
    fn look_at_step(&mut self, step: Step, callee: Callee, out: Code) -> Value {
        let node = self.code.builder.use_var(self.variables.node);
        let place = self
            .code
            .builder
            .ins()
            .ushr_imm_u(node, i64::from(Known::NODE_SHIFT));
        let place = self.code.builder.ins().ireduce(types::I32, place);
        let place = self.code.builder.ins().iadd(place, callee.constant);
        let place = self.code.builder.ins().band_imm_u(place, STEPS as i64 - 1);
        let place = self.code.builder.ins().uextend(types::I64, place);
        let place = self
            .code
            .builder
            .ins()
            .ishl_imm_u(place, i64::from(Known::SHIFT));
        let known = self.code.builder.ins().iadd(self.tracker, place);
        let first = Tracker::STEPS + Known::first(step);
        let [from, function, to] = [Known::FROM, Known::FUNCTION, Known::TO].map(|offset| {
            let flags = own_memory();
            self.code
                .builder
                .ins()
                .load(types::I64, flags, known, first + offset)
        });
        let same = self.code.builder.ins().icmp(IntCC::Equal, node, from);
        self.only_if(same, out);
        let same = self
            .code
            .builder
            .ins()
            .icmp(IntCC::Equal, callee.function, function);
        self.only_if(same, out);
        to
    }

    /// Room on the stack, and no frame outside it that may have the same name.
    fn look_at_room(&mut self, top: Value, sp: Value, callee: Callee, out: Code) {
        let limit =
            self.code
                .builder
                .ins()
                .load(types::I64, own_memory(), self.tracker, Tracker::LIMIT);
        let room = self.code.builder.ins().icmp(IntCC::NotEqual, top, limit);
        self.only_if(room, out);
        let slot = self.code.builder.ins().ushr_imm_u(sp, 2);
        let slot = self.code.builder.ins().iadd(slot, callee.constant);
        let slot = self
            .code
            .builder
            .ins()
            .band_imm_u(slot, FILTER_SLOTS as i64 - 1);
        let slot = self.code.builder.ins().uextend(types::I64, slot);
        let byte = self.code.builder.ins().iadd(self.tracker, slot);
        let byte = self
            .code
            .builder
            .ins()
            .load(types::I8, own_memory(), byte, Tracker::FILTER);
        let none = self.code.builder.ins().icmp_imm_s(IntCC::Equal, byte, 0);
        self.only_if(none, out);
    }

    /// Does what a transfer does to the chain of calls.
    pub(super) fn chain_calls(&mut self, chained: Chained) {
        let (frame, node) = match chained {
            Chained::Nothing => return,
            Chained::Enters(entered) => (self.enter(entered), entered.node),
            Chained::Returns(frame) => {
                let flags = own_memory();
                let node =
                    self.code
                        .builder
                        .ins()
                        .load(types::I64, flags, frame, ShadowFrame::NODE);
                (frame, node)
            }
        };
        self.code
            .builder
            .ins()
            .store(own_memory(), frame, self.tracker, Tracker::TOP);
        self.change_node(node);
    }

    fn enter(&mut self, entered: Entered) -> Value {
        let bytes = i64::from(ShadowFrame::BYTES);
        let frame = self.code.builder.ins().iadd_imm_s(entered.top, bytes);
        for (value, offset) in [
            (entered.node, ShadowFrame::NODE),
            (entered.sp, ShadowFrame::SP),
            (entered.return_address, ShadowFrame::RETURN_ADDRESS),
            (entered.back, ShadowFrame::BACK),
        ] {
            self.code
                .builder
                .ins()
                .store(own_memory(), value, frame, offset);
        }
        frame
    }

    /// Execution falls into another function. Goes on there if that is plain, else by way of the interpreter, whose hooks hear of it.
    pub(super) fn fall_into_other_function(&mut self, place: Place, from: u32) {
        self.flush();
        let (_, _, function) = self.range(place.0);
        let out = self.code.builder.create_block();
        self.code.builder.set_cold_block(out);
        let callee = self.callee(function);
        let (_, _, own) = self.range(from);
        let entered = (function != own).then(|| self.look_at_fall(callee, out));
        let here = self.code.builder.create_block();
        let next = if entered.is_some() { here } else { out };
        self.code.builder.ins().jump(next, &[]);
        self.code.builder.switch_to_block(out);
        let exit = self.exits.add(Exit::Left {
            address: place.0,
            state: place.1,
            function: from,
            computed: false,
        });
        self.return_with(exit, self.spent);
        if let Some(entered) = entered {
            self.code.builder.switch_to_block(here);
            self.chain_calls(Chained::Enters(entered));
            self.go(place);
        }
    }
}
