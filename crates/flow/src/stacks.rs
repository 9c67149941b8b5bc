//! Which words are addresses of stacks: those that have been in a stack pointer, and what is computed from them.

use crate::range::Range;
use crate::state::{Cell, Content, State};
use crate::value::{Symbol, Value};
use socscope_arm::STACK;
use std::collections::BTreeSet;

/// How far below a constant that was a stack pointer the stack may reach, and how far above it arguments may lie.
const BELOW_MAX: u32 = 1 << 16;
const ABOVE_MAX: u32 = 64;

/// Bases of stacks.
#[derive(Clone, Debug, Default)]
pub struct Stacks {
    symbols: BTreeSet<Symbol>,
    constants: BTreeSet<u32>,
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

impl Stacks {
    /// A word is put into a stack pointer.
    pub fn add(&mut self, value: &Value) {
        if let Some((symbol, false)) = value.term {
            self.symbols.insert(symbol);
        } else if let Some(address) = value.single() {
            self.constants.insert(address);
        }
    }

    fn base(&self, symbol: Symbol) -> bool {
        matches!(symbol, Symbol::Entry(index, _) if u32::from(index) == STACK)
            || self.symbols.contains(&symbol)
    }

    fn constant(&self, address: u32) -> bool {
        let low = address.saturating_sub(ABOVE_MAX);
        self.constants
            .range(low..)
            .next()
            .is_some_and(|top| address >= top.saturating_sub(BELOW_MAX))
    }

    /// Whether a word is an address on a stack.
    pub fn holds(&self, value: &Value) -> bool {
        self.find(value) != Found::Elsewhere
    }

    /// Where a word points to.
    pub fn find(&self, value: &Value) -> Found {
        let (base, distance) = match value.term {
            Some((symbol, false)) if self.base(symbol) => (Some(symbol), &value.delta),
            _ if value.term.is_none() && self.constant(value.range.unsigned().0) => {
                match value.range.count() {
                    0..=1024 => (None, &value.range),
                    _ => return Found::Elsewhere,
                }
            }
            _ => return Found::Elsewhere,
        };
        match distance.single() {
            Some(offset) => Found::Cell((base, offset & !3), offset & 3),
            None => Found::Stack(base, distance.clone()),
        }
    }

    /// A store of something other than a whole known word. Whether it might have reached saved words, for all that is known of its
    /// address: these are taken to be left alone, as a store through a pointer stays in the object that the pointer leads to.
    pub fn disturb(&self, state: &mut State, address: &Value) -> bool {
        let mut spared = false;
        let mut spare = |content: &Content| {
            spared |= content.saved;
            content.saved
        };
        match self.find(address) {
            Found::Cell(cell, _) => {
                state.cells.remove(&cell);
            }
            Found::Stack(base, distances) => state.cells.retain(|(of, at), content| {
                let apart = || (0..4).all(|byte| !distances.contains(at.wrapping_add(byte)));
                *of != base || apart() || spare(content)
            }),
            Found::Elsewhere if address.single().is_some() => {}
            Found::Elsewhere => {
                // What lies above the entry's stack pointer is the caller's: pointers may lead there.
                let callers = |base: Option<Symbol>, offset: u32| {
                    matches!(base, Some(Symbol::Entry(..))) && (offset as i32) >= 0
                };
                let escaped = state.escaped;
                state.cells.retain(|&(base, offset), content| {
                    !escaped && !callers(base, offset) || spare(content)
                });
            }
        }
        spared
    }
}
