//! Sets of 32-bit words: a few listed ones, or a strided span that may cross zero.

mod bits;

/// Sets up to this size are listed and computed with one by one.
const FEW_MAX: usize = 256;
/// Pairs of operands that are computed one by one.
const PAIRS_MAX: u64 = 1024;

/// A set of words that is never empty.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Range {
    /// The smallest span (modulo 2^32) found for the set.
    low: u32,
    /// Distance from the first to the last element.
    extent: u32,
    /// Distance between neighbours; divides `extent`; 1 where that is 0.
    stride: u32,
    /// The elements, in ascending order, where they are few and do not fill the span.
    few: Option<Box<[u32]>>,
}

fn greatest_common_divisor(mut a: u32, mut b: u32) -> u32 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// The largest power of two that divides `a`; 0 for 0.
const fn even_part(a: u32) -> u32 {
    a & a.wrapping_neg()
}

/// `low` to `high` going upwards, over zero where `high` is smaller: (first, distance).
const fn arc(low: u32, high: u32) -> (u32, u32) {
    (low, high.wrapping_sub(low))
}

impl Range {
    /// All words.
    pub const TOP: Range = Range {
        low: 0,
        extent: u32::MAX,
        stride: 1,
        few: None,
    };

    /// One word.
    pub const fn constant(value: u32) -> Range {
        Range {
            low: value,
            extent: 0,
            stride: 1,
            few: None,
        }
    }

    /// All words from `low` up to `high`, over zero where `high` is smaller.
    pub const fn between(low: u32, high: u32) -> Range {
        let (low, extent) = arc(low, high);
        Range {
            low,
            extent,
            stride: 1,
            few: None,
        }
    }

    /// `low`, `low + stride`, ... as far as `extent` reaches.
    pub const fn strided(low: u32, extent: u32, stride: u32) -> Range {
        let stride = if stride == 0 { 1 } else { stride };
        let extent = extent - extent % stride;
        Range {
            low,
            extent,
            stride: if extent == 0 { 1 } else { stride },
            few: None,
        }
    }

    /// All words whose bits below `stride` (a power of two) are those of `low`; 0 stands for 2^32.
    const fn congruent(low: u32, stride: u32) -> Range {
        if stride == 0 {
            return Range::constant(low);
        }
        Range::strided(low & (stride - 1), u32::MAX, stride)
    }

    /// The set of `values`, which are not empty.
    pub fn of(mut values: Vec<u32>) -> Range {
        values.sort_unstable();
        values.dedup();
        let count = values.len();
        // The span begins behind the widest gap.
        let (_, start) = (0..count)
            .map(|at| {
                let before = values[(at + count - 1) % count];
                (values[at].wrapping_sub(before), at)
            })
            .max_by_key(|&(gap, at)| (gap, std::cmp::Reverse(at)))
            .unwrap_or((0, 0));
        let low = values[start];
        let last = values[(start + count - 1) % count];
        let extent = last.wrapping_sub(low);
        let stride = values.iter().fold(0, |stride, value| {
            greatest_common_divisor(stride, value.wrapping_sub(low))
        });
        let mut range = Range::strided(low, extent, stride);
        if count <= FEW_MAX && range.count() != count as u64 {
            range.few = Some(values.into());
        }
        range
    }

    /// Number of words in it.
    pub fn count(&self) -> u64 {
        match &self.few {
            Some(few) => few.len() as u64,
            None => u64::from(self.extent / self.stride) + 1,
        }
    }

    /// Its only word.
    pub fn single(&self) -> Option<u32> {
        (self.extent == 0).then_some(self.low)
    }

    /// Whether it says nothing.
    pub fn is_top(&self) -> bool {
        self.extent == u32::MAX
    }

    /// All its words, where there are no more than `most`.
    pub fn values(&self, most: usize) -> Option<Vec<u32>> {
        if self.count() > most as u64 {
            return None;
        }
        Some(match &self.few {
            Some(few) => few.to_vec(),
            None => (0..=self.extent / self.stride)
                .map(|at| self.low.wrapping_add(at * self.stride))
                .collect(),
        })
    }

