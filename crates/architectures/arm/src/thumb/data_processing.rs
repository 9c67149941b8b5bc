//! Thumb data processing (manual: "Data-processing instructions" of Thumb).

use crate::data_processing::{Operation, moved, operate, test};
use crate::operand::{self, Carry, Shift, Shifted};
use crate::{ArmSemantics, STACK, multiply, read, write};

encodings! {
    "LSL immediate", "000 00 iiiii mmm ddd", Data, "LSL Rd, Rm, #i", shift_by_constant(Shift::Left; i, m, d);
    "LSR immediate", "000 01 iiiii mmm ddd", Data, "LSR Rd, Rm, #i", shift_by_constant(Shift::Right; i, m, d);
    "ASR immediate", "000 10 iiiii mmm ddd", Data, "ASR Rd, Rm, #i", shift_by_constant(Shift::RightSigned; i, m, d);
    "ADD register", "000 11 0 0 mmm nnn ddd", Data, "ADD Rd, Rn, Rm", by_register(Operation::Add; m, n, d);
    "SUB register", "000 11 0 1 mmm nnn ddd", Data, "SUB Rd, Rn, Rm", by_register(Operation::Subtract; m, n, d);
    "ADD small immediate", "000 11 1 0 iii nnn ddd", Data, "ADD Rd, Rn, #i", by_constant(Operation::Add; i, n, d);
    "SUB small immediate", "000 11 1 1 iii nnn ddd", Data, "SUB Rd, Rn, #i", by_constant(Operation::Subtract; i, n, d);
    "MOV immediate", "001 00 ddd iiiiiiii", Data, "MOV Rd, #i", move_constant(; i, d);
    "CMP immediate", "001 01 nnn iiiiiiii", Data, "CMP Rn, #i", compare_constant(; i, n);
    "ADD immediate", "001 10 ddd iiiiiiii", Data, "ADD Rd, #i", by_constant(Operation::Add; i, d, d);
    "SUB immediate", "001 11 ddd iiiiiiii", Data, "SUB Rd, #i", by_constant(Operation::Subtract; i, d, d);

    "AND", "010000 0000 mmm ddd", Data, "AND Rd, Rm", by_register(Operation::And; m, d, d);
    "EOR", "010000 0001 mmm ddd", Data, "EOR Rd, Rm", by_register(Operation::ExclusiveOr; m, d, d);
    "LSL register", "010000 0010 mmm ddd", DataShiftByRegister, "LSL Rd, Rm", shift_by_register(Shift::Left; m, d);
    "LSR register", "010000 0011 mmm ddd", DataShiftByRegister, "LSR Rd, Rm", shift_by_register(Shift::Right; m, d);
    "ASR register", "010000 0100 mmm ddd", DataShiftByRegister, "ASR Rd, Rm", shift_by_register(Shift::RightSigned; m, d);
    "ADC", "010000 0101 mmm ddd", Data, "ADC Rd, Rm", by_register(Operation::AddWithCarry; m, d, d);
    "SBC", "010000 0110 mmm ddd", Data, "SBC Rd, Rm", by_register(Operation::SubtractWithCarry; m, d, d);
    "ROR register", "010000 0111 mmm ddd", DataShiftByRegister, "ROR Rd, Rm", shift_by_register(Shift::Rotate; m, d);
    "TST", "010000 1000 mmm nnn", Data, "TST Rn, Rm", compare_registers(Operation::And; m, n);
    "NEG", "010000 1001 mmm ddd", Data, "NEG Rd, Rm", negate(; m, d);
    "CMP", "010000 1010 mmm nnn", Data, "CMP Rn, Rm", compare_registers(Operation::Subtract; m, n);
    "CMN", "010000 1011 mmm nnn", Data, "CMN Rn, Rm", compare_registers(Operation::Add; m, n);
    "ORR", "010000 1100 mmm ddd", Data, "ORR Rd, Rm", or(; m, d);
    "MUL", "010000 1101 mmm ddd", Multiply, "MUL Rd, Rm", product(; m, d);
    "BIC", "010000 1110 mmm ddd", Data, "BIC Rd, Rm", by_register(Operation::BitClear; m, d, d);
    "MVN", "010000 1111 mmm ddd", Data, "MVN Rd, Rm", complement(; m, d);

    "ADD high", "010001 00 d mmmm ddd", Data, "ADD Rd, Rm", add_high(; m, d);
    "CMP high", "010001 01 n mmmm nnn", Data, "CMP Rn, Rm", compare_registers(Operation::Subtract; m, n);
    "MOV high", "010001 10 d mmmm ddd", Data, "MOV Rd, Rm", move_high(; m, d);

    "ADD from PC", "1010 0 ddd iiiiiiii", Data, "ADD Rd, PC, #i*4", address_in_code(; i, d);
    "ADD from SP", "1010 1 ddd iiiiiiii", Data, "ADD Rd, SP, #i*4", address_on_stack(; i, d);
    "ADD to SP", "10110000 0 iiiiiii", Data, "ADD SP, #i*4", move_stack(Operation::Add; i);
    "SUB from SP", "10110000 1 iiiiiii", Data, "SUB SP, #i*4", move_stack(Operation::Subtract; i);
}

