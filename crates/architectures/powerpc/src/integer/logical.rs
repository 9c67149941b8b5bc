//! Logic (manual: "Integer logical instructions").

use super::finish;
use crate::PowerPcSemantics;
use socscope_memory::Width;

encodings! {
    "andi.", "011100 sssss aaaaa iiiiiiiiiiiiiiii", Integer, "andi. rA, rS, i", immediate(Operation::And, 0, 1; s, a, i);
    "andis.", "011101 sssss aaaaa iiiiiiiiiiiiiiii", Integer, "andis. rA, rS, i", immediate(Operation::And, 16, 1; s, a, i);
    "ori", "011000 sssss aaaaa iiiiiiiiiiiiiiii", Integer, "ori rA, rS, i", immediate(Operation::Or, 0, 0; s, a, i);
    "oris", "011001 sssss aaaaa iiiiiiiiiiiiiiii", Integer, "oris rA, rS, i", immediate(Operation::Or, 16, 0; s, a, i);
    "xori", "011010 sssss aaaaa iiiiiiiiiiiiiiii", Integer, "xori rA, rS, i", immediate(Operation::Xor, 0, 0; s, a, i);
    "xoris", "011011 sssss aaaaa iiiiiiiiiiiiiiii", Integer, "xoris rA, rS, i", immediate(Operation::Xor, 16, 0; s, a, i);
    "and", "011111 sssss aaaaa bbbbb 0000011100 r", Integer, "and{.} rA, rS, rB", logic(Operation::And, Invert::Nothing; s, a, b, r);
    "or", "011111 sssss aaaaa bbbbb 0110111100 r", Integer, "or{.} rA, rS, rB", logic(Operation::Or, Invert::Nothing; s, a, b, r);
    "xor", "011111 sssss aaaaa bbbbb 0100111100 r", Integer, "xor{.} rA, rS, rB", logic(Operation::Xor, Invert::Nothing; s, a, b, r);
    "nand", "011111 sssss aaaaa bbbbb 0111011100 r", Integer, "nand{.} rA, rS, rB", logic(Operation::And, Invert::Result; s, a, b, r);
    "nor", "011111 sssss aaaaa bbbbb 0001111100 r", Integer, "nor{.} rA, rS, rB", logic(Operation::Or, Invert::Result; s, a, b, r);
    "eqv", "011111 sssss aaaaa bbbbb 0100011100 r", Integer, "eqv{.} rA, rS, rB", logic(Operation::Xor, Invert::Result; s, a, b, r);
    "andc", "011111 sssss aaaaa bbbbb 0000111100 r", Integer, "andc{.} rA, rS, rB", logic(Operation::And, Invert::Second; s, a, b, r);
    "orc", "011111 sssss aaaaa bbbbb 0110011100 r", Integer, "orc{.} rA, rS, rB", logic(Operation::Or, Invert::Second; s, a, b, r);
    "extsb", "011111 sssss aaaaa zzzzz 1110111010 r", Integer, "extsb{.} rA, rS", extend_sign(Width::Byte; s, a, r);
    "extsh", "011111 sssss aaaaa zzzzz 1110011010 r", Integer, "extsh{.} rA, rS", extend_sign(Width::Half; s, a, r);
    "cntlzw", "011111 sssss aaaaa zzzzz 0000011010 r", Integer, "cntlzw{.} rA, rS", count_leading_zeros(; s, a, r);
}

#[derive(Clone, Copy)]
enum Operation {
    And,
    Or,
    Xor,
}

#[derive(Clone, Copy, PartialEq)]
enum Invert {
    Nothing,
    Second,
    Result,
}

impl Operation {
    #[inline(always)]
    fn apply<S: PowerPcSemantics>(self, s: &mut S, a: S::Word, b: S::Word) -> S::Word {
        match self {
            Operation::And => s.and(a, b),
            Operation::Or => s.or(a, b),
            Operation::Xor => s.xor(a, b),
        }
    }
}

#[inline(always)]
fn immediate<S: PowerPcSemantics>(
    s: &mut S,
    operation: Operation,
    shift: u32,
    rc: u32,
    from: u32,
    a: u32,
    immediate: u32,
) {
    let second = s.word(immediate << shift);
    let first = s.register(from);
    let result = operation.apply(s, first, second);
    finish(s, a, rc, result);
}

#[inline(always)]
fn logic<S: PowerPcSemantics>(
    s: &mut S,
    operation: Operation,
    invert: Invert,
    from: u32,
    a: u32,
    b: u32,
    rc: u32,
) {
    let first = s.register(from);
    let mut second = s.register(b);
    if invert == Invert::Second {
        second = s.not(second);
    }
    let mut result = operation.apply(s, first, second);
    if invert == Invert::Result {
        result = s.not(result);
    }
    finish(s, a, rc, result);
}

#[inline(always)]
fn extend_sign<S: PowerPcSemantics>(s: &mut S, width: Width, from: u32, a: u32, rc: u32) {
    let value = s.register(from);
    let result = s.sign_extend(value, width);
    finish(s, a, rc, result);
}

#[inline(always)]
fn count_leading_zeros<S: PowerPcSemantics>(s: &mut S, from: u32, a: u32, rc: u32) {
    let value = s.register(from);
    let result = s.leading_zeros(value);
    finish(s, a, rc, result);
}