    /// Whether `value` is in it.
    pub fn contains(&self, value: u32) -> bool {
        let distance = value.wrapping_sub(self.low);
        match &self.few {
            Some(few) => few.binary_search(&value).is_ok(),
            None => distance <= self.extent && distance.is_multiple_of(self.stride),
        }
    }

    /// Least and greatest word, unsigned.
    pub fn unsigned(&self) -> (u32, u32) {
        match self.low.checked_add(self.extent) {
            Some(high) => (self.low, high),
            None => match &self.few {
                Some(few) => (few[0], few[few.len() - 1]),
                None => {
                    // Over zero: the least is the first one behind it, the greatest the last one before it.
                    let least = even_offset(self.low, self.stride);
                    let span = u32::MAX - self.low;
                    (least, self.low + span / self.stride * self.stride)
                }
            },
        }
    }

    /// Least and greatest word, signed.
    pub fn signed(&self) -> (i32, i32) {
        let turned = self.shifted(1 << 31);
        let (low, high) = turned.unsigned();
        ((low ^ 1 << 31) as i32, (high ^ 1 << 31) as i32)
    }

    /// Bits that all its words have in common, from bit 0 upwards: how many, and a word that has them.
    fn common_low_bits(&self) -> (u32, u32) {
        match self.extent {
            0 => (32, self.low),
            _ => (self.stride.trailing_zeros(), self.low),
        }
    }

    /// Every word plus a constant.
    pub fn shifted(&self, by: u32) -> Range {
        let low = self.low.wrapping_add(by);
        let few = self.few.as_ref().map(|few| {
            let mut moved: Box<[u32]> = few.iter().map(|value| value.wrapping_add(by)).collect();
            moved.sort_unstable();
            moved
        });
        Range { low, few, ..*self }
    }

    fn hull(&self) -> Range {
        Range { few: None, ..*self }
    }

    /// `compute` of every pair; `otherwise` where there are too many.
    pub fn pairs(
        a: &Range,
        b: &Range,
        compute: impl Fn(u32, u32) -> u32,
        otherwise: impl FnOnce() -> Range,
    ) -> Range {
        if a.count().saturating_mul(b.count()) > PAIRS_MAX {
            return otherwise();
        }
        let (Some(left), Some(right)) = (a.values(FEW_MAX * 4), b.values(FEW_MAX * 4)) else {
            return otherwise();
        };
        let all = left
            .iter()
            .flat_map(|&a| right.iter().map(move |&b| (a, b)))
            .map(|(a, b)| compute(a, b))
            .collect();
        Range::of(all)
    }

    /// Sums.
    #[must_use]
    pub fn add(&self, other: &Range) -> Range {
        if let Some(by) = other.single() {
            return self.shifted(by);
        }
        if let Some(by) = self.single() {
            return other.shifted(by);
        }
        Range::pairs(self, other, u32::wrapping_add, || {
            let low = self.low.wrapping_add(other.low);
            let stride = greatest_common_divisor(self.stride, other.stride);
            match self.extent.checked_add(other.extent) {
                Some(extent) => Range::strided(low, extent, stride),
                None => Range::congruent(low, even_part(stride)),
            }
        })
    }

    /// Complements; the negative of a word is its complement plus one.
    #[must_use]
    pub fn not(&self) -> Range {
        let few = self.few.as_ref().map(|few| {
            let mut turned: Box<[u32]> = few.iter().map(|value| !value).collect();
            turned.sort_unstable();
            turned
        });
        Range {
            low: !self.low.wrapping_add(self.extent),
            few,
            ..*self
        }
    }

    /// Negatives.
    #[must_use]
    pub fn negative(&self) -> Range {
        self.not().shifted(1)
    }

