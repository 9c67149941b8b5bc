//! What each word of [`Semantics`] means in this reading. Accesses are taken to be aligned and answered: others are errors of the program,
//! which runs report.

use crate::architecture::Architecture;
use crate::flags::{ANY, Comparison, Name, Outcomes};
use crate::range::Range;
use crate::reading::{FlowReading, LeaveKind, SLOT_LOADED, Truth, Word};
use crate::stacks::Found;
use crate::state::Content;
use crate::value::{Symbol, Value};
use socscope_isa::Values;
use socscope_memory::{Direction, Width};

/// Blocks from this number on do not exist: they name what an instruction may or may not have done.
const MAYBE: u32 = 1 << 31;
/// Words on stacks that are kept in mind: a store through a pointer that runs away would fill memory with them.
const CELLS_MAX: usize = 256;
fn of_both(a: Truth, b: Truth, compute: impl Fn(Outcomes, Outcomes) -> Outcomes) -> Truth {
    let table = |known: bool| if known { ANY } else { 0 };
    match (a, b) {
        (Truth::Known(a), Truth::Known(b)) => Truth::Known(compute(table(a), table(b)) != 0),
        (Truth::Of(of, a), Truth::Known(b)) => Truth::Of(of, compute(a, table(b))),
        (Truth::Known(a), Truth::Of(of, b)) => Truth::Of(of, compute(table(a), b)),
        (Truth::Of(first, a), Truth::Of(second, b)) if first == second => {
            Truth::Of(first, compute(a, b))
        }
        _ => Truth::Unknown,
    }
}

impl<A: Architecture> FlowReading<'_, A> {
    fn sum(&mut self, a: Word, b: Word, carry: bool) -> (Value, Truth, Truth) {
        let (first, second) = (self.get(a).clone(), self.get(b).clone());
        let sum = first.add(&second);
        let sum = if carry {
            sum.add(&Value::constant(1))
        } else {
            sum
        };
        let compared = match (carry, first.single(), second.single()) {
            (true, _, _) => Some((first, second.not())),
            // Adding a constant compares with its negative, but for these two.
            (false, _, Some(c)) if c != 0 && c != 1 << 31 => {
                Some((first, Value::constant(c.wrapping_neg())))
            }
            (false, Some(c), None) if c != 0 && c != 1 << 31 => {
                Some((second, Value::constant(c.wrapping_neg())))
            }
            _ => None,
        };
        let Some((left, right)) = compared else {
            return (sum, Truth::Unknown, Truth::Unknown);
        };
        let difference = Comparison::Difference(left, right, sum.clone());
        self.comparisons.push((difference, None));
        let of = self.comparisons.len();
        let flag = |name: Name| Truth::Of(of, name.table());
        (sum, flag(Name::Carry), flag(Name::Overflow))
    }

    /// A truth value, as far as it is known now.
    pub(crate) fn decided(&self, truth: Truth) -> Truth {
        A::decided(self, truth)
    }

    /// Whether the two words of an exclusive or are equal: what their difference tells.
    fn equal(&mut self, word: Word) -> Option<Truth> {
        let (_, a, b) = self.apart.filter(|(result, _, _)| *result == word)?;
        let (a, b) = (self.get(a).clone(), self.get(b).clone());
        let same = |(one, _): &(Comparison, _)| matches!(one, Comparison::Difference(left, right, _) if *left == a && *right == b);
        let known = self.comparisons.iter().position(same);
        let at = known.unwrap_or_else(|| {
            let difference = a.add(&b.not()).add(&Value::constant(1));
            self.comparisons
                .push((Comparison::Difference(a, b, difference), None));
            self.comparisons.len() - 1
        });
        Some(Truth::Of(at + 1, Name::Zero.table()))
    }

    fn shift(&mut self, a: Word, amount: Word, compute: fn(&Range, u32) -> Range) -> Word {
        self.both(a, amount, |a, amount| a.by_amount(amount, compute))
    }
}

