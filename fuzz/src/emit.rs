//! From a function's tree to its code.

use crate::arm;
use crate::assembler::{Assembler, Label, Literal, Section};
use crate::board::USART0;
use crate::program::{Counting, Frame, Function, Item, Patch, Return};
use crate::thumb;
use socscope_arm::{ALWAYS, InstructionSet, Mode};
use std::collections::BTreeSet;

/// r4 to r11 and the link register.
const SAVED: u32 = 0x4ff0;
/// r4 to r7 and, in Thumb's own lists, the link register.
const SAVED_THUMB: u32 = 0x1f0;
/// What is added to an address to reach the same memory again.
const MIRROR: u32 = 0x801; // #0x10000 as an operand

/// What all functions need to know of each other.
pub struct Linkage {
    /// Entries of the functions.
    pub functions: Vec<(Label, InstructionSet, Section)>,
    /// The routines that are copied.
    pub overlays: Vec<Label>,
    /// Where they are copied to.
    pub buffers: [Label; 2],
    /// The interrupt masks outside of all parts that have their own.
    pub masks: u32,
    /// Functions that fall into one that goes on with their frame.
    pub inherited: BTreeSet<usize>,
}

/// Emits one function.
pub struct Emitter<'a> {
    assembler: &'a mut Assembler,
    linkage: &'a Linkage,
    section: Section,
    /// The function's number.
    index: usize,
    /// The ends of the loops around.
    breaks: Vec<Label>,
    /// Mode and masks around.
    status: u32,
    /// BX r3, for Thumb's calls.
    veneer: Label,
    /// The same of functions that fall into this one.
    veneers: &'a mut Vec<Label>,
}

