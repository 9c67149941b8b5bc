//! Single random instructions, from the encoding tables, that do no harm to what holds a program together.

use crate::arm::MODEL;
use crate::exclusions::{Case, exclusion};
use crate::random::Random;
use socscope_arm as arm;
use socscope_arm::{
    Core, Footprint, InstructionSet, Mode, PROGRAM_COUNTER, STACK, Status, Value, Version,
    footprint,
};
use socscope_isa::{CycleClass, Encoding, Pattern};
use socscope_memory::Direction;

const TRIES: u32 = 50;
const STACK_BIT: u32 = 1 << STACK;

/// What the place of an instruction asks of it.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    /// The instruction set.
    pub set: InstructionSet,
    /// Registers that it must not change.
    pub reserved: u32,
    /// Whether it may change flags.
    pub flags: bool,
    /// Nothing that another implementation does differently.
    pub portable: bool,
}

/// Any instruction but one that leaves its sequence; registers and memory it takes as they come.
pub fn plain(random: &mut Random, place: Place) -> u32 {
    for _ in 0..TRIES {
        let Some((encoding, word)) = candidate(random, place, |_| true) else {
            continue;
        };
        let found = footprint(MODEL, place.set, 0x1000, word);
        let memory = !found.accesses.is_empty();
        // Registers hold numbers more often than addresses: accesses are made on purpose, by `memory`.
        if memory && (place.portable || !random.once_in(6)) {
            continue;
        }
        if harmless(&found, place, encoding, word, random) {
            return word;
        }
    }
    no_operation(place.set)
}

/// A load or store through the register `base`, if given, else through the register that comes back.
pub fn memory(random: &mut Random, place: Place, base: Option<u32>) -> Option<(u32, u32)> {
    for _ in 0..TRIES {
        let Some((encoding, mut word)) = candidate(random, place, accesses_memory) else {
            continue;
        };
        let pattern = &encoding.pattern;
        if !pattern.text().contains('n') {
            continue;
        }
        if let Some(base) = base {
            word = with_field(pattern, 'n', word, base);
        }
        let register = pattern.field("n").get(word);
        if register >= STACK || base.is_none() && place.reserved >> register & 1 != 0 {
            continue;
        }
        if place.set == InstructionSet::Arm && encoding.name.ends_with("immediate") {
            let half = encoding.pattern.text().contains("iiii 1");
            // Offsets of a few words, mostly.
            match half {
                false if place.portable => word &= !0xfc3,
                false if !random.once_in(12) => word &= !0xf80,
                true if place.portable => word &= !1,
                _ => {}
            }
        }
        // A shifted offset would be no multiple of four.
        if place.portable && pattern.text().contains("aaaaa tt") {
            word &= !0xfe0;
        }
        let found = footprint(MODEL, place.set, 0x1000, word);
        let mut allowed = place;
        if base == Some(register) {
            allowed.reserved &= !(1 << register);
        }
        if !found.accesses.is_empty() && harmless(&found, allowed, encoding, word, random) {
            return Some((word, register));
        }
    }
    None
}

/// The register that a load or store adds to its base, when it has one.
pub fn offset_register(set: InstructionSet, word: u32) -> Option<u32> {
    let encoding = arm::encoding(MODEL, set, word);
    let has = accesses_memory(encoding) && encoding.class != CycleClass::Swap;
    (has && encoding.pattern.text().contains('m')).then(|| encoding.pattern.field("m").get(word))
}

/// An instruction that raises the undefined exception.
pub fn undefined(random: &mut Random, set: InstructionSet) -> u32 {
    loop {
        let index = random.below(arm::encodings(MODEL, set).len() as u32) as usize;
        let encoding = &arm::encodings(MODEL, set)[index];
        let word = encoding.pattern.instance(random.word());
        let word = if set == InstructionSet::Arm {
            word & 0x0fff_ffff | 0xe000_0000
        } else {
            word
        };
        if encoding.class == CycleClass::Undefined && arm::decode(MODEL, set, word) == index {
            return word;
        }
    }
}

