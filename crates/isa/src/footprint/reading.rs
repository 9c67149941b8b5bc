//! The reading itself: values are known constants, registers with offsets, or mixtures.

use super::{Footprint, Known, Leave, MemoryAccess, Slots};
use crate::{PlainSemantics, Semantics, Values};
use socscope_memory::{Direction, Width};

/// What the reading asks an architecture.
pub trait Footprinted {
    /// Exceptions that an instruction can raise.
    type Exception;
    /// Reads the entry of an exception.
    fn enter(reading: &mut FootprintReading<Self>)
    where
        Self: Sized;
}

/// The reading of one instruction.
#[derive(Debug)]
pub struct FootprintReading<A> {
    /// What the architecture needs to know of the core.
    pub core: A,
    address: u32,
    /// What was found so far.
    pub found: Footprint,
    /// Conditions around, that may or may not hold.
    unsure: u32,
}

impl<A: Footprinted> FootprintReading<A> {
    /// Reads the instruction at an address.
    pub fn new(core: A, address: u32) -> FootprintReading<A> {
        let found = Footprint {
            goes_on: true,
            ..Footprint::default()
        };
        FootprintReading {
            core,
            address,
            found,
            unsure: 0,
        }
    }

    /// A value that is read from a place, or from several that cannot be told apart.
    pub fn reads(&mut self, slots: Slots) -> Known {
        self.found.reads = self.found.reads.union(slots);
        Known::Mixed(slots)
    }

    /// A value that is read from a place.
    pub fn read(&mut self, slot: u32) -> Known {
        self.reads(Slots::one(slot));
        Known::Slot(slot, 0)
    }

    /// A truth value that is read from a place.
    pub fn read_flag(&mut self, slot: u32) -> Option<bool> {
        self.reads(Slots::one(slot));
        None
    }

    /// A place may change.
    pub fn writes(&mut self, slot: u32) {
        self.found.writes = self.found.writes.union(Slots::one(slot));
    }

    /// A place gets a value.
    pub fn write(&mut self, slot: u32, value: Known) {
        if let (Known::Constant(value), 0) = (value, self.unsure) {
            self.found.constants.push((slot, value));
        }
        self.writes(slot);
    }

    /// What the exception finds, and what it leaves.
    pub fn fault(&mut self) {
        self.found.may_fault = true;
        // Which exception it is is not known.
        self.unsure += 1;
        A::enter(self);
        self.unsure -= 1;
    }

    /// It leaves, unless a condition around does not hold.
    pub fn leave(&mut self, leave: Leave) {
        self.found.leave = Some(leave);
        if self.unsure == 0 {
            self.found.goes_on = false;
        }
    }

    fn access(&mut self, address: Known, width: Width, direction: Direction) -> Option<bool> {
        self.found.accesses.push(MemoryAccess {
            address,
            width,
            direction,
        });
        None
    }
}

fn logical(
    a: Option<bool>,
    b: Option<bool>,
    compute: impl FnOnce(bool, bool) -> bool,
) -> Option<bool> {
    Some(compute(a?, b?))
}

impl<A: Footprinted> Values for FootprintReading<A> {
    type Word = Known;
    /// A truth value that is known, or not.
    type Flag = Option<bool>;

    fn word(&mut self, value: u32) -> Known {
        Known::Constant(value)
    }
    fn flag(&mut self, value: bool) -> Option<bool> {
        Some(value)
    }

