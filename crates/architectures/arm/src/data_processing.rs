//! Data processing (manual: "Data-processing instructions").

use super::operand::{self, Carry, Shift, Shifted};
use super::{ArmSemantics, PROGRAM_COUNTER, read, read_late, set_negative_zero, write};

/// What an instruction does with its two operands.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Operation {
    And,
    ExclusiveOr,
    Subtract,
    ReverseSubtract,
    Add,
    AddWithCarry,
    SubtractWithCarry,
    ReverseSubtractWithCarry,
    Or,
    BitClear,
}

/// Lists each operation with its three kinds of second operand.
macro_rules! operations {
    ($($name:literal $code:literal $operation:ident)*; $($test:literal $test_code:literal $test_operation:ident)*;
     $($move:literal $move_code:literal $invert:literal)*) => { encodings! {
        $(
            concat!($name, " immediate"), concat!("cccc 001 ", $code, " f nnnn dddd rrrr iiiiiiii"), Data,
                concat!($name, "{c}{S} Rd, Rn, #i"), immediate(Operation::$operation; f, d, n, r, i);
            concat!($name, " shifted by constant"), concat!("cccc 000 ", $code, " f nnnn dddd aaaaa tt 0 mmmm"), Data,
                concat!($name, "{c}{S} Rd, Rn, Rm, shift #a"), by_constant(Operation::$operation; f, d, n, t, a, m);
            concat!($name, " shifted by register"), concat!("cccc 000 ", $code, " f nnnn dddd ssss 0 tt 1 mmmm"),
                DataShiftByRegister, concat!($name, "{c}{S} Rd, Rn, Rm, shift Rs"),
                by_register(Operation::$operation; f, d, n, t, s, m);
        )*
        $(
            concat!($test, " immediate"), concat!("cccc 001 ", $test_code, " 1 nnnn zzzz rrrr iiiiiiii"), Data,
                concat!($test, "{c} Rn, #i"), test_immediate(Operation::$test_operation; z, n, r, i);
            concat!($test, " shifted by constant"), concat!("cccc 000 ", $test_code, " 1 nnnn zzzz aaaaa tt 0 mmmm"), Data,
                concat!($test, "{c} Rn, Rm, shift #a"), test_by_constant(Operation::$test_operation; z, n, t, a, m);
            concat!($test, " shifted by register"), concat!("cccc 000 ", $test_code, " 1 nnnn zzzz ssss 0 tt 1 mmmm"),
                DataShiftByRegister, concat!($test, "{c} Rn, Rm, shift Rs"),
                test_by_register(Operation::$test_operation; z, n, t, s, m);
        )*
        $(
            concat!($move, " immediate"), concat!("cccc 001 ", $move_code, " f zzzz dddd rrrr iiiiiiii"), Data,
                concat!($move, "{c}{S} Rd, #i"), move_immediate($invert; f, d, r, i);
            concat!($move, " shifted by constant"), concat!("cccc 000 ", $move_code, " f zzzz dddd aaaaa tt 0 mmmm"), Data,
                concat!($move, "{c}{S} Rd, Rm, shift #a"), move_by_constant($invert; f, d, t, a, m);
            concat!($move, " shifted by register"), concat!("cccc 000 ", $move_code, " f zzzz dddd ssss 0 tt 1 mmmm"),
                DataShiftByRegister, concat!($move, "{c}{S} Rd, Rm, shift Rs"),
                move_by_register($invert; f, d, t, s, m);
        )*
    } };
}

operations! {
    "AND" "0000" And
    "EOR" "0001" ExclusiveOr
    "SUB" "0010" Subtract
    "RSB" "0011" ReverseSubtract
    "ADD" "0100" Add
    "ADC" "0101" AddWithCarry
    "SBC" "0110" SubtractWithCarry
    "RSC" "0111" ReverseSubtractWithCarry
    "ORR" "1100" Or
    "BIC" "1110" BitClear;
    "TST" "1000" And
    "TEQ" "1001" ExclusiveOr
    "CMP" "1010" Subtract
    "CMN" "1011" Add;
    "MOV" "1101" false
    "MVN" "1111" true
}

#[inline(always)]
fn immediate<S: ArmSemantics>(
    s: &mut S,
    operation: Operation,
    flags: u32,
    d: u32,
    n: u32,
    rotation: u32,
    constant: u32,
) {
    let second = operand::constant(s, rotation, constant);
    let first = read(s, n);
    operate(s, operation, flags != 0, d, first, second);
}

#[inline(always)]
fn by_constant<S: ArmSemantics>(
    s: &mut S,
    operation: Operation,
    flags: u32,
    d: u32,
    n: u32,
    shift: u32,
    amount: u32,
    m: u32,
) {
    let second = operand::by_constant(s, Shift::from_field(shift), amount, m);
    let first = read(s, n);
    let plain = shift == 0 && amount == 0 && flags == 0;
    if operation == Operation::Or && plain && d == n && n == m && d != PROGRAM_COUNTER {
        s.mark(d);
    }
    operate(s, operation, flags != 0, d, first, second);
}

#[inline(always)]
fn by_register<S: ArmSemantics>(
    s: &mut S,
    operation: Operation,
    flags: u32,
    d: u32,
    n: u32,
    shift: u32,
    by: u32,
    m: u32,
) {
    let second = operand::by_register(s, Shift::from_field(shift), by, m);
    let first = read_late(s, n);
    operate(s, operation, flags != 0, d, first, second);
}

