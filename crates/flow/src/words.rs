//! What each word of [`Semantics`] means in this reading. Accesses are taken to be aligned and answered: others are errors of the program,
//! which runs report.

use crate::flags::{ANY, Comparison, Flags, Name, Outcomes};
use crate::range::Range;
use crate::reading::{CONTROL, FlowReading, IRQ_OFF, LeaveKind, SLOT_LOADED, THUMB, Truth, Word};
use crate::stacks::Found;
use crate::state::{Content, bank};
use crate::value::{Symbol, Value};
use socscope_arm::{ArmSemantics, Exception, InstructionSet, LINK};
use socscope_isa::{Semantics, Values};
use socscope_memory::{Direction, Width};

/// Blocks from this number on do not exist: they name what an instruction may or may not have done.
const MAYBE: u32 = 1 << 31;
/// Words on stacks that are kept in mind: a store through a pointer that runs away would fill memory with them.
const CELLS_MAX: usize = 256;
/// The flags of the status register.
const CONDITIONS: u32 = 0xf000_0000;

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

impl FlowReading<'_> {
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

    fn set_flag(&mut self, name: Name, value: Truth) {
        self.written[name as usize] = Some(value);
    }

    fn shift(&mut self, a: Word, amount: Word, compute: fn(&Range, u32) -> Range) -> Word {
        self.both(a, amount, |a, amount| a.by_amount(amount, compute))
    }
}

impl Values for FlowReading<'_> {
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
        self.both(a, b, Range::xor)
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
        self.shift(a, amount, Range::rotate_right)
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
            None => Truth::Of(self.test_of(a), Name::Zero.table()),
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
                let (state, written) = (self.state.clone(), self.written);
                body(self);
                if *self.state != state {
                    self.state.meet_at(MAYBE | self.address >> 1, state, false);
                }
                for (now, before) in self.written.iter_mut().zip(written) {
                    if *now != before {
                        *now = Some(Truth::Unknown);
                    }
                }
            }
        }
    }
}

impl Semantics for FlowReading<'_> {
    type Exception = Exception;

    fn address(&self) -> u32 {
        self.address
    }

    fn load(&mut self, address: Word, width: Width) -> (Word, Truth) {
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
    fn store(&mut self, address: Word, width: Width, word: Word) -> Truth {
        let place = self.get(address).clone();
        let value = self.get(word).clone();
        self.access(&place, width, Direction::Write);
        self.effects.assumed |= self.stacks.disturb(self.state, &place);
        // Return addresses and status that the caller left in registers are nobody's variables.
        let link = |symbol| matches!(symbol, Symbol::Entry(index, _) if u32::from(index) >= LINK);
        let saved = self.saves && self.preserved(word)
            || value.term.is_some_and(|(symbol, _)| link(symbol));
        let found = self.stacks.find(&place);
        if (!saved || found == Found::Elsewhere) && (value.local || self.stacks.holds(&value)) {
            self.stacks.hand_out(self.state, &place, &found);
        }
        if let (Width::Word, Found::Cell(cell, 0)) = (width, found)
            && (saved || self.state.cells.len() < CELLS_MAX)
        {
            self.state.cells.insert(cell, Content { value, saved });
        }
        Truth::Known(true)
    }

    fn branch(&mut self, target: Word) {
        let target = self.get(target).clone();
        self.effects.leave = Some((LeaveKind::Branch, target));
    }
    fn exception(&mut self, exception: Exception) {
        let status = self.status();
        let mode = exception.mode();
        let next = exception.return_address(self.address, self.set);
        let kept = self
            .state
            .control
            .and(&Range::constant(CONTROL & !0x1f & !THUMB));
        let control = kept.or(&Range::constant(IRQ_OFF | mode as u32));
        self.control_written(control);
        let at = bank(mode);
        self.write(at, 15, status);
        let next = self.put(Value::constant(next));
        self.write(at, LINK, next);
        let vector = Value::constant(exception.vector());
        self.effects.leave = Some((LeaveKind::Exception, vector));
    }
}

