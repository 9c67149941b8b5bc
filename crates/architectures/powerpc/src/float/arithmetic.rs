//! Arithmetic, rounding, comparison and moves (manual: "Floating-point arithmetic instructions" to "Floating-point move instructions").

use super::compute::{Operation, Precision};
use super::{floating, record};
use crate::{PowerPcSemantics, condition};

/// Lists each operation in double and single precision.
macro_rules! arithmetic {
    ($($name:literal $code:literal $fields:literal $operands:literal $class:ident $operation:path, $function:ident $($field:ident)+;)*) => {
    encodings! {
        $(
            $name, concat!("111111 ddddd ", $fields, " ", $code, " r"), $class, concat!($name, "{.} ", $operands),
                $function($operation(Precision::Double); d, $($field,)+ r);
            concat!($name, "s"), concat!("111011 ddddd ", $fields, " ", $code, " r"), $class, concat!($name, "s{.} ", $operands),
                $function($operation(Precision::Single); d, $($field,)+ r);
        )*
        "fres", "111011 ddddd zzzzz bbbbb zzzzz 11000 r", FloatDivide, "fres{.} fD, fB", of_one(Operation::Reciprocal; d, b, r);
        "frsqrte", "111111 ddddd zzzzz bbbbb zzzzz 11010 r", FloatDivide, "frsqrte{.} fD, fB", of_one(Operation::ReciprocalRoot; d, b, r);
        "frsp", "111111 ddddd zzzzz bbbbb 0000001100 r", Float, "frsp{.} fD, fB", of_one(Operation::Round; d, b, r);
        "fctiw", "111111 ddddd zzzzz bbbbb 0000001110 r", Float, "fctiw{.} fD, fB", of_one(Operation::ToInteger(false); d, b, r);
        "fctiwz", "111111 ddddd zzzzz bbbbb 0000001111 r", Float, "fctiwz{.} fD, fB", of_one(Operation::ToInteger(true); d, b, r);
        "fcmpu", "111111 fff zz aaaaa bbbbb 0000000000 z", Float, "fcmpu crfD, fA, fB", compare(false; f, a, b);
        "fcmpo", "111111 fff zz aaaaa bbbbb 0000100000 z", Float, "fcmpo crfD, fA, fB", compare(true; f, a, b);
        "fmr", "111111 ddddd zzzzz bbbbb 0001001000 r", Float, "fmr{.} fD, fB", move_with_sign(Sign::Kept; d, b, r);
        "fneg", "111111 ddddd zzzzz bbbbb 0000101000 r", Float, "fneg{.} fD, fB", move_with_sign(Sign::Changed; d, b, r);
        "fabs", "111111 ddddd zzzzz bbbbb 0100001000 r", Float, "fabs{.} fD, fB", move_with_sign(Sign::Clear; d, b, r);
        "fnabs", "111111 ddddd zzzzz bbbbb 0010001000 r", Float, "fnabs{.} fD, fB", move_with_sign(Sign::Set; d, b, r);
        "fsel", "111111 ddddd aaaaa bbbbb ccccc 10111 r", Float, "fsel{.} fD, fA, fC, fB", select(; d, a, b, c, r);
    } };
}

const fn multiply_add(precision: Precision) -> Operation {
    fused(precision, false, false)
}
const fn multiply_subtract(precision: Precision) -> Operation {
    fused(precision, true, false)
}
const fn negative_multiply_add(precision: Precision) -> Operation {
    fused(precision, false, true)
}
const fn negative_multiply_subtract(precision: Precision) -> Operation {
    fused(precision, true, true)
}
const fn fused(precision: Precision, subtract: bool, negate: bool) -> Operation {
    Operation::MultiplyAdd {
        precision,
        subtract,
        negate,
    }
}

