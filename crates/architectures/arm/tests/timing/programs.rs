//! Real instructions, run by the interpreter, take the cycles that the manual's tables give by hand.

use super::bench;
use bench::{Program, ZERO_WAIT, waited};
use socscope_arm::timing::Arm7Tdmi;
use socscope_memory::AccessCost;

/// An `ADD r0, r1, r2` behind a store shows the nonsequential fetch that the manual counts to the store.
const ADD: u32 = 0xe081_0002;
const THUMB_ADD: u16 = 0x1888;

/// Name, opcodes, registers, cycles without wait states, cycles with N = 5 and S = 4 for a word, N = 3 and S = 2 for less.
type Case<'a, Opcode> = (&'a str, &'a [Opcode], &'a [(u32, u32)], u64, u64);

fn check<Opcode>(cases: &[Case<Opcode>], program: impl Fn(&[Opcode], AccessCost) -> Program) {
    for (name, opcodes, registers, zero_wait, with_waits) in cases {
        for (cost, expected) in [(ZERO_WAIT, zero_wait), (waited(), with_waits)] {
            let mut program = program(opcodes, cost);
            for (index, value) in *registers {
                program = program.register(*index, *value);
            }
            let cycles = program.cycles(&mut Arm7Tdmi::default(), opcodes.len() as u32);
            assert_eq!(cycles, *expected, "{name}");
        }
    }
}

#[test]
fn arm() {
    #[rustfmt::skip]
    let cases: &[Case<u32>] = &[
        ("add r0, r1, r2: S", &[ADD], &[], 1, 4),
        ("addeq, not executed: S", &[0x0081_0002], &[], 1, 4),
        ("add r0, r1, r2, lsl r3: S I", &[0xe081_0312], &[], 2, 5),
        ("mov pc, r1: S N S", &[0xe1a0_f001], &[(1, 0x40)], 3, 13),
        ("mov pc, r1, lsl r3: S I N S", &[0xe1a0_f311], &[(1, 0x40)], 4, 14),
        ("mrs r0, cpsr: S", &[0xe10f_0000], &[], 1, 4),
        ("msr cpsr_f, r0: S", &[0xe128_f000], &[], 1, 4),
        ("b: S N S", &[0xea00_000e], &[], 3, 13),
        ("bl: S N S", &[0xeb00_000e], &[], 3, 13),
        ("bne, taken: S N S", &[0x1a00_000e], &[], 3, 13),
        ("beq, not taken: S", &[0x0a00_000e], &[], 1, 4),
        ("bx r1 to Thumb: S, then N S of half-words", &[0xe12f_ff11], &[(1, 0x41)], 3, 9),
        ("ldr r0, [r4]: S N I", &[0xe594_0000], &[], 3, 10),
        ("ldrb r0, [r4]: S N(byte) I", &[0xe5d4_0000], &[], 3, 8),
        ("ldrh r0, [r4]: S N(half) I", &[0xe1d4_00b0], &[], 3, 8),
        ("ldrsh r0, [r4]: S N(half) I", &[0xe1d4_00f0], &[], 3, 8),
        ("ldrsb r0, [r4]: S N(byte) I", &[0xe1d4_00d0], &[], 3, 8),
        ("ldr pc, [r4]: S N I N S", &[0xe594_f000], &[], 5, 19),
        ("ldr; add: S N I, N: the burst begins anew", &[0xe594_0000, ADD], &[], 4, 15),
        ("str r0, [r4]; add: S N, N", &[0xe584_0000, ADD], &[], 3, 14),
        ("strb r0, [r4]; add: S N(byte), N", &[0xe5c4_0000, ADD], &[], 3, 12),
        ("strh r0, [r4]; add: S N(half), N", &[0xe1c4_00b0, ADD], &[], 3, 12),
        ("str; ldr: S N, N N I", &[0xe584_0000, 0xe594_0000], &[], 5, 20),
        ("ldmia r4, {r0}: S N I", &[0xe894_0001], &[], 3, 10),
        ("ldmia r4, {r0-r2}: S N S S I", &[0xe894_0007], &[], 5, 18),
        ("ldmia r4, {r0, r1, pc}: S N S S I N S", &[0xe894_8003], &[], 7, 27),
        ("stmia r4, {r0}; add: S N, N", &[0xe884_0001, ADD], &[], 3, 14),
        ("stmia r4, {r0-r2}; add: S N S S, N", &[0xe884_0007, ADD], &[], 5, 22),
        ("swp r0, r1, [r4]: S N N I", &[0xe104_0091], &[], 4, 15),
        ("swpb r0, r1, [r4]: S N N I of bytes", &[0xe144_0091], &[], 4, 11),
        ("mul r0, r1, r2, m = 1: S I", &[0xe000_0291], &[(2, 0x7f)], 2, 5),
        ("mul, m = 2", &[0xe000_0291], &[(2, 0x1234)], 3, 6),
        ("mul, m = 3", &[0xe000_0291], &[(2, 0x12_3456)], 4, 7),
        ("mul, m = 4: it is Rs that counts", &[0xe000_0291], &[(1, 1), (2, 0x1234_5678)], 5, 8),
        ("mul, m = 1 for a small negative", &[0xe000_0291], &[(2, 0xffff_ff80)], 2, 5),
        ("mla r0, r1, r2, r3: S I I", &[0xe020_3291], &[(2, 5)], 3, 6),
        ("umull r0, r3, r1, r2: S I I", &[0xe083_0291], &[(2, 5)], 3, 6),
        ("umull of a large number: S 5I", &[0xe083_0291], &[(2, 0xffff_ffff)], 6, 9),
        ("smull of -1: S I I", &[0xe0c3_0291], &[(2, 0xffff_ffff)], 3, 6),
        ("umlal r0, r3, r1, r2: S 3I", &[0xe0a3_0291], &[(2, 5)], 4, 7),
        ("smlal r0, r3, r1, r2: S 3I", &[0xe0e3_0291], &[(2, 5)], 4, 7),
        ("swi: S N S", &[0xef00_0000], &[], 3, 13),
        ("undefined: S I N S", &[0xe7f0_00f0], &[], 4, 14),
        ("cdp without a coprocessor: S I N S", &[0xee00_0000], &[], 4, 14),
        ("ldc without a coprocessor: S I N S", &[0xed94_0000], &[], 4, 14),
    ];
    check(cases, |opcodes, cost| {
        Program::arm(opcodes, cost, cost).word(bench::DATA, 0x40)
    });
}

