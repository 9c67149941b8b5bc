//! This reading against the interpreter: after any instructions, whatever the words were, they are what is said of them.

use super::{Arm, ArmStatus, SLOTS, code_of};
use crate::architecture::Architecture;
use crate::flags::{ANY, Flags, Outcomes};
use crate::program::Program;
use crate::range::Range;
use crate::reading::{FlowReading, Place, Truth};
use crate::stacks::Stacks;
use crate::state::State;
use crate::tests::{Memory, start};
use crate::value::Symbol;
use proptest::prelude::*;
use socscope_arm::interpreter::{Outcome, step};
use socscope_arm::timing::Arm7Tdmi;
use socscope_arm::{
    Core, CoreModel, InstructionSet, Mode, STACK, Status, condition, condition_code, encodings,
    footprint,
};
use socscope_core::Unobserved;
use socscope_memory::{Bus, Width};
use std::collections::BTreeMap;

const START: u32 = 0x1000;
const STACK_TOP: u32 = 0x8000;

/// A word of an encoding that computes, or moves words between registers and the stack.
fn opcode(model: CoreModel, set: InstructionSet, choice: u32, random: u32) -> Option<u32> {
    let stack_words = match set {
        // STR, LDR, STRB, PUSH and POP, two of them conditional.
        InstructionSet::Arm => [
            0xe50d_0000,
            0xe51d_0000,
            0xe54d_0000,
            0xe92d_0000,
            0xe8bd_0000,
            0x150d_0000,
        ],
        InstructionSet::Thumb => [0x9000, 0x9800, 0x9000, 0xb400, 0xbc00, 0x9800],
    };
    if choice.is_multiple_of(4) {
        let word = stack_words[(choice / 4 % 6) as usize];
        return Some(match (set, choice / 4 % 6) {
            (InstructionSet::Arm, 3 | 4) => word | (random & 0x1fff).max(1),
            (InstructionSet::Arm, 2) => word | ((random & 0xf000) % 0xd000) | (random & 0x3f),
            (InstructionSet::Arm, _) => word | ((random & 0xf000) % 0xd000) | (random & 0x3c),
            (InstructionSet::Thumb, 3 | 4) => word | (random & 0xff).max(1),
            (InstructionSet::Thumb, _) => word | random & 0x707,
        });
    }
    let all = encodings(model, set);
    let encoding = &all[1 + (choice / 4) as usize % (all.len() - 1)];
    let word = encoding.pattern.instance(random);
    let found = footprint(model, set, START, word);
    let banked = 7 << STACK;
    let plain = found.leave.is_none()
        && found.accesses.is_empty()
        && !found.status_read
        && !found.status_written
        && (found.writes.0 | found.reads.0) & banked == 0;
    plain.then_some(word)
}

fn bits(status: Status) -> u8 {
    (status.bits() >> 28) as u8
}

/// Goes through the instructions in both ways.
fn compare(
    (model, set): (CoreModel, InstructionSet),
    words: &[(u32, u32)],
    registers: &[(u32, u32, u32)],
) -> Result<(), TestCaseError> {
    let mut core = Core::new(model);
    let mut state = State::<Arm>::entry(SLOTS, ArmStatus::entry(Mode::Supervisor));
    let status = Status::RESET.with_bits(registers[0].0 & 0xf000_0000 | Mode::Supervisor as u32);
    core.set_status(Status {
        instruction_set: set,
        ..status
    });
    for (index, &(word, below, above)) in registers.iter().enumerate() {
        core.set_register(index as u32, word);
        let range = Range::between(word.wrapping_sub(below), word.wrapping_add(above));
        state.words[index].range = range;
    }
    core.set_register(STACK, STACK_TOP);
    let entry: Vec<u32> = (0..13).map(|index| core.register(index)).collect();
    let (program, mut stacks) = (Program::default(), Stacks::new(Arm::is_stack));
    let mut memory = Memory::new(false);
    let mut address = START;
    let mut names: BTreeMap<Symbol, u32> = BTreeMap::new();
    for &(choice, random) in words {
        let Some(word) = opcode(model, set, choice, random) else {
            continue;
        };
        core.set_program_counter(address);
        memory.opcode = word;
        let before = bits(core.status());
        let timing = &mut Arm7Tdmi::default();
        let outcome = step(&mut core, &mut memory, timing, &mut Unobserved, 0).outcome;
        let place = Place {
            code: code_of(model, set),
            address,
            ..Place::default()
        };
        let mut scratch = State::<Arm>::entry(SLOTS, ArmStatus::entry(Mode::Supervisor));
        let mut reading = FlowReading::new(&mut scratch, &program, &mut stacks, place, false);
        let table: Outcomes = match condition(&mut reading, condition_code(model, set, word)) {
            Truth::Of(_, table) => table,
            Truth::Known(true) => ANY,
            _ => 0,
        };
        prop_assert_eq!(table >> before & 1 == 1, outcome != Outcome::Passed);
        let side = if outcome == Outcome::Passed {
            !table
        } else {
            table
        };
        prop_assert!(
            Arm::assume(&mut state, side),
            "{word:#x} is possible, and was ruled out: {:?}",
            state.status.flags
        );
        if outcome != Outcome::Passed {
            let mut reading = FlowReading::new(&mut state, &program, &mut stacks, place, true);
            Arm::read(&mut reading, (word, set.width()));
            reading.finish();
        }
        check(&core, &mut memory, &state, &entry, &mut names, word)?;
        address += set.width().bytes();
    }
    Ok(())
}

