//! Bitwise operations, products and shifts of ranges.

use super::{FEW_MAX, Range, even_part};

impl Range {
    /// Bitwise and.
    #[must_use]
    pub fn and(&self, other: &Range) -> Range {
        Range::pairs(
            self,
            other,
            |a, b| a & b,
            || {
                let (_, a) = self.unsigned();
                let (_, b) = other.unsigned();
                let bounded = Range::between(0, a.min(b));
                if let Some(found) = masked(self, other).or_else(|| masked(other, self)) {
                    return found.meet(&bounded).unwrap_or(bounded);
                }
                bounded
            },
        )
    }

    /// Bitwise or.
    #[must_use]
    pub fn or(&self, other: &Range) -> Range {
        Range::pairs(
            self,
            other,
            |a, b| a | b,
            || {
                if apart(self, other) {
                    return self.add(other);
                }
                let (a_low, a) = self.unsigned();
                let (b_low, b) = other.unsigned();
                let (a_bits, a_word) = self.common_low_bits();
                let (b_bits, b_word) = other.common_low_bits();
                let span = Range::between(a_low.max(b_low), filled(a | b));
                let bits = a_bits.min(b_bits);
                let word = a_word | b_word;
                let congruent = Range::congruent(word, 1u32.checked_shl(bits).unwrap_or(0));
                congruent.meet(&span).unwrap_or(span)
            },
        )
    }

    /// Bitwise exclusive or.
    #[must_use]
    pub fn xor(&self, other: &Range) -> Range {
        Range::pairs(
            self,
            other,
            |a, b| a ^ b,
            || {
                if other.single() == Some(u32::MAX) {
                    return self.not();
                }
                let (_, a) = self.unsigned();
                let (_, b) = other.unsigned();
                Range::between(0, filled(a | b))
            },
        )
    }

    /// Low halves of products.
    #[must_use]
    pub fn multiply(&self, other: &Range) -> Range {
        Range::pairs(self, other, u32::wrapping_mul, || {
            let (a_low, a) = self.unsigned();
            let (b_low, b) = other.unsigned();
            // Over zero, multiples do not keep their distance from the least one.
            let stride = match (self.single(), other.single()) {
                (Some(factor), None) if other.low == b_low => other.stride.checked_mul(factor),
                (None, Some(factor)) if self.low == a_low => self.stride.checked_mul(factor),
                _ => Some(1),
            };
            match (a.checked_mul(b), stride) {
                (Some(high), Some(stride)) => {
                    Range::strided(a_low * b_low, high - a_low * b_low, stride)
                }
                _ => Range::TOP,
            }
        })
    }

    /// `compute` of all words, for each of the amounts by which they may be shifted.
    pub fn by_amount(&self, amount: &Range, compute: impl Fn(&Range, u32) -> Range) -> Range {
        // Amounts beyond 64 do what 64 does.
        let Some(amounts) = amount.values(FEW_MAX) else {
            return (0..=64)
                .map(|amount| compute(self, amount))
                .reduce(|a, b| a.join(&b))
                .unwrap_or(Range::TOP);
        };
        amounts
            .iter()
            .map(|&amount| compute(self, amount))
            .reduce(|a, b| a.join(&b))
            .unwrap_or(Range::TOP)
    }

    /// Every word by `compute`; `otherwise` where there are too many.
    pub fn each(&self, compute: impl Fn(u32) -> u32, otherwise: impl FnOnce() -> Range) -> Range {
        match self.values(FEW_MAX * 4) {
            Some(values) => Range::of(values.into_iter().map(compute).collect()),
            None => otherwise(),
        }
    }

