//! PowerPC, as this analysis sees it. Floating point, vectors and the words of memory management hold nothing that control flow
//! depends on: what comes from them may be anything.

#[cfg(test)]
mod against_execution;
mod arithmetic;
mod conditions;
mod units;
mod words;

use crate::architecture::{Architecture, Opcode};
use crate::blocks::CodeState;
use crate::flags::{ANY, Guard, Outcomes};
use crate::program::{Entry, Program};
use crate::reading::{FlowReading, GROUPS, LeaveKind, Truth, Word};
use crate::scan::Shape;
use crate::state::State;
use crate::value::{Symbol, Value};
pub use conditions::PowerPcStatus;
use socscope_isa::{CycleClass, Known, Leave};
use socscope_memory::Width;
use socscope_powerpc::footprint::{footprint, leaves_a_way_back, slot};
use socscope_powerpc::{Class, CoreModel, Msr, STACK, encoding, instruction};

/// The architecture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PowerPc;

/// Slots behind the general-purpose registers.
const LINK: usize = 32;
const COUNT: usize = 33;
const SAVED_ADDRESS: usize = 34;
const SLOTS: u16 = 35;
/// Registers from this one on are given back by functions as they found them.
const PRESERVED: u32 = 14;
/// Slots of symbols for what registers hold when a function is entered.
const AT_ENTRY: u16 = 128;
/// The core that has all instructions: which one it is makes no difference to control flow.
const MODEL: CoreModel = CoreModel::E600;
/// The numbers of modes: MSR\[PR\].
const SUPERVISOR: u32 = 0;
const USER: u32 = 1;

impl Architecture for PowerPc {
    type Status = PowerPcStatus;
    /// New values of the bits of the condition register, and of the others.
    type Notes = conditions::Notes;

    const STACK: u32 = STACK;
    const ARGUMENT: u32 = 3;
    const ARGUMENTS: u32 = 8;
    const ALIGNED: bool = false;
    const ADDS_TO_LINK: bool = false;
    const ENTERS_APART: bool = true;
    const COMPARES_BY_XOR: bool = true;

    fn volatile() -> Vec<u32> {
        vec![
            0,
            3,
            4,
            5,
            6,
            7,
            8,
            9,
            10,
            11,
            12,
            LINK as u32,
            COUNT as u32,
        ]
    }
    fn first_state(entry: &Entry) -> Option<State<PowerPc>> {
        let state = match entry.mode {
            SUPERVISOR => Msr(0),
            USER => Msr(Msr::PROBLEM),
            _ => return None,
        };
        Some(State::entry(SLOTS, PowerPcStatus::entry(state)))
    }
    fn slot(_: &PowerPcStatus, register: u32) -> usize {
        register as usize
    }
    fn is_stack(slot: u16) -> bool {
        u32::from(slot) == STACK
    }
    fn is_way_back(slot: u16) -> bool {
        matches!(usize::from(slot), LINK | SAVED_ADDRESS)
    }
    fn return_slot(_: &Entry, kind: LeaveKind) -> u16 {
        match kind {
            LeaveKind::Return => SAVED_ADDRESS as u16,
            _ => LINK as u16,
        }
    }

