//! Makes a program from a seed.

mod calls;
mod modes;

use crate::addresses;
use crate::assembler::Section;
use crate::program::{Counting, Frame, Function, Item, Patch, Program, Return};
use crate::random::Random;
use crate::set_up;
use crate::words::{self, Place};
use socscope_isa::arm::{ALWAYS, InstructionSet, Mode};

/// Instructions that one call of a function may take, roughly.
const CALL_INSTRUCTIONS_MAX: u64 = 30_000;
/// Loops in loops.
const LEVELS: usize = 3;
const TURNS_MAX: u64 = 3_000;
/// Registers of loop counters by depth: those that functions save.
const COUNTERS: [[u32; 3]; 2] = [[11, 10, 9], [7, 6, 5]];
/// Registers that walk through memory in a loop.
const WALKERS: [[u32; 2]; 2] = [[6, 7], [3, 4]];

/// What a program may hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Everything.
    Everything,
    /// What every implementation does alike, without devices and traps; it ends.
    Portable,
    /// Calls, falls, returns and exceptions of every kind, with interrupts everywhere; it ends, and does the same without them.
    Calls,
}

/// The program of a seed. The same seed gives the same program everywhere.
pub fn program(seed: u64, kind: Kind) -> Program {
    if kind == Kind::Calls {
        return calls::program(seed);
    }
    let mut random = Random(seed);
    let count = 1 + random.below(6) as usize;
    let portable = kind == Kind::Portable;
    let mut generator = Generator {
        functions: vec![None; count],
        costs: vec![0; count],
        random,
        portable,
        overlays: 0,
        masks: 0,
        calls: false,
    };
    generator.masks = match generator.random.below(8) {
        0 => 0xc0,
        _ if portable => 0xc0,
        1 => 0x40,
        _ => 0,
    };
    generator.overlays = 1 + generator.random.below(4) as usize;
    for index in (0..count).rev() {
        generator.function(index);
    }
    let from_reset = generator.random.once_in(3) && !portable;
    let overlays = (0..generator.overlays)
        .map(|_| generator.overlay())
        .collect();
    let registers = std::array::from_fn(|_| generator.value());
    let stores = if portable {
        vec![]
    } else {
        set_up::stores(&mut generator.random)
    };
    Program {
        functions: generator.functions.into_iter().flatten().collect(),
        overlays,
        registers,
        stores,
        from_reset,
        masks: generator.masks,
        rounds: portable.then_some(2),
        tasks: None,
    }
}

struct Generator {
    random: Random,
    portable: bool,
    functions: Vec<Option<Function>>,
    /// Instructions of one call of each function, roughly.
    costs: Vec<u64>,
    overlays: usize,
    masks: u32,
    /// Steps are those of [`Kind::Calls`].
    calls: bool,
}

/// Where in a function a step is made.
#[derive(Clone)]
struct Scope {
    function: usize,
    set: InstructionSet,
    section: Section,
    /// Registers that hold something.
    reserved: u32,
    depth: usize,
    counter: Option<u32>,
    walkers: Vec<u32>,
    /// Whether a break leaves the stack as it was.
    breakable: bool,
    mode: Mode,
}

impl Scope {
    fn place(&self, portable: bool) -> Place {
        Place {
            set: self.set,
            reserved: self.reserved,
            flags: true,
            portable,
        }
    }

    fn is_arm(&self) -> bool {
        self.set == InstructionSet::Arm
    }
}

impl Generator {
    fn function(&mut self, index: usize) {
        let set = InstructionSet::ALL[usize::from(self.random.once_in(3))];
        // What is written to a ROM has no effect, but not everywhere.
        let sections = if self.portable { 2 } else { 3 };
        let section =
            [Section::Sram, Section::Ram, Section::Rom][self.random.below(sections) as usize];
        let leave = match self.random.below(4) {
            // Called by a driver in ARM state only, or by ARM functions of the same kind.
            0 if index == 0 => Return::Move,
            1 if index == 0 => Return::Pop,
            _ => Return::Exchange,
        };
        let reserved = match set {
            InstructionSet::Arm => 0,
            // Functions of ARM code that call this one have their counters there.
            InstructionSet::Thumb => 0x0e00,
        };
        // Short ones without loops are called from inside loops.
        let short = index > 0 && self.random.once_in(2);
        let scope = Scope {
            function: index,
            set,
            section,
            reserved,
            depth: if short { LEVELS } else { 0 },
            counter: None,
            walkers: vec![],
            breakable: false,
            mode: Mode::System,
        };
        let steps = if short {
            1 + self.random.below(5)
        } else {
            4 + self.random.below(20)
        };
        let (body, cost) = self.items(&scope, steps, CALL_INSTRUCTIONS_MAX);
        self.costs[index] = cost + 10;
        self.functions[index] = Some(Function {
            set,
            section,
            leave,
            frame: Frame::Saved,
            body,
        });
    }