    fn and(&mut self, a: Known, b: Known) -> Known {
        a.computed(b, |a, b| a & b)
    }
    fn or(&mut self, a: Known, b: Known) -> Known {
        a.computed(b, |a, b| a | b)
    }
    fn xor(&mut self, a: Known, b: Known) -> Known {
        a.computed(b, |a, b| a ^ b)
    }
    fn not(&mut self, a: Known) -> Known {
        a.computed(Known::Constant(0), |a, _| !a)
    }
    fn add(&mut self, a: Known, b: Known) -> Known {
        a.sum(b)
    }
    fn add_with_carry(
        &mut self,
        a: Known,
        b: Known,
        carry: Option<bool>,
    ) -> (Known, Option<bool>, Option<bool>) {
        let result = match carry {
            Some(carry) => a.sum(b).sum(Known::Constant(u32::from(carry))),
            None => a.mixed(b),
        };
        (result, None, None)
    }
    fn multiply(&mut self, a: Known, b: Known) -> Known {
        a.mixed(b)
    }
    fn multiply_high(&mut self, a: Known, b: Known, _signed: bool) -> Known {
        a.mixed(b)
    }
    fn shift_left(&mut self, a: Known, amount: Known) -> Known {
        a.computed(amount, |a, amount| a.checked_shl(amount).unwrap_or(0))
    }
    fn shift_right(&mut self, a: Known, amount: Known) -> Known {
        a.computed(amount, |a, amount| a.checked_shr(amount).unwrap_or(0))
    }
    fn shift_right_signed(&mut self, a: Known, amount: Known) -> Known {
        a.computed(amount, |a, amount| (a as i32 >> amount.min(31)) as u32)
    }
    fn rotate_right(&mut self, a: Known, amount: Known) -> Known {
        a.computed(amount, |a, amount| a.rotate_right(amount & 31))
    }
    fn sign_extend(&mut self, a: Known, _width: Width) -> Known {
        a.mixed(Known::Constant(0))
    }

    fn is_zero(&mut self, a: Known) -> Option<bool> {
        match a {
            Known::Constant(a) => Some(a == 0),
            _ => None,
        }
    }
    fn bit(&mut self, a: Known, index: u32) -> Option<bool> {
        match a {
            Known::Constant(a) => Some(a >> index & 1 != 0),
            _ => None,
        }
    }
    fn flag_word(&mut self, flag: Option<bool>) -> Known {
        flag.map_or(Known::Mixed(Slots::NONE), |flag| {
            Known::Constant(u32::from(flag))
        })
    }
    fn flag_not(&mut self, a: Option<bool>) -> Option<bool> {
        a.map(|a| !a)
    }
    fn flag_and(&mut self, a: Option<bool>, b: Option<bool>) -> Option<bool> {
        logical(a, b, |a, b| a & b)
    }
    fn flag_or(&mut self, a: Option<bool>, b: Option<bool>) -> Option<bool> {
        logical(a, b, |a, b| a | b)
    }
    fn flag_xor(&mut self, a: Option<bool>, b: Option<bool>) -> Option<bool> {
        logical(a, b, |a, b| a ^ b)
    }
    fn select(&mut self, condition: Option<bool>, a: Known, b: Known) -> Known {
        match condition {
            Some(true) => a,
            Some(false) => b,
            None => a.mixed(b),
        }
    }
    fn when(&mut self, condition: Option<bool>, body: impl FnOnce(&mut Self)) {
        match condition {
            Some(true) => body(self),
            Some(false) => {}
            None => {
                self.unsure += 1;
                body(self);
                self.unsure -= 1;
            }
        }
    }
}

impl<A: Footprinted> Semantics for FootprintReading<A> {
    type Exception = A::Exception;

    fn address(&self) -> u32 {
        self.address
    }

    fn load(&mut self, address: Known, width: Width) -> (Known, Option<bool>) {
        let arrived = self.access(address, width, Direction::Read);
        (address.mixed(Known::Constant(0)), arrived)
    }
    fn store(&mut self, address: Known, width: Width, _value: Known) -> Option<bool> {
        self.access(address, width, Direction::Write)
    }

    fn branch(&mut self, target: Known) {
        self.leave(Leave::Branch(target));
    }
    fn exception(&mut self, _: A::Exception) {
        self.fault();
        if self.unsure == 0 {
            self.leave(Leave::Exception);
        }
    }

    fn mark(&mut self, number: u32) {
        self.found.mark = Some(number);
    }
}

impl<A: Footprinted<Exception = u8>> PlainSemantics for FootprintReading<A> {
    fn slot(&mut self, slot: u32) -> Known {
        self.read(slot)
    }
    fn set_slot(&mut self, slot: u32, value: Known) {
        self.write(slot, value);
    }
    fn return_to(&mut self, _target: Known) {
        self.leave(Leave::Return);
    }
    fn wait(&mut self) {}
}
