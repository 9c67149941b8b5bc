//! Programs whose calls are hard to follow: functions that fall into each other, jump to each other, return in every way or not at all.

use super::{Generator, LEVELS, Scope};
use crate::addresses;
use crate::assembler::Section;
use crate::board::{AIC, EBI};
use crate::program::{Frame, Function, Item, Program, Return, Tasks};
use crate::random::Random;
use crate::tasks;
use crate::words;
use socscope_isa::arm::{ALWAYS, InstructionSet, LINK, Mode};

/// Instructions of one call, roughly.
const CALL_INSTRUCTIONS_MAX: u64 = 400;
/// The register that counts recursion.
const RECURSION: u32 = 8;
/// An address where nothing is.
const NOTHING: u32 = 0x4000_0000;

/// The program of a seed.
pub(super) fn program(seed: u64) -> Program {
    let mut random = Random(seed ^ 0xca11_5000_0000_0000);
    let count = 3 + random.below(7) as usize;
    let only_arm = random.once_in(2);
    let mut generator = Generator {
        functions: vec![None; count],
        costs: vec![0; count],
        random,
        portable: true,
        overlays: 0,
        masks: 0,
        calls: true,
    };
    for index in (0..count).rev() {
        generator.function_of_calls(index, only_arm);
    }
    let registers = std::array::from_fn(|_| generator.value());
    let random = &mut generator.random;
    let how = Tasks {
        ticks_min: 8 + random.below(14),
        seed: random.word(),
        interrupted: true,
    };
    let refuse = (EBI + 0x24, random.below(2) << 4);
    Program {
        functions: generator.functions.into_iter().flatten().collect(),
        overlays: vec![],
        registers,
        stores: std::iter::once(refuse).chain(tasks::set_up(how)).collect(),
        from_reset: false,
        masks: 0,
        rounds: Some(1 + generator.random.below(3)),
        tasks: Some(how),
    }
}

impl Program {
    /// The same where nothing interrupts.
    pub fn uninterrupted(&self) -> Program {
        let mut quiet = self.clone();
        for store in &mut quiet.stores {
            if store.0 == AIC + 0x120 {
                store.1 = 0;
            }
        }
        quiet
    }
}

impl Generator {
    fn function_of_calls(&mut self, index: usize, only_arm: bool) {
        let next = self.functions.get(index + 1).cloned().flatten();
        let inherited = next
            .as_ref()
            .is_some_and(|next| next.frame == Frame::Inherited);
        let falls = inherited || next.is_some() && self.random.below(5) < 3;
        let (mut set, mut section) = (
            InstructionSet::ALL[usize::from(!only_arm && self.random.once_in(2))],
            [Section::Sram, Section::Ram, Section::Rom][self.random.below(3) as usize],
        );
        let mut frame = match self.random.below(5) {
            0 | 1 => Frame::Leaf,
            _ => Frame::Saved,
        };
        let mut leave = self.leave(index, only_arm, set, frame);
        if let Some(next) = next
            && falls
        {
            (set, section, leave) = (next.set, next.section, Return::Fall);
            if inherited {
                frame = Frame::Saved;
            }
        } else if set == InstructionSet::Thumb && !matches!(leave, Return::Tail(_)) {
            leave = Return::Exchange;
        }
        // The function before may fall into this one with its frame.
        if index > 0 && !inherited && frame == Frame::Saved && self.random.once_in(5) {
            frame = Frame::Inherited;
        }
        let recursive =
            frame == Frame::Saved && set == InstructionSet::Arm && self.random.once_in(4);
        let reserved = match (set, frame) {
            (InstructionSet::Arm, Frame::Leaf) => 0x4ff0,
            (InstructionSet::Thumb, Frame::Leaf) => 0x0ef0 | 1 << LINK,
            (InstructionSet::Arm, _) => u32::from(recursive) << RECURSION,
            (InstructionSet::Thumb, _) => 0x0e00,
        };
        let main = index == 0 || self.random.once_in(4);
        let scope = Scope {
            function: index,
            set,
            section,
            reserved,
            depth: if frame == Frame::Leaf || !main {
                LEVELS
            } else {
                1
            },
            counter: None,
            walkers: vec![],
            breakable: false,
            mode: Mode::System,
        };
        let steps = match frame {
            Frame::Leaf => self.random.below(4),
            _ => 1 + self.random.below(8),
        };
        let (mut body, mut cost) = self.items(&scope, steps, CALL_INSTRUCTIONS_MAX);
        if recursive {
            // and r8, r8, #3; subs r8, r8, #1
            body.extend([Item::Word(0xe208_8003), Item::Word(0xe258_8001)]);
            body.push(Item::Call {
                function: index,
                condition: 5,
                by_register: false,
            });
            cost *= 4;
        }
        let onwards = match leave {
            Return::Fall => self.costs[index + 1],
            Return::Tail(to) => self.costs[to],
            _ => 0,
        };
        self.costs[index] = cost + onwards + 8;
        self.functions[index] = Some(Function {
            set,
            section,
            leave,
            frame,
            body,
        });
    }

