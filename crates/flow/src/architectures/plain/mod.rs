//! Any plain architecture, as this analysis sees it: a program runs in one mode, and what it compares is known to the jump that asks.

#[cfg(test)]
mod tests;
mod words;

use crate::architecture::{Architecture, Opcode, Status};
use crate::blocks::CodeState;
use crate::flags::{ANY, Outcomes};
use crate::program::{Entry, Program};
use crate::reading::{FlowReading, LeaveKind, Truth, Word};
use crate::scan::Shape;
use crate::state::State;
use crate::value::{Symbol, Value};
use socscope_core::plain::{self, Plain, first_unit, footprint};
use socscope_isa::{Known, Leave, Slots};
use socscope_memory::Width;
use std::marker::PhantomData;

/// A plain architecture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlainFlow<A>(PhantomData<A>);

/// What is known beside words: which slots surely hold what the function that runs has found in them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlainStatus {
    pub(crate) as_found: Slots,
}

/// Slots of symbols for what registers hold when a function is entered.
const AT_ENTRY: u16 = 512;

impl Status for PlainStatus {
    fn forget(&mut self, _: &dyn Fn(&Value) -> bool) {}
    fn meet(&mut self, other: &PlainStatus) {
        self.as_found = self.as_found.without(Slots::ALL.without(other.as_found));
    }
    fn same_ranges(&self, other: &PlainStatus) -> bool {
        self == other
    }
    fn returned(&mut self) {
        self.as_found = Slots::NONE;
    }
}

fn slots<A: Plain>() -> u16 {
    A::WORDS.as_ref().len() as u16
}

impl<A: Plain> Architecture for PlainFlow<A> {
    type Status = PlainStatus;
    type Notes = ();

    const STACK: u32 = A::STACK;
    const ARGUMENT: u32 = A::ARGUMENT;
    const ARGUMENTS: u32 = A::ARGUMENTS;
    const ALIGNED: bool = true;
    const ADDS_TO_LINK: bool = false;
    const ENTERS_APART: bool = true;
    const COMPARES_BY_XOR: bool = true;

    fn volatile() -> Vec<u32> {
        let kept = A::PRESERVED.union(Slots::one(A::STACK));
        let special = |slot| [A::STATUS, A::SAVED_STATUS, A::SAVED_ADDRESS].contains(&slot);
        (0..u32::from(slots::<A>()))
            .filter(|&slot| !kept.contains(slot) && !special(slot))
            .collect()
    }
    /// Programs have one mode.
    fn first_state(entry: &Entry) -> Option<State<Self>> {
        let as_found = Slots::ALL;
        (entry.mode == 0).then(|| State::entry(slots::<A>(), PlainStatus { as_found }))
    }
    fn slot(_: &PlainStatus, register: u32) -> usize {
        register as usize
    }
    fn is_stack(slot: u16) -> bool {
        u32::from(slot) == A::STACK
    }
    fn is_way_back(slot: u16) -> bool {
        [A::LINK, A::SAVED_ADDRESS, A::SAVED_STATUS].contains(&u32::from(slot))
    }
    fn return_slot(_: &Entry, kind: LeaveKind) -> u16 {
        match kind {
            LeaveKind::Return => A::SAVED_ADDRESS as u16,
            _ => A::LINK as u16,
        }
    }

    fn width(program: &Program, _: CodeState, address: u32) -> Width {
        let first = program.constant(address, A::UNIT);
        first.map_or(A::UNIT, plain::width::<A>)
    }
    fn opcode(program: &Program, _: CodeState, address: u32) -> Option<Opcode> {
        let first = program.constant(address, A::UNIT)?;
        let width = plain::width::<A>(first);
        if width == A::UNIT {
            return Some((first, width));
        }
        let rest = program.constant(address.wrapping_add(A::UNIT.bytes()), A::UNIT)?;
        Some((first << A::UNIT.bits() | rest, width))
    }
    fn predicates(_: &Program) -> Vec<Outcomes> {
        vec![ANY]
    }
    fn shape(_: CodeState, address: u32, (word, width): Opcode) -> Shape {
        let found = footprint::<A>(address, word, width);
        let next = address.wrapping_add(width.bytes());
        Shape {
            predicate: 0,
            conditional: false,
            goes_on: found.goes_on,
            class: A::encoding(first_unit::<A>(word, width)).class,
            leaves: found.leave.is_some(),
            writes_flags: false,
            moves_stack: found.writes.contains(A::STACK),
            target: match found.leave {
                Some(Leave::Branch(Known::Constant(target))) => Some(target),
                _ => None,
            },
            calls: matches!(found.leave, Some(Leave::Branch(_))) && found.sets(A::LINK, next),
        }
    }
    fn read(reading: &mut FlowReading<'_, Self>, (word, width): Opcode) {
        let first = first_unit::<A>(word, width);
        (A::instruction::<FlowReading<'_, Self>>(first).read)(reading, word);
    }

    fn finish(_: &mut FlowReading<'_, Self>) {}
    fn maybe((): &mut (), (): &()) {}
    fn decided(reading: &FlowReading<'_, Self>, truth: Truth) -> Truth {
        let Truth::Of(of, table) = truth else {
            return truth;
        };
        let compared = reading.comparisons.get(of.wrapping_sub(1));
        let possible = compared.map_or(ANY, |(compared, _)| compared.feasible());
        match (possible & table != 0, possible & !table != 0) {
            (true, false) => Truth::Known(true),
            (false, true) => Truth::Known(false),
            _ => truth,
        }
    }
    fn assume(_: &mut State<Self>, _: Outcomes) -> bool {
        true
    }
    /// A function puts away what it finds in registers that it gives back, the caller's stack pointer, and its own way back.
    fn saves(reading: &FlowReading<'_, Self>, word: Word, on_stack: bool) -> bool {
        let value = reading.get(word);
        on_stack
            && match reading.origin(word) {
                Some(slot) if slot == A::STACK => reading.saves,
                Some(slot) if A::PRESERVED.contains(slot) => {
                    reading.state.status.as_found.contains(slot)
                }
                _ => value.single().is_some() && value.single() == reading.back,
            }
    }
    /// Registers that it gives back get names, so that it is known when they are put away.
    fn entered(state: &mut State<Self>, context: u32, function: u32) {
        state.status.as_found = Slots::ALL;
        for slot in A::PRESERVED.iter() {
            let value = &state.words[slot as usize];
            if value.term.is_some() || value.single().is_some() {
                continue;
            }
            let symbol = Symbol::Made(context, function, AT_ENTRY + slot as u16);
            state.forget(|lost| lost == symbol);
            let value = &mut state.words[slot as usize];
            *value = Value::named(symbol, value.range.clone()).made_from(value.local);
        }
    }

    fn arrival(
        _: &State<Self>,
        _: LeaveKind,
        code: CodeState,
        target: u32,
    ) -> Option<(u32, CodeState)> {
        Some((A::UNIT.align(target), code))
    }
    fn return_width(_: LeaveKind, _: CodeState) -> Width {
        Width::Word
    }
    fn calls(state: &State<Self>, kind: LeaveKind, target: u32, next: u32) -> bool {
        let back = match kind {
            LeaveKind::Exception => A::SAVED_ADDRESS,
            LeaveKind::Return => return false,
            _ => A::LINK,
        };
        state.words[back as usize].single() == Some(next) && target != next
    }
    fn link(state: &State<Self>) -> &Value {
        &state.words[A::LINK as usize]
    }
    fn called_over(status: &mut PlainStatus, _: Option<&PlainStatus>) {
        status.as_found = Slots::NONE;
    }
}