    fn width(_: &Program, _: CodeState, _: u32) -> Width {
        Width::Word
    }
    fn predicates(_: &Program) -> Vec<Outcomes> {
        vec![ANY]
    }
    fn shape(_: CodeState, address: u32, (word, _): Opcode) -> Shape {
        let found = footprint(MODEL, address, word);
        let class = encoding(word).class;
        Shape {
            predicate: 0,
            conditional: false,
            goes_on: found.goes_on,
            class: match class {
                Class::Branch => CycleClass::Branch,
                Class::Exception | Class::Trap | Class::Illegal => CycleClass::Exception,
                _ => CycleClass::Data,
            },
            leaves: found.leave.is_some() || class == Class::Trap,
            writes_flags: false,
            moves_stack: found.writes.contains(slot::GENERAL + STACK),
            target: match found.leave {
                Some(Leave::Branch(Known::Constant(target))) => Some(target),
                _ => None,
            },
            calls: leaves_a_way_back(&found, address),
        }
    }
    fn read(reading: &mut FlowReading<'_, PowerPc>, (word, _): Opcode) {
        (instruction::<FlowReading<'_, PowerPc>>(word).read)(reading, word);
    }

    fn finish(reading: &mut FlowReading<'_, PowerPc>) {
        reading.put_conditions();
    }
    fn maybe(notes: &mut Self::Notes, before: &Self::Notes) {
        notes.unless(before);
    }
    fn decided(reading: &FlowReading<'_, PowerPc>, truth: Truth) -> Truth {
        let Truth::Of(of, table) = truth else {
            return truth;
        };
        let possible = match of.checked_sub(GROUPS) {
            Some(field) => reading.state.status.fields[field].possible,
            None => match reading.comparisons.get(of.wrapping_sub(1)) {
                Some((compared, _)) => compared.feasible(),
                None => ANY,
            },
        };
        match (possible & table != 0, possible & !table != 0) {
            (true, false) => Truth::Known(true),
            (false, true) => Truth::Known(false),
            _ => truth,
        }
    }
    fn group(reading: &FlowReading<'_, PowerPc>, of: usize, table: Outcomes) -> Option<Guard> {
        let group = of.checked_sub(GROUPS)?;
        let field = &reading.state.status.fields[group];
        Some(Guard {
            comparison: field.comparison.as_deref().cloned(),
            possible: field.possible,
            table,
            group: Some(group),
        })
    }
    fn assume(_: &mut State<PowerPc>, _: Outcomes) -> bool {
        true
    }
    fn and(reading: &mut FlowReading<'_, PowerPc>, a: Word, b: Word) -> Option<Word> {
        reading.and_mask(a, b)
    }
    /// A function puts away what it finds in registers that it gives back, the caller's stack pointer, and its own way back.
    fn saves(reading: &FlowReading<'_, PowerPc>, word: Word, on_stack: bool) -> bool {
        let value = reading.get(word);
        // The same value is not enough: a variable may have it too.
        let found = |register: u32| reading.state.status.as_found >> register & 1 != 0;
        on_stack
            && match reading.origin(word) {
                // Only a new frame begins with the caller's stack pointer.
                Some(STACK) => reading.saves,
                Some(index @ PRESERVED..32) => found(index),
                _ => value.single().is_some() && value.single() == reading.back,
            }
    }
    /// Registers that it gives back get names, so that it is known when they are put away.
    fn entered(state: &mut State<PowerPc>, context: u32, function: u32) {
        state.status.as_found = u32::MAX;
        for slot in PRESERVED as u16..32 {
            let value = &state.words[usize::from(slot)];
            if value.term.is_some() || value.single().is_some() {
                continue;
            }
            let symbol = Symbol::Made(context, function, AT_ENTRY + slot);
            state.forget(|lost| lost == symbol);
            let value = &mut state.words[usize::from(slot)];
            *value = Value::named(symbol, value.range.clone()).made_from(value.local);
        }
    }

    fn arrival(
        _: &State<PowerPc>,
        _: LeaveKind,
        code: CodeState,
        target: u32,
    ) -> Option<(u32, CodeState)> {
        Some((target & !3, code))
    }
    fn return_width(_: LeaveKind, _: CodeState) -> Width {
        Width::Word
    }
    // A branch to the next instruction that links is how code finds its own address.
    fn calls(state: &State<PowerPc>, kind: LeaveKind, target: u32, next: u32) -> bool {
        let back = match kind {
            LeaveKind::Exception => &state.words[SAVED_ADDRESS],
            LeaveKind::Return => return false,
            _ => &state.words[LINK],
        };
        back.single() == Some(next) && target != next
    }
    fn link(state: &State<PowerPc>) -> &Value {
        &state.words[LINK]
    }
    fn called_over(status: &mut PowerPcStatus, _: Option<&PowerPcStatus>) {
        status.lose_volatile();
    }
}