#[inline(always)]
fn test_immediate<S: ArmSemantics>(
    s: &mut S,
    operation: Operation,
    d: u32,
    n: u32,
    rotation: u32,
    constant: u32,
) {
    let second = operand::constant(s, rotation, constant);
    let first = read(s, n);
    test(s, operation, d, first, second);
}

#[inline(always)]
fn test_by_constant<S: ArmSemantics>(
    s: &mut S,
    operation: Operation,
    d: u32,
    n: u32,
    shift: u32,
    amount: u32,
    m: u32,
) {
    let second = operand::by_constant(s, Shift::from_field(shift), amount, m);
    let first = read(s, n);
    test(s, operation, d, first, second);
}

#[inline(always)]
fn test_by_register<S: ArmSemantics>(
    s: &mut S,
    operation: Operation,
    d: u32,
    n: u32,
    shift: u32,
    by: u32,
    m: u32,
) {
    let second = operand::by_register(s, Shift::from_field(shift), by, m);
    let first = read_late(s, n);
    test(s, operation, d, first, second);
}

#[inline(always)]
fn move_immediate<S: ArmSemantics>(
    s: &mut S,
    invert: bool,
    flags: u32,
    d: u32,
    rotation: u32,
    constant: u32,
) {
    let operand = operand::constant(s, rotation, constant);
    moved(s, invert, flags != 0, d, operand);
}

#[inline(always)]
fn move_by_constant<S: ArmSemantics>(
    s: &mut S,
    invert: bool,
    flags: u32,
    d: u32,
    shift: u32,
    amount: u32,
    m: u32,
) {
    let operand = operand::by_constant(s, Shift::from_field(shift), amount, m);
    moved(s, invert, flags != 0, d, operand);
}

#[inline(always)]
fn move_by_register<S: ArmSemantics>(
    s: &mut S,
    invert: bool,
    flags: u32,
    d: u32,
    shift: u32,
    by: u32,
    m: u32,
) {
    let operand = operand::by_register(s, Shift::from_field(shift), by, m);
    moved(s, invert, flags != 0, d, operand);
}

/// Rd := first operation second.
#[inline(always)]
pub(super) fn operate<S: ArmSemantics>(
    s: &mut S,
    operation: Operation,
    flags: bool,
    d: u32,
    first: S::Word,
    second: Shifted<S>,
) {
    let result = evaluate(s, operation, first, second);
    finish(s, flags, d, result);
}

/// Sets the flags by first operation second. With the 26-bit form (Rd = r15) the saved status comes back instead.
#[inline(always)]
pub(super) fn test<S: ArmSemantics>(
    s: &mut S,
    operation: Operation,
    d: u32,
    first: S::Word,
    second: Shifted<S>,
) {
    let result = evaluate(s, operation, first, second);
    if d == PROGRAM_COUNTER {
        s.restore_status();
    } else {
        set_flags(s, result);
    }
}

/// Rd := operand, or its complement.
#[inline(always)]
pub(super) fn moved<S: ArmSemantics>(
    s: &mut S,
    invert: bool,
    flags: bool,
    d: u32,
    operand: Shifted<S>,
) {
    let value = if invert {
        s.not(operand.value)
    } else {
        operand.value
    };
    let result = Outcome {
        value,
        carry: operand.carry,
        overflow: None,
    };
    finish(s, flags, d, result);
}

struct Outcome<S: ArmSemantics> {
    value: S::Word,
    carry: Carry<S>,
    /// Logical operations leave V as it is.
    overflow: Option<S::Flag>,
}

#[inline(always)]
fn evaluate<S: ArmSemantics>(
    s: &mut S,
    operation: Operation,
    first: S::Word,
    second: Shifted<S>,
) -> Outcome<S> {
    let Shifted { value, carry } = second;
    let logical = match operation {
        Operation::And => s.and(first, value),
        Operation::ExclusiveOr => s.xor(first, value),
        Operation::Or => s.or(first, value),
        Operation::BitClear => {
            let kept = s.not(value);
            s.and(first, kept)
        }
        _ => return sum(s, operation, first, value),
    };
    Outcome {
        value: logical,
        carry,
        overflow: None,
    }
}

#[inline(always)]
fn sum<S: ArmSemantics>(
    s: &mut S,
    operation: Operation,
    first: S::Word,
    second: S::Word,
) -> Outcome<S> {
    let carry_in = match operation {
        Operation::Add => s.flag(false),
        Operation::Subtract | Operation::ReverseSubtract => s.flag(true),
        _ => s.carry(),
    };
    let (a, b) = match operation {
        Operation::Subtract | Operation::SubtractWithCarry => (first, s.not(second)),
        Operation::ReverseSubtract | Operation::ReverseSubtractWithCarry => (second, s.not(first)),
        _ => (first, second),
    };
    let (value, carry, overflow) = s.add_with_carry(a, b, carry_in);
    Outcome {
        value,
        carry: Carry::Out(carry),
        overflow: Some(overflow),
    }
}

#[inline(always)]
fn finish<S: ArmSemantics>(s: &mut S, flags: bool, d: u32, result: Outcome<S>) {
    if flags && d == PROGRAM_COUNTER {
        s.return_from_exception(result.value);
        return;
    }
    let value = result.value;
    if flags {
        set_flags(s, result);
    }
    write(s, d, value);
}

#[inline(always)]
fn set_flags<S: ArmSemantics>(s: &mut S, result: Outcome<S>) {
    set_negative_zero(s, result.value);
    result.carry.set(s);
    if let Some(overflow) = result.overflow {
        s.set_overflow(overflow);
    }
}
