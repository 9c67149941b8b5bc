//! Values of a reading that executes: words and flags as they are.

use crate::Values;
use socscope_memory::Width;

/// A reading whose values are concrete; it gets its [`Values`] from here.
pub trait Concrete {}

impl<T: Concrete> Values for T {
    type Word = u32;
    type Flag = bool;

    #[inline(always)]
    fn word(&mut self, value: u32) -> u32 {
        value
    }

    #[inline(always)]
    fn flag(&mut self, value: bool) -> bool {
        value
    }

    #[inline(always)]
    fn and(&mut self, a: u32, b: u32) -> u32 {
        a & b
    }

    #[inline(always)]
    fn or(&mut self, a: u32, b: u32) -> u32 {
        a | b
    }

    #[inline(always)]
    fn xor(&mut self, a: u32, b: u32) -> u32 {
        a ^ b
    }

    #[inline(always)]
    fn not(&mut self, a: u32) -> u32 {
        !a
    }

    #[inline(always)]
    fn add(&mut self, a: u32, b: u32) -> u32 {
        a.wrapping_add(b)
    }

    #[inline(always)]
    fn add_with_carry(&mut self, a: u32, b: u32, carry: bool) -> (u32, bool, bool) {
        let (partial, first) = a.overflowing_add(b);
        let (sum, second) = partial.overflowing_add(u32::from(carry));
        let overflow = (a ^ sum) & (b ^ sum) & 1 << 31 != 0;
        (sum, first | second, overflow)
    }

    #[inline(always)]
    fn multiply(&mut self, a: u32, b: u32) -> u32 {
        a.wrapping_mul(b)
    }

    #[inline(always)]
    fn multiply_high(&mut self, a: u32, b: u32, signed: bool) -> u32 {
        let product = if signed {
            (i64::from(a as i32) * i64::from(b as i32)) as u64
        } else {
            u64::from(a) * u64::from(b)
        };
        (product >> 32) as u32
    }

    #[inline(always)]
    fn shift_left(&mut self, a: u32, amount: u32) -> u32 {
        a.checked_shl(amount).unwrap_or(0)
    }

    #[inline(always)]
    fn shift_right(&mut self, a: u32, amount: u32) -> u32 {
        a.checked_shr(amount).unwrap_or(0)
    }

    #[inline(always)]
    fn shift_right_signed(&mut self, a: u32, amount: u32) -> u32 {
        (a as i32 >> amount.min(31)) as u32
    }

    #[inline(always)]
    fn rotate_right(&mut self, a: u32, amount: u32) -> u32 {
        a.rotate_right(amount & 31)
    }

    #[inline(always)]
    fn sign_extend(&mut self, a: u32, width: Width) -> u32 {
        let unused = 32 - width.bits();
        ((a << unused) as i32 >> unused) as u32
    }

    #[inline(always)]
    fn is_zero(&mut self, a: u32) -> bool {
        a == 0
    }

    #[inline(always)]
    fn bit(&mut self, a: u32, index: u32) -> bool {
        a >> index & 1 != 0
    }

    #[inline(always)]
    fn flag_word(&mut self, flag: bool) -> u32 {
        u32::from(flag)
    }

    #[inline(always)]
    fn flag_not(&mut self, a: bool) -> bool {
        !a
    }

    #[inline(always)]
    fn flag_and(&mut self, a: bool, b: bool) -> bool {
        a & b
    }

    #[inline(always)]
    fn flag_or(&mut self, a: bool, b: bool) -> bool {
        a | b
    }

    #[inline(always)]
    fn flag_xor(&mut self, a: bool, b: bool) -> bool {
        a ^ b
    }

    #[inline(always)]
    fn select(&mut self, condition: bool, a: u32, b: u32) -> u32 {
        if condition { a } else { b }
    }

    #[inline(always)]
    fn when(&mut self, condition: bool, body: impl FnOnce(&mut Self)) {
        if condition {
            body(self);
        }
    }
}
