//! The condition flags: which of their sixteen values are possible, and what comparison made them.

use crate::range::Range;
use crate::value::Value;

/// A set of values of N, Z, C, V (bits 3 to 0 of the number of each bit).
pub type Outcomes = u16;

/// All values.
pub const ANY: Outcomes = u16::MAX;

/// One of the four flags.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Name {
    /// N.
    Negative = 3,
    /// Z.
    Zero = 2,
    /// C.
    Carry = 1,
    /// V.
    Overflow = 0,
}

impl Name {
    /// The four.
    pub const ALL: [Name; 4] = [Name::Negative, Name::Zero, Name::Carry, Name::Overflow];

    /// Its bit in a value of the flags.
    pub const fn bit(self) -> u8 {
        1 << self as u8
    }

    /// The values in which it is set.
    pub const fn table(self) -> Outcomes {
        match self {
            Name::Negative => 0xff00,
            Name::Zero => 0xf0f0,
            Name::Carry => 0xcccc,
            Name::Overflow => 0xaaaa,
        }
    }
}

/// What made flags.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// N and Z of a word; if it is another word with bits cleared, that one and the bits that are left.
    Test(Value, Option<(Value, u32)>),
    /// `a - b`, and the result.
    Difference(Value, Value, Value),
}

impl Comparison {
    /// The word of which N and Z tell.
    pub fn result(&self) -> &Value {
        match self {
            Comparison::Test(result, _) | Comparison::Difference(_, _, result) => result,
        }
    }

    /// Flags that it determines, as bits of a value.
    pub fn determines(&self) -> u8 {
        match self {
            Comparison::Test(..) => Name::Negative.bit() | Name::Zero.bit(),
            Comparison::Difference(..) => 0xf,
        }
    }

    /// Whether some value of the operands gives these flags.
    pub fn allows(&self, flags: u8) -> bool {
        let set = |name: Name| flags & name.bit() != 0;
        let (zero, negative) = (set(Name::Zero), set(Name::Negative));
        let result = &self.result().range;
        let (low, high) = result.signed();
        let fits = if zero {
            !negative && result.contains(0)
        } else {
            result.single() != Some(0) && if negative { low < 0 } else { high >= 0 }
        };
        let Comparison::Difference(a, b, _) = self else {
            return fits;
        };
        if zero {
            return fits
                && set(Name::Carry)
                && !set(Name::Overflow)
                && a.range.meet(&b.range).is_some();
        }
        let ((a_low, a_high), (b_low, b_high)) = (a.range.unsigned(), b.range.unsigned());
        let unsigned = if set(Name::Carry) {
            a_high > b_low
        } else {
            a_low < b_high
        };
        let ((a_low, a_high), (b_low, b_high)) = (a.range.signed(), b.range.signed());
        let less = negative != set(Name::Overflow);
        let signed = if less { a_low < b_high } else { a_high > b_low };
        fits && unsigned && signed
    }

    /// All values of the flags that some value of the operands gives.
    pub fn feasible(&self) -> Outcomes {
        (0..16u8)
            .filter(|flags| self.allows(*flags))
            .fold(0, |all, flags| all | 1 << flags)
    }

    /// Whether it is about a word.
    pub fn is_about(&self, wanted: &dyn Fn(&Value) -> bool) -> bool {
        match self {
            Comparison::Test(result, of) => {
                wanted(result) || of.as_ref().is_some_and(|(word, _)| wanted(word))
            }
            Comparison::Difference(a, b, result) => wanted(a) || wanted(b) || wanted(result),
        }
    }

