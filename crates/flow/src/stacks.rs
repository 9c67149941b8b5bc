//! Which words are addresses of stacks: those that have been in a stack pointer, and what is computed from them.

use crate::architecture::Architecture;
use crate::program::Entry;
use crate::range::Range;
use crate::state::{Cell, State};
use crate::value::{Symbol, Value};
use std::collections::BTreeSet;

/// How far below a constant that was a stack pointer the stack may reach, and how far above it arguments may lie.
const BELOW_MAX: u32 = 1 << 16;
const ABOVE_MAX: u32 = 64;

/// Words of which the addresses are compared one by one.
const LISTED_MAX: u64 = 1024;

/// Bases of stacks.
#[derive(Clone, Debug)]
pub struct Stacks {
    /// Whether a slot holds a stack pointer.
    is_stack: fn(u16) -> bool,
    symbols: BTreeSet<Symbol>,
    constants: BTreeSet<u32>,
    /// The entry's stack pointer, where it is known: all constants near it are distances from it.
    entry: Option<(Symbol, u32)>,
    /// A stack pointer was computed from an address of another stack: they may be one.
    derived: bool,
}

/// Where an address lies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found {
    /// In this word of a stack; the rest is the offset within the word.
    Cell(Cell, u32),
    /// On this stack, at one of these distances.
    Stack(Option<Symbol>, Range),
    /// Elsewhere, or unknown.
    Elsewhere,
}

/// What lies above the entry's stack pointer is the caller's: pointers may lead there.
fn callers((base, offset): Cell) -> bool {
    matches!(base, Some(Symbol::Entry(..))) && (offset as i32) >= 0
}

fn overlaps(range: &Range, word: u32) -> bool {
    (0..4).any(|byte| range.contains(word.wrapping_add(byte)))
}

impl Stacks {
    /// Nothing has been in a stack pointer yet.
    pub fn new(is_stack: fn(u16) -> bool) -> Stacks {
        Stacks {
            is_stack,
            symbols: BTreeSet::new(),
            constants: BTreeSet::new(),
            entry: None,
            derived: false,
        }
    }

    /// At an entry whose stack pointer may be known.
    pub fn at<A: Architecture>(entry: &Entry, first: &State<A>) -> Stacks {
        let mut known = entry.registers.iter();
        let known = known.find(|(register, low, high)| *register == A::STACK && low == high);
        let mut stacks = Stacks::new(A::is_stack);
        if let Some(&(_, address, _)) = known {
            stacks.constants.insert(address);
            let slot = A::slot(&first.status, A::STACK);
            stacks.entry = Some((Symbol::Entry(slot as u16), address));
        }
        stacks
    }

    /// A word is put into a stack pointer.
    pub fn add(&mut self, value: &Value) {
        if let Some((symbol, false)) = value.term {
            self.derived |= value.local && !self.base(symbol);
            self.symbols.insert(symbol);
        } else if let Some(address) = value.single() {
            self.constants.insert(address);
        }
    }

    /// A word is in a stack pointer now: what lies below is nobody's any more, saved or not.
    pub fn leave_below<A: Architecture>(&self, state: &mut State<A>, value: &Value) {
        if let Found::Cell((base, top), _) = self.find(value) {
            for ((of, offset), content) in &mut state.cells {
                content.saved &= *of != base || *offset as i32 >= top as i32;
            }
        }
    }

    fn base(&self, symbol: Symbol) -> bool {
        matches!(symbol, Symbol::Entry(slot) if (self.is_stack)(slot))
            || self.symbols.contains(&symbol)
    }

    fn constant(&self, address: u32) -> bool {
        let low = address.saturating_sub(ABOVE_MAX);
        self.constants
            .range(low..)
            .next()
            .is_some_and(|top| address >= top.saturating_sub(BELOW_MAX))
    }

    /// The address of a cell, where it is known.
    fn address(&self, (base, offset): Cell) -> Option<u32> {
        match (base, self.entry) {
            (None, _) => Some(offset),
            (Some(base), Some((entry, at))) if base == entry => Some(at.wrapping_add(offset)),
            _ => None,
        }
    }

    /// Whether a word is an address on a stack.
    pub fn holds(&self, value: &Value) -> bool {
        self.find(value) != Found::Elsewhere
    }

    /// Where a word points to.
    pub fn find(&self, value: &Value) -> Found {
        let (base, distance) = match value.term {
            Some((symbol, false)) if self.base(symbol) => (Some(symbol), value.delta.clone()),
            None if self.constant(value.range.unsigned().0)
                && value.range.count() <= LISTED_MAX =>
            {
                match self.entry {
                    Some((entry, at)) => (Some(entry), value.range.shifted(at.wrapping_neg())),
                    None => (None, value.range.clone()),
                }
            }
            _ => return Found::Elsewhere,
        };
        match distance.single() {
            Some(offset) => Found::Cell((base, offset & !3), offset & 3),
            None => Found::Stack(base, distance),
        }
    }

    /// Whether a word that is loaded from `address`, of whose content nothing is known, may be an address on a stack.
    pub fn may_hold<A: Architecture>(
        &self,
        state: &State<A>,
        address: &Value,
        found: &Found,
    ) -> bool {
        match found {
            Found::Cell(cell, _) => state.spilled || state.escaped && callers(*cell),
            Found::Stack(..) => state.spilled || state.escaped,
            Found::Elsewhere => state.escaped || state.spilled && address.local,
        }
    }

    /// An address on a stack is stored at `address`.
    pub fn hand_out<A: Architecture>(&self, state: &mut State<A>, address: &Value, found: &Found) {
        state.spilled |= address.local || *found != Found::Elsewhere;
        state.escaped |= match found {
            Found::Cell(cell, _) => callers(*cell),
            Found::Stack(_, distances) => distances.signed().1 >= 0,
            Found::Elsewhere => true,
        };
    }

    /// A store of something other than a whole known word. Whether it might have reached saved words, for all that is known of its
    /// address: these are taken to be left alone, as a store through a pointer stays in the object that the pointer leads to.
    pub fn disturb<A: Architecture>(&self, state: &mut State<A>, address: &Value) -> bool {
        let mut spared = false;
        let found = self.find(address);
        state.cells.retain(|&cell, content| {
            let hit = match &found {
                Found::Cell(of, _) if *of == cell => return false,
                Found::Cell((base, _), _) => self.derived && *base != cell.0,
                Found::Stack(base, distances) if *base == cell.0 => overlaps(distances, cell.1),
                Found::Stack(..) => self.derived,
                Found::Elsewhere => self.may_reach(address, cell),
            };
            spared |= hit && content.saved;
            !hit || content.saved
        });
        spared
    }

    /// Whether a word that is no address of a known stack may lead to a cell.
    fn may_reach(&self, address: &Value, cell: Cell) -> bool {
        let inside = self.address(cell).map(|at| overlaps(&address.range, at));
        // Only what was made from an address on a stack leads there, and a number that says so.
        if address.local {
            return inside != Some(false);
        }
        let listed = address.term.is_none() && address.range.count() <= LISTED_MAX;
        listed && inside == Some(true) || callers(cell) && address.single().is_none()
    }
}
