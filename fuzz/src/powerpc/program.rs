//! A program as a tree, and one from a seed.

use super::code::{
    B, BCTR, BCTRL, BDNZ, BL, BLR, Code, Label, addi, load, lwz, mtspr, open_frame, stw,
};
use crate::random::Random;

/// A random program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// Its functions, in the order of their addresses.
    pub functions: Vec<Function>,
    /// How often each task calls all functions.
    pub rounds: u32,
    /// The shortest time of the decrementer.
    pub ticks_min: u32,
    /// What its random numbers begin with.
    pub seed: u32,
    /// Whether tasks let interrupts through.
    pub interrupted: bool,
}

/// One function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    pub body: Vec<Step>,
    /// Whether it has a frame, and so may call others.
    pub framed: bool,
    pub leave: Leave,
}

/// How a function is left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leave {
    /// blr.
    Link,
    /// By the count register.
    Count,
    /// The next function follows.
    Fall,
    /// A jump to another one.
    Tail(usize),
}

/// A step of a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    Word(u32),
    /// Calls a function; perhaps by the count register.
    Call(usize, bool),
    /// Calls it so many times.
    Loop(u32, Vec<Step>),
    /// Asks the controller for an interrupt.
    Interrupt,
    /// Reads where nothing is.
    Nothing,
}

/// sc, and a trap.
const EXCEPTIONS: [u32; 2] = [0x4400_0002, 0x7fe0_0008];
/// Registers of the controller: [`super::runtime`].
pub const CONTROLLER: u32 = 0xffe4_0000;

/// The program of a seed.
pub fn program(seed: u64) -> Program {
    let mut random = Random(seed ^ 0x0970_ca11_0000_0000);
    let count = 3 + random.below(7) as usize;
    let mut functions: Vec<Function> = vec![];
    let mut costs = vec![0; count];
    for index in (0..count).rev() {
        let framed = random.below(3) > 0;
        let last = index + 1 == count;
        let later = (count - index - 1) as u32;
        let leave = match random.below(8) {
            0..4 if !last => Leave::Fall,
            4 if !last => Leave::Tail(index + 1 + random.below(later) as usize),
            5 => Leave::Count,
            _ => Leave::Link,
        };
        let mut cost = match leave {
            Leave::Fall => costs[index + 1],
            Leave::Tail(to) => costs[to],
            _ => 0,
        };
        let mut body = vec![];
        for _ in 0..random.below(7) {
            let (step, more) = step(&mut random, index, framed, &costs);
            cost += more;
            body.push(step);
        }
        if framed && random.once_in(3) {
            let (inner, more) = step(&mut random, index, framed, &costs);
            let turns = 2 + random.below(9);
            cost += u64::from(turns) * (more + 3);
            body.push(Step::Loop(turns, vec![inner]));
        }
        costs[index] = cost + 8;
        functions.insert(
            0,
            Function {
                body,
                framed,
                leave,
            },
        );
    }
    Program {
        functions,
        rounds: 1 + random.below(3),
        ticks_min: 4 + random.below(6),
        seed: random.word(),
        interrupted: true,
    }
}

fn step(random: &mut Random, index: usize, framed: bool, costs: &[u64]) -> (Step, u64) {
    let later = (costs.len() - index - 1) as u32;
    let register = |random: &mut Random| 3 + random.below(7);
    match random.below(12) {
        0..5 if framed && later > 0 => {
            let to = index + 1 + random.below(later) as usize;
            if costs[to] < 400 {
                return (Step::Call(to, random.once_in(3)), costs[to] + 4);
            }
            (Step::Word(super::code::NOP), 1)
        }
        5 => (Step::Interrupt, 24),
        6 => (Step::Word(EXCEPTIONS[random.below(2) as usize]), 12),
        7 if random.once_in(3) => (Step::Nothing, 12),
        // stw r3..r9, 0x1fxx(0)
        8 => (
            Step::Word(stw(register(random), 0, 0x1f00 + 4 * random.below(32))),
            1,
        ),
        9 => (
            Step::Word(addi(register(random), 0, random.word() as i32 & 0x7fff)),
            1,
        ),
        _ => {
            let [to, a, b] = std::array::from_fn(|_| register(random));
            let operation = [0x7c00_0214, 0x7c00_0278, 0x7c00_01d6][random.below(3) as usize];
            (Step::Word(operation | to << 21 | a << 16 | b << 11), 1)
        }
    }
}

impl Program {
    /// Steps of all functions, those inside others included.
    pub fn size(&self) -> usize {
        let steps = self.functions.iter().flat_map(|function| &function.body);
        steps
            .map(|step| match step {
                Step::Loop(_, inner) => 1 + inner.len(),
                _ => 1,
            })
            .sum()
    }

    /// Smaller programs that may fail alike.
    pub fn smaller(&self) -> impl Iterator<Item = Program> + '_ {
        let places = self.functions.iter().enumerate();
        places.flat_map(move |(function, at)| {
            let without = move |step: usize| {
                let mut smaller = self.clone();
                smaller.functions[function].body.remove(step);
                smaller
            };
            (0..at.body.len()).map(without)
        })
    }

    /// Writes the functions.
    pub fn emit(&self, code: &mut Code, labels: &[Label]) {
        for (index, function) in self.functions.iter().enumerate() {
            code.function(format!("function {index}"), labels[index]);
            if function.framed {
                // mflr r0
                code.add(&[open_frame(16), 0x7c08_02a6, stw(0, 1, 12)]);
            }
            for step in &function.body {
                emit_step(code, labels, step);
            }
            if function.framed {
                // mtlr r0
                code.add(&[lwz(0, 1, 12), 0x7c08_03a6, addi(1, 1, 16)]);
            }
            match function.leave {
                Leave::Link => code.add(&[BLR]),
                // mflr r12
                Leave::Count => code.add(&[0x7d88_02a6, mtspr(9, 12), BCTR]),
                Leave::Fall => {}
                Leave::Tail(to) => code.branch(B, labels[to]),
            }
        }
    }
}

fn emit_step(code: &mut Code, labels: &[Label], step: &Step) {
    match step {
        Step::Word(word) => code.add(&[*word]),
        Step::Call(to, false) => code.branch(BL, labels[*to]),
        Step::Call(to, true) => {
            code.load_address(12, labels[*to]);
            code.add(&[mtspr(9, 12), BCTRL]);
        }
        Step::Loop(turns, inner) => {
            // The count lies in the frame: functions that are called have their own.
            code.add(&[addi(12, 0, *turns as i32), stw(12, 1, 8)]);
            let top = code.label();
            code.place(top);
            for step in inner {
                emit_step(code, labels, step);
            }
            code.add(&[lwz(12, 1, 8), mtspr(9, 12), addi(12, 12, -1), stw(12, 1, 8)]);
            code.branch(BDNZ, top);
        }
        Step::Interrupt => {
            code.add(&load(11, CONTROLLER));
            code.add(&[addi(12, 0, 1), stw(12, 11, 0x40)]);
        }
        Step::Nothing => {
            code.add(&load(11, 0x9000_0000));
            code.add(&[lwz(12, 11, 0)]);
        }
    }
}