/// An operand that leaves the carry as it is.
#[inline(always)]
fn plain<S: ArmSemantics>(value: S::Word) -> Shifted<S> {
    let carry = Carry::Kept;
    Shifted { value, carry }
}

#[inline(always)]
fn constant<S: ArmSemantics>(s: &mut S, value: u32) -> Shifted<S> {
    let value = s.word(value);
    plain(value)
}

#[inline(always)]
fn shift_by_constant<S: ArmSemantics>(s: &mut S, shift: Shift, amount: u32, m: u32, d: u32) {
    let operand = operand::by_constant(s, shift, amount, m);
    moved(s, false, true, d, operand);
}

#[inline(always)]
fn shift_by_register<S: ArmSemantics>(s: &mut S, shift: Shift, by: u32, d: u32) {
    let operand = operand::by_register(s, shift, by, d);
    moved(s, false, true, d, operand);
}

#[inline(always)]
fn by_register<S: ArmSemantics>(s: &mut S, operation: Operation, m: u32, n: u32, d: u32) {
    let second = read(s, m);
    let second = plain(second);
    let first = read(s, n);
    operate(s, operation, true, d, first, second);
}

#[inline(always)]
fn by_constant<S: ArmSemantics>(s: &mut S, operation: Operation, value: u32, n: u32, d: u32) {
    let second = constant(s, value);
    let first = read(s, n);
    operate(s, operation, true, d, first, second);
}

#[inline(always)]
fn move_constant<S: ArmSemantics>(s: &mut S, value: u32, d: u32) {
    let operand = constant(s, value);
    moved(s, false, true, d, operand);
}

#[inline(always)]
fn compare_constant<S: ArmSemantics>(s: &mut S, value: u32, n: u32) {
    let second = constant(s, value);
    let first = read(s, n);
    test(s, Operation::Subtract, 0, first, second);
}

#[inline(always)]
fn compare_registers<S: ArmSemantics>(s: &mut S, operation: Operation, m: u32, n: u32) {
    let second = read(s, m);
    let second = plain(second);
    let first = read(s, n);
    test(s, operation, 0, first, second);
}

#[inline(always)]
fn negate<S: ArmSemantics>(s: &mut S, m: u32, d: u32) {
    let zero = constant(s, 0);
    let value = read(s, m);
    operate(s, Operation::ReverseSubtract, true, d, value, zero);
}

/// ORR Rd, Rd is the magic instruction.
#[inline(always)]
fn or<S: ArmSemantics>(s: &mut S, m: u32, d: u32) {
    if m == d {
        s.mark(d);
    }
    by_register(s, Operation::Or, m, d, d);
}

#[inline(always)]
fn product<S: ArmSemantics>(s: &mut S, m: u32, d: u32) {
    multiply::multiply(s, 1, d, d, m);
}

#[inline(always)]
fn complement<S: ArmSemantics>(s: &mut S, m: u32, d: u32) {
    let value = read(s, m);
    let operand = plain(value);
    moved(s, true, true, d, operand);
}

#[inline(always)]
fn add_high<S: ArmSemantics>(s: &mut S, m: u32, d: u32) {
    let second = read(s, m);
    let second = plain(second);
    let first = read(s, d);
    operate(s, Operation::Add, false, d, first, second);
}

#[inline(always)]
fn move_high<S: ArmSemantics>(s: &mut S, m: u32, d: u32) {
    let value = read(s, m);
    write(s, d, value);
}

#[inline(always)]
fn address_in_code<S: ArmSemantics>(s: &mut S, words: u32, d: u32) {
    let address = literal_address(s, words);
    let address = s.word(address);
    s.set_register(d, address);
}

/// Address relative to the program counter, whose bit 1 counts as zero.
#[inline(always)]
pub(super) fn literal_address<S: ArmSemantics>(s: &S, words: u32) -> u32 {
    (s.address().wrapping_add(4) & !3).wrapping_add(4 * words)
}

#[inline(always)]
fn address_on_stack<S: ArmSemantics>(s: &mut S, words: u32, d: u32) {
    let offset = constant(s, 4 * words);
    let base = read(s, STACK);
    operate(s, Operation::Add, false, d, base, offset);
}

#[inline(always)]
fn move_stack<S: ArmSemantics>(s: &mut S, operation: Operation, words: u32) {
    let offset = constant(s, 4 * words);
    let base = read(s, STACK);
    operate(s, operation, false, STACK, base, offset);
}
