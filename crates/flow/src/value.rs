//! A word as far as it is known: its range, and what it is relative to.

use crate::range::Range;

/// A word that is not known but has an identity: two places that hold it hold the same word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Symbol {
    /// What a slot held at the entry.
    Entry(u16),
    /// What an instruction left in a register or stack cell: context, address, slot.
    Made(u32, u32, u16),
    /// What a register or cell holds where several ways meet: block, slot.
    Met(u32, u16),
}

/// A word: `symbol + delta` or `delta - symbol`, and in any case in `range`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Value {
    /// What it is relative to; `true` where that is subtracted.
    pub term: Option<(Symbol, bool)>,
    /// What is added to the term; nothing without one.
    pub delta: Range,
    /// What the word can be.
    pub range: Range,
    /// It may be an address on a stack, or a part of one, whatever is known of it otherwise.
    pub local: bool,
}

impl Value {
    /// A known word.
    pub const fn constant(value: u32) -> Value {
        Value::ranged(Range::constant(value))
    }

    /// A word without identity.
    pub const fn ranged(range: Range) -> Value {
        Value {
            term: None,
            delta: Range::constant(0),
            range,
            local: false,
        }
    }

    /// The same word; it may be an address on a stack where `local` says so.
    #[must_use]
    pub fn made_from(mut self, local: bool) -> Value {
        self.local |= local;
        self
    }

    /// Any word.
    pub const fn unknown() -> Value {
        Value::ranged(Range::TOP)
    }

    /// A word with an identity of its own.
    pub const fn named(symbol: Symbol, range: Range) -> Value {
        Value {
            term: Some((symbol, false)),
            delta: Range::constant(0),
            range,
            local: false,
        }
    }

    /// Its only word.
    pub fn single(&self) -> Option<u32> {
        self.range.single()
    }

    /// The term and the constant added to it: what says that two words are the same.
    pub fn identity(&self) -> Option<(Symbol, bool, u32)> {
        let (symbol, negative) = self.term?;
        Some((symbol, negative, self.delta.single()?))
    }

    /// Without identity where it is relative to `symbol`.
    pub fn forget(&mut self, lost: impl Fn(Symbol) -> bool) {
        if self.term.is_some_and(|(symbol, _)| lost(symbol)) {
            self.term = None;
            self.delta = Range::constant(0);
        }
    }

    /// The sum.
    #[must_use]
    pub fn add(&self, other: &Value) -> Value {
        let range = self.range.add(&other.range);
        let local = self.local || other.local;
        let (term, delta) = match (self.term, other.term) {
            (None, None) => (None, Range::constant(0)),
            (term, None) => (term, self.delta.add(&other.range)),
            (None, term) => (term, other.delta.add(&self.range)),
            (Some((a, a_negative)), Some((b, b_negative)))
                if a == b && a_negative != b_negative =>
            {
                let delta = self.delta.add(&other.delta);
                return Value::ranged(range.meet(&delta).unwrap_or(delta));
            }
            _ => (None, Range::constant(0)),
        };
        if range.single().is_some() {
            return Value::ranged(range).made_from(local);
        }
        Value {
            term,
            delta,
            range,
            local,
        }
    }

    /// The complement.
    #[must_use]
    pub fn not(&self) -> Value {
        let range = self.range.not();
        match self.term {
            Some((symbol, negative)) => Value {
                term: Some((symbol, !negative)),
                delta: self.delta.not(),
                range,
                local: self.local,
            },
            None => Value::ranged(range).made_from(self.local),
        }
    }

    /// What this word is, now that another one, of the same term, is known to be in `range`; `None` when that cannot be.
    pub fn learn(&self, other: &Value, range: &Range) -> Option<Range> {
        let (Some((a, a_negative, a_delta)), Some((b, b_negative, b_delta))) =
            (self.identity(), other.identity())
        else {
            return Some(self.range.clone());
        };
        if a != b {
            return Some(self.range.clone());
        }
        let seen = if a_negative == b_negative {
            range.shifted(a_delta.wrapping_sub(b_delta))
        } else {
            range.negative().shifted(a_delta.wrapping_add(b_delta))
        };
        self.range.meet(&seen)
    }
}
