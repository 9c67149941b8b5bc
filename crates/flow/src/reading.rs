//! The reading of instructions that computes with what is known of words.

use crate::flags::{ANY, Comparison, Flags, Name, Outcomes};
use crate::program::Program;
use crate::range::Range;
use crate::stacks::Stacks;
use crate::state::{State, bank};
use crate::value::{Symbol, Value};
use socscope_arm::{InstructionSet, Mode, STACK};
use socscope_memory::{Direction, Width};

/// Words of table look-ups that are listed one by one.
const LOOK_UP_MAX: usize = 256;
/// Slots of symbols for words that loads find in cells.
pub(crate) const SLOT_LOADED: u16 = 256;
/// The low bits of the status register that this reading keeps.
pub(crate) const CONTROL: u32 = 0xff;
pub(crate) const THUMB: u32 = 1 << 5;
pub(crate) const IRQ_OFF: u32 = 1 << 7;

/// A word of the instruction at work, by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Word(usize);

/// A truth value: known, a function of flags, or unknown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Truth {
    /// Always this.
    Known(bool),
    /// True for these values of the flags: of those in force (0), or of those that a comparison of this instruction makes.
    Of(usize, Outcomes),
    /// Either.
    Unknown,
}

/// How an instruction leaves its sequence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LeaveKind {
    /// In the same instruction set.
    Branch,
    /// Bit 0 of the target names the instruction set.
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
    /// The status register is given a mode that is not known.
    pub mode_lost: bool,
    /// A store might have reached saved words, for all that is known of its address.
    pub assumed: bool,
}

/// One instruction at work on a state.
pub struct FlowReading<'a> {
    /// What is known.
    pub state: &'a mut State,
    /// What it did.
    pub effects: Effects,
    pub(crate) program: &'a Program,
    pub(crate) stacks: &'a mut Stacks,
    pub(crate) set: InstructionSet,
    pub(crate) address: u32,
    pub(crate) context: u32,
    pub(crate) saves: bool,
    /// Comparisons, and the words that are their results.
    pub(crate) comparisons: Vec<(Comparison, Option<Word>)>,
    /// New values of V, C, Z and N.
    pub(crate) written: [Option<Truth>; 4],
    /// The address of the last load, and the width less one.
    pub(crate) loaded: Option<(Word, u32)>,
    /// A word whose bits were cleared: the result, what it was, and the bits that are left.
    pub(crate) masked: Option<(Word, (Value, u32))>,
    /// The register of the word that was read last.
    origin: Option<(Word, u32)>,
    words: Vec<Value>,
}

impl<'a> FlowReading<'a> {
    /// Reads the instruction at `address` in a calling context. `saves` says that it moves the stack pointer.
    pub fn new(
        state: &'a mut State,
        program: &'a Program,
        stacks: &'a mut Stacks,
        (set, address, context): (InstructionSet, u32, u32),
        saves: bool,
    ) -> FlowReading<'a> {
        FlowReading {
            state,
            effects: Effects::default(),
            program,
            stacks,
            set,
            address,
            context,
            saves,
            comparisons: vec![],
            written: [None; 4],
            loaded: None,
            masked: None,
            origin: None,
            words: vec![],
        }
    }

    /// Puts the new flags into force; gives what the instruction did.
    pub fn finish(self) -> Effects {
        if self.written == [None; 4] {
            return self.effects;
        }
        let old = self.state.flags.clone();
        let mut kept = 0;
        let mut outcomes = ANY;
        let mut linked: [u8; 8] = [0; 8];
        for name in Name::ALL {
            match self.written[name as usize] {
                None => kept |= name.bit(),
                Some(Truth::Known(true)) => outcomes &= name.table(),
                Some(Truth::Known(false)) => outcomes &= !name.table(),
                Some(Truth::Of(of, table)) if of > 0 && of < 8 && table == name.table() => {
                    linked[of] |= name.bit();
                }
                Some(_) => {}
            }
        }
        if kept != 0 {
            outcomes &= Flags::loosened(old.outcomes, kept);
        }
        let mut comparison = None;
        for ((compared, _), linked) in self.comparisons.iter().zip(&linked[1..]) {
            let linked = linked & compared.determines();
            if linked != 0 {
                let feasible = (0..16u8)
                    .filter(|flags| compared.allows(*flags))
                    .fold(0, |all, flags| all | 1 << flags);
                outcomes &= Flags::loosened(feasible, linked);
                comparison = Some((Box::new(compared.clone()), linked));
            }
        }
        // Nothing that contradicts itself comes out of words that can be at all.
        let outcomes = if outcomes == 0 { ANY } else { outcomes };
        self.state.flags = Flags {
            outcomes,
            comparison,
        };
        self.effects
    }

    pub(crate) fn flag_of(&self, name: Name) -> Truth {
        let possible = self.state.flags.outcomes;
        if possible & !name.table() == 0 {
            Truth::Known(true)
        } else if possible & name.table() == 0 {
            Truth::Known(false)
        } else {
            Truth::Of(0, name.table())
        }
    }

    pub(crate) fn decided(&self, truth: Truth) -> Truth {
        match truth {
            Truth::Of(0, table) if self.state.flags.outcomes & !table == 0 => Truth::Known(true),
            Truth::Of(0, table) if self.state.flags.outcomes & table == 0 => Truth::Known(false),
            other => other,
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

    pub(crate) fn write(&mut self, bank: usize, index: u32, word: Word) {
        let mut value = self.named(State::slot(bank, index), word);
        if index == STACK {
            self.stacks.add(&value);
            value.local = true;
            if let Some((symbol, _)) = value.term {
                self.state.stack_at(symbol);
            }
        }
        *self.state.register_mut(bank, index) = value;
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
        let words: Option<Vec<u32>> = addresses
            .iter()
            .map(|&address| self.program.constant(width.align(address), width))
            .collect();
        Some(Range::of(words?))
    }

    pub(crate) fn control_written(&mut self, control: Range) {
        let before = self.state.mode;
        let modes = control.and(&Range::constant(0x1f));
        match modes.single().and_then(Mode::from_bits) {
            Some(mode) => self.state.mode = mode,
            None => self.effects.mode_lost = true,
        }
        let fast = Mode::FastInterrupt;
        if self.state.mode != before && (self.state.mode == fast || before == fast) {
            for register in 8..13 {
                self.state.low[register] = Value::unknown().made_from(true);
            }
        }
        self.state.control = control;
    }

    pub(crate) fn saved(&mut self) -> &mut Value {
        let at = bank(self.state.mode);
        self.state.register_mut(at, 15)
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

    /// Whether a word is of a register that functions give back as they found it.
    pub(crate) fn preserved(&self, word: Word) -> bool {
        match self.origin {
            // Frames keep the caller's stack pointer in r12.
            Some((of, 12)) => of == word && self.get(word).local,
            Some((of, index)) => of == word && index > 3,
            None => false,
        }
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
