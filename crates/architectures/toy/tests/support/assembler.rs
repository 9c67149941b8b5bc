//! An assembler for the toy: one function an instruction, and programs with labels.

use std::collections::BTreeMap;

pub const LINK: u32 = 14;
pub const STACK: u32 = 15;
/// Special registers by their numbers in moves.
pub const STATUS: u32 = 0;
pub const BACK: u32 = 1;
pub const BEFORE: u32 = 2;
pub const SCRATCH: u32 = 3;

pub const RETURN: u32 = 0xa500;
pub const WAIT: u32 = 0xa600;
/// A branch to itself.
pub const LOOP: u32 = 0xb000;

const fn three(operation: u32, d: u32, a: u32, b: u32) -> u32 {
    operation << 12 | d << 8 | a << 4 | b
}

pub const fn add(d: u32, a: u32, b: u32) -> u32 {
    three(0, d, a, b)
}

pub const fn subtract(d: u32, a: u32, b: u32) -> u32 {
    three(1, d, a, b)
}

pub const fn xor(d: u32, a: u32, b: u32) -> u32 {
    three(4, d, a, b)
}

/// One of the seven operations on registers.
pub const fn operation(number: u32, d: u32, a: u32, b: u32) -> u32 {
    three(number, d, a, b)
}

pub const fn set(d: u32, number: i32) -> u32 {
    0x8000 | d << 8 | number as u32 & 0xff
}

/// Adds a small number.
pub const fn step(d: u32, number: i32) -> u32 {
    0x9000 | d << 8 | number as u32 & 0xff
}

pub const fn from_special(d: u32, special: u32) -> u32 {
    0xa000 | d << 4 | special
}

pub const fn to_special(special: u32, d: u32) -> u32 {
    0xa100 | d << 4 | special
}

pub const fn jump(a: u32) -> u32 {
    0xa200 | a << 4
}

pub const fn call_register(a: u32) -> u32 {
    0xa300 | a << 4
}

pub const fn trap(number: u32) -> u32 {
    0xa400 | number
}

pub const fn mark(number: u32) -> u32 {
    0xa700 | number
}

/// An instruction of 32 bits with two registers and a number: 0 to 2 load, 3 to 5 store (word, half, byte), 6 adds, 8 to 12 are logic and shifts.
pub const fn long(operation: u32, d: u32, a: u32, number: i32) -> u32 {
    (0xc0 | operation) << 24 | d << 20 | a << 16 | number as u32 & 0xffff
}

pub const fn add_number(d: u32, a: u32, number: i32) -> u32 {
    long(6, d, a, number)
}

pub const fn load(d: u32, a: u32, offset: i32) -> u32 {
    long(0, d, a, offset)
}

pub const fn store(d: u32, a: u32, offset: i32) -> u32 {
    long(3, d, a, offset)
}

/// Branches by so many half-words: 0 equal, 1 not equal, 2 less, 3 not less.
pub const fn branch_if(condition: u32, a: u32, b: u32, halves: i32) -> u32 {
    (0xd0 | condition) << 24 | a << 20 | b << 16 | halves as u32 & 0xffff
}

pub const fn call(halves: i32) -> u32 {
    0xe000_0000 | halves as u32 & 0x0fff_ffff
}

pub const fn branch(halves: i32) -> u32 {
    0xf000_0000 | halves as u32 & 0x0fff_ffff
}

/// Puts a number into a register.
pub const fn number(d: u32, value: u32) -> [u32; 4] {
    [
        set(d, 0),
        long(9, d, d, (value >> 16) as i32),
        long(11, d, d, 16),
        long(9, d, d, (value & 0xffff) as i32),
    ]
}

/// Half-words of instructions, the first one of each first.
pub fn halves(instructions: &[u32]) -> Vec<u16> {
    let mut all = vec![];
    for &one in instructions {
        if one > 0xffff {
            all.push((one >> 16) as u16);
        }
        all.push(one as u16);
    }
    all
}

/// Bytes of instructions.
pub fn bytes(instructions: &[u32], big: bool) -> Vec<u8> {
    let order = |half: u16| match big {
        true => half.to_be_bytes(),
        false => half.to_le_bytes(),
    };
    halves(instructions).into_iter().flat_map(order).collect()
}

/// A program with labels.
#[derive(Default)]
pub struct Program {
    instructions: Vec<u32>,
    labels: BTreeMap<&'static str, i32>,
    wanted: Vec<(usize, i32, &'static str)>,
    length: i32,
}

impl Program {
    pub fn put(&mut self, instructions: &[u32]) -> &mut Program {
        for &one in instructions {
            self.length += if one > 0xffff { 2 } else { 1 };
            self.instructions.push(one);
        }
        self
    }

    pub fn label(&mut self, name: &'static str) -> &mut Program {
        self.labels.insert(name, self.length);
        self
    }

    /// A branch or call of 32 bits, without its distance, to a label.
    pub fn to(&mut self, instruction: u32, label: &'static str) -> &mut Program {
        self.wanted
            .push((self.instructions.len(), self.length, label));
        self.put(&[instruction])
    }

    pub fn instructions(&self) -> Vec<u32> {
        let mut all = self.instructions.clone();
        for &(place, here, label) in &self.wanted {
            let distance = self.labels[label] - here;
            let bits = if all[place] >= 0xe000_0000 {
                0x0fff_ffff
            } else {
                0xffff
            };
            all[place] |= distance as u32 & bits;
        }
        all
    }
}
