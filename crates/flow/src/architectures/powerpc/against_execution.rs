//! This reading against the interpreter: after any instructions, whatever the words were, they are what is said of them.

use super::conditions::Bit;
use super::{COUNT, LINK, PowerPc, PowerPcStatus, SLOTS};
use crate::architecture::Architecture;
use crate::program::Program;
use crate::range::Range;
use crate::reading::{FlowReading, Place};
use crate::stacks::Stacks;
use crate::state::State;
use crate::tests::{Memory, start};
use crate::value::Symbol;
use proptest::prelude::*;
use socscope_core::Unobserved;
use socscope_isa::{Known, Leave};
use socscope_memory::{Bus, Width};
use socscope_powerpc::footprint::{footprint, slot};
use socscope_powerpc::interpreter::{Outcome, step};
use socscope_powerpc::{Core, CoreModel, Msr, STACK, Untranslated, encoding, encodings};
use socscope_timing::FixedCpi;
use std::collections::BTreeMap;

const START: u32 = 0x1000;
const STACK_TOP: u32 = 0x8000;

/// Loads and stores on the stack: lwz, stw, lbz, stb, lhz, sth, lmw, stmw.
const ON_STACK: [u32; 8] = [32, 36, 34, 38, 40, 44, 46, 47];

/// A word of an encoding that computes, branches, or moves words between registers and the stack.
fn opcode(choice: u32, random: u32) -> Option<u32> {
    if choice.is_multiple_of(4) {
        let primary = ON_STACK[(choice / 4 % 8) as usize];
        // Multiples take the last registers: the stack pointer is not loaded.
        let register = match primary {
            46 | 47 => 20 + random % 12,
            _ => 2 + random % 30,
        };
        let rest = if primary < 46 { random >> 16 & 3 } else { 0 };
        let offset = (random >> 8 & 0x3c) + rest;
        return Some(primary << 26 | register << 21 | STACK << 16 | offset);
    }
    let all = encodings();
    let word = match choice % 4 {
        // bc, forwards.
        1 if choice & 0x10 != 0 => 16 << 26 | random & 0x03ff_0000 | 8,
        // Comparisons and what is done with few registers are mostly what branches look at.
        1 => 11 << 26 | random & 0x03a3_000f,
        _ => all[1 + (choice / 4) as usize % (all.len() - 1)]
            .pattern
            .instance(random),
    };
    let found = footprint(CoreModel::E600, START, word);
    let own = |at: u32| (slot::FLOAT..slot::CONDITION).contains(&at) || at >= slot::FLOAT_STATUS;
    let touched = found.reads.union(found.writes);
    // A branch to the next instruction looks as if none had been made.
    let known = match found.leave {
        None => true,
        Some(Leave::Branch(Known::Constant(target))) => target != START + 4,
        _ => false,
    };
    let plain = known
        && !found.may_fault
        && found.mark.is_none()
        && found.accesses.is_empty()
        && !found.writes.contains(STACK)
        && !touched.iter().any(own);
    plain.then_some(word)
}

/// Goes through the instructions in both ways.
fn compare(
    words: &[(u32, u32)],
    registers: &[(u32, u32, u32)],
    condition: u32,
) -> Result<(), TestCaseError> {
    let mut core = Core::new(CoreModel::E600);
    core.set_msr(Msr(0));
    core.condition = condition;
    core.xer.carry = condition & 1 != 0;
    core.xer.summary_overflow = condition & 2 != 0;
    let mut state = State::<PowerPc>::entry(SLOTS, PowerPcStatus::entry(Msr(0)));
    for (index, &(word, below, above)) in registers.iter().enumerate() {
        match index {
            LINK => core.link = word,
            COUNT => core.count = word,
            _ => core.set_register(index as u32, word),
        }
        let range = Range::between(word.wrapping_sub(below), word.wrapping_add(above));
        state.words[index].range = range;
    }
    core.set_register(STACK, STACK_TOP);
    state.words[STACK as usize].range = Range::TOP;
    let entry: Vec<u32> = (0..SLOTS).map(|slot| held(&core, slot.into())).collect();
    let (program, mut stacks) = (Program::default(), Stacks::new(PowerPc::is_stack));
    let mut memory = Memory::new(true);
    let mut address = START;
    for &(choice, random) in words {
        let Some(word) = opcode(choice, random) else {
            continue;
        };
        core.set_program_counter(address);
        memory.opcode = word;
        let mut model = FixedCpi::SINGLE_CYCLE;
        let done = step(
            &mut core,
            &mut memory,
            &mut Untranslated,
            &mut model,
            &mut Unobserved,
            0,
        );
        prop_assert_eq!(done.outcome, Outcome::Executed);
        let place = Place {
            address,
            ..Place::default()
        };
        let mut reading = FlowReading::new(&mut state, &program, &mut stacks, place, true);
        PowerPc::read(&mut reading, (word, Width::Word));
        let effects = reading.finish();
        let taken = core.program_counter() != address + 4;
        prop_assert!(!taken || effects.leave.is_some(), "{word:#x} leaves");
        if let Some(guard) = &effects.guard {
            prop_assert!(state.assume(guard, taken), "{word:#x}: {taken} {guard:x?}");
        } else {
            prop_assert_eq!(taken, effects.leave.is_some());
        }
        check(&core, &mut memory, &state, &entry, word)?;
        address += 4;
    }
    Ok(())
}

