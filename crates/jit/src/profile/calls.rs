//! What translated code does to a profile's chain of calls: the calls, jumps and returns that are plain. All else is for the profile's
//! hooks: `out` is the block that calls them.

use super::Profiler;
use crate::code::{Word, Writer, own_memory};
use crate::shared::{ShadowFrame, Step, Tracker, filter_constant};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block as Code, InstBuilder, Value, types};
use socscope_core::Transfer;

/// What a transfer of control does to the chain of calls.
#[derive(Clone, Copy)]
pub(crate) enum Chained {
    /// Nothing: it stays in the function.
    Nothing,
    /// It enters another function.
    Enters(Entered),
    /// A return from the frame at the top, which leads to this one.
    Returns(Value),
    /// Only the profile's hooks can say: it is this kind of transfer for them.
    Told(Kind),
}

/// A kind of transfer, as a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Kind(pub u32);

impl Kind {
    pub const JUMP: Kind = Kind(0);
    pub const CALL: Kind = Kind(1);
    pub const EXCEPTION_RETURN: Kind = Kind(2);
    const EXCEPTIONS: u32 = 3;

    /// The entry of the exception of this number.
    pub const fn exception(number: u8) -> Kind {
        Kind(Kind::EXCEPTIONS + number as u32)
    }

    /// As probes are told.
    pub fn transfer(self) -> Transfer {
        match self {
            Kind::JUMP => Transfer::Jump,
            Kind::CALL => Transfer::Call,
            Kind::EXCEPTION_RETURN => Transfer::ExceptionReturn,
            Kind(entry) => Transfer::ExceptionEntry((entry - Kind::EXCEPTIONS) as u8),
        }
    }
}

/// The frame of a function that is entered; that this may be done was looked at.
#[derive(Clone, Copy)]
pub(crate) struct Entered {
    /// The frame at the top.
    top: Value,
    node: Value,
    sp: Value,
    return_address: Value,
    back: Value,
}

/// A function, with what its frames are filtered with.
#[derive(Clone, Copy)]
pub(crate) struct Callee {
    pub function: Value,
    pub constant: Value,
}

/// An instruction that transfers control.
#[derive(Clone, Copy)]
pub(crate) struct Site {
    pub address: u32,
    /// The instruction behind it.
    pub next: u32,
    /// The stack pointer.
    pub stack: Word,
}

