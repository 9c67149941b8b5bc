//! The reading of instructions that computes with what is known of words.

use crate::architecture::Architecture;
use crate::blocks::CodeState;
use crate::flags::{Comparison, Guard, Outcomes};
use crate::program::Program;
use crate::range::Range;
use crate::stacks::Stacks;
use crate::state::State;
use crate::value::{Symbol, Value};
use socscope_memory::{Direction, Width};

/// Words of table look-ups that are listed one by one.
const LOOK_UP_MAX: usize = 256;
/// Slots of symbols for words that loads find in cells.
pub(crate) const SLOT_LOADED: u16 = 256;
/// A word of the instruction at work, by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Word(usize);

/// A truth value: known, a function of flags, or unknown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Truth {
    /// Always this.
    Known(bool),
    /// True for these values of the flags: of those in force (0), of those that a comparison of this instruction makes, or of those of a
    /// group in force (from [`GROUPS`] on).
    Of(usize, Outcomes),
    /// Either.
    Unknown,
}

/// Numbers of groups of flags in force, as a [`Truth`] tells them.
pub const GROUPS: usize = 1 << 16;

/// How an instruction leaves its sequence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LeaveKind {
    /// To code that is encoded in the same way.
    Branch,
    /// Bit 0 of the target says how the code there is encoded.
    Exchange,
    /// With the saved status.
    Return,
    /// To a vector.
    Exception,
}

/// One data access.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DataAccess {
    /// Where.
    pub address: Range,
    /// On a stack.
    pub stack: bool,
    /// How much.
    pub width: Width,
    /// Which way.
    pub direction: Direction,
}

/// What an instruction did, seen from outside.
#[derive(Clone, Debug, Default)]
pub struct Effects {
    /// Data accesses in order.
    pub accesses: Vec<DataAccess>,
    /// The multiplier operand that takes longest, and whether it is signed.
    pub multiplier: Option<(u32, bool)>,
    /// How it leaves, and where to.
    pub leave: Option<(LeaveKind, Value)>,
    /// What it depends on whether it leaves.
    pub guard: Option<Guard>,
    /// The status register is given a mode that is not known.
    pub mode_lost: bool,
    /// A store might have reached saved words, for all that is known of its address.
    pub assumed: bool,
}

/// One instruction at work on a state.
pub struct FlowReading<'a, A: Architecture> {
    /// What is known.
    pub state: &'a mut State<A>,
    /// What it did.
    pub effects: Effects,
    pub(crate) program: &'a Program,
    pub(crate) stacks: &'a mut Stacks,
    pub(crate) code: CodeState,
    pub(crate) address: u32,
    pub(crate) context: u32,
    pub(crate) saves: bool,
    /// Comparisons, and the words that are their results.
    pub(crate) comparisons: Vec<(Comparison, Option<Word>)>,
    /// What an architecture notes of flags.
    pub(crate) notes: A::Notes,
    /// Where its calling context returns to, if it was called.
    pub(crate) back: Option<u32>,
    /// Whether it leaves depends on this.
    pub(crate) unsure: Option<Truth>,
    /// The exclusive or of two words.
    pub(crate) apart: Option<(Word, Word, Word)>,
    /// The address of the last load, and the width less one.
    pub(crate) loaded: Option<(Word, u32)>,
    /// A word whose bits were cleared: the result, what it was, and the bits that are left.
    pub(crate) masked: Option<(Word, (Value, u32))>,
    /// A rotated word, what it was, and by how much to the right.
    pub(crate) rotated: Option<(Word, Word, u32)>,
    /// The register of the word that was read last.
    origin: Option<(Word, u32)>,
    words: Vec<Value>,
}

/// Where an instruction is.
#[derive(Clone, Copy, Debug, Default)]
pub struct Place {
    /// How it is encoded.
    pub code: CodeState,
    /// Its address.
    pub address: u32,
    /// Its calling context.
    pub context: u32,
    /// Where that returns to, if it was called.
    pub back: Option<u32>,
}

