//! The tables of all encodings, and the semantic function of each in any reading. Versions follow each other: a model has the first rows.

use super::decoder::{Rows, Tables};
use super::trap::trap;
use super::{ALWAYS, ArmSemantics, CoreModel, Exception, InstructionSet, Version};
use super::{
    block_transfer, branch, branch_v5, coprocessor, count, data_processing, exclusive,
    exclusive_widths, extend, hints, load_store, load_store_half, load_store_pair, multiply,
    multiply_dual, multiply_half, parallel, processor_state, rearrange, saturate, saturate_bits,
    status_register, swap, thumb, trap as traps, trap_v5,
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

/// Joins chapters, and says which version each row is of.
macro_rules! versions {
    ($unallocated:ident, $count:ident, $encodings:ident, $readings:ident, $since:ident: $($chapter:path),*) => {
        chapters!([ArmSemantics] [CycleClass] unallocated, $unallocated, $count, $encodings, $readings: $($chapter),*);

        static $since: [Version; $count] = {
            let mut all = [Version::V4T; $count];
            let mut next = 1;
            $({
                use $chapter as chapter;
                let end = next + chapter::ENCODINGS.len();
                while next < end {
                    assert!(all[next - 1] as u8 <= chapter::SINCE as u8);
                    all[next] = chapter::SINCE;
                    next += 1;
                }
            })*
            all
        };
    };
}

versions!(UNALLOCATED, ARM_COUNT, ARM, arm_readings, ARM_SINCE:
    data_processing, multiply, load_store, load_store_half, block_transfer, swap, branch, status_register, traps, coprocessor,
    branch_v5, saturate, multiply_half, count, load_store_pair, trap_v5,
    parallel, saturate_bits, extend, rearrange, multiply_dual, exclusive, processor_state,
    exclusive_widths, hints);
versions!(UNALLOCATED_THUMB, THUMB_COUNT, THUMB, thumb_readings, THUMB_SINCE:
    thumb::data_processing, thumb::load_store, thumb::block_transfer, thumb::branch, thumb::v5, thumb::v6);

fn unallocated<S: ArmSemantics>(s: &mut S, _word: u32) {
    trap(s, Exception::Undefined);
}

const ARM_ROWS: Rows = Rows {
    encodings: &ARM,
    since: &ARM_SINCE,
};
const THUMB_ROWS: Rows = Rows {
    encodings: &THUMB,
    since: &THUMB_SINCE,
};

/// Of each version.
static TABLES: [Tables<ARM_COUNT, THUMB_COUNT>; Version::ALL.len()] = [
    Tables::of(Version::V4T, ARM_ROWS, THUMB_ROWS),
    Tables::of(Version::V5TEJ, ARM_ROWS, THUMB_ROWS),
    Tables::of(Version::V6, ARM_ROWS, THUMB_ROWS),
    Tables::of(Version::V6K, ARM_ROWS, THUMB_ROWS),
];

/// Index into [`encodings`] of the encoding of `word`.
#[inline(always)]
pub fn decode(model: CoreModel, set: InstructionSet, word: u32) -> usize {
    let tables = &TABLES[model.version() as usize];
    match set {
        InstructionSet::Arm => tables.arm(word, &ARM),
        InstructionSet::Thumb => tables.thumb(word, &THUMB),
    }
}

/// All encodings of an instruction set that a model has; the first one stands for all words that no other matches.
pub fn encodings(model: CoreModel, set: InstructionSet) -> &'static [Encoding] {
    let Rows { encodings, since } = rows(set);
    &encodings[..since.partition_point(|since| model.has(*since))]
}

/// The encoding of `word`.
pub fn encoding(model: CoreModel, set: InstructionSet, word: u32) -> &'static Encoding {
    &rows(set).encodings[decode(model, set, word)]
}

/// The version that brought the encoding at `index` of [`encodings`].
pub fn since(set: InstructionSet, index: usize) -> Version {
    rows(set).since[index]
}

const fn rows(set: InstructionSet) -> Rows {
    match set {
        InstructionSet::Arm => ARM_ROWS,
        InstructionSet::Thumb => THUMB_ROWS,
    }
}

/// The condition code under which `word` does something. From version 5 on the last one is that of instructions without a condition.
#[inline(always)]
pub fn condition_code(model: CoreModel, set: InstructionSet, word: u32) -> u32 {
    match set {
        InstructionSet::Arm if word >> 28 == 15 && model.has(Version::V5TEJ) => ALWAYS,
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
pub fn instruction<S: ArmSemantics>(
    model: CoreModel,
    set: InstructionSet,
    word: u32,
) -> Instruction<S> {
    let index = decode(model, set, word);
    match set {
        InstructionSet::Arm => (&Table::<S>::ARM as &[_])[index],
        InstructionSet::Thumb => (&Table::<S>::THUMB as &[_])[index],
    }
}