impl<A: Architecture> Values for FlowReading<'_, A> {
    type Word = Word;
    type Flag = Truth;

    fn word(&mut self, value: u32) -> Word {
        self.put(Value::constant(value))
    }
    fn flag(&mut self, value: bool) -> Truth {
        Truth::Known(value)
    }

    fn and(&mut self, a: Word, b: Word) -> Word {
        // The rest of an aligned address is zero.
        let rest = self.get(b).single();
        if self
            .loaded
            .is_some_and(|(address, below)| address == a && rest == Some(below))
        {
            return self.put(Value::constant(0));
        }
        if let Some(result) = A::and(self, a, b) {
            return result;
        }
        let result = self.both(a, b, Range::and);
        if let Some(mask) = self.get(b).single() {
            self.masked = Some((result, (self.get(a).clone(), mask)));
        }
        result
    }
    fn or(&mut self, a: Word, b: Word) -> Word {
        if self.get(a).identity().is_some() && self.get(a) == self.get(b) {
            return a;
        }
        self.both(a, b, Range::or)
    }
    fn xor(&mut self, a: Word, b: Word) -> Word {
        let result = self.both(a, b, Range::xor);
        if A::COMPARES_BY_XOR {
            self.apart = Some((result, a, b));
        }
        result
    }
    fn not(&mut self, a: Word) -> Word {
        let value = self.get(a).not();
        self.put(value)
    }
    fn add(&mut self, a: Word, b: Word) -> Word {
        let value = self.get(a).add(self.get(b));
        self.put(value)
    }
    fn add_with_carry(&mut self, a: Word, b: Word, carry: Truth) -> (Word, Truth, Truth) {
        if let Truth::Known(carry) = self.decided(carry) {
            let (sum, carry, overflow) = self.sum(a, b, carry);
            let sum = self.put(sum);
            if let (Truth::Of(..), Some((_, of))) = (carry, self.comparisons.last_mut()) {
                *of = Some(sum);
            }
            return (sum, carry, overflow);
        }
        let carried = Value::ranged(Range::between(0, 1));
        let sum = self.get(a).add(self.get(b)).add(&carried);
        (
            self.put(Value::ranged(sum.range).made_from(sum.local)),
            Truth::Unknown,
            Truth::Unknown,
        )
    }
    fn multiply(&mut self, a: Word, b: Word) -> Word {
        self.both(a, b, Range::multiply)
    }
    fn multiply_high(&mut self, a: Word, b: Word, signed: bool) -> Word {
        let high = |a: u32, b: u32| {
            let product = if signed {
                (i64::from(a as i32) * i64::from(b as i32)) as u64
            } else {
                u64::from(a) * u64::from(b)
            };
            (product >> 32) as u32
        };
        self.both(a, b, |a, b| {
            Range::pairs(a, b, high, || {
                let product = u64::from(a.unsigned().1) * u64::from(b.unsigned().1);
                if signed {
                    Range::TOP
                } else {
                    Range::between(0, (product >> 32) as u32)
                }
            })
        })
    }
    fn shift_left(&mut self, a: Word, amount: Word) -> Word {
        self.shift(a, amount, Range::shift_left)
    }
    fn shift_right(&mut self, a: Word, amount: Word) -> Word {
        self.shift(a, amount, Range::shift_right)
    }
    fn shift_right_signed(&mut self, a: Word, amount: Word) -> Word {
        self.shift(a, amount, Range::shift_right_signed)
    }
    fn rotate_right(&mut self, a: Word, amount: Word) -> Word {
        if self.get(amount).single().is_some_and(|by| by & 31 == 0) {
            return a;
        }
        let by = self.get(amount).single();
        let result = self.shift(a, amount, Range::rotate_right);
        self.rotated = by.map(|by| (result, a, by & 31));
        result
    }
    fn sign_extend(&mut self, a: Word, width: Width) -> Word {
        let whole = self.get(a);
        let range = whole.range.sign_extend(width.bits());
        let value = Value::ranged(range).made_from(whole.local);
        self.put(value)
    }

    fn is_zero(&mut self, a: Word) -> Truth {
        let value = self.get(a).clone();
        match value.single() {
            Some(word) => Truth::Known(word == 0),
            None if !value.range.contains(0) => Truth::Known(false),
            None => self
                .equal(a)
                .unwrap_or_else(|| Truth::Of(self.test_of(a), Name::Zero.table())),
        }
    }
    fn bit(&mut self, a: Word, index: u32) -> Truth {
        let value = self.get(a).clone();
        let bits = value.range.and(&Range::constant(1 << index));
        match bits.single() {
            Some(bit) => Truth::Known(bit != 0),
            None if index == 31 => {
                let (low, high) = value.range.signed();
                if low >= 0 || high < 0 {
                    return Truth::Known(high < 0);
                }
                Truth::Of(self.test_of(a), Name::Negative.table())
            }
            None => Truth::Unknown,
        }
    }
    fn flag_word(&mut self, flag: Truth) -> Word {
        self.put(match self.decided(flag) {
            Truth::Known(flag) => Value::constant(u32::from(flag)),
            _ => Value::ranged(Range::between(0, 1)),
        })
    }
    fn flag_not(&mut self, a: Truth) -> Truth {
        match a {
            Truth::Known(a) => Truth::Known(!a),
            Truth::Of(of, table) => Truth::Of(of, !table),
            Truth::Unknown => Truth::Unknown,
        }
    }
    fn flag_and(&mut self, a: Truth, b: Truth) -> Truth {
        match (a, b) {
            (Truth::Known(false), _) | (_, Truth::Known(false)) => Truth::Known(false),
            (Truth::Known(true), other) | (other, Truth::Known(true)) => other,
            _ => of_both(a, b, |a, b| a & b),
        }
    }
    fn flag_or(&mut self, a: Truth, b: Truth) -> Truth {
        let (a, b) = (self.flag_not(a), self.flag_not(b));
        let neither = self.flag_and(a, b);
        self.flag_not(neither)
    }
    fn flag_xor(&mut self, a: Truth, b: Truth) -> Truth {
        of_both(a, b, |a, b| a ^ b)
    }
    fn select(&mut self, condition: Truth, a: Word, b: Word) -> Word {
        match self.decided(condition) {
            Truth::Known(true) => a,
            Truth::Known(false) => b,
            _ => self.both(a, b, Range::join),
        }
    }
    fn when(&mut self, condition: Truth, body: impl FnOnce(&mut Self)) {
        match self.decided(condition) {
            Truth::Known(true) => body(self),
            Truth::Known(false) => {}
            _ => {
                let (state, notes) = (self.state.clone(), self.notes.clone());
                let left = self.effects.leave.is_some();
                body(self);
                if !left && self.effects.leave.is_some() {
                    self.unsure = Some(condition);
                }
                if *self.state != state {
                    self.state.meet_at(MAYBE | self.address >> 1, state, false);
                }
                A::maybe(&mut self.notes, &notes);
            }
        }
    }
}