impl<'a, A: Architecture> FlowReading<'a, A> {
    /// Reads an instruction. `saves` says that it moves the stack pointer.
    pub fn new(
        state: &'a mut State<A>,
        program: &'a Program,
        stacks: &'a mut Stacks,
        place: Place,
        saves: bool,
    ) -> FlowReading<'a, A> {
        FlowReading {
            state,
            effects: Effects::default(),
            program,
            stacks,
            code: place.code,
            address: place.address,
            context: place.context,
            back: place.back,
            saves,
            comparisons: vec![],
            notes: A::Notes::default(),
            unsure: None,
            apart: None,
            loaded: None,
            masked: None,
            rotated: None,
            origin: None,
            words: vec![],
        }
    }

    /// Puts the new flags into force; gives what the instruction did.
    pub fn finish(mut self) -> Effects {
        self.effects.guard = self.unsure.map(|truth| self.guard(truth));
        A::finish(&mut self);
        self.effects
    }

    fn guard(&self, truth: Truth) -> Guard {
        let Truth::Of(of, table) = truth else {
            return Guard::OPEN;
        };
        let compared = of.checked_sub(1).and_then(|at| self.comparisons.get(at));
        match compared {
            Some((compared, _)) => Guard {
                possible: compared.feasible(),
                comparison: Some(compared.clone()),
                table,
                group: None,
            },
            None => A::group(self, of, table).unwrap_or(Guard::OPEN),
        }
    }

    /// The comparison of this instruction that tells of `word`.
    pub(crate) fn test_of(&mut self, word: Word) -> usize {
        let known = self
            .comparisons
            .iter()
            .position(|(_, of)| *of == Some(word));
        known.unwrap_or_else(|| {
            let masked = self.masked.clone().filter(|(result, _)| *result == word);
            let test = Comparison::Test(self.get(word).clone(), masked.map(|(_, of)| of));
            self.comparisons.push((test, Some(word)));
            self.comparisons.len() - 1
        }) + 1
    }

    /// Gives the word that slot `slot` gets an identity.
    pub(crate) fn named(&mut self, slot: u16, word: Word) -> Value {
        let value = self.get(word).clone();
        if value.term.is_some() || value.single().is_some() {
            return value;
        }
        let symbol = Symbol::Made(self.context, self.address, slot);
        let lost = |other: Symbol| other == symbol;
        self.state.forget(lost);
        for value in &mut self.words {
            value.forget(lost);
        }
        let named = Value::named(symbol, value.range).made_from(value.local);
        for (compared, of) in &mut self.comparisons {
            let result = match compared {
                Comparison::Test(result, masked) => {
                    if let Some((word, _)) = masked {
                        word.forget(lost);
                    }
                    result
                }
                Comparison::Difference(a, b, result) => {
                    a.forget(lost);
                    b.forget(lost);
                    result
                }
            };
            result.forget(lost);
            if *of == Some(word) {
                result.clone_from(&named);
            }
        }
        named
    }

    pub(crate) fn write(&mut self, slot: usize, word: Word) {
        let mut value = self.named(slot as u16, word);
        if A::is_stack(slot as u16) {
            self.stacks.add(&value);
            self.stacks.leave_below(self.state, &value);
            value.local = true;
            if let Some((symbol, _)) = value.term {
                self.state.stack_at(symbol);
            }
        }
        self.state.words[slot] = value;
    }

    pub(crate) fn access(&mut self, address: &Value, width: Width, direction: Direction) {
        self.effects.accesses.push(DataAccess {
            address: address.range.clone(),
            stack: self.stacks.holds(address),
            width,
            direction,
        });
    }

    pub(crate) fn looked_up(&self, address: &Value, width: Width) -> Option<Range> {
        let addresses = address.range.values(LOOK_UP_MAX)?;
        let aligned = |address| match A::ALIGNED {
            true => width.align(address),
            false => address,
        };
        let constant = |&at| self.program.constant(aligned(at), width);
        let words: Option<Vec<u32>> = addresses.iter().map(constant).collect();
        Some(Range::of(words?))
    }

    pub(crate) fn put(&mut self, value: Value) -> Word {
        self.words.push(value);
        Word(self.words.len() - 1)
    }

    pub(crate) fn get(&self, word: Word) -> &Value {
        &self.words[word.0]
    }

    /// A register's word.
    pub(crate) fn read(&mut self, index: u32, value: Value) -> Word {
        let word = self.put(value);
        self.origin = Some((word, index));
        word
    }

    /// The register whose word this is, where it was the last one to be read.
    pub(crate) fn origin(&self, word: Word) -> Option<u32> {
        self.origin
            .filter(|(of, _)| *of == word)
            .map(|(_, index)| index)
    }

    /// A word that depends on the ranges of two others only.
    pub(crate) fn both(
        &mut self,
        a: Word,
        b: Word,
        compute: impl FnOnce(&Range, &Range) -> Range,
    ) -> Word {
        let (a, b) = (self.get(a), self.get(b));
        let value = Value::ranged(compute(&a.range, &b.range)).made_from(a.local || b.local);
        self.put(value)
    }
}