arithmetic! {
    "fadd" "10101" "aaaaa bbbbb zzzzz" "fD, fA, fB" Float Operation::Add, of_two a b;
    "fsub" "10100" "aaaaa bbbbb zzzzz" "fD, fA, fB" Float Operation::Subtract, of_two a b;
    "fmul" "11001" "aaaaa zzzzz ccccc" "fD, fA, fC" Float Operation::Multiply, product a c;
    "fdiv" "10010" "aaaaa bbbbb zzzzz" "fD, fA, fB" FloatDivide Operation::Divide, of_two a b;
    "fmadd" "11101" "aaaaa bbbbb ccccc" "fD, fA, fC, fB" Float multiply_add, arithmetic a b c;
    "fmsub" "11100" "aaaaa bbbbb ccccc" "fD, fA, fC, fB" Float multiply_subtract, arithmetic a b c;
    "fnmadd" "11111" "aaaaa bbbbb ccccc" "fD, fA, fC, fB" Float negative_multiply_add, arithmetic a b c;
    "fnmsub" "11110" "aaaaa bbbbb ccccc" "fD, fA, fC, fB" Float negative_multiply_subtract, arithmetic a b c;
}

#[derive(Clone, Copy)]
enum Sign {
    Kept,
    Changed,
    Clear,
    Set,
}

fn arithmetic<S: PowerPcSemantics>(
    s: &mut S,
    operation: Operation,
    d: u32,
    a: u32,
    b: u32,
    c: u32,
    rc: u32,
) {
    floating(s, |s| {
        let operands = [
            s.float_register(a),
            s.float_register(b),
            s.float_register(c),
        ];
        let (result, written) = s.float_arithmetic(operation, operands);
        s.when(written, |s| s.set_float_register(d, result));
        record(s, rc);
    });
}

fn of_two<S: PowerPcSemantics>(s: &mut S, operation: Operation, d: u32, a: u32, b: u32, rc: u32) {
    arithmetic(s, operation, d, a, b, b, rc);
}

fn product<S: PowerPcSemantics>(s: &mut S, operation: Operation, d: u32, a: u32, c: u32, rc: u32) {
    arithmetic(s, operation, d, a, c, c, rc);
}

fn of_one<S: PowerPcSemantics>(s: &mut S, operation: Operation, d: u32, b: u32, rc: u32) {
    arithmetic(s, operation, d, b, b, b, rc);
}

fn compare<S: PowerPcSemantics>(s: &mut S, ordered: bool, field: u32, a: u32, b: u32) {
    floating(s, |s| {
        let (first, second) = (s.float_register(a), s.float_register(b));
        let bits = s.float_compare(ordered, first, second);
        condition::set_field_bits(s, field, bits);
    });
}

fn move_with_sign<S: PowerPcSemantics>(s: &mut S, sign: Sign, d: u32, b: u32, rc: u32) {
    floating(s, |s| {
        let value = s.float_register(b);
        let (high, low) = s.double_words(value);
        let bit = s.word(0x8000_0000);
        let rest = s.word(0x7fff_ffff);
        let high = match sign {
            Sign::Kept => high,
            Sign::Changed => s.xor(high, bit),
            Sign::Clear => s.and(high, rest),
            Sign::Set => s.or(high, bit),
        };
        let value = s.double(high, low);
        s.set_float_register(d, value);
        record(s, rc);
    });
}

/// fC where fA is at least zero, else fB, which a NaN chooses too.
fn select<S: PowerPcSemantics>(s: &mut S, d: u32, a: u32, b: u32, c: u32, rc: u32) {
    floating(s, |s| {
        let value = s.float_register(a);
        let (high, low) = s.double_words(value);
        let rest = s.word(0x7fff_ffff);
        let magnitude = s.and(high, rest);
        // Above infinity: a NaN. Low bits count as one more in the high word.
        let no_low = s.is_zero(low);
        let some_low = s.flag_not(no_low);
        let more = s.flag_word(some_low);
        let size = s.add(magnitude, more);
        let limit = s.word(0x7ff0_0001);
        let is_nan = condition::at_least(s, size, limit);
        let either = s.or(magnitude, low);
        let is_zero = s.is_zero(either);
        let negative = s.bit(high, 31);
        let positive = s.flag_not(negative);
        let at_least_zero = s.flag_or(positive, is_zero);
        let number = s.flag_not(is_nan);
        let chosen = s.flag_and(number, at_least_zero);
        let (second, third) = (s.float_register(b), s.float_register(c));
        let (second_high, second_low) = s.double_words(second);
        let (third_high, third_low) = s.double_words(third);
        let high = s.select(chosen, third_high, second_high);
        let low = s.select(chosen, third_low, second_low);
        let result = s.double(high, low);
        s.set_float_register(d, result);
        record(s, rc);
    });
}