#[test]
fn thumb() {
    #[rustfmt::skip]
    let cases: &[Case<u16>] = &[
        ("add r0, r1, r2: S", &[THUMB_ADD], &[], 1, 2),
        ("lsl r0, r3: S I", &[0x4098], &[], 2, 3),
        ("mov pc, r1: S N S", &[0x468f], &[(1, 0x40)], 3, 7),
        ("b: S N S", &[0xe00e], &[], 3, 7),
        ("bne, taken: S N S", &[0xd10e], &[], 3, 7),
        ("beq, not taken: S", &[0xd00e], &[], 1, 2),
        ("bl, both halves: S, S N S", &[0xf000, 0xf80e], &[], 4, 9),
        ("bx r1 to ARM: S, then N S of words", &[0x4708], &[(1, 0x40)], 3, 11),
        ("ldr r0, [r4]: S N I", &[0x6820], &[], 3, 8),
        ("ldrh r0, [r4]: S N(half) I", &[0x8820], &[], 3, 6),
        ("ldrb r0, [r4]: S N(byte) I", &[0x7820], &[], 3, 6),
        ("ldr r0, [pc, #4]: S N I", &[0x4801], &[], 3, 8),
        ("str r0, [r4]; add: S N, N", &[0x6020, THUMB_ADD], &[], 3, 10),
        ("strb r0, [r4]; add: S N(byte), N", &[0x7020, THUMB_ADD], &[], 3, 8),
        ("push {r0, r1, lr}; add: S N S S, N", &[0xb503, THUMB_ADD], &[], 5, 18),
        ("pop {r0, pc}: S N S I N S", &[0xbd01], &[], 6, 17),
        ("ldmia r4!, {r0, r1}: S N S I", &[0xcc03], &[], 4, 12),
        ("stmia r4!, {r0, r1}; add: S N S, N", &[0xc403, THUMB_ADD], &[], 4, 14),
        ("mul r0, r1: the old r0 counts, m = 4", &[0x4348], &[(0, 0x1234_5678), (1, 1)], 5, 6),
        ("mul r0, r1: m = 1", &[0x4348], &[(0, 1), (1, 0x1234_5678)], 2, 3),
        ("swi: S, then N S of words", &[0xdf00], &[], 3, 11),
    ];
    check(cases, |opcodes, cost| {
        Program::thumb(opcodes, cost, cost)
            .word(bench::DATA, 0x41)
            .word(bench::DATA + 0x1004, 0x41)
    });
}