impl<A: Architecture> FlowReading<'_, A> {
    /// Reads memory, as semantic functions say.
    pub(crate) fn load_word(&mut self, address: Word, width: Width) -> (Word, Truth) {
        let place = self.get(address).clone();
        self.access(&place, width, Direction::Read);
        self.loaded = Some((address, width.bytes() - 1));
        let arrived = Truth::Known(true);
        if let Some(range) = self.looked_up(&place, width) {
            return (self.put(Value::ranged(range)), arrived);
        }
        let found = self.stacks.find(&place);
        let local = self.stacks.may_hold(self.state, &place, &found);
        if let (Width::Word, Found::Cell(cell, 0)) = (width, found) {
            let known = self.state.cells.get(&cell).cloned();
            let mut content = known.unwrap_or(Content {
                value: Value::unknown().made_from(local),
                saved: false,
            });
            let slot = SLOT_LOADED + self.effects.accesses.len() as u16;
            let found = self.put(content.value);
            content.value = self.named(slot, found);
            if content.saved || self.state.cells.len() < CELLS_MAX {
                self.state.cells.insert(cell, content.clone());
            }
            return (self.put(content.value), arrived);
        }
        let all = Range::between(0, u32::MAX >> (32 - width.bits()));
        (self.put(Value::ranged(all).made_from(local)), arrived)
    }
    /// Writes memory, as semantic functions say.
    pub(crate) fn store_word(&mut self, address: Word, width: Width, word: Word) -> Truth {
        let place = self.get(address).clone();
        let value = self.get(word).clone();
        self.access(&place, width, Direction::Write);
        self.effects.assumed |= self.stacks.disturb(self.state, &place);
        let last = place.add(&Value::constant(width.bytes() - 1));
        if !A::ALIGNED {
            // Where its last byte is in another word, that one is changed, too.
            self.effects.assumed |= self.stacks.disturb(self.state, &last);
        }
        // Return addresses and status that the caller left in registers are nobody's variables.
        let way_back = |symbol| matches!(symbol, Symbol::Entry(slot) if A::is_way_back(slot));
        let found = self.stacks.find(&place);
        let saved = A::saves(self, word, found != Found::Elsewhere)
            || value.term.is_some_and(|(symbol, _)| way_back(symbol));
        if (!saved || found == Found::Elsewhere) && (value.local || self.stacks.holds(&value)) {
            self.stacks.hand_out(self.state, &place, &found);
            if !A::ALIGNED {
                let found = self.stacks.find(&last);
                self.stacks.hand_out(self.state, &last, &found);
            }
        }
        if let (Width::Word, Found::Cell(cell, 0)) = (width, found)
            && (saved || self.state.cells.len() < CELLS_MAX)
        {
            self.state.cells.insert(cell, Content { value, saved });
        }
        Truth::Known(true)
    }

    /// Goes to an address.
    pub(crate) fn leave(&mut self, kind: LeaveKind, target: Word) {
        let target = self.get(target).clone();
        self.effects.leave = Some((kind, target));
    }
}
