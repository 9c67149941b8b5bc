//! Branches and traps (manual: "Branch instructions", "Trap instructions").

use super::exception::{Exception, ProgramCause};
use super::integer::signed;
use super::{PowerPcSemantics, condition};

encodings! {
    "b", "010010 iiiiiiiiiiiiiiiiiiiiiiii a l", Branch, "b{l}{a} target", branch(; i, a, l);
    "bc", "010000 qqqqq ccccc iiiiiiiiiiiiii a l", Branch, "bc{l}{a} BO, BI, target", branch_conditional(; q, c, i, a, l);
    "bclr", "010011 qqqqq ccccc zzzzz 0000010000 l", Branch, "bclr{l} BO, BI", branch_to_link(; q, c, l);
    "bcctr", "010011 qqqqq ccccc zzzzz 1000010000 l", Branch, "bcctr{l} BO, BI", branch_to_count(; q, c, l);
    "tw", "011111 ttttt aaaaa bbbbb 0000000100 z", Trap, "tw TO, rA, rB", trap(; t, a, b);
    "twi", "000011 ttttt aaaaa iiiiiiiiiiiiiiii", Trap, "twi TO, rA, i", trap_immediate(; t, a, i);
}

/// BO: count without looking at the condition.
const IGNORE_CONDITION: u32 = 0x10;
const CONDITION_TRUE: u32 = 8;
const IGNORE_COUNT: u32 = 4;
const COUNT_ZERO: u32 = 2;

#[inline(always)]
fn relative_or_absolute<S: PowerPcSemantics>(s: &S, offset: u32, absolute: u32) -> u32 {
    if absolute != 0 {
        offset
    } else {
        s.address().wrapping_add(offset)
    }
}

#[inline(always)]
fn link<S: PowerPcSemantics>(s: &mut S, link: u32) {
    if link != 0 {
        let next = s.word(s.address().wrapping_add(4));
        s.set_link(next);
    }
}

#[inline(always)]
fn branch<S: PowerPcSemantics>(s: &mut S, offset: u32, absolute: u32, linked: u32) {
    let offset = ((offset << 8) as i32 >> 6) as u32;
    let target = relative_or_absolute(s, offset, absolute);
    link(s, linked);
    let target = s.word(target);
    s.branch(target);
}

/// Whether a conditional branch is taken; counts CTR down where BO says so.
#[inline(always)]
fn taken<S: PowerPcSemantics>(s: &mut S, options: u32, bit: u32) -> S::Flag {
    let counted = if options & IGNORE_COUNT == 0 {
        let count = s.count();
        let minus_one = s.word(u32::MAX);
        let count = s.add(count, minus_one);
        s.set_count(count);
        let zero = s.is_zero(count);
        if options & COUNT_ZERO != 0 {
            zero
        } else {
            s.flag_not(zero)
        }
    } else {
        s.flag(true)
    };
    if options & IGNORE_CONDITION != 0 {
        return counted;
    }
    let bit = s.condition(bit);
    let holds = if options & CONDITION_TRUE != 0 {
        bit
    } else {
        s.flag_not(bit)
    };
    s.flag_and(counted, holds)
}

#[inline(always)]
fn branch_conditional<S: PowerPcSemantics>(
    s: &mut S,
    options: u32,
    bit: u32,
    offset: u32,
    absolute: u32,
    linked: u32,
) {
    let target = relative_or_absolute(s, signed(offset << 2), absolute);
    let taken = taken(s, options, bit);
    link(s, linked);
    s.when(taken, |s| {
        let target = s.word(target);
        s.branch(target);
    });
}

#[inline(always)]
fn branch_to_link<S: PowerPcSemantics>(s: &mut S, options: u32, bit: u32, linked: u32) {
    let target = s.link();
    branch_to(s, target, options, bit, linked);
}

/// Counting down the very register that holds the target is an invalid form: illegal.
#[inline(always)]
fn branch_to_count<S: PowerPcSemantics>(s: &mut S, options: u32, bit: u32, linked: u32) {
    if options & IGNORE_COUNT == 0 {
        return s.exception(Exception::Program(ProgramCause::Illegal));
    }
    let target = s.count();
    branch_to(s, target, options, bit, linked);
}

#[inline(always)]
fn branch_to<S: PowerPcSemantics>(s: &mut S, target: S::Word, options: u32, bit: u32, linked: u32) {
    let aligned = s.word(!3);
    let target = s.and(target, aligned);
    let taken = taken(s, options, bit);
    link(s, linked);
    s.when(taken, |s| s.branch(target));
}

#[inline(always)]
fn trap<S: PowerPcSemantics>(s: &mut S, options: u32, a: u32, b: u32) {
    let second = s.register(b);
    trap_if(s, options, a, second);
}

#[inline(always)]
fn trap_immediate<S: PowerPcSemantics>(s: &mut S, options: u32, a: u32, immediate: u32) {
    let second = s.word(signed(immediate));
    trap_if(s, options, a, second);
}

/// TO: 16 less, 8 greater, 4 equal, 2 less unsigned, 1 greater unsigned.
#[inline(always)]
fn trap_if<S: PowerPcSemantics>(s: &mut S, options: u32, a: u32, second: S::Word) {
    let first = s.register(a);
    let mut holds = s.flag(false);
    let mut or = |s: &mut S, option: u32, condition: S::Flag| {
        if options & option != 0 {
            holds = s.flag_or(holds, condition);
        }
    };
    let less = condition::less_signed(s, first, second);
    or(s, 16, less);
    let greater = condition::less_signed(s, second, first);
    or(s, 8, greater);
    let difference = s.xor(first, second);
    let equal = s.is_zero(difference);
    or(s, 4, equal);
    let at_least = condition::at_least(s, first, second);
    let below = s.flag_not(at_least);
    or(s, 2, below);
    let at_most = condition::at_least(s, second, first);
    let above = s.flag_not(at_most);
    or(s, 1, above);
    s.when(holds, |s| {
        s.exception(Exception::Program(ProgramCause::Trap))
    });
}