    /// What `outcomes` say of the words compared: pairs of a word and its new range; `None` when that cannot be.
    pub fn learn(&self, outcomes: Outcomes) -> Option<Vec<(Value, Range)>> {
        let mut all = vec![];
        let possible = |wanted: &dyn Fn(u8) -> bool| {
            (0..16u8).any(|flags| outcomes >> flags & 1 != 0 && wanted(flags) && self.allows(flags))
        };
        let bit = |flags: u8, name: Name| flags & name.bit() != 0;
        let zero = possible(&|f| bit(f, Name::Zero));
        let positive = possible(&|f| !bit(f, Name::Zero) && !bit(f, Name::Negative));
        let negative = possible(&|f| bit(f, Name::Negative));
        let result = self.result();
        let mut range = result.range.clone();
        match (negative, zero, positive) {
            (false, false, false) => return None,
            (false, true, false) => range = range.meet(&Range::constant(0))?,
            (true, true, true) => {}
            _ => {
                if !zero {
                    range = range.without(0)?;
                }
                if !negative {
                    range = range.meet(&Range::between(0, i32::MAX as u32))?;
                }
                if !positive {
                    range = range.meet(&Range::between(1 << 31, 0))?;
                }
            }
        }
        all.push((result.clone(), range));
        let (a, b) = match self {
            Comparison::Difference(a, b, _) => (a, b),
            Comparison::Test(_, Some((word, mask))) => {
                // Only the highest bits were looked at: all zero, or not.
                if (!mask).wrapping_add(1).is_power_of_two() && !zero | !(negative | positive) {
                    let below = Range::between(0, !mask);
                    let above = Range::between((!mask).wrapping_add(1), u32::MAX);
                    let range = word.range.meet(if zero { &below } else { &above })?;
                    all.push((word.clone(), range));
                }
                return Some(all);
            }
            Comparison::Test(_, None) => return Some(all),
        };
        let (mut left, mut right) = (a.range.clone(), b.range.clone());
        let above = possible(&|f| !bit(f, Name::Zero) && bit(f, Name::Carry));
        let below = possible(&|f| !bit(f, Name::Carry));
        let less = |f| bit(f, Name::Negative) != bit(f, Name::Overflow);
        let signed_less = possible(&less);
        let signed_more = possible(&|f| !less(f) && !bit(f, Name::Zero));
        if !zero {
            if let Some(value) = right.single() {
                left = left.without(value)?;
            }
            if let Some(value) = left.single() {
                right = right.without(value)?;
            }
        }
        // Unsigned, then signed: at most and at least, one less where they cannot be equal.
        let strict = u32::from(!zero);
        if !above {
            left = left.meet(&Range::between(0, right.unsigned().1.checked_sub(strict)?))?;
            right = right.meet(&Range::between(
                left.unsigned().0.checked_add(strict)?,
                u32::MAX,
            ))?;
        }
        if !below {
            left = left.meet(&Range::between(
                right.unsigned().0.checked_add(strict)?,
                u32::MAX,
            ))?;
            right = right.meet(&Range::between(0, left.unsigned().1.checked_sub(strict)?))?;
        }
        let strict = i32::from(!zero);
        let span = |low: i32, high: i32| Range::between(low as u32, high as u32);
        if !signed_more {
            left = left.meet(&span(i32::MIN, right.signed().1.checked_sub(strict)?))?;
            right = right.meet(&span(left.signed().0.checked_add(strict)?, i32::MAX))?;
        }
        if !signed_less {
            left = left.meet(&span(right.signed().0.checked_add(strict)?, i32::MAX))?;
            right = right.meet(&span(i32::MIN, left.signed().1.checked_sub(strict)?))?;
        }
        all.push((a.clone(), left));
        all.push((b.clone(), right));
        Some(all)
    }
}

/// What a jump depends on, and is not known.
#[derive(Clone, Debug, Default)]
pub struct Guard {
    /// What made the flags that it looks at.
    pub comparison: Option<Comparison>,
    /// Their possible values.
    pub possible: Outcomes,
    /// Those with which the jump is made.
    pub table: Outcomes,
    /// The group of flags that holds them.
    pub group: Option<usize>,
}

impl Guard {
    /// One of which nothing is known.
    pub const OPEN: Guard = Guard {
        comparison: None,
        possible: ANY,
        table: 0xff00,
        group: None,
    };

    /// The values that are left when the jump is made, or not; none when that cannot be.
    pub fn left(&self, holds: bool) -> Option<Outcomes> {
        let left = self.possible & if holds { self.table } else { !self.table };
        (left != 0).then_some(left)
    }
}

/// The flags of a state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flags {
    /// Values that are possible.
    pub outcomes: Outcomes,
    /// What made them, and which of them (as bits of a value).
    pub comparison: Option<(Box<Comparison>, u8)>,
}

impl Flags {
    /// Nothing is known.
    pub const UNKNOWN: Flags = Flags {
        outcomes: ANY,
        comparison: None,
    };

    /// All outcomes whose bits in `mask` are those of some possible one.
    pub fn loosened(outcomes: Outcomes, kept: u8) -> Outcomes {
        (0..16u8)
            .filter(|wide| {
                (0..16u8).any(|one| outcomes >> one & 1 != 0 && (one ^ wide) & kept == 0)
            })
            .fold(0, |all, flags| all | 1 << flags)
    }
}
