//! A toy's part of a program. All comes in four bytes: one instruction, or two of half the length. Data is in r2 to r7, r8 is for addresses, r9 for
//! values.

#[allow(dead_code)]
#[path = "../../../crates/architectures/toy/tests/support/assembler.rs"]
mod assembler;

use crate::random::Random;
use assembler::{LINK, branch_if, call, jump, long, number, operation, set, step, store, trap};

/// Does nothing of note.
const IDLE: u32 = step(13, 1);

/// The value to the address.
pub const STORE_VALUE: u32 = store(9, 8, 0);
/// The end of a routine.
pub const BACK: u32 = pair(jump(LINK), IDLE);

const fn pair(first: u32, second: u32) -> u32 {
    first << 16 | second
}

fn short(random: &mut Random) -> u32 {
    let [to, a, b] = [0; 3].map(|_| 2 + random.below(6));
    match random.below(10) {
        0 => trap(random.below(256)),
        1 => set(to, random.below(256) as i32),
        2 => step(to, random.below(256) as i32),
        _ => operation(random.below(7), to, a, b),
    }
}

/// What changes only registers that hold data.
pub fn plain(random: &mut Random) -> u32 {
    let [to, a] = [0; 2].map(|_| 2 + random.below(6));
    match random.once_in(2) {
        true => pair(short(random), short(random)),
        false => {
            let kind = [6, 8, 9, 10, 11, 12][random.below(6) as usize];
            long(kind, to, a, random.below(0x1_0000) as i32)
        }
    }
}

/// A number in the register of addresses (0) or of values (1).
pub fn load(register: u32, value: u32) -> [u32; 4] {
    let [clear, high, shift, low] = number(8 + register, value);
    [pair(clear, IDLE), high, shift, low]
}

/// Loads or stores data: bytes (0), half-words (1), words (2).
pub fn access(width: u32, register: u32, write: bool) -> u32 {
    long(2 - width + 3 * u32::from(write), register, 8, 0)
}

pub fn branch(distance: u32, link: bool) -> u32 {
    let halves = distance as i32 / 2;
    match link {
        true => call(halves),
        false => assembler::branch(halves),
    }
}

/// Stands still for a while.
pub fn wait(turns: i32) -> [u32; 3] {
    [
        pair(set(10, turns), set(11, 0)),
        pair(step(10, -1), IDLE),
        branch_if(1, 10, 11, -2),
    ]
}
