//! What an instruction may touch, said without executing it and without its opcode: every architecture makes it by a reading of its
//! semantic functions.

mod reading;

pub use reading::{FootprintReading, Footprinted};
use socscope_memory::{Direction, Width};

/// Places that a set can hold.
const SLOTS: u32 = 192;

/// A set of an architecture's places for values: registers, condition bits, and one for all that has no place of its own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Slots([u64; (SLOTS / 64) as usize]);

impl Slots {
    /// No place.
    pub const NONE: Slots = Slots([0; (SLOTS / 64) as usize]);

    /// Every place.
    pub const ALL: Slots = Slots([u64::MAX; (SLOTS / 64) as usize]);

    /// The places from `first` on.
    pub const fn range(first: u32, count: u32) -> Slots {
        let mut found = Slots::NONE;
        let mut slot = first;
        while slot < first + count {
            found.0[(slot / 64) as usize] |= 1 << (slot % 64);
            slot += 1;
        }
        found
    }

    /// One place.
    pub const fn one(slot: u32) -> Slots {
        Slots::range(slot, 1)
    }

    /// Whether a place is in the set.
    pub const fn contains(self, slot: u32) -> bool {
        self.0[(slot / 64) as usize] >> (slot % 64) & 1 != 0
    }

    /// The places of both.
    #[must_use]
    pub const fn union(self, other: Slots) -> Slots {
        let mut found = self;
        let mut at = 0;
        while at < found.0.len() {
            found.0[at] |= other.0[at];
            at += 1;
        }
        found
    }

    /// The places that are not in `other`.
    #[must_use]
    pub const fn without(self, other: Slots) -> Slots {
        let mut found = self;
        let mut at = 0;
        while at < found.0.len() {
            found.0[at] &= !other.0[at];
            at += 1;
        }
        found
    }

    /// All places in the set.
    pub fn iter(self) -> impl Iterator<Item = u32> {
        (0..SLOTS).filter(move |&slot| self.contains(slot))
    }
}

/// A value as far as it is known without executing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Known {
    /// Always this.
    Constant(u32),
    /// What a place held before the instruction, plus a constant.
    Slot(u32, u32),
    /// A function of what these places held, and of memory.
    Mixed(Slots),
}

impl Known {
    /// The places that it depends on.
    pub const fn slots(self) -> Slots {
        match self {
            Known::Constant(_) => Slots::NONE,
            Known::Slot(slot, _) => Slots::one(slot),
            Known::Mixed(slots) => slots,
        }
    }

    /// Some function of both.
    #[must_use]
    pub const fn mixed(self, other: Known) -> Known {
        Known::Mixed(self.slots().union(other.slots()))
    }

    /// The sum.
    #[must_use]
    pub const fn sum(self, other: Known) -> Known {
        match (self, other) {
            (Known::Constant(a), Known::Constant(b)) => Known::Constant(a.wrapping_add(b)),
            (Known::Slot(slot, a), Known::Constant(b))
            | (Known::Constant(a), Known::Slot(slot, b)) => Known::Slot(slot, a.wrapping_add(b)),
            _ => self.mixed(other),
        }
    }

    /// A function of two constants, where they are known.
    #[must_use]
    pub fn computed(self, other: Known, compute: impl FnOnce(u32, u32) -> u32) -> Known {
        match (self, other) {
            (Known::Constant(a), Known::Constant(b)) => Known::Constant(compute(a, b)),
            _ => self.mixed(other),
        }
    }
}

/// How an instruction leaves its sequence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Leave {
    /// To an address.
    Branch(Known),
    /// To where an exception came from.
    Return,
    /// To a vector.
    Exception,
}

/// One access to memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MemoryAccess {
    /// Where.
    pub address: Known,
    /// How much.
    pub width: Width,
    /// Which way.
    pub direction: Direction,
}

/// What an instruction may touch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Footprint {
    /// Places whose values matter.
    pub reads: Slots,
    /// Places that may change.
    pub writes: Slots,
    /// Places that are set to constants.
    pub constants: Vec<(u32, u32)>,
    /// Memory accesses in order; those that depend on values are all there.
    pub accesses: Vec<MemoryAccess>,
    /// How it may leave.
    pub leave: Option<Leave>,
    /// Whether it may also go on with the next instruction.
    pub goes_on: bool,
    /// Whether it may take an exception although it mostly does not.
    pub may_fault: bool,
    /// The number of a magic instruction.
    pub mark: Option<u32>,
}

impl Footprint {
    /// Whether it puts `value` into a place.
    pub fn sets(&self, slot: u32, value: u32) -> bool {
        self.constants.contains(&(slot, value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_hold_what_was_put_into_them() {
        let set = Slots::range(62, 4).union(Slots::one(191));
        assert_eq!(set.iter().collect::<Vec<_>>(), [62, 63, 64, 65, 191]);
        assert!(set.contains(64) && !set.contains(61));
    }

    #[test]
    fn a_sum_keeps_the_place_that_it_is_counted_from() {
        let four = Known::Constant(4);
        assert_eq!(Known::Slot(3, 8).sum(four), Known::Slot(3, 12));
        assert_eq!(
            Known::Slot(3, 0).sum(Known::Slot(5, 0)).slots(),
            Slots::one(3).union(Slots::one(5))
        );
        assert_eq!(four.computed(four, |a, b| a & b), four);
    }
}