/// Any word at all, jumps into the blue included.
pub fn wild(random: &mut Random, set: InstructionSet) -> u32 {
    if random.once_in(4) {
        return random.word();
    }
    let index = random.below(arm::encodings(MODEL, set).len() as u32) as usize;
    arm::encodings(MODEL, set)[index]
        .pattern
        .instance(random.word())
}

/// Does nothing.
pub fn no_operation(set: InstructionSet) -> u32 {
    match set {
        InstructionSet::Arm => crate::arm::NO_OPERATION,
        InstructionSet::Thumb => crate::thumb::NO_OPERATION,
    }
}

fn accesses_memory(encoding: &Encoding) -> bool {
    use CycleClass::{Load, LoadMultiple, Store, StoreMultiple, Swap};
    matches!(
        encoding.class,
        Load | Store | LoadMultiple | StoreMultiple | Swap
    )
}

fn candidate(
    random: &mut Random,
    place: Place,
    wanted: impl Fn(&Encoding) -> bool,
) -> Option<(&'static Encoding, u32)> {
    let encodings = arm::encodings(MODEL, place.set);
    let index = random.below(encodings.len() as u32) as usize;
    let encoding = &encodings[index];
    if !wanted(encoding) || encoding.class == CycleClass::Undefined {
        return None;
    }
    let mut word = encoding.pattern.instance(random.word());
    if place.set == InstructionSet::Arm && !random.once_in(3) {
        word = word & 0x0fff_ffff | 0xe000_0000;
    }
    let allowed = !place.portable || is_portable(place.set, encoding, word);
    (allowed && arm::decode(MODEL, place.set, word) == index).then_some((encoding, word))
}

/// Whether every implementation does the same in the system mode.
fn is_portable(set: InstructionSet, encoding: &'static Encoding, word: u32) -> bool {
    let mut core = Core::default();
    core.set_status(Status {
        mode: Mode::System,
        ..core.status()
    });
    let case = Case {
        set,
        since: Version::V4T,
        encoding,
        word,
        core: &core,
        unchanged: false,
    };
    // Half a call is a whole instruction to nobody else; status registers have bits that an ARM7TDMI does not.
    let special = encoding.name.starts_with("BL") || encoding.name.starts_with("MSR");
    exclusion(&case).is_none() && !special
}

fn harmless(
    found: &Footprint,
    place: Place,
    encoding: &Encoding,
    word: u32,
    random: &mut Random,
) -> bool {
    let reserved = place.reserved | STACK_BIT | 1 << PROGRAM_COUNTER;
    let writes = u32::from(found.writes.0 | found.user_writes.0);
    if found.leave.is_some() || writes & reserved != 0 {
        return false;
    }
    if found.status_written && !writes_flags_only(encoding, word) {
        return false;
    }
    if !place.flags && found.flags_written.0 != 0 {
        return false;
    }
    found.accesses.iter().all(|access| {
        let onto_stack = u32::from(found.reads.0) & STACK_BIT != 0;
        let into_code = matches!(access.address, Value::Constant(_));
        access.direction == Direction::Read || !onto_stack && (!into_code || random.once_in(20))
    })
}

fn writes_flags_only(encoding: &Encoding, word: u32) -> bool {
    encoding.name.starts_with("MSR") && {
        let field = |name| encoding.pattern.field(name).get(word);
        field("r") == 1 || field("k") & 7 == 0
    }
}

/// `word` with another value in a field of one piece.
fn with_field(pattern: &Pattern, letter: char, word: u32, value: u32) -> u32 {
    let bits: Vec<char> = pattern
        .text()
        .chars()
        .filter(|letter| *letter != ' ')
        .collect();
    let width = bits.iter().filter(|bit| **bit == letter).count() as u32;
    let above = bits.iter().rev().position(|bit| *bit == letter);
    let shift = above.unwrap_or(0) as u32;
    let mask = ((1 << width) - 1) << shift;
    word & !mask | value << shift & mask
}
