//! What is known of the core and of the stack at one place.

use crate::flags::{Flags, Outcomes};
use crate::range::Range;
use crate::value::{Symbol, Value};
use socscope_arm::Mode;
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

/// Registers that a mode has of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bank {
    /// r13, r14 and the saved status.
    pub values: [Value; 3],
}

/// Number of banks: that of the user and one for each exception mode.
pub const BANKS: usize = 6;

/// The bank that a mode sees.
pub const fn bank(mode: Mode) -> usize {
    match mode {
        Mode::User | Mode::System => 0,
        Mode::FastInterrupt => 1,
        Mode::Interrupt => 2,
        Mode::Supervisor => 3,
        Mode::Abort => 4,
        Mode::Undefined => 5,
    }
}

/// What is known at one place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct State {
    /// r0 to r12.
    pub low: [Value; 13],
    /// r13, r14 and saved status of all modes.
    pub banks: [Bank; BANKS],
    /// The mode in force.
    pub mode: Mode,
    /// The low byte of the status register.
    pub control: Range,
    /// The condition flags.
    pub flags: Flags,
    /// Known words on stacks.
    pub cells: BTreeMap<Cell, Content>,
    /// Whether the address of a stack cell has been stored where others may find it.
    pub escaped: bool,
    /// Whether one has been stored on a stack: its cells that are not known may hold it.
    pub spilled: bool,
}

/// Slots: numbers of the places that hold words, for the names of symbols.
const SLOT_BANKS: u16 = 16;
const SLOT_CELLS: u16 = 64;

impl State {
    /// At the entry of a program in `mode`: nothing is known but that each register holds something.
    pub fn entry(mode: Mode) -> State {
        let named = |index: u8, mode: u8| Value::named(Symbol::Entry(index, mode), Range::TOP);
        State {
            low: std::array::from_fn(|index| named(index as u8, 0)),
            banks: std::array::from_fn(|bank| Bank {
                values: [
                    named(13, bank as u8).made_from(true),
                    named(14, bank as u8),
                    // The user's instruction set and mode are what most exceptions return to, but nobody knows.
                    named(16, bank as u8),
                ],
            }),
            mode,
            control: Range::of(
                [0, 0x40, 0x80, 0xc0]
                    .iter()
                    .map(|masks| masks | mode as u32)
                    .collect(),
            ),
            flags: Flags::UNKNOWN,
            cells: BTreeMap::new(),
            escaped: false,
            spilled: false,
        }
    }

    /// A register (0 to 14) of the mode in force.
    pub fn register(&self, index: u32) -> &Value {
        self.register_of(bank(self.mode), index)
    }

    /// A register of a bank.
    pub fn register_of(&self, bank: usize, index: u32) -> &Value {
        match index {
            0..13 => &self.low[index as usize],
            _ => &self.banks[bank].values[index as usize - 13],
        }
    }

    /// A register of a bank, to be changed.
    pub fn register_mut(&mut self, bank: usize, index: u32) -> &mut Value {
        match index {
            0..13 => &mut self.low[index as usize],
            _ => &mut self.banks[bank].values[index as usize - 13],
        }
    }

    /// The slot of a register.
    pub fn slot(bank: usize, index: u32) -> u16 {
        match index {
            0..13 => index as u16,
            _ => SLOT_BANKS + 3 * bank as u16 + index as u16 - 13,
        }
    }

    /// All words, by slot; those of cells have one slot for all of them together.
    fn words_mut(&mut self) -> impl Iterator<Item = (u16, &mut Value)> {
        let low = self.low.iter_mut().zip(0..);
        let low = low.map(|(value, index)| (index, value));
        let banks = self.banks.iter_mut().enumerate().flat_map(|(bank, words)| {
            let words = words.values.iter_mut().enumerate();
            words.map(move |(at, value)| (State::slot(bank, 13 + at as u32), value))
        });
        let cells = self.cells.values_mut();
        low.chain(banks)
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
        let relative = self.flags.comparison.as_ref().is_some_and(|(compared, _)| {
            use crate::flags::Comparison;
            match compared.as_ref() {
                Comparison::Test(result, of) => {
                    gone(result) || of.as_ref().is_some_and(|(word, _)| gone(word))
                }
                Comparison::Difference(a, b, result) => gone(a) || gone(b) || gone(result),
            }
        });
        if relative {
            self.flags.comparison = None;
        }
        self.cells.retain(|(base, _), _| !base.is_some_and(lost));
    }

    /// Takes in that the flags have one of `outcomes`; false when that cannot be.
    pub fn assume(&mut self, outcomes: Outcomes) -> bool {
        let left = self.flags.outcomes & outcomes;
        if left == 0 {
            return false;
        }
        if left == self.flags.outcomes {
            return true;
        }
        self.flags.outcomes = left;
        let Some((compared, linked)) = self.flags.comparison.clone() else {
            return true;
        };
        let Some(learnt) = compared.learn(Flags::loosened(left, linked)) else {
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
    pub fn meet_at(&mut self, block: u32, mut other: State, wide: bool) {
        self.leave_behind(block);
        other.leave_behind(block);
        if self.flags != other.flags {
            self.flags.outcomes |= other.flags.outcomes;
            if self.flags.comparison != other.flags.comparison {
                self.flags.comparison = None;
            }
        }
        let older: BTreeMap<Cell, Content> = std::mem::take(&mut self.cells);
        for ((slot, mine), (_, theirs)) in self.words_mut().zip(registers(&other)) {
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
        self.control = self.control.join(&other.control);
        self.escaped |= other.escaped;
        self.spilled |= other.spilled;
    }

    /// Whether the words of both are in the same ranges: what one does the other does too.
    pub fn same_ranges(&self, other: &State) -> bool {
        let cells = |state: &State| -> Vec<(Range, Range)> {
            let contents = state.cells.values();
            let ranges = contents.map(|c| (c.value.range.clone(), c.value.delta.clone()));
            ranges.collect()
        };
        let mut words = registers(self).zip(registers(other));
        self.flags.outcomes == other.flags.outcomes
            && self.control == other.control
            && self.cells.keys().eq(other.cells.keys())
            && words.all(|((_, a), (_, b))| a.range == b.range && a.delta == b.delta)
            && cells(self) == cells(other)
    }
}

fn registers(state: &State) -> impl Iterator<Item = (u16, &Value)> {
    let low = state
        .low
        .iter()
        .zip(0..)
        .map(|(value, index)| (index, value));
    let banks = state.banks.iter().enumerate().flat_map(|(bank, words)| {
        let words = words.values.iter().enumerate();
        words.map(move |(at, value)| (State::slot(bank, 13 + at as u32), value))
    });
    low.chain(banks)
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
