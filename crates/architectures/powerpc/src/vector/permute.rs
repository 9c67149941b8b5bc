//! Comparisons, instructions of four operands, and the status (manual: "Vector integer compare instructions", "Vector permute
//! instruction", "Vector status and control register instructions").

use super::compute::{Comparison, Operation, Overflow};
use super::multiply::Products;
use super::{STATUS_BITS, three, vectorial};
use crate::PowerPcSemantics;
use socscope_memory::Width;

encodings! {
    "vcmpequb", "000100 ddddd aaaaa bbbbb r 0000000110", Vector, "vcmpequb{.} vD, vA, vB", compare(Operation::Compare(Width::Byte, Comparison::Equal); d, a, b, r);
    "vcmpgtub", "000100 ddddd aaaaa bbbbb r 1000000110", Vector, "vcmpgtub{.} vD, vA, vB", compare(Operation::Compare(Width::Byte, Comparison::Greater); d, a, b, r);
    "vcmpgtsb", "000100 ddddd aaaaa bbbbb r 1100000110", Vector, "vcmpgtsb{.} vD, vA, vB", compare(Operation::Compare(Width::Byte, Comparison::GreaterSigned); d, a, b, r);
    "vcmpequh", "000100 ddddd aaaaa bbbbb r 0001000110", Vector, "vcmpequh{.} vD, vA, vB", compare(Operation::Compare(Width::Half, Comparison::Equal); d, a, b, r);
    "vcmpgtuh", "000100 ddddd aaaaa bbbbb r 1001000110", Vector, "vcmpgtuh{.} vD, vA, vB", compare(Operation::Compare(Width::Half, Comparison::Greater); d, a, b, r);
    "vcmpgtsh", "000100 ddddd aaaaa bbbbb r 1101000110", Vector, "vcmpgtsh{.} vD, vA, vB", compare(Operation::Compare(Width::Half, Comparison::GreaterSigned); d, a, b, r);
    "vcmpequw", "000100 ddddd aaaaa bbbbb r 0010000110", Vector, "vcmpequw{.} vD, vA, vB", compare(Operation::Compare(Width::Word, Comparison::Equal); d, a, b, r);
    "vcmpgtuw", "000100 ddddd aaaaa bbbbb r 1010000110", Vector, "vcmpgtuw{.} vD, vA, vB", compare(Operation::Compare(Width::Word, Comparison::Greater); d, a, b, r);
    "vcmpgtsw", "000100 ddddd aaaaa bbbbb r 1110000110", Vector, "vcmpgtsw{.} vD, vA, vB", compare(Operation::Compare(Width::Word, Comparison::GreaterSigned); d, a, b, r);
    "vmhaddshs", "000100 ddddd aaaaa bbbbb ccccc 100000", Vector, "vmhaddshs vD, vA, vB, vC", three(Operation::MultiplyHighAdd(false); d, a, b, c);
    "vmhraddshs", "000100 ddddd aaaaa bbbbb ccccc 100001", Vector, "vmhraddshs vD, vA, vB, vC", three(Operation::MultiplyHighAdd(true); d, a, b, c);
    "vmladduhm", "000100 ddddd aaaaa bbbbb ccccc 100010", Vector, "vmladduhm vD, vA, vB, vC", three(Operation::MultiplyLowAdd; d, a, b, c);
    "vmsumubm", "000100 ddddd aaaaa bbbbb ccccc 100100", Vector, "vmsumubm vD, vA, vB, vC", three(Operation::MultiplySum(Products::UnsignedBytes, Overflow::Wraps); d, a, b, c);
    "vmsummbm", "000100 ddddd aaaaa bbbbb ccccc 100101", Vector, "vmsummbm vD, vA, vB, vC", three(Operation::MultiplySum(Products::MixedBytes, Overflow::Wraps); d, a, b, c);
    "vmsumuhm", "000100 ddddd aaaaa bbbbb ccccc 100110", Vector, "vmsumuhm vD, vA, vB, vC", three(Operation::MultiplySum(Products::UnsignedHalves, Overflow::Wraps); d, a, b, c);
    "vmsumuhs", "000100 ddddd aaaaa bbbbb ccccc 100111", Vector, "vmsumuhs vD, vA, vB, vC", three(Operation::MultiplySum(Products::UnsignedHalves, Overflow::Unsigned); d, a, b, c);
    "vmsumshm", "000100 ddddd aaaaa bbbbb ccccc 101000", Vector, "vmsumshm vD, vA, vB, vC", three(Operation::MultiplySum(Products::SignedHalves, Overflow::Wraps); d, a, b, c);
    "vmsumshs", "000100 ddddd aaaaa bbbbb ccccc 101001", Vector, "vmsumshs vD, vA, vB, vC", three(Operation::MultiplySum(Products::SignedHalves, Overflow::Signed); d, a, b, c);
    "vsel", "000100 ddddd aaaaa bbbbb ccccc 101010", Vector, "vsel vD, vA, vB, vC", three(Operation::Select; d, a, b, c);
    "vperm", "000100 ddddd aaaaa bbbbb ccccc 101011", Vector, "vperm vD, vA, vB, vC", three(Operation::Permute; d, a, b, c);
    "vsldoi", "000100 ddddd aaaaa bbbbb z nnnn 101100", Vector, "vsldoi vD, vA, vB, n", shift_double(; d, a, b, n);
    "mfvscr", "000100 ddddd zzzzz zzzzz 11000000100", Vector, "mfvscr vD", move_from_status(; d);
    "mtvscr", "000100 zzzzz zzzzz bbbbb 11001000100", Vector, "mtvscr vB", move_to_status(; b);
}

/// With Rc, field 6 tells whether all elements compare true, or none.
pub(super) fn compare<S: PowerPcSemantics>(
    s: &mut S,
    operation: Operation,
    d: u32,
    a: u32,
    b: u32,
    rc: u32,
) {
    vectorial(s, |s| {
        let operands = [
            s.vector_register(a),
            s.vector_register(b),
            s.vector_register(b),
        ];
        let result = s.vector_arithmetic(operation, operands);
        s.set_vector_register(d, result);
        if rc == 0 {
            return;
        }
        let [first, second, third, fourth] = s.vector_words(result);
        let (upper, lower) = (s.and(first, second), s.and(third, fourth));
        let every = s.and(upper, lower);
        let complement = s.not(every);
        let all = s.is_zero(complement);
        let (upper, lower) = (s.or(first, second), s.or(third, fourth));
        let some = s.or(upper, lower);
        let none = s.is_zero(some);
        let no = s.flag(false);
        for (bit, flag) in [all, no, none, no].into_iter().enumerate() {
            s.set_condition(24 + bit as u32, flag);
        }
    });
}

fn shift_double<S: PowerPcSemantics>(s: &mut S, d: u32, a: u32, b: u32, bytes: u32) {
    three(s, Operation::ShiftDouble(bytes), d, a, b, b);
}

fn move_from_status<S: PowerPcSemantics>(s: &mut S, d: u32) {
    vectorial(s, |s| {
        let (zero, status) = (s.word(0), s.vector_status());
        let value = s.vector([zero, zero, zero, status]);
        s.set_vector_register(d, value);
    });
}

fn move_to_status<S: PowerPcSemantics>(s: &mut S, b: u32) {
    vectorial(s, |s| {
        let value = s.vector_register(b);
        let [.., low] = s.vector_words(value);
        let existing = s.word(STATUS_BITS);
        let status = s.and(low, existing);
        s.set_vector_status(status);
    });
}
