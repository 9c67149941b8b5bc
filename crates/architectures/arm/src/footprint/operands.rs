//! What interlocks ask of an instruction: its footprint and its row, in the words of timing models.

use super::{Flags, Footprint, Registers, footprint};
use crate::{CoreModel, InstructionSet, encoding};
use socscope_isa::{CycleClass, Encoding, Operands, Sort};
use socscope_memory::{Direction, Width};
use std::cell::RefCell;

/// Rows of data processing whose result is a sum or a difference, by the first word of their names.
const ARITHMETIC: [&str; 5] = ["ADD", "ADC", "SUB", "SBC", "RSB"];
/// Bits of a status register beside the flags.
const NO_FLAGS: u32 = 0x00ff_ffff;
/// Instructions whose operands are remembered, at most.
const REMEMBERED: usize = 1 << 12;

/// An instruction that was asked for, and its operands.
type Known = Option<((CoreModel, InstructionSet, u32), Operands)>;

thread_local! {
    /// Loops ask for the same instructions again and again, and a reading takes long.
    static KNOWN: RefCell<Vec<Known>> = const { RefCell::new(Vec::new()) };
}

/// What `word` needs and gives on a core of this model, wherever it stands.
pub fn operands(model: CoreModel, set: InstructionSet, word: u32) -> Operands {
    let asked = (model, set, word);
    let place = (word.wrapping_mul(0x9e37_79b1) >> 20) as usize % REMEMBERED;
    KNOWN.with_borrow_mut(|known| {
        known.resize(REMEMBERED, None);
        match known[place] {
            Some((known, operands)) if known == asked => operands,
            _ => {
                let operands = read(asked);
                known[place] = Some((asked, operands));
                operands
            }
        }
    })
}

fn read((model, set, word): (CoreModel, InstructionSet, u32)) -> Operands {
    let row = encoding(model, set, word);
    let found = footprint(model, set, 0, word);
    let reads = found.reads.union(found.user_reads);
    let stores = found.stored.iter().copied();
    let stored = stores.fold(Registers::default(), Registers::union);
    let user_stored = match found.stored.is_empty() {
        true => Registers::default(),
        false => found.user_reads,
    };
    let accumulated = match accumulates(row.class) {
        true => found.reads.without(found.multiplied),
        false => Registers::default(),
    };
    let late = stored.union(accumulated).union(user_stored);
    // What is stored may be the base or the offset as well.
    let base = match accumulates(row.class) {
        true => Registers::default(),
        false => found.computed,
    };
    let needed = Registers(reads.without(late).0 | reads.0 & base.0);
    let stored_at = |place: usize| found.stored.get(place).copied().unwrap_or_default();
    let [first, second] = [0, 1].map(stored_at);
    let narrow = |access: &super::MemoryAccess| {
        access.direction == Direction::Read && access.width != Width::Word
    };
    Operands {
        needed: u32::from(needed.0),
        stored: [first.union(user_stored), second].map(|registers| u32::from(registers.0)),
        accumulated: u32::from(accumulated.0),
        given: u32::from(found.writes.union(found.user_writes).0),
        loaded: u32::from(found.loaded.0),
        accesses: found.accesses.len() as u32,
        is_narrow: found.accesses.iter().any(narrow),
        is_shifted: found.shifted,
        sets_flags: found.flags_written.0 & Flags::CONDITIONS.0 != 0,
        sort: sort(row, &found),
    }
}

fn accumulates(class: CycleClass) -> bool {
    matches!(
        class,
        CycleClass::MultiplyAccumulate
            | CycleClass::MultiplyAccumulateLong
            | CycleClass::MultiplyHalf
            | CycleClass::MultiplyHalfLong
    )
}