fn check(
    core: &Core,
    memory: &mut Memory,
    state: &State<Arm>,
    entry: &[u32],
    names: &mut BTreeMap<Symbol, u32>,
    word: u32,
) -> Result<(), TestCaseError> {
    let flags = bits(core.status());
    prop_assert!(
        state.status.flags.outcomes >> flags & 1 == 1,
        "{word:#x}: flags {flags:x} {:x?}",
        state.status.flags
    );
    if let Some((compared, linked)) = &state.status.flags.comparison {
        let seen = Flags::loosened(1 << flags, *linked);
        prop_assert!(compared.learn(seen).is_some(), "{word:#x}: {compared:?}");
    }
    // A symbol means one word at a time: those who hold it agree on it.
    names.clear();
    let mut all = vec![];
    for index in 0..14 {
        all.push((
            format!("r{index}"),
            core.register(index),
            state.register(index).clone(),
        ));
    }
    for (&(base, offset), content) in &state.cells {
        if matches!(base, Some(Symbol::Entry(slot)) if Arm::is_stack(slot)) {
            let at = STACK_TOP.wrapping_add(offset);
            let stored = memory
                .read(at, Width::Word, |_, _| 0)
                .map_or(0, |access| access.value);
            all.push((format!("[{at:#x}]"), stored, content.value.clone()));
        }
    }
    for (name, actual, value) in all {
        prop_assert!(
            value.range.contains(actual),
            "{word:#x}: {name} is {actual:#x}, not {value:?}"
        );
        let Some((symbol, negative, delta)) = value.identity() else {
            continue;
        };
        let meant = if negative {
            delta.wrapping_sub(actual)
        } else {
            actual.wrapping_sub(delta)
        };
        let known = match symbol {
            Symbol::Entry(index @ 0..13) => entry[index as usize],
            Symbol::Entry(slot) if Arm::is_stack(slot) => STACK_TOP,
            _ => *names.entry(symbol).or_insert(meant),
        };
        prop_assert_eq!(
            meant,
            known,
            "{:#x}: {} is {:#x}, not {:?}",
            word,
            name,
            actual,
            value
        );
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2500))]

    #[test]
    fn arm_instructions_do_what_is_said(
        model in 0..CoreModel::ALL.len(),
        words in proptest::collection::vec((any::<u32>(), any::<u32>()), 1..25),
        registers in proptest::collection::vec(start(), 13),
    ) {
        compare((CoreModel::ALL[model], InstructionSet::Arm), &words, &registers)?;
    }

    #[test]
    fn thumb_instructions_do_what_is_said(
        model in 0..CoreModel::ALL.len(),
        words in proptest::collection::vec((any::<u32>(), any::<u32>()), 1..25),
        registers in proptest::collection::vec(start(), 13),
    ) {
        compare((CoreModel::ALL[model], InstructionSet::Thumb), &words, &registers)?;
    }
}