    /// Words of both; the result holds all of them, and maybe others of `self`. `None` when there are none.
    pub fn meet(&self, other: &Range) -> Option<Range> {
        if let Some(few) = &self.few {
            let common: Vec<u32> = few.iter().copied().filter(|&v| other.contains(v)).collect();
            return (!common.is_empty()).then(|| Range::of(common));
        }
        if other.count() <= FEW_MAX as u64 && other.count() < self.count() {
            let values = other.values(FEW_MAX)?;
            let common: Vec<u32> = values.into_iter().filter(|&v| self.contains(v)).collect();
            return (!common.is_empty()).then(|| Range::of(common));
        }
        let from = other.low.wrapping_sub(self.low);
        let (start, end) = match from.checked_add(other.extent) {
            Some(_) if from > self.extent => return None,
            Some(to) => (from, to.min(self.extent)),
            None if from <= self.extent => (0, self.extent),
            None => (0, from.wrapping_add(other.extent).min(self.extent)),
        };
        let start = start.div_ceil(self.stride).checked_mul(self.stride)?;
        let end = end - end % self.stride;
        (start <= end)
            .then(|| Range::strided(self.low.wrapping_add(start), end - start, self.stride))
    }

    /// Without one word; `None` when nothing is left.
    pub fn without(&self, value: u32) -> Option<Range> {
        if !self.contains(value) {
            return Some(self.clone());
        }
        if let Some(few) = &self.few {
            let rest: Vec<u32> = few.iter().copied().filter(|&v| v != value).collect();
            return (!rest.is_empty()).then(|| Range::of(rest));
        }
        if self.extent == 0 {
            return None;
        }
        let (low, extent, stride) = (self.low, self.extent, self.stride);
        if value == low {
            return Some(Range::strided(
                low.wrapping_add(stride),
                extent - stride,
                stride,
            ));
        }
        if value == low.wrapping_add(extent) {
            return Some(Range::strided(low, extent - stride, stride));
        }
        Some(self.clone())
    }

    /// Words of either.
    #[must_use]
    pub fn join(&self, other: &Range) -> Range {
        if self == other {
            return self.clone();
        }
        if self.count() + other.count() <= FEW_MAX as u64
            && let (Some(mut a), Some(b)) = (self.values(FEW_MAX), other.values(FEW_MAX))
        {
            a.extend(b);
            return Range::of(a);
        }
        let (a, b) = (self.hull(), other.hull());
        let own = |range: &Range| if range.extent == 0 { 0 } else { range.stride };
        let both = greatest_common_divisor(own(&a), own(&b));
        let cover = |a: &Range, b: &Range| {
            let from = b.low.wrapping_sub(a.low);
            let extent = from.checked_add(b.extent)?.max(a.extent);
            Some((a.low, extent, greatest_common_divisor(both, from)))
        };
        match (cover(&a, &b), cover(&b, &a)) {
            (Some(first), Some(second)) if second.1 < first.1 => {
                Range::strided(second.0, second.1, second.2)
            }
            (Some(one), _) | (None, Some(one)) => Range::strided(one.0, one.1, one.2),
            (None, None) => {
                let distance = b.low.wrapping_sub(a.low);
                let stride = greatest_common_divisor(both, distance);
                Range::congruent(a.low, even_part(stride))
            }
        }
    }

    /// Words of either, and so many more that this ends soon.
    #[must_use]
    pub fn widen(&self, other: &Range) -> Range {
        let joined = self.join(other);
        if joined == *self {
            return joined;
        }
        let (low, high) = self.signed();
        let (joined_low, joined_high) = joined.signed();
        if low == joined_low && low >= 0 && high < i32::MAX && joined_high >= 0 {
            let extent = i32::MAX as u32 - low as u32;
            return Range::strided(low as u32, extent, even_part(joined.stride));
        }
        Range::congruent(joined.low, even_part(joined.stride))
    }
}

/// The first word behind zero of a span that starts at `low` and crosses it.
const fn even_offset(low: u32, stride: u32) -> u32 {
    let before = low.wrapping_neg();
    let over = before % stride;
    if over == 0 { 0 } else { stride - over }
}