fn sort(row: &Encoding, found: &Footprint) -> Sort {
    let first = row.name.split(' ').next();
    match row.class {
        CycleClass::Data if found.leave.is_none() && found.status_written => {
            match found.status_bits & NO_FLAGS {
                0 => Sort::Other,
                _ => Sort::WritesStatus,
            }
        }
        CycleClass::Data if found.leave.is_none() && found.status_read => Sort::ReadsStatus,
        CycleClass::Data if first.is_some_and(|name| ARITHMETIC.contains(&name)) => {
            Sort::Arithmetic
        }
        _ => Sort::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(word: u32) -> Operands {
        operands(CoreModel::Arm926EjS, InstructionSet::Arm, word)
    }

    const fn set(registers: &[u32]) -> u32 {
        let (mut all, mut at) = (0, 0);
        while at < registers.len() {
            all |= 1 << registers[at];
            at += 1;
        }
        all
    }

    #[test]
    fn a_store_needs_its_base_first_and_its_value_later() {
        // STR r1, [r2, #4]!; STR r3, [r2], r3; STMIA r0!, {r0, r1, r2}
        let store = of(0xe5a2_1004);
        assert_eq!((store.needed, store.stored), (set(&[2]), [set(&[1]), 0]));
        assert_eq!((store.given, store.loaded), (set(&[2]), 0));
        let both = of(0xe682_3003);
        assert_eq!(
            (both.needed, both.stored),
            (set(&[2, 3]), [set(&[3]), 0]),
            "the value is the offset"
        );
        let several = of(0xe8a0_0007);
        assert_eq!(several.needed, set(&[0]));
        assert_eq!(several.stored, [set(&[0]), set(&[1])]);
        assert_eq!(several.accesses, 3);
    }

    #[test]
    fn a_load_tells_its_base_from_what_it_loads() {
        // LDRB r0, [r1], #1; LDMIA r4!, {r0, r1}; LDMIA r4, {r0, r1}^; LDR r0, [r1, r2, LSL #2]; LDR r0, [r1, r2]
        let byte = of(0xe4d1_0001);
        assert_eq!((byte.needed, byte.given), (set(&[1]), set(&[0, 1])));
        assert_eq!((byte.loaded, byte.is_narrow), (set(&[0]), true));
        let several = of(0xe8b4_0003);
        assert_eq!(several.loaded, set(&[0, 1]));
        assert_eq!(several.given, set(&[0, 1, 4]));
        assert_eq!(of(0xe8d4_0003).loaded, set(&[0, 1]));
        assert!(of(0xe791_0102).is_shifted && !of(0xe791_0002).is_shifted);
        assert!(
            !of(0xe591_0001).is_shifted,
            "the rotation is behind the load"
        );
    }

    #[test]
    fn a_product_is_added_to_what_comes_late() {
        // MLA r0, r1, r2, r3; MLAS r0, r1, r2, r1; SMLAL r0, r1, r2, r3; SMLABB r0, r1, r2, r3
        let sum = of(0xe020_3291);
        assert_eq!((sum.needed, sum.accumulated), (set(&[1, 2]), set(&[3])));
        assert!(!sum.sets_flags && of(0xe030_1291).sets_flags);
        assert_eq!(of(0xe030_1291).accumulated, 0);
        let long = of(0xe0e1_0392);
        assert_eq!(
            (long.needed, long.accumulated),
            (set(&[2, 3]), set(&[0, 1]))
        );
        let half = of(0xe100_3281);
        assert_eq!((half.needed, half.accumulated), (set(&[1, 2]), set(&[3])));
    }

    #[test]
    fn moves_of_status_registers_differ_by_their_fields() {
        let sorts = [
            (0xe10f_0000, Sort::ReadsStatus),  // MRS r0, CPSR
            (0xe14f_0000, Sort::ReadsStatus),  // MRS r0, SPSR
            (0xe128_f000, Sort::Other),        // MSR CPSR_f, r0
            (0xe121_f000, Sort::WritesStatus), // MSR CPSR_c, r0
            (0xe129_f000, Sort::WritesStatus), // MSR CPSR_fc, r0
            (0xe168_f000, Sort::Other),        // MSR SPSR_f, r0
            (0xe161_f000, Sort::WritesStatus), // MSR SPSR_c, r0
            (0xe1b0_f00e, Sort::Other),        // MOVS pc, lr
            (0xe25e_f004, Sort::Arithmetic),   // SUBS pc, lr, #4
            (0xe0e1_f002, Sort::Other),        // RSC pc, r1, r2
        ];
        for (word, sort) in sorts {
            assert_eq!(of(word).sort, sort, "{word:#010x}");
        }
    }
}
