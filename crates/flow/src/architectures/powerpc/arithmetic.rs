//! What is computed with words here beside what every architecture computes.

use super::PowerPc;
use crate::range::Range;
use crate::reading::{FlowReading, Word};
use crate::value::Value;
use socscope_isa::Values;

impl FlowReading<'_, PowerPc> {
    /// A mask after a rotation is mostly a shift; one that makes an address of a jump keeps what it is relative to.
    pub(super) fn and_mask(&mut self, a: Word, b: Word) -> Option<Word> {
        let mask = self.get(b).single()?;
        let whole = self.get(a);
        let aligned = |range: &Range| range.and(&Range::constant(3)).single() == Some(0);
        if mask == !3 && (self.notes.target == Some(a) || aligned(&whole.range)) {
            let value = Value {
                range: whole.range.and(&Range::constant(mask)),
                ..whole.clone()
            };
            return Some(self.put(value));
        }
        let (rotated, from, right) = self.rotated?;
        if rotated != a {
            return None;
        }
        let from = self.get(from);
        let range = if mask.leading_zeros() >= right {
            from.range.shift_right(right)
        } else if mask.trailing_zeros() >= 32 - right {
            from.range.shift_left(32 - right)
        } else {
            return None;
        };
        let value = Value::ranged(range.and(&Range::constant(mask))).made_from(from.local);
        Some(self.put(value))
    }

    pub(super) fn quotient(&mut self, a: Word, b: Word, signed: bool) -> Word {
        let divide = |a: u32, b: u32| match (b, signed) {
            (0, _) => 0,
            (_, true) => (a as i32).wrapping_div(b as i32) as u32,
            (_, false) => a / b,
        };
        self.both(a, b, |a, b| {
            Range::pairs(a, b, divide, || {
                let (a_low, a_high) = a.unsigned();
                let (b_low, b_high) = b.unsigned();
                if signed && (a_high | b_high) >> 31 != 0 {
                    return Range::TOP;
                }
                Range::between(a_low / b_high.max(1), a_high / b_low.max(1))
            })
        })
    }

    pub(super) fn zeros_before(&mut self, a: Word) -> Word {
        let b = self.word(0);
        self.both(a, b, |a, _| {
            a.each(u32::leading_zeros, || {
                let (low, high) = a.unsigned();
                Range::between(high.leading_zeros(), low.leading_zeros())
            })
        })
    }
}