impl Emitter<'_> {
    /// Emits a function with its pool behind it, if it does not fall into the next one; `veneers` are what such functions have left to the next one.
    pub fn function(
        assembler: &mut Assembler,
        linkage: &Linkage,
        (index, function): (usize, &Function),
        veneers: &mut Vec<Label>,
    ) {
        let veneer = assembler.label();
        let mut emitter = Emitter {
            assembler,
            linkage,
            section: function.section,
            index,
            breaks: vec![],
            status: Mode::System as u32 | linkage.masks,
            veneer,
            veneers,
        };
        emitter.whole(function);
    }

    fn arm(&self) -> bool {
        self.assembler.set() == InstructionSet::Arm
    }

    fn whole(&mut self, function: &Function) {
        if function.frame == Frame::Saved {
            let save = match self.arm() {
                true => arm::push(SAVED),
                false => thumb::push(SAVED_THUMB),
            };
            self.assembler.word(save);
        }
        self.items(&function.body);
        self.leave(function);
        self.veneers.push(self.veneer);
        if function.leave == Return::Fall {
            self.assembler.align();
            return;
        }
        for veneer in std::mem::take(self.veneers) {
            self.assembler.place(veneer);
        }
        if !self.arm() {
            self.assembler.attached(thumb::exchange(3));
        }
        self.assembler.flush_pool();
    }

    fn leave(&mut self, function: &Function) {
        let framed = function.frame != Frame::Leaf;
        // Thumb has only one of the ways back.
        let leave = match function.leave {
            Return::Pop | Return::Load | Return::Move | Return::Add if !self.arm() => {
                Return::Exchange
            }
            leave => leave,
        };
        let opened = leave == Return::Fall && self.next_inherits(function);
        let without_link = SAVED & 0xfff;
        let words: &[u32] = match leave {
            _ if opened => &[],
            Return::Pop if framed => &[arm::pop(without_link | 0x8000)],
            // ldr pc, [sp], #4
            Return::Load if framed => &[arm::pop(without_link), 0xe49d_f004],
            _ if framed && self.arm() => &[arm::pop(SAVED)],
            // A task's link register is r3 until it is used.
            Return::Exchange if framed => &[thumb::pop(SAVED_THUMB & 0xff), thumb::pop(8)],
            // mov lr, r3
            _ if framed => &[thumb::pop(SAVED_THUMB & 0xff), thumb::pop(8), 0x469e],
            _ => &[],
        };
        for word in words {
            self.assembler.word(*word);
        }
        match leave {
            Return::Exchange if self.arm() => self.assembler.word(arm::RETURN),
            Return::Exchange if framed => self.assembler.word(thumb::exchange(3)),
            Return::Exchange => self.assembler.word(thumb::exchange(14)),
            Return::Add => self.assembler.word(0xe28e_f000), // add pc, lr, #0
            Return::Move => self.assembler.word(0xe1a0_f00e),
            Return::Tail(to) => self.tail(to),
            Return::Pop | Return::Load | Return::Fall => {}
        }
    }

    fn next_inherits(&self, function: &Function) -> bool {
        function.frame != Frame::Leaf && self.linkage.inherited.contains(&self.index)
    }

    fn tail(&mut self, to: usize) {
        let (label, set, section) = self.linkage.functions[to];
        if self.arm() && section == self.section && set == InstructionSet::Arm {
            self.assembler.branch(ALWAYS, label);
        } else if self.arm() {
            self.assembler.load(12, Literal::Address(label, set));
            self.assembler.word(arm::exchange(12));
        } else {
            self.assembler.load(3, Literal::Address(label, set));
            self.assembler.word(thumb::exchange(3));
        }
    }

    fn items(&mut self, items: &[Item]) {
        for item in items {
            self.item(item);
        }
    }

    fn item(&mut self, item: &Item) {
        match item {
            Item::Word(word) => self.assembler.word(*word),
            Item::Constant(register, value) => {
                self.assembler.load(*register, Literal::Value(*value));
            }
            Item::Loop {
                count,
                counting,
                pointers,
                body,
                tail,
            } => self.turns(*count, *counting, pointers, body, tail),
            Item::If {
                condition,
                body,
                otherwise,
            } => self.choice(*condition, body, otherwise),
            Item::Break(condition) => {
                if let Some(end) = self.breaks.last() {
                    self.assembler.branch(*condition, *end);
                }
            }
            Item::Call {
                function,
                condition,
                by_register,
            } => self.call(*function, *condition, *by_register),
            Item::Guard(body) => self.guard(body),
            Item::Escape(condition) => self.escape(*condition),
            Item::Switch { register, cases } => self.switch(*register, cases),
            Item::Data(words) => self.data(words),
            Item::Modify(patch) => self.modify(patch),
            Item::Dma(patch) => self.dma(patch),
            Item::Overlay { routine, buffer } => self.overlay(*routine, *buffer),
            Item::Mode {
                mode,
                masks,
                by_trap,
                body,
            } => {
                let before = self.status;
                self.change_status(*mode as u32 | masks, *by_trap);
                self.items(body);
                self.change_status(before, *by_trap);
            }
            Item::Stacked { push, pop, body } => {
                let arm = self.arm();
                let encode = |in_arm: u32, in_thumb: u32| if arm { in_arm } else { in_thumb };
                self.assembler
                    .word(encode(arm::push(*push), thumb::push(*push)));
                self.items(body);
                self.assembler
                    .word(encode(arm::pop(*pop), thumb::pop(*pop)));
            }
            Item::Frame(words, body) => {
                let (make, drop) = if self.arm() {
                    (arm::make_frame(*words), arm::drop_frame(*words))
                } else {
                    (thumb::make_frame(*words), thumb::drop_frame(*words))
                };
                self.assembler.word(make);
                self.items(body);
                self.assembler.word(drop);
            }
            Item::Store(address, value) => self.store(*address, Literal::Value(*value)),
        }
    }

    fn turns(
        &mut self,
        count: u32,
        counting: Counting,
        pointers: &[(u32, u32)],
        body: &[Item],
        tail: &[u32],
    ) {
        let start = if counting.up {
            count.wrapping_neg()
        } else {
            count
        };
        self.assembler
            .load(counting.register, Literal::Value(start));
        for (register, value) in pointers {
            self.assembler.load(*register, Literal::Value(*value));
        }
        let end = self.assembler.label();
        let top = self.assembler.label_here();
        self.breaks.push(end);
        self.items(body);
        self.breaks.pop();
        let step = if self.arm() { arm::count } else { thumb::count };
        self.assembler.word(step(counting.register, counting.up));
        for word in tail {
            self.assembler.word(*word);
        }
        self.assembler.branch(counting.condition, top);
        self.assembler.place(end);
    }

    fn choice(&mut self, condition: u32, body: &[Item], otherwise: &[Item]) {
        let (other, end) = (self.assembler.label(), self.assembler.label());
        self.assembler.branch(condition ^ 1, other);
        self.items(body);
        if !otherwise.is_empty() {
            self.assembler.branch(ALWAYS, end);
        }
        self.assembler.place(other);
        self.items(otherwise);
        self.assembler.place(end);
    }

    fn call(&mut self, function: usize, condition: u32, by_register: bool) {
        let (label, set, section) = self.linkage.functions[function];
        let near = section == self.section;
        if near && set == self.assembler.set() && !by_register {
            self.assembler.call(condition, label);
        } else if self.arm() && set == InstructionSet::Arm && function.is_multiple_of(3) {
            self.assembler.make_room();
            self.assembler.word(arm::LINK_AHEAD);
            self.assembler
                .load_attached(15, Literal::Address(label, set));
        } else if self.arm() {
            self.assembler.load(12, Literal::Address(label, set));
            self.assembler.word(arm::LINK_AHEAD);
            let by_move = by_register && set == InstructionSet::Arm;
            // mov pc, r12
            let jump = if by_move {
                0xe1a0_f00c
            } else {
                arm::exchange(12)
            };
            self.assembler.attached(jump);
        } else {
            self.assembler.load(3, Literal::Address(label, set));
            self.assembler.call(ALWAYS, self.veneer);
        }
    }

    fn switch(&mut self, register: u32, cases: &[Vec<Item>]) {
        let end = self.assembler.label();
        let ways: Vec<Label> = cases.iter().map(|_| self.assembler.label()).collect();
        self.assembler
            .word(0xe200_0000 | register << 16 | (cases.len() as u32 - 1));
        self.assembler.word(0xe79f_f100); // ldr pc, [pc, r0, lsl #2]
        self.assembler.attached(arm::NO_OPERATION);
        for way in &ways {
            self.assembler.data_address(*way, InstructionSet::Arm);
        }
        for (way, items) in ways.iter().zip(cases) {
            self.assembler.place(*way);
            self.items(items);
            self.assembler.branch(ALWAYS, end);
        }
        self.assembler.place(end);
    }

    /// Reads the first word and writes it, changed, to the last.
    fn data(&mut self, words: &[u32]) {
        let (data, end) = (self.assembler.label(), self.assembler.label());
        self.assembler
            .load(0, Literal::Address(data, InstructionSet::Arm));
        if self.arm() {
            self.assembler.word(arm::access(true, 1, 0, 0));
            self.assembler.word(arm::count(1, true));
            let last = 4 * (words.len() as u32 - 1);
            self.assembler.word(arm::access(false, 1, 0, last));
        } else {
            self.assembler.word(thumb::access(true, 1, 0));
            self.assembler.word(thumb::count(1, true));
            self.assembler.word(thumb::access(false, 1, 0));
        }
        self.assembler.branch(ALWAYS, end);
        self.assembler.align();
        self.assembler.place(data);
        for word in words {
            self.assembler.data(*word);
        }
        self.assembler.place(end);
    }

    /// Exchanges an instruction for another, and the other way round the next time.
    fn modify(&mut self, patch: &Patch) {
        let slot = self.assembler.label();
        if !patch.behind {
            self.slot(slot, patch.word);
        }
        let difference = Literal::Value(patch.word ^ patch.other);
        self.assembler
            .load(0, Literal::Address(slot, InstructionSet::Arm));
        self.assembler.load(2, difference);
        if self.arm() {
            if patch.mirrored {
                self.assembler.word(0xe280_0000 | MIRROR);
            }
            let byte = u32::from(patch.byte) << 22;
            self.assembler.word(arm::access(true, 1, 0, 0) | byte);
            let condition = patch.rarely.map_or(ALWAYS, |(register, mask)| {
                self.assembler.word(0xe310_0000 | register << 16 | mask);
                0
            });
            self.assembler.word(condition << 28 | 0x0021_1002); // eor r1, r1, r2
            self.assembler.word(arm::access(false, 1, 0, 0) | byte);
        } else {
            self.assembler.word(0x8801); // ldrh r1, [r0]
            self.assembler.word(0x4051); // eor r1, r2
            self.assembler.word(0x8001); // strh r1, [r0]
        }
        if patch.behind {
            self.slot(slot, patch.word);
        }
    }

    fn slot(&mut self, label: Label, word: u32) {
        self.assembler.make_room();
        self.assembler.place(label);
        self.assembler.attached(word);
    }

    /// Sends the other instruction through the serial port that hears itself, over the one in the code.
    fn dma(&mut self, patch: &Patch) {
        let (slot, source, end) = (
            self.assembler.label(),
            self.assembler.label(),
            self.assembler.label(),
        );
        let size = self.assembler.set().width().bytes();
        let here = |label| Literal::Address(label, InstructionSet::Arm);
        self.store(USART0 + 0x30, here(slot));
        self.store(USART0 + 0x34, Literal::Value(size));
        self.store(USART0 + 0x38, here(source));
        self.store(USART0 + 0x3c, Literal::Value(size));
        self.assembler.branch(ALWAYS, end);
        self.assembler.align();
        self.assembler.place(source);
        self.assembler.data(patch.other);
        self.assembler.place(end);
        self.slot(slot, patch.word);
    }

    fn store(&mut self, address: u32, value: Literal) {
        self.assembler.load(0, Literal::Value(address));
        self.assembler.load(1, value);
        self.assembler.word(if self.arm() {
            arm::access(false, 1, 0, 0)
        } else {
            thumb::access(false, 1, 0)
        });
    }

    fn overlay(&mut self, routine: usize, buffer: usize) {
        let arm_code = InstructionSet::Arm;
        let source = Literal::Address(self.linkage.overlays[routine], arm_code);
        let target = Literal::Address(self.linkage.buffers[buffer], arm_code);
        self.assembler.load(0, source);
        self.assembler.load(1, target);
        for word in [
            0xe8b0_003c, // ldmia r0!, {r2-r5}
            0xe8a1_003c, // stmia r1!, {r2-r5}
            0xe890_003c, // ldmia r0, {r2-r5}
            0xe881_003c, // stmia r1, {r2-r5}
            0xe241_1010, // sub r1, r1, #16
            arm::LINK_AHEAD,
        ] {
            self.assembler.word(word);
        }
        self.assembler.attached(arm::exchange(1));
    }

    /// Changes mode and masks; the user mode has to ask for it.
    fn change_status(&mut self, status: u32, by_trap: bool) {
        let from_user = self.status & 0x1f == Mode::User as u32;
        let number = 0x80 | (status & 0xc0) >> 1 | status & 0x1f;
        self.assembler.word(if !self.arm() {
            thumb::software_interrupt(number)
        } else if by_trap || from_user {
            arm::software_interrupt(number)
        } else {
            arm::set_status(status)
        });
        self.status = status;
    }

    /// The word at the bottom of the task's stack, where the newest guard is noted: its address into r12.
    fn guard_word(&mut self) {
        // mov r12, sp, lsr #11; mov r12, r12, lsl #11
        for word in [0xe1a0_c5ad, 0xe1a0_c58c] {
            self.assembler.word(word);
        }
    }

    /// On the stack: the stack pointer there, where it goes on, the guard before.
    fn guard(&mut self, body: &[Item]) {
        let behind = self.assembler.label();
        self.assembler.word(arm::push(SAVED & 0xfff));
        self.guard_word();
        self.assembler.word(arm::access(true, 1, 12, 0));
        self.assembler.word(arm::push(2));
        let address = Literal::Address(behind, InstructionSet::Arm);
        self.assembler.load(1, address);
        // sub r1, sp, #4
        for word in [arm::push(2), 0xe24d_1004, arm::push(2)] {
            self.assembler.word(word);
        }
        self.assembler.word(arm::access(false, 13, 12, 0));
        self.items(body);
        self.assembler.make_room();
        self.assembler.place(behind);
        self.assembler.word(arm::drop_frame(2));
        self.assembler.word(arm::pop(2));
        self.guard_word();
        self.assembler.word(arm::access(false, 1, 12, 0));
        self.assembler.word(arm::pop(SAVED & 0xfff));
    }

    /// Stack pointer and program counter change in one instruction, as in a longjmp.
    fn escape(&mut self, condition: u32) {
        let over = self.assembler.label();
        self.assembler.branch(condition ^ 1, over);
        self.guard_word();
        self.assembler.word(arm::access(true, 12, 12, 0));
        // cmp r12, #0; ldmneia r12, {sp, pc}
        for word in [0xe35c_0000, 0x189c_a000] {
            self.assembler.word(word);
        }
        self.assembler.place(over);
    }
}
