//! CLZ (manual: "Miscellaneous arithmetic instructions"), of version 5.

use super::{ArmSemantics, read, write};

encodings! {
    since V5TEJ;
    "CLZ", "cccc 00010110 oooo dddd oooo 0001 mmmm", Data, "CLZ{c} Rd, Rm", count_leading_zeros(; d, m);
}

/// Number of zeros before the first one; 32 for 0.
#[inline(always)]
fn count_leading_zeros<S: ArmSemantics>(s: &mut S, d: u32, m: u32) {
    let mut value = read(s, m);
    let mut count = s.word(0);
    for zeros in [16, 8, 4, 2, 1] {
        let (step, rest) = (s.word(zeros), s.word(32 - zeros));
        let first = s.shift_right(value, rest);
        let none = s.is_zero(first);
        let (shifted, more) = (s.shift_left(value, step), s.add(count, step));
        value = s.select(none, shifted, value);
        count = s.select(none, more, count);
    }
    // Of 0 a bit is left, which is no one.
    let zero = s.is_zero(value);
    let zero = s.flag_word(zero);
    let count = s.add(count, zero);
    write(s, d, count);
}
