//! The tables of all encodings: decoding, and the semantic function of each in any reading.

use super::condition::ALWAYS;
use super::trap::trap;
use super::{ArmSemantics, Exception, InstructionSet};
use super::{
    block_transfer, branch, coprocessor, data_processing, load_store, load_store_half, multiply,
    status_register, swap, thumb, trap as traps,
};
use socscope_isa::chapters;
use socscope_isa::{CycleClass, Encoding, Instruction, Pattern};

/// Words that no other encoding matches; entry 0 of both tables.
const UNALLOCATED: Encoding = Encoding {
    name: "Unallocated",
    pattern: Pattern::new("cccc uuuuuuuuuuuuuuuuuuuuuuuuuuuu"),
    class: CycleClass::Undefined,
    assembly: "(undefined)",
};
const UNALLOCATED_THUMB: Encoding = Encoding {
    pattern: Pattern::new("uuuuuuuuuuuuuuuu"),
    ..UNALLOCATED
};

chapters!([ArmSemantics] [CycleClass] unallocated, UNALLOCATED, ARM_COUNT, ARM, arm_readings:
    data_processing, multiply, load_store, load_store_half, block_transfer, swap, branch, status_register, traps, coprocessor);
chapters!([ArmSemantics] [CycleClass] unallocated, UNALLOCATED_THUMB, THUMB_COUNT, THUMB, thumb_readings:
    thumb::data_processing, thumb::load_store, thumb::block_transfer, thumb::branch);

fn unallocated<S: ArmSemantics>(s: &mut S, _word: u32) {
    trap(s, Exception::Undefined);
}

/// ARM encodings differ in bits 27 to 20 and 7 to 4 only.
const ARM_KEY: u32 = 0x0ff0_00f0;
/// Thumb encodings differ in bits 15 to 6 only.
const THUMB_KEY: u32 = 0xffc0;

static ARM_BY_KEY: [u8; 4096] = index(&ARM, ARM_KEY);
static THUMB_BY_KEY: [u8; 1024] = index(&THUMB, THUMB_KEY);

const fn arm_key(word: u32) -> usize {
    (word >> 16 & 0xff0 | word >> 4 & 0xf) as usize
}

const fn thumb_key(word: u32) -> usize {
    (word >> 6 & 0x3ff) as usize
}

#[allow(long_running_const_eval)]
const fn index<const KEYS: usize>(encodings: &[Encoding], key_bits: u32) -> [u8; KEYS] {
    let mut table = [0; KEYS];
    let mut key = 0;
    while key < KEYS {
        let word = if KEYS == 4096 {
            (key as u32 & 0xff0) << 16 | (key as u32 & 0xf) << 4
        } else {
            (key as u32) << 6
        };
        let mut entry = 1;
        while entry < encodings.len() {
            let pattern = &encodings[entry].pattern;
            assert!(pattern.mask & !key_bits == 0);
            if pattern.matches(word) {
                assert!(table[key] == 0);
                table[key] = entry as u8;
            }
            entry += 1;
        }
        key += 1;
    }
    table
}

/// Index into [`encodings`] of the encoding of `word`.
#[inline(always)]
pub fn decode(set: InstructionSet, word: u32) -> usize {
    usize::from(match set {
        InstructionSet::Arm => ARM_BY_KEY[arm_key(word)],
        InstructionSet::Thumb => THUMB_BY_KEY[thumb_key(word)],
    })
}

/// All encodings of an instruction set; the first one stands for all words that no other matches.
pub fn encodings(set: InstructionSet) -> &'static [Encoding] {
    match set {
        InstructionSet::Arm => &ARM,
        InstructionSet::Thumb => &THUMB,
    }
}

/// The encoding of `word`.
pub fn encoding(set: InstructionSet, word: u32) -> &'static Encoding {
    &encodings(set)[decode(set, word)]
}

/// The condition code under which `word` does something.
#[inline(always)]
pub fn condition_code(set: InstructionSet, word: u32) -> u32 {
    match set {
        InstructionSet::Arm => word >> 28,
        InstructionSet::Thumb if word >> 12 == 0xd && word >> 9 & 7 != 7 => word >> 8 & 15,
        InstructionSet::Thumb => ALWAYS,
    }
}

struct Table<S>(std::marker::PhantomData<S>);

impl<S: ArmSemantics> Table<S> {
    const ARM: [Instruction<S>; ARM_COUNT] = arm_readings::<S>();
    const THUMB: [Instruction<S>; THUMB_COUNT] = thumb_readings::<S>();
}

/// What `word` does in the reading `S`.
#[inline(always)]
pub fn instruction<S: ArmSemantics>(set: InstructionSet, word: u32) -> Instruction<S> {
    let index = decode(set, word);
    match set {
        InstructionSet::Arm => (&Table::<S>::ARM as &[_])[index],
        InstructionSet::Thumb => (&Table::<S>::THUMB as &[_])[index],
    }
}
