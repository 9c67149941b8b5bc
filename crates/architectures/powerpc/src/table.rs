//! The table of all encodings: decoding, and the semantic function of each in any reading.

use super::exception::{Exception, ProgramCause};
use super::{Class, PowerPcSemantics};
use super::{branch, cache, condition, float, integer, load_store, system, tlb, vector};
use socscope_isa::chapters;
use socscope_isa::{Encoding, Instruction, Pattern};

/// Words that no other encoding matches; entry 0 of the table.
const UNALLOCATED: Encoding<Class> = Encoding {
    name: "Unallocated",
    pattern: Pattern::new("uuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuu"),
    class: Class::Illegal,
    assembly: "(illegal)",
};

chapters!([PowerPcSemantics] [Class] unallocated, UNALLOCATED, COUNT, ENCODINGS, readings:
    integer::arithmetic, integer::compare, integer::logical, integer::rotate_shift, load_store::integer, load_store::multiple,
    load_store::string, load_store::reservation, load_store::external, branch, condition, system, cache, tlb, float::arithmetic, float::load_store, float::registers, vector::arithmetic, vector::rearrange, vector::permute, vector::load_store, vector::float);

fn unallocated<S: PowerPcSemantics>(s: &mut S, _word: u32) {
    s.exception(Exception::Program(ProgramCause::Illegal));
}

/// Encodings differ in the primary opcode, and under five of these in the low eleven bits.
const PRIMARY: u32 = 0xfc00_0000;
const EXTENDED: u32 = 0x07ff;
const LISTS: [u32; 5] = [4, 19, 31, 59, 63];

const KEYS: usize = LISTS.len() << 11 | 64;

/// The list of an extended opcode, behind the primary opcodes that are none.
static LIST_OF: [u8; 64] = {
    let mut all = [u8::MAX; 64];
    let mut list = 0;
    while list < LISTS.len() {
        all[LISTS[list] as usize] = list as u8;
        list += 1;
    }
    all
};

#[inline(always)]
const fn key(word: u32) -> usize {
    let primary = (word >> 26) as usize;
    match LIST_OF[primary] {
        u8::MAX => primary,
        list => 64 + ((list as usize) << 11) + (word & EXTENDED) as usize,
    }
}

static BY_KEY: [u16; 64 + KEYS] = index();

#[allow(long_running_const_eval)]
const fn index() -> [u16; 64 + KEYS] {
    let mut table = [0; 64 + KEYS];
    let mut entry = 1;
    while entry < COUNT {
        let pattern = &ENCODINGS[entry].pattern;
        let primary = pattern.value & PRIMARY;
        assert!(pattern.mask & PRIMARY == PRIMARY);
        let extended = LIST_OF[(primary >> 26) as usize] != u8::MAX;
        assert!(pattern.mask & !(PRIMARY | if extended { EXTENDED } else { 2 }) == 0);
        let mut low = 0;
        while low <= if extended { EXTENDED } else { 0 } {
            let word = primary | low;
            if !extended || pattern.matches(word) {
                assert!(table[key(word)] == 0);
                table[key(word)] = entry as u16;
            }
            low += 1;
        }
        entry += 1;
    }
    table
}

/// Index into [`encodings`] of the encoding of `word`.
#[inline(always)]
pub fn decode(word: u32) -> usize {
    let index = usize::from(BY_KEY[key(word)]);
    // sc alone has a fixed bit beside its primary opcode.
    if ENCODINGS[index].pattern.matches(word) {
        index
    } else {
        0
    }
}

/// All encodings; the first one stands for all words that no other matches.
pub fn encodings() -> &'static [Encoding<Class>] {
    &ENCODINGS
}

/// The encoding of `word`.
pub fn encoding(word: u32) -> &'static Encoding<Class> {
    &ENCODINGS[decode(word)]
}

struct Table<S>(std::marker::PhantomData<S>);

impl<S: PowerPcSemantics> Table<S> {
    const ALL: [Instruction<S, Class>; COUNT] = readings::<S>();
}

/// What `word` does in the reading `S`.
#[inline(always)]
pub fn instruction<S: PowerPcSemantics>(word: u32) -> Instruction<S, Class> {
    (&Table::<S>::ALL as &[_])[decode(word)]
}
