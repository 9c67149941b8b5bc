//! What is known of the core and of the stack at one place.

use crate::architecture::{Architecture, Status};
use crate::flags::Guard;
use crate::range::Range;
use crate::value::{Symbol, Value};
use std::collections::BTreeMap;

/// Where a stack cell lies: a word whose value has been in a stack pointer, and the distance from it.
pub type Cell = (Option<Symbol>, u32);

/// A word on the stack.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Content {
    /// The word.
    pub value: Value,
    /// Put there by a store of several registers: only its own function takes it away again.
    pub saved: bool,
}

/// What is known at one place.
#[derive(Clone, Debug, PartialEq)]
pub struct State<A: Architecture> {
    /// What registers hold, by slot.
    pub words: Vec<Value>,
    /// Flags and modes.
    pub status: A::Status,
    /// Known words on stacks.
    pub cells: BTreeMap<Cell, Content>,
    /// Whether the address of a stack cell has been stored where others may find it.
    pub escaped: bool,
    /// Whether one has been stored on a stack: its cells that are not known may hold it.
    pub spilled: bool,
}

/// The number of all cells together, for the names of symbols; those of registers are below.
const SLOT_CELLS: u16 = 64;

impl<A: Architecture> State<A> {
    /// At the entry of a program: nothing is known but that each slot holds something.
    pub fn entry(slots: u16, status: A::Status) -> State<A> {
        let named =
            |slot: u16| Value::named(Symbol::Entry(slot), Range::TOP).made_from(A::is_stack(slot));
        State {
            words: (0..slots).map(named).collect(),
            status,
            cells: BTreeMap::new(),
            escaped: false,
            spilled: false,
        }
    }

    /// A register, as it is seen now.
    pub fn register(&self, index: u32) -> &Value {
        &self.words[A::slot(&self.status, index)]
    }

    /// A register, to be changed.
    pub fn register_mut(&mut self, index: u32) -> &mut Value {
        &mut self.words[A::slot(&self.status, index)]
    }

    /// All words, by slot; those of cells have one slot for all of them together.
    fn words_mut(&mut self) -> impl Iterator<Item = (u16, &mut Value)> {
        let cells = self.cells.values_mut();
        (0..)
            .zip(&mut self.words)
            .chain(cells.map(|content| (SLOT_CELLS, &mut content.value)))
    }

    /// A word has come into a stack pointer: all that is relative to it is an address on that stack.
    pub fn stack_at(&mut self, symbol: Symbol) {
        for (_, value) in self.words_mut() {
            value.local |= value.term.is_some_and(|(of, _)| of == symbol);
        }
    }

    /// Every word that is relative to a lost symbol becomes one without identity.
    pub fn forget(&mut self, lost: impl Fn(Symbol) -> bool + Copy) {
        for (_, value) in self.words_mut() {
            value.forget(lost);
        }
        let gone = |value: &Value| value.term.is_some_and(|(symbol, _)| lost(symbol));
        self.status.forget(&gone);
        self.cells.retain(|(base, _), _| !base.is_some_and(lost));
    }

    /// Takes in that what a jump depends on holds, or does not; false when that cannot be.
    pub fn assume(&mut self, guard: &Guard, holds: bool) -> bool {
        let Some(left) = guard.left(holds) else {
            return false;
        };
        if let Some(group) = guard.group {
            self.status.narrow(group, left);
        }
        let Some(compared) = &guard.comparison else {
            return true;
        };
        let Some(learnt) = compared.learn(left) else {
            return false;
        };
        learnt.iter().all(|(word, range)| self.narrow(word, range))
    }

    /// Takes in that `word` is in `range`; false when that cannot be.
    pub fn narrow(&mut self, word: &Value, range: &Range) -> bool {
        if *range == word.range || word.identity().is_none() {
            return true;
        }
        for (_, value) in self.words_mut() {
            match value.learn(word, range) {
                Some(found) => value.range = found,
                None => return false,
            }
        }
        true
    }

    /// Takes identities away that name what was at `block` the last time; a word that is still there keeps its own.
    fn leave_behind(&mut self, block: u32) {
        let own = |symbol: Symbol| matches!(symbol, Symbol::Met(at, _) if at == block);
        let kept: Vec<(u16, Value)> = self
            .words_mut()
            .filter(|(slot, value)| value.identity() == Some((Symbol::Met(block, *slot), false, 0)))
            .map(|(slot, value)| (slot, value.clone()))
            .collect();
        self.forget(own);
        let mut kept = kept.into_iter().peekable();
        for (slot, value) in self.words_mut() {
            if let Some((_, old)) = kept.next_if(|(of, _)| *of == slot) {
                *value = old;
            }
        }
    }

    /// What holds on both ways that meet at `block`. `wide` ends chains of ever larger ranges.
    pub fn meet_at(&mut self, block: u32, mut other: State<A>, wide: bool) {
        self.leave_behind(block);
        other.leave_behind(block);
        let older: BTreeMap<Cell, Content> = std::mem::take(&mut self.cells);
        for ((slot, mine), theirs) in self.words_mut().zip(&other.words) {
            meet(mine, theirs, wide, Some(Symbol::Met(block, slot)));
        }
        for (cell, mut content) in older {
            let Some(theirs) = other.cells.get(&cell) else {
                continue;
            };
            meet(&mut content.value, &theirs.value, wide, None);
            content.saved &= theirs.saved;
            let known = !content.value.range.is_top() || content.value.term.is_some();
            if known || content.value.local {
                self.cells.insert(cell, content);
            }
        }
        self.status.meet(&other.status);
        self.escaped |= other.escaped;
        self.spilled |= other.spilled;
    }

    /// Whether the words of both are in the same ranges: what one does the other does too.
    pub fn same_ranges(&self, other: &State<A>) -> bool {
        let cells = |state: &State<A>| -> Vec<(Range, Range)> {
            let contents = state.cells.values();
            let ranges = contents.map(|c| (c.value.range.clone(), c.value.delta.clone()));
            ranges.collect()
        };
        let mut words = self.words.iter().zip(&other.words);
        self.status.same_ranges(&other.status)
            && self.cells.keys().eq(other.cells.keys())
            && words.all(|(a, b)| a.range == b.range && a.delta == b.delta)
            && cells(self) == cells(other)
    }
}

fn joined(a: &Range, b: &Range, wide: bool) -> Range {
    if wide { a.widen(b) } else { a.join(b) }
}

/// A word that is the one or the other; `symbol` names it where they differ.
fn meet(mine: &mut Value, theirs: &Value, wide: bool, symbol: Option<Symbol>) {
    let range = joined(&mine.range, &theirs.range, wide);
    mine.local |= theirs.local;
    let local = mine.local;
    if mine.term == theirs.term {
        if mine.term.is_none() && mine.range == theirs.range && range.single().is_some() {
            return;
        }
        if mine.term.is_some() && mine.delta == theirs.delta {
            mine.range = range;
            return;
        }
        // Somewhere on one stack, or in one object.
        if mine.term.is_some() {
            mine.delta = joined(&mine.delta, &theirs.delta, wide);
            mine.range = range;
            return;
        }
    }
    let met = match symbol {
        Some(symbol) if range.single().is_none() => Value::named(symbol, range),
        _ => Value::ranged(range),
    };
    *mine = met.made_from(local);
}