fn held(core: &Core, slot: usize) -> u32 {
    match slot {
        0..32 => core.register(slot as u32),
        LINK => core.link,
        COUNT => core.count,
        _ => 0,
    }
}

fn check_conditions(core: &Core, state: &State<PowerPc>, word: u32) -> Result<(), TestCaseError> {
    let name = encoding(word).name;
    for (index, field) in state.status.fields.iter().enumerate() {
        let mut fitting = field.possible;
        for (at, bit) in (4 * index as u32..).zip(field.bits) {
            let actual = core.condition_bit(at);
            match bit {
                Bit::Known(known) => prop_assert_eq!(known, actual, "{} {:#x}: {}", name, word, at),
                Bit::Of(table) if actual => fitting &= table,
                Bit::Of(table) => fitting &= !table,
                Bit::Unknown => {}
            }
        }
        prop_assert!(fitting != 0, "{name} {word:#x}: field {index} {field:x?}");
        if let Some(compared) = &field.comparison {
            prop_assert!(
                compared.learn(fitting).is_some(),
                "{name} {word:#x}: {compared:x?}"
            );
        }
    }
    let xer = &core.xer;
    for (known, actual) in
        (state.status.xer)
            .iter()
            .zip([xer.summary_overflow, xer.overflow, xer.carry])
    {
        prop_assert!(
            known.is_none_or(|known| known == actual),
            "{name} {word:#x}"
        );
    }
    Ok(())
}

fn check(
    core: &Core,
    memory: &mut Memory,
    state: &State<PowerPc>,
    entry: &[u32],
    word: u32,
) -> Result<(), TestCaseError> {
    check_conditions(core, state, word)?;
    let registers = (0..SAVED).map(|slot| (held(core, slot), state.words[slot].clone()));
    let mut all: Vec<_> = registers.collect();
    for (&(base, offset), content) in &state.cells {
        if matches!(base, Some(Symbol::Entry(slot)) if PowerPc::is_stack(slot)) {
            let at = STACK_TOP.wrapping_add(offset);
            let stored = memory.read(at, Width::Word, |_, _| 0);
            all.push((
                stored.map_or(0, |access| access.value),
                content.value.clone(),
            ));
        }
    }
    // A symbol means one word at a time: those who hold it agree on it.
    let mut names: BTreeMap<Symbol, u32> = BTreeMap::new();
    for (at, (actual, value)) in all.into_iter().enumerate() {
        let context = || {
            format!(
                "{} {word:#x}: {at} is {actual:#x}, not {value:?}",
                encoding(word).name
            )
        };
        prop_assert!(value.range.contains(actual), "{}", context());
        let Some((symbol, negative, delta)) = value.identity() else {
            continue;
        };
        let meant = if negative {
            delta.wrapping_sub(actual)
        } else {
            actual.wrapping_sub(delta)
        };
        let known = match symbol {
            Symbol::Entry(slot) => entry[usize::from(slot)],
            _ => *names.entry(symbol).or_insert(meant),
        };
        prop_assert_eq!(meant, known, "{}", context());
    }
    Ok(())
}

/// Slots that are looked at: all before the address that an exception saves.
const SAVED: usize = super::SAVED_ADDRESS;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    #[test]
    fn instructions_do_what_is_said(
        words in proptest::collection::vec((any::<u32>(), any::<u32>()), 1..25),
        registers in proptest::collection::vec(start(), 34),
        condition in any::<u32>(),
    ) {
        compare(&words, &registers, condition)?;
    }
}

#[test]
fn many_encodings_are_compared() {
    let words = (0..8000u32).map(|at| {
        let choice = at.wrapping_mul(0x9e37_79b1) >> 8;
        (choice, at.wrapping_mul(0x85eb_ca6b))
    });
    // Of all encodings: the others are chosen so that they are taken.
    let chosen = words.filter(|(choice, _)| choice % 4 >= 2);
    let taken: std::collections::BTreeSet<&str> = chosen
        .filter_map(|(choice, random)| opcode(choice, random))
        .map(|word| encoding(word).name)
        .collect();
    println!("{}", taken.len());
    assert!(taken.len() > 60, "{taken:?}");
}