impl Profiler<'_> {
    pub(super) fn top(&self, code: &mut Writer) -> Value {
        let flags = own_memory();
        let builder = &mut code.builder;
        builder
            .ins()
            .load(types::I64, flags, self.tracker, Tracker::TOP)
    }

    /// A call to a known address: `None` when only the hooks can say what it does.
    pub fn look_at_known_call(
        &self,
        code: &mut Writer,
        site: Site,
        target: u32,
        out: Code,
    ) -> Option<Chained> {
        let (first, last, _) = self.range(site.address);
        let (_, _, function) = self.range(target);
        (first..=last).contains(&site.next).then(|| {
            let callee = callee(code, function);
            Chained::Enters(self.look_at_call(code, site, callee, out))
        })
    }

    /// A jump to a known address; `maybe_return`: it may lead behind a call. `None` when only the hooks can say what it does.
    pub fn look_at_known_jump(
        &self,
        code: &mut Writer,
        site: Site,
        (target, maybe_return): (u32, bool),
        out: Code,
    ) -> Option<Chained> {
        let (first, last, own) = self.range(site.address);
        let (start, _, function) = self.range(target);
        if (first..=last).contains(&target) {
            if maybe_return {
                let top = self.top(code);
                let address = frame_word(code, top, ShadowFrame::RETURN_ADDRESS);
                let address = code.builder.ins().band_imm_u(address, i64::from(!1_u32));
                let target = code.constant(target);
                let other = code.builder.ins().icmp(IntCC::NotEqual, address, target);
                code.only_if(other, out);
            }
            Some(Chained::Nothing)
        } else if target == start && function != own {
            let (callee, target) = (callee(code, function), code.constant(target));
            let entered = self.look_at_jump(code, site, (target, callee), out);
            Some(Chained::Enters(entered))
        } else {
            None
        }
    }

    /// A call, when its context is known and its frame finds room.
    pub(super) fn look_at_call(
        &self,
        code: &mut Writer,
        site: Site,
        callee: Callee,
        out: Code,
    ) -> Entered {
        let node = self.look_at_step(code, Step::Call, callee, out);
        let top = self.top(code);
        let sp = code.value(site.stack);
        let above = frame_word(code, top, ShadowFrame::SP);
        let below = code.builder.ins().icmp(IntCC::UnsignedLessThan, sp, above);
        code.only_if(below, out);
        self.look_at_room(code, (top, sp), callee, out);
        let back = i64::from(ShadowFrame::BYTES);
        Entered {
            top,
            node,
            sp,
            return_address: code.constant(site.next),
            back: code.builder.ins().iconst(types::I64, back),
        }
    }

    /// A jump to another function's first instruction, when it is no return.
    pub(super) fn look_at_jump(
        &self,
        code: &mut Writer,
        site: Site,
        (target, callee): (Value, Callee),
        out: Code,
    ) -> Entered {
        let top = self.top(code);
        let sp = code.value(site.stack);
        let its = frame_word(code, top, ShadowFrame::SP);
        let [lowest, on] = std::array::from_fn(|_| code.builder.create_block());
        code.builder.set_cold_block(lowest);
        let same = code.builder.ins().icmp(IntCC::Equal, sp, its);
        code.builder.ins().brif(same, on, &[], lowest, &[]);
        code.builder.switch_to_block(lowest);
        let highest = code.constant(u32::MAX);
        let same = code.builder.ins().icmp(IntCC::Equal, its, highest);
        code.builder.ins().brif(same, on, &[], out, &[]);
        code.builder.switch_to_block(on);
        let entered = self.look_at_entrance(code, (top, sp), callee, out);
        let way_back = entered.return_address;
        let way_back = code.builder.ins().band_imm_u(way_back, i64::from(!1_u32));
        let other = code.builder.ins().icmp(IntCC::NotEqual, way_back, target);
        code.only_if(other, out);
        entered
    }

    /// A fall from one address to another in another function: `None` when only the hooks can say what it does.
    pub fn look_at_fall(
        &self,
        code: &mut Writer,
        (from, to): (u32, u32),
        out: Code,
    ) -> Option<Chained> {
        let (_, _, function) = self.range(to);
        let (_, _, own) = self.range(from);
        if function == own {
            return None;
        }
        let callee = callee(code, function);
        let top = self.top(code);
        let sp = frame_word(code, top, ShadowFrame::SP);
        let highest = code.constant(u32::MAX);
        let other = code.builder.ins().icmp(IntCC::NotEqual, sp, highest);
        code.only_if(other, out);
        let entered = self.look_at_entrance(code, (top, sp), callee, out);
        Some(Chained::Enters(entered))
    }

    /// A function that is entered without a call.
    fn look_at_entrance(
        &self,
        code: &mut Writer,
        (top, sp): (Value, Value),
        callee: Callee,
        out: Code,
    ) -> Entered {
        let node = self.look_at_step(code, Step::Jump, callee, out);
        let flags = own_memory();
        let builder = &mut code.builder;
        let back = builder
            .ins()
            .load(types::I64, flags, top, ShadowFrame::BACK);
        self.look_at_round(code, back, callee, out);
        self.look_at_room(code, (top, sp), callee, out);
        let bytes = i64::from(ShadowFrame::BYTES);
        Entered {
            top,
            node,
            sp,
            return_address: frame_word(code, top, ShadowFrame::RETURN_ADDRESS),
            back: code.builder.ins().iadd_imm_s(back, bytes),
        }
    }

    /// Does what a transfer does to the chain of calls. The budget is up to date.
    pub fn chain_calls(&mut self, code: &mut Writer, chained: Chained) {
        let (frame, node) = match chained {
            Chained::Nothing | Chained::Told(_) => return,
            Chained::Enters(entered) => {
                self.count_entry(code, entered.node);
                (enter(code, entered), entered.node)
            }
            Chained::Returns(frame) => {
                let flags = own_memory();
                let builder = &mut code.builder;
                let node = builder
                    .ins()
                    .load(types::I64, flags, frame, ShadowFrame::NODE);
                (frame, node)
            }
        };
        code.builder
            .ins()
            .store(own_memory(), frame, self.tracker, Tracker::TOP);
        self.change_node(code, node);
    }
}

pub(super) fn frame_word(code: &mut Writer, frame: Value, offset: i32) -> Value {
    let flags = own_memory();
    code.builder.ins().load(types::I32, flags, frame, offset)
}

fn callee(code: &mut Writer, function: i64) -> Callee {
    Callee {
        function: code.builder.ins().iconst(types::I64, function),
        constant: code.constant(filter_constant(function)),
    }
}

/// Writes a frame; its address.
fn enter(code: &mut Writer, entered: Entered) -> Value {
    let bytes = i64::from(ShadowFrame::BYTES);
    let frame = code.builder.ins().iadd_imm_s(entered.top, bytes);
    for (value, offset) in [
        (entered.node, ShadowFrame::NODE),
        (entered.sp, ShadowFrame::SP),
        (entered.return_address, ShadowFrame::RETURN_ADDRESS),
        (entered.back, ShadowFrame::BACK),
    ] {
        let flags = own_memory();
        code.builder.ins().store(flags, value, frame, offset);
    }
    frame
}