impl ArmSemantics for FlowReading<'_> {
    fn instruction_set(&self) -> InstructionSet {
        self.set
    }

    fn register(&mut self, index: u32) -> Word {
        let value = self.state.register(index).clone();
        self.read(index, value)
    }
    fn set_register(&mut self, index: u32, value: Word) {
        self.write(bank(self.state.mode), index, value);
    }
    fn user_register(&mut self, index: u32) -> Word {
        let value = self.state.register_of(0, index).clone();
        self.read(index, value)
    }
    fn set_user_register(&mut self, index: u32, value: Word) {
        self.write(0, index, value);
    }

    fn negative(&mut self) -> Truth {
        self.flag_of(Name::Negative)
    }
    fn zero(&mut self) -> Truth {
        self.flag_of(Name::Zero)
    }
    fn carry(&mut self) -> Truth {
        self.flag_of(Name::Carry)
    }
    fn overflow(&mut self) -> Truth {
        self.flag_of(Name::Overflow)
    }
    fn set_negative(&mut self, value: Truth) {
        self.set_flag(Name::Negative, value);
    }
    fn set_zero(&mut self, value: Truth) {
        self.set_flag(Name::Zero, value);
    }
    fn set_carry(&mut self, value: Truth) {
        self.set_flag(Name::Carry, value);
    }
    fn set_overflow(&mut self, value: Truth) {
        self.set_flag(Name::Overflow, value);
    }
    fn branch_exchange(&mut self, target: Word) {
        let target = self.get(target).clone();
        self.effects.leave = Some((LeaveKind::Exchange, target));
    }
    fn return_from_exception(&mut self, target: Word) {
        let target = self.get(target).clone();
        self.restore_status();
        self.effects.leave = Some((LeaveKind::Return, target));
    }

    fn status(&mut self) -> Word {
        // The conditions are multiples of 2^28, the bits between read as zero.
        let set = if self.set == InstructionSet::Thumb {
            THUMB
        } else {
            0
        };
        let control = self.state.control.and(&Range::constant(CONTROL & !THUMB));
        let control = control.or(&Range::constant(set));
        let conditions = Range::strided(0, CONDITIONS, 1 << 28);
        self.put(Value::ranged(conditions.or(&control)))
    }
    fn set_status(&mut self, value: Word, mask: Word) {
        let mask = self
            .get(mask)
            .range
            .single()
            .unwrap_or(CONTROL | CONDITIONS);
        if mask & CONDITIONS != 0 {
            self.state.flags = Flags::UNKNOWN;
            self.written = [None; 4];
        }
        if mask & CONTROL != 0 {
            let new = self.get(value).range.and(&Range::constant(mask & CONTROL));
            let kept = self.state.control.and(&Range::constant(CONTROL & !mask));
            let control = kept.or(&new);
            self.control_written(control);
        }
    }
    fn saved_status(&mut self) -> Word {
        let value = self.saved().clone();
        self.put(value)
    }
    fn set_saved_status(&mut self, value: Word, mask: Word) {
        let whole = CONTROL | CONDITIONS;
        let (new, mask) = (self.get(value).clone(), self.get(mask).single());
        let value = if mask == Some(whole) {
            new
        } else {
            Value::unknown()
        };
        let value = self.put(value);
        self.write(bank(self.state.mode), 15, value);
    }
    fn restore_status(&mut self) {
        let saved = self.saved().range.clone();
        self.state.flags = Flags::UNKNOWN;
        self.written = [None; 4];
        self.control_written(saved.and(&Range::constant(CONTROL)));
    }
    fn privileged(&mut self) -> Truth {
        Truth::Known(bank(self.state.mode) != 0 || self.state.mode as u32 & 0x1f == 0x1f)
    }

    fn multiplier(&mut self, operand: Word, signed: bool) {
        let range = &self.get(operand).range;
        let (low, high) = range.unsigned();
        // The most significant bytes take longest; a word that may have either sign may have all of them.
        let worst = match range.single() {
            Some(word) => word,
            None if high >> 31 == 0 => high,
            None if low >> 31 == 1 && signed => low,
            None => 1 << 30,
        };
        self.effects.multiplier = Some((worst, signed));
    }
}