    /// Shifts to the left by a constant; 32 and more give 0.
    #[must_use]
    pub fn shift_left(&self, amount: u32) -> Range {
        if amount == 0 {
            return self.clone();
        }
        let shift = |value: u32| value.checked_shl(amount).unwrap_or(0);
        self.each(shift, || {
            if amount >= 32 {
                return Range::constant(0);
            }
            let (low, high) = self.unsigned();
            if high.leading_zeros() >= amount {
                let stride = if self.low == low { self.stride } else { 1 };
                return Range::strided(low << amount, (high - low) << amount, stride << amount);
            }
            let stride = even_part(self.stride);
            Range::congruent(shift(self.low), shift(stride))
        })
    }

    /// Shifts to the right, with zeros, by a constant; 32 and more give 0.
    #[must_use]
    pub fn shift_right(&self, amount: u32) -> Range {
        let shift = |value: u32| value.checked_shr(amount).unwrap_or(0);
        self.each(shift, || {
            let (low, high) = self.unsigned();
            let exact = amount < 32 && low == self.low && self.stride.is_multiple_of(1 << amount);
            let stride = if exact { self.stride >> amount } else { 1 };
            Range::strided(shift(low), shift(high) - shift(low), stride)
        })
    }

    /// Shifts to the right, with the sign, by a constant.
    #[must_use]
    pub fn shift_right_signed(&self, amount: u32) -> Range {
        let amount = amount.min(31);
        let shift = |value: u32| (value as i32 >> amount) as u32;
        self.each(shift, || {
            let (low, high) = self.signed();
            Range::between(shift(low as u32), shift(high as u32))
        })
    }

    /// Rotations to the right by a constant.
    #[must_use]
    pub fn rotate_right(&self, amount: u32) -> Range {
        if amount.is_multiple_of(32) {
            return self.clone();
        }
        self.each(|value| value.rotate_right(amount), || Range::TOP)
    }

    /// The low `bits` with their sign copied upwards.
    #[must_use]
    pub fn sign_extend(&self, bits: u32) -> Range {
        let unused = 32 - bits;
        let extend = |value: u32| ((value << unused) as i32 >> unused) as u32;
        self.each(extend, || {
            let (_, high) = self.unsigned();
            if high >> (bits - 1) == 0 {
                return self.clone();
            }
            Range::between(extend(1 << (bits - 1)), extend((1 << (bits - 1)) - 1))
        })
    }
}

/// All bits below the highest one of `value`.
const fn filled(value: u32) -> u32 {
    match value.leading_zeros() {
        32 => 0,
        zeros => u32::MAX >> zeros,
    }
}

/// Whether `a` and `b` have no bit in common: one lies below the stride of the other.
fn apart(a: &Range, b: &Range) -> bool {
    let below = |a: &Range, b: &Range| {
        let (bits, word) = b.common_low_bits();
        let (_, high) = a.unsigned();
        let mask = 1u32.checked_shl(bits).unwrap_or(0).wrapping_sub(1);
        word & filled(high) == 0 && filled(high) <= mask
    };
    below(a, b) || below(b, a)
}

/// `range & mask`, where the mask is one word: of low bits that are known, or one that clears low bits only.
fn masked(range: &Range, mask: &Range) -> Option<Range> {
    let mask = mask.single()?;
    let (bits, word) = range.common_low_bits();
    let known = 1u32.checked_shl(bits).unwrap_or(0).wrapping_sub(1);
    if mask & !known == 0 {
        return Some(Range::constant(word & mask));
    }
    let clears = (!mask).wrapping_add(1);
    if clears.is_power_of_two() && !mask == clears - 1 {
        let (low, high) = range.unsigned();
        let stride = if range.stride.is_multiple_of(clears) && range.low == low {
            range.stride
        } else {
            clears
        };
        return Some(Range::strided(
            low & mask,
            (high & mask) - (low & mask),
            stride,
        ));
    }
    // The known bits of the range, and multiples of the lowest bit of the mask.
    let step = even_part(mask);
    let steady = known & mask;
    let stride = even_part(mask & !known).max(step);
    Some(Range::congruent(word & steady, stride))
}