    fn items(&mut self, scope: &Scope, steps: u32, budget: u64) -> (Vec<Item>, u64) {
        let (mut items, mut cost) = (vec![], 0);
        for _ in 0..steps {
            let (more, more_cost) = self.step(scope, budget.saturating_sub(cost));
            items.extend(more);
            cost += more_cost;
        }
        (items, cost)
    }

    /// Some items that belong together, and about how many instructions they execute.
    fn step(&mut self, scope: &Scope, budget: u64) -> (Vec<Item>, u64) {
        let nested = scope.depth < LEVELS && budget > 200;
        if self.calls {
            return self.step_of_calls(scope, budget);
        }
        match self.random.below(100) {
            0..38 => (vec![self.word(scope)], 1),
            38..60 => self.memory(scope),
            60..72 if nested => self.turns(scope, budget),
            72..77 if nested => self.choice(scope, budget),
            77..79 if scope.breakable && scope.depth > 0 => {
                (vec![Item::Break(self.condition())], 1)
            }
            79..84 => self.call(scope, budget),
            84 if scope.is_arm() && nested => self.switch(scope, budget),
            85 | 86 => (vec![self.data()], 6),
            87..90 if !self.portable => (vec![self.patch(scope)], 6),
            90 if scope.is_arm() && !self.portable => {
                let routine = self.random.below(self.overlays as u32) as usize;
                let buffer = self.random.below(2) as usize;
                (vec![Item::Overlay { routine, buffer }], 16)
            }
            91 | 92 if nested && !self.portable => self.mode(scope, budget),
            93 if nested => self.stacked(scope, budget),
            98 if nested => self.frame(scope, budget),
            94 | 95 if !self.portable => {
                // Other wait states make all translations void: too often they would be the only work.
                let often = scope.depth > 0 && !self.random.once_in(10);
                let (address, value) = addresses::device_store(&mut self.random, !often);
                (vec![Item::Store(address, value)], 3)
            }
            96 if !self.portable => (vec![self.trap(scope)], 10),
            97 if !self.portable && self.random.once_in(6) => (
                vec![Item::Word(words::wild(&mut self.random, scope.set))],
                1,
            ),
            _ => (vec![self.word(scope)], 1),
        }
    }

    fn word(&mut self, scope: &Scope) -> Item {
        Item::Word(words::plain(&mut self.random, scope.place(self.portable)))
    }

    fn trap(&mut self, scope: &Scope) -> Item {
        Item::Word(if self.random.once_in(2) {
            words::undefined(&mut self.random, scope.set)
        } else {
            let number = self.random.word();
            match scope.set {
                InstructionSet::Arm => {
                    let condition = if self.random.once_in(2) {
                        ALWAYS
                    } else {
                        self.condition()
                    };
                    condition << 28 | 0x0f00_0000 | number & 0xff_ff7f
                }
                InstructionSet::Thumb => crate::thumb::software_interrupt(number & 0x7f),
            }
        })
    }

    fn memory(&mut self, scope: &Scope) -> (Vec<Item>, u64) {
        let place = scope.place(self.portable);
        let walker = (!scope.walkers.is_empty() && self.random.once_in(2)).then(|| {
            let index = self.random.below(scope.walkers.len() as u32);
            scope.walkers[index as usize]
        });
        let Some((word, base)) = words::memory(&mut self.random, place, walker) else {
            return (vec![self.word(scope)], 1);
        };
        let offset = words::offset_register(scope.set, word);
        let free = |register: u32| {
            let settable = register < if scope.is_arm() { 13 } else { 8 };
            register != base && settable && scope.reserved >> register & 1 == 0
        };
        if self.portable && !offset.is_none_or(free) {
            return (vec![self.word(scope)], 1);
        }
        let mut items = vec![];
        if walker.is_none() && (scope.is_arm() || base < 8) {
            let address = addresses::address(&mut self.random, self.portable);
            items.push(Item::Constant(base, address));
        }
        if let Some(offset) = offset
            && free(offset)
            && (self.portable || !self.random.once_in(5))
        {
            let small = self.random.below(16) * if self.portable { 4 } else { 1 };
            items.push(Item::Constant(offset, small));
        }
        items.push(Item::Word(word));
        let cost = items.len() as u64;
        (items, cost)
    }