#[test]
fn code_and_data_may_lie_in_different_memories() {
    let mut fast_code = Program::arm(&[0xe594_0000], ZERO_WAIT, waited());
    assert_eq!(fast_code.cycles(&mut Arm7Tdmi::default(), 1), 1 + 5 + 1);
    let mut fast_data = Program::arm(&[0xe594_0000], waited(), ZERO_WAIT);
    assert_eq!(fast_data.cycles(&mut Arm7Tdmi::default(), 1), 4 + 1 + 1);
}

#[test]
fn block_transfers_across_the_border_of_two_memories_begin_a_burst_there() {
    let border = bench::DATA - 4;
    // ldmia r4, {r0-r2}: S, N in the code's memory, N and S in the other, I.
    let mut program = Program::arm(&[0xe894_0007], waited(), waited()).register(4, border);
    assert_eq!(
        program.cycles(&mut Arm7Tdmi::default(), 1),
        4 + 5 + 5 + 4 + 1
    );
    // stmia r4, {r0-r2}; add: S, N, N S, then N.
    let mut program = Program::arm(&[0xe884_0007, ADD], waited(), waited()).register(4, border);
    assert_eq!(
        program.cycles(&mut Arm7Tdmi::default(), 2),
        4 + 5 + 5 + 4 + 5
    );
}

#[test]
fn an_interrupt_entry_is_s_n_s() {
    for (cost, expected) in [(ZERO_WAIT, 3), (waited(), 13)] {
        let mut program = Program::arm(&[ADD], cost, cost);
        program.core.flags_mut().irq_disabled = false;
        program.bus.irq = true;
        assert_eq!(program.cycles(&mut Arm7Tdmi::default(), 1), expected);
        assert_eq!(program.core.program_counter(), 0x18);
    }
}

#[test]
fn an_aborted_load_takes_its_cycles_and_then_the_entry() {
    let mut program = Program::arm(&[0xe594_0000], ZERO_WAIT, ZERO_WAIT).register(4, 0x10_0000);
    assert_eq!(program.cycles(&mut Arm7Tdmi::default(), 1), 3 + 3);
    assert_eq!(program.core.program_counter(), 0x10);
}

#[test]
fn a_prefetch_abort_is_s_n_s() {
    let mut program = Program::arm(&[0xe1a0_f001], ZERO_WAIT, ZERO_WAIT).register(1, 0x10_0000);
    assert_eq!(program.cycles(&mut Arm7Tdmi::default(), 2), 3 + 3);
    assert_eq!(program.core.program_counter(), 0x0c);
}

/// A loop of five instructions: sum of an array of 4 words.
#[test]
fn a_loop_adds_up() {
    let words = [
        0xe494_0004, // ldr r0, [r4], #4
        0xe085_5000, // add r5, r5, r0
        0xe256_6001, // subs r6, r6, #1
        0x1aff_fffb, // bne back to the ldr
        ADD,
    ];
    // Each turn: 3 + 1 + 1 + 3; the last branch is not taken: 1; then the add.
    let mut program = Program::arm(&words, ZERO_WAIT, ZERO_WAIT).register(6, 4);
    assert_eq!(
        program.cycles(&mut Arm7Tdmi::default(), 17),
        4 * (3 + 1 + 1) + 3 * 3 + 1 + 1
    );
    let mut program = Program::arm(&words, waited(), waited()).register(6, 4);
    assert_eq!(
        program.cycles(&mut Arm7Tdmi::default(), 17),
        // The add behind the ldr begins a burst anew.
        4 * (10 + 5 + 4) + 3 * 13 + 4 + 4
    );
    let continues = waited().continuing_after_internal();
    let mut program = Program::arm(&words, continues, continues).register(6, 4);
    assert_eq!(
        program.cycles(&mut Arm7Tdmi::default(), 17),
        4 * (10 + 4 + 4) + 3 * 13 + 4 + 4
    );
}