    fn leave(&mut self, index: usize, only_arm: bool, set: InstructionSet, frame: Frame) -> Return {
        if let Some(to) = self.callee(index)
            && self.random.once_in(4)
        {
            return Return::Tail(to);
        }
        let ways = if !only_arm || set == InstructionSet::Thumb {
            1
        } else if frame == Frame::Leaf {
            3
        } else {
            5
        };
        [
            Return::Exchange,
            Return::Move,
            Return::Add,
            Return::Pop,
            Return::Load,
        ][self.random.below(ways) as usize]
    }

    /// A later function that may be called.
    fn callee(&mut self, index: usize) -> Option<usize> {
        let callable = |function: &Option<Function>| {
            let frame = function.as_ref().map(|function| function.frame);
            frame.is_some_and(|frame| frame != Frame::Inherited)
        };
        let later = index + 1..self.functions.len();
        let all: Vec<usize> = later.filter(|at| callable(&self.functions[*at])).collect();
        let count = all.len() as u32;
        (count > 0).then(|| all[self.random.below(count) as usize])
    }

    pub(super) fn step_of_calls(&mut self, scope: &Scope, budget: u64) -> (Vec<Item>, u64) {
        let leaf = scope.reserved >> LINK & 1 != 0;
        let nested = scope.depth < LEVELS && budget > 40;
        let arm = scope.is_arm();
        match self.random.below(100) {
            0..12 if nested => self.turns(scope, budget),
            12..18 if nested => self.choice(scope, budget),
            18..50 if !leaf => self.call_of_calls(scope, budget),
            50..53 if !leaf && nested => self.stacked(scope, budget),
            53..56 if !leaf && nested => self.frame(scope, budget),
            56..62 if !leaf && nested && arm => {
                let mut inner = scope.clone();
                inner.breakable = false;
                let steps = 1 + self.random.below(4);
                let (body, cost) = self.items(&inner, steps, budget / 2);
                (vec![Item::Guard(body)], cost + 20)
            }
            62..66 if arm => (vec![Item::Escape(self.condition())], 6),
            66..70 => (vec![self.trap(scope)], 24),
            70..78 => {
                let (address, value) = match self.random.below(6) {
                    0 => (AIC + 0x12c, 1 + self.random.below(2)),
                    1 => (NOTHING + 4 * self.random.below(8), 0),
                    _ => {
                        let address = addresses::address(&mut self.random, true);
                        (address, self.random.word())
                    }
                };
                (vec![Item::Store(address, value)], 3)
            }
            _ => {
                let place = scope.place(true);
                (vec![Item::Word(words::plain(&mut self.random, place))], 1)
            }
        }
    }

    fn call_of_calls(&mut self, scope: &Scope, budget: u64) -> (Vec<Item>, u64) {
        let Some(function) = self.callee(scope.function) else {
            return (vec![self.word(scope)], 1);
        };
        if self.costs[function] > budget {
            return (vec![self.word(scope)], 1);
        }
        let by_register = scope.is_arm() && self.random.once_in(4);
        let condition = if self.random.once_in(4) && !by_register {
            self.condition()
        } else {
            ALWAYS
        };
        let call = Item::Call {
            function,
            condition,
            by_register,
        };
        (vec![call], self.costs[function] + 4)
    }
}