    fn turns(&mut self, scope: &Scope, budget: u64) -> (Vec<Item>, u64) {
        let which = usize::from(!scope.is_arm());
        let counter = COUNTERS[which][scope.depth];
        let mut inner = scope.clone();
        inner.depth += 1;
        inner.counter = Some(counter);
        inner.reserved |= 1 << counter;
        inner.breakable = true;
        let mut pointers = vec![];
        let walkers: Vec<u32> = WALKERS[which]
            .into_iter()
            .filter(|walker| inner.reserved >> walker & 1 == 0)
            .collect();
        let walk = !self.portable && scope.walkers.is_empty() && !walkers.is_empty();
        if walk && self.random.once_in(2) {
            for walker in walkers {
                let address = addresses::start_of_walk(&mut self.random);
                pointers.push((walker, address));
                inner.walkers.push(walker);
                inner.reserved |= 1 << walker;
            }
        }
        let steps = 1 + self.random.below(10);
        let (body, cost) = self.items(&inner, steps, budget / 4);
        let turn = cost + 2;
        let most = (budget / turn).clamp(2, TURNS_MAX) as u32;
        let count = if self.random.once_in(4) {
            1 + self.random.below(most.min(8))
        } else {
            1 + self.random.below(most)
        };
        let up = self.random.once_in(2);
        // MI, CC, NE, LT up to zero; NE, HI, GT, PL down to it.
        let conditions = if up { [4, 3, 1, 11] } else { [1, 8, 12, 5] };
        let condition = conditions[self.random.below(4) as usize];
        let mut tail = vec![];
        while self.random.once_in(4) {
            let place = Place {
                flags: false,
                ..inner.place(self.portable)
            };
            tail.push(words::plain(&mut self.random, place));
        }
        let counting = Counting {
            register: counter,
            up,
            condition,
        };
        let turns = Item::Loop {
            count,
            counting,
            pointers,
            body,
            tail,
        };
        (vec![turns], u64::from(count) * turn)
    }

    fn choice(&mut self, scope: &Scope, budget: u64) -> (Vec<Item>, u64) {
        let (first, second) = (1 + self.random.below(5), self.random.below(4));
        let (body, cost) = self.items(scope, first, budget / 2);
        let (otherwise, other_cost) = self.items(scope, second, budget / 2);
        let choice = Item::If {
            condition: self.condition(),
            body,
            otherwise,
        };
        (vec![choice], 2 + cost.max(other_cost))
    }

    fn call(&mut self, scope: &Scope, budget: u64) -> (Vec<Item>, u64) {
        let later = self.functions.len() - scope.function - 1;
        if later == 0 {
            return (vec![self.word(scope)], 1);
        }
        let function = scope.function + 1 + self.random.below(later as u32) as usize;
        // What another function does to walking pointers is its own affair.
        if self.costs[function] > budget || !scope.walkers.is_empty() {
            return (vec![self.word(scope)], 1);
        }
        let condition = if self.random.once_in(3) {
            self.condition()
        } else {
            ALWAYS
        };
        let call = Item::Call {
            function,
            condition,
            by_register: false,
        };
        (vec![call], self.costs[function] + 4)
    }

    fn switch(&mut self, scope: &Scope, budget: u64) -> (Vec<Item>, u64) {
        let ways = 1 << self.random.below(4);
        let mut longest = 0;
        let cases = (0..ways)
            .map(|_| {
                let steps = 1 + self.random.below(3);
                let (items, cost) = self.items(scope, steps, budget / 2);
                longest = longest.max(cost);
                items
            })
            .collect();
        let register = scope.counter.unwrap_or(1);
        (vec![Item::Switch { register, cases }], longest + 4)
    }

    fn data(&mut self) -> Item {
        let words = 1 + self.random.below(6);
        Item::Data((0..words).map(|_| self.random.word()).collect())
    }

    fn patch(&mut self, scope: &Scope) -> Item {
        let place = scope.place(false);
        let word = words::plain(&mut self.random, place);
        let byte = scope.is_arm() && self.random.once_in(4);
        let other = if byte {
            // Another second operand; its register may only be read.
            word & !0xff | words::plain(&mut self.random, place) & 0xff
        } else {
            words::plain(&mut self.random, place)
        };
        let rarely = (scope.is_arm() && self.random.once_in(2))
            .then_some(scope.counter)
            .flatten()
            .map(|counter| (counter, (2 << self.random.below(7)) - 1));
        let patch = Patch {
            word,
            other,
            behind: self.random.once_in(2),
            mirrored: scope.section != Section::Sram && self.random.once_in(3),
            rarely,
            byte,
        };
        if scope.depth < 2 && self.random.once_in(4) {
            Item::Dma(patch)
        } else {
            Item::Modify(patch)
        }
    }

    fn overlay(&mut self) -> Vec<u32> {
        let place = Place {
            set: InstructionSet::Arm,
            reserved: 0x4fc0,
            flags: true,
            portable: false,
        };
        let count = 1 + self.random.below(7);
        (0..count)
            .map(|_| words::plain(&mut self.random, place))
            .collect()
    }

    fn condition(&mut self) -> u32 {
        self.random.below(14)
    }

    fn value(&mut self) -> u32 {
        match self.random.below(10) {
            0..4 => addresses::address(&mut self.random, self.portable),
            4 | 5 => self.random.below(64),
            6 => [1, 31, 32, 33, 255, 0x7fff_ffff, 0x8000_0000, u32::MAX]
                [self.random.below(8) as usize],
            _ => self.random.word(),
        }
    }
}
