//! This reading against the interpreter: after any instructions of both lengths, whatever the words were, they are what is said of them.

use super::{PlainStatus, slots};
use crate::architecture::Architecture;
use crate::architectures::Toy;
use crate::program::Program;
use crate::range::Range;
use crate::reading::{FlowReading, Place};
use crate::stacks::Stacks;
use crate::state::State;
use crate::tests::{Memory, start};
use crate::value::Symbol;
use proptest::prelude::*;
use socscope_core::Unobserved;
use socscope_core::plain::{Outcome, footprint, step};
use socscope_isa::{Known, Leave, Slots};
use socscope_memory::{Bus, Width};
use socscope_timing::FixedCpi;
use socscope_toy::{Core, encodings, slot};
use std::collections::BTreeMap;

const START: u32 = 0x1000;
const STACK_TOP: u32 = 0x8000;

/// An instruction that computes, branches forwards, or moves words between registers and the stack.
fn opcode(choice: u32, random: u32) -> Option<(u32, Width)> {
    let all = encodings();
    let row = &all[1 + (choice / 4) as usize % (all.len() - 1)];
    let word = match choice % 4 {
        // Loads and stores.
        0 => {
            (0xc0 + random % 6) << 24
                | ((random >> 8) % 14) << 20
                | slot::STACK << 16
                | random >> 20 & 0x3f
        }
        // Branches under a condition, and what compares.
        1 => 0xd000_0000 | random & 0x0377_0000 | 8,
        _ => row.pattern.instance(random),
    };
    let width = match word {
        0..=0xffff => Width::Half,
        _ => Width::Word,
    };
    let found = footprint::<socscope_toy::Toy>(START, word, width);
    // A branch to the next instruction looks as if none had been made.
    let known = match found.leave {
        None => true,
        Some(Leave::Branch(Known::Constant(target))) => target != START + width.bytes(),
        _ => false,
    };
    let on_stack = choice.is_multiple_of(4) || found.accesses.is_empty();
    let plain = known && on_stack && found.mark.is_none() && !found.writes.contains(slot::STACK);
    plain.then_some((word, width))
}

fn compare(words: &[(u32, u32)], registers: &[(u32, u32, u32)]) -> Result<(), TestCaseError> {
    let mut core = Core::new(socscope_toy::Toy::Big);
    let as_found = Slots::ALL;
    let mut state = State::<Toy>::entry(slots::<socscope_toy::Toy>(), PlainStatus { as_found });
    for (index, &(word, below, above)) in registers.iter().enumerate() {
        core.set_slot(index as u32, word);
        let range = Range::between(word.wrapping_sub(below), word.wrapping_add(above));
        state.words[index].range = range;
    }
    core.set_slot(slot::STACK, STACK_TOP);
    state.words[slot::STACK as usize].range = Range::TOP;
    let entry: Vec<u32> = (0..slot::COUNT as u32).map(|at| core.slot(at)).collect();
    let (program, mut stacks) = (Program::default(), Stacks::new(Toy::is_stack));
    let mut memory = Memory::new(true);
    let mut address = START;
    for &(choice, random) in words {
        let Some((word, width)) = opcode(choice, random) else {
            continue;
        };
        core.set_program_counter(address);
        (memory.opcode, memory.rest) = match width {
            Width::Word => (word >> 16, Some(word & 0xffff)),
            _ => (word, None),
        };
        let mut model = FixedCpi::SINGLE_CYCLE;
        let done = step(&mut core, &mut memory, &mut model, &mut Unobserved, 0);
        prop_assert!(matches!(done.outcome, Outcome::Executed | Outcome::Waits));
        let place = Place {
            address,
            ..Place::default()
        };
        let mut reading = FlowReading::new(&mut state, &program, &mut stacks, place, true);
        Toy::read(&mut reading, (word, width));
        let effects = reading.finish();
        address += width.bytes();
        let taken = core.program_counter() != address;
        prop_assert!(!taken || effects.leave.is_some(), "{word:#x} leaves");
        if let Some(guard) = &effects.guard {
            prop_assert!(state.assume(guard, taken), "{word:#x}: {taken} {guard:x?}");
        } else {
            prop_assert_eq!(taken, effects.leave.is_some());
        }
        check(&core, &mut memory, &state, &entry, word)?;
    }
    Ok(())
}

fn check(
    core: &Core,
    memory: &mut Memory,
    state: &State<Toy>,
    entry: &[u32],
    word: u32,
) -> Result<(), TestCaseError> {
    let held = |at: u32| (core.slot(at), state.words[at as usize].clone());
    let mut all: Vec<_> = (0..slot::COUNT as u32).map(held).collect();
    for (&(base, offset), content) in &state.cells {
        if matches!(base, Some(Symbol::Entry(slot)) if Toy::is_stack(slot)) {
            let stored = memory.read(STACK_TOP.wrapping_add(offset), Width::Word, |_, _| 0);
            all.push((stored.unwrap().value, content.value.clone()));
        }
    }
    // A symbol means one word at a time: those who hold it agree on it.
    let mut names: BTreeMap<Symbol, u32> = BTreeMap::new();
    for (at, (actual, value)) in all.into_iter().enumerate() {
        let context = format!("{word:#x}: {at} is {actual:#x}, not {value:?}");
        prop_assert!(value.range.contains(actual), "{context}");
        let Some((symbol, negative, delta)) = value.identity() else {
            continue;
        };
        let meant = match negative {
            true => delta.wrapping_sub(actual),
            false => actual.wrapping_sub(delta),
        };
        let known = match symbol {
            Symbol::Entry(slot) => entry[usize::from(slot)],
            _ => *names.entry(symbol).or_insert(meant),
        };
        prop_assert_eq!(meant, known, "{}", context);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn instructions_do_what_is_said(
        words in proptest::collection::vec((any::<u32>(), any::<u32>()), 1..25),
        registers in proptest::collection::vec(start(), slot::COUNT),
    ) {
        compare(&words, &registers)?;
    }
}
