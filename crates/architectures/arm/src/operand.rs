//! The shifter operand (manual: "Addressing mode 1") and the shifts of Thumb.

use super::{ArmSemantics, read, read_late};

/// A value and the carry that the shifter gives with it.
pub(super) struct Shifted<S: ArmSemantics> {
    pub value: S::Word,
    pub carry: Carry<S>,
}

/// What a shift does to the carry; looked at only where flags are set.
pub(super) enum Carry<S: ArmSemantics> {
    /// Stays as it is.
    Kept,
    /// The last bit shifted out.
    Out(S::Flag),
    /// The last bit shifted out, unless the amount is 0.
    OutUnlessZero(S::Flag, S::Word),
}

impl<S: ArmSemantics> Carry<S> {
    #[inline(always)]
    pub(super) fn set(self, s: &mut S) {
        match self {
            Carry::Kept => {}
            Carry::Out(out) => s.set_carry(out),
            Carry::OutUnlessZero(out, amount) => {
                let unshifted = s.is_zero(amount);
                let shifted = s.flag_not(unshifted);
                s.when(shifted, |s| s.set_carry(out));
            }
        }
    }
}

/// A way to shift, as its field encodes it.
#[derive(Clone, Copy)]
pub(super) enum Shift {
    Left,
    Right,
    RightSigned,
    Rotate,
}

impl Shift {
    #[inline(always)]
    pub(super) fn from_field(field: u32) -> Shift {
        match field & 3 {
            0 => Shift::Left,
            1 => Shift::Right,
            2 => Shift::RightSigned,
            _ => Shift::Rotate,
        }
    }
}

/// An 8-bit constant rotated right by twice `rotation`; not rotated, it leaves the carry as it is.
#[inline(always)]
pub(super) fn constant<S: ArmSemantics>(s: &mut S, rotation: u32, constant: u32) -> Shifted<S> {
    let value = constant.rotate_right(2 * rotation);
    let carry = if rotation == 0 {
        Carry::Kept
    } else {
        Carry::Out(s.flag(value >> 31 != 0))
    };
    Shifted {
        value: s.word(value),
        carry,
    }
}

/// Register `m` shifted by a constant; 0 stands for 32 in right shifts and for RRX in rotations.
#[inline(always)]
pub(super) fn by_constant<S: ArmSemantics>(
    s: &mut S,
    shift: Shift,
    amount: u32,
    m: u32,
) -> Shifted<S> {
    let value = read(s, m);
    let amount = match (shift, amount) {
        (Shift::Left, 0) => {
            let carry = Carry::Kept;
            return Shifted { value, carry };
        }
        (Shift::Rotate, 0) => return rotate_with_extend(s, value),
        (_, 0) => 32,
        _ => amount,
    };
    let amount = s.word(amount);
    let (value, out) = shifted(s, shift, value, amount);
    let carry = Carry::Out(out);
    Shifted { value, carry }
}

/// Register `m` shifted by the low byte of register `by`; 0 changes neither value nor carry.
#[inline(always)]
pub(super) fn by_register<S: ArmSemantics>(s: &mut S, shift: Shift, by: u32, m: u32) -> Shifted<S> {
    let by = read_late(s, by);
    let byte = s.word(0xff);
    let amount = s.and(by, byte);
    let value = read_late(s, m);
    let (value, out) = shifted(s, shift, value, amount);
    let carry = Carry::OutUnlessZero(out, amount);
    Shifted { value, carry }
}

/// Value and last bit shifted out, for 1 to 255; for 0 the bit means nothing.
#[inline(always)]
fn shifted<S: ArmSemantics>(
    s: &mut S,
    shift: Shift,
    value: S::Word,
    amount: S::Word,
) -> (S::Word, S::Flag) {
    let last_out = |s: &mut S| {
        let minus_one = s.word(u32::MAX);
        s.add(amount, minus_one)
    };
    let (value, out) = match shift {
        Shift::Left => {
            let complement = s.not(amount);
            let thirty_three = s.word(33);
            let left_over = s.add(complement, thirty_three);
            (s.shift_left(value, amount), s.shift_right(value, left_over))
        }
        Shift::Right => {
            let last = last_out(s);
            (s.shift_right(value, amount), s.shift_right(value, last))
        }
        Shift::RightSigned => {
            let last = last_out(s);
            (
                s.shift_right_signed(value, amount),
                s.shift_right_signed(value, last),
            )
        }
        Shift::Rotate => {
            let last = last_out(s);
            (s.rotate_right(value, amount), s.rotate_right(value, last))
        }
    };
    (value, s.bit(out, 0))
}

#[inline(always)]
fn rotate_with_extend<S: ArmSemantics>(s: &mut S, value: S::Word) -> Shifted<S> {
    let carry = Carry::Out(s.bit(value, 0));
    let one = s.word(1);
    let low = s.shift_right(value, one);
    let carry_in = s.carry();
    let high = s.flag_word(carry_in);
    let thirty_one = s.word(31);
    let high = s.shift_left(high, thirty_one);
    Shifted {
        value: s.or(high, low),
        carry,
    }
}
