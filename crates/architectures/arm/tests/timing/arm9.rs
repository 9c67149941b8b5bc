//! Real instructions on the ARM920T and the ARM926EJ-S, with cycles derived by hand from the tables and the interlocks of the ARM9TDMI and ARM9EJ-S
//! manuals (docs/decisions/arm9-cycles.md).

use super::bench;
use bench::{Program, ZERO_WAIT, waited};
use socscope_arm::CoreModel;
use socscope_arm::timing::{Arm9, Arm9Core};
use socscope_isa::{CycleClass, CycleModel, Operands};
use socscope_memory::{AccessCost, Direction, RegionIndex, Width};
use socscope_timing::BaseModel;

/// `ADD r1, r0, r2`, which needs r0, and `ADD r5, r6, r7`, which needs none of what is made here.
const USES_R0: u32 = 0xe080_1002;
const OTHER: u32 = 0xe086_5007;
const LDR: u32 = 0xe594_0000;
const LDRB: u32 = 0xe5d4_0000;
const MUL: u32 = 0xe000_0291;

/// Name, opcodes, registers, cycles of the ARM9TDMI and of the ARM9EJ-S.
type Case<'a, Opcode> = (&'a str, &'a [Opcode], &'a [(u32, u32)], u64, u64);

const CORES: [(CoreModel, Arm9Core); 2] = [
    (CoreModel::Arm920T, Arm9Core::Tdmi),
    (CoreModel::Arm926EjS, Arm9Core::EjS),
];

fn cycles(
    (model, core): (CoreModel, Arm9Core),
    program: Program,
    registers: &[(u32, u32)],
    steps: usize,
) -> u64 {
    let mut program = program.on(model).word(bench::DATA, 0x40);
    for (index, value) in registers {
        program = program.register(*index, *value);
    }
    program.cycles(&mut Arm9::new(core), steps as u32)
}

fn check<Opcode>(cases: &[Case<Opcode>], program: impl Fn(&[Opcode], AccessCost) -> Program) {
    for (name, opcodes, registers, tdmi, ejs) in cases {
        for (core, expected) in CORES.into_iter().zip([tdmi, ejs]) {
            let program = program(opcodes, ZERO_WAIT);
            let cycles = cycles(core, program, registers, opcodes.len());
            assert_eq!(cycles, *expected, "{name}, {core:?}");
        }
    }
}

fn arm(words: &[u32], cost: AccessCost) -> Program {
    Program::arm(words, cost, cost)
}

#[test]
fn issue_cycles() {
    #[rustfmt::skip]
    let cases: &[Case<u32>] = &[
        ("add r5, r6, r7", &[OTHER], &[], 1, 1),
        ("addeq, not executed", &[0x0086_5007], &[], 1, 1),
        ("add r0, r1, r2, lsl r3", &[0xe081_0312], &[], 2, 2),
        ("add pc, r1, #0", &[0xe281_f000], &[(1, 0x40)], 3, 3),
        ("mov pc, r1: a logical result", &[0xe1a0_f001], &[(1, 0x40)], 3, 4),
        ("add pc, r1, r2, lsl #2: a shifted operand", &[0xe081_f102], &[(1, 0x40), (2, 0)], 3, 4),
        ("mov pc, r1, lsl r3", &[0xe1a0_f311], &[(1, 0x40)], 4, 4),
        ("mrs r0, cpsr", &[0xe10f_0000], &[], 1, 2),
        ("msr cpsr_f, r0", &[0xe128_f000], &[], 1, 1),
        ("msr cpsr_c, r0", &[0xe121_f000], &[(0, 0xd3)], 3, 3),
        ("msr spsr_f, r0", &[0xe168_f000], &[], 1, 1),
        ("msr spsr_fc, r0", &[0xe169_f000], &[(0, 0xd3)], 3, 3),
        ("b", &[0xea00_000e], &[], 3, 3),
        ("bl", &[0xeb00_000e], &[], 3, 3),
        ("bne, taken", &[0x1a00_000e], &[], 3, 3),
        ("beq, not taken", &[0x0a00_000e], &[], 1, 1),
        ("bx r1", &[0xe12f_ff11], &[(1, 0x41)], 3, 3),
        ("ldr r0, [r4]", &[LDR], &[], 1, 1),
        ("ldr r0, [r4, r1, lsl #2]", &[0xe794_0101], &[(1, 0)], 1, 2),
        ("ldr pc, [r4]", &[0xe594_f000], &[], 5, 5),
        ("ldr pc, [r4, r1, lsl #2]", &[0xe794_f101], &[(1, 0)], 5, 6),
        ("str r0, [r4]", &[0xe584_0000], &[], 1, 1),
        ("str r0, [r4, r1, lsl #2]", &[0xe784_0101], &[(1, 0)], 1, 2),
        ("ldmia r4, {r0}", &[0xe894_0001], &[], 2, 2),
        ("ldmia r4, {r0-r2}", &[0xe894_0007], &[], 3, 3),
        ("ldmia r4, {pc}", &[0xe894_8000], &[], 5, 5),
        ("ldmia r4, {r0, r1, pc}", &[0xe894_8003], &[], 7, 7),
        ("stmia r4, {r0}", &[0xe884_0001], &[], 2, 2),
        ("stmia r4, {r0-r2}", &[0xe884_0007], &[], 3, 3),
        ("swp r0, r1, [r4]", &[0xe104_0091], &[], 2, 2),
        ("mul r0, r1, r2, m = 1", &[MUL], &[(2, 0x7f)], 3, 2),
        ("mul, m = 4", &[MUL], &[(2, 0x1234_5678)], 6, 2),
        ("muls, m = 1", &[0xe010_0291], &[(2, 5)], 3, 4),
        ("mla r0, r1, r2, r3, m = 2", &[0xe020_3291], &[(2, 0x1234)], 4, 2),
        ("umull r0, r3, r1, r2", &[0xe083_0291], &[(2, 5)], 4, 3),
        ("umull of a large number", &[0xe083_0291], &[(2, 0xffff_ffff)], 7, 3),
        ("smull of -1", &[0xe0c3_0291], &[(2, 0xffff_ffff)], 4, 3),
        ("smulls of 5", &[0xe0d3_0291], &[(2, 5)], 4, 5),
        ("umlal r0, r3, r1, r2", &[0xe0a3_0291], &[(2, 5)], 4, 3),
        ("mcr p15, 0, r0, c7, c5, 0", &[0xee07_0f15], &[], 1, 1),
        ("mrc p15, 0, r0, c0, c0, 0", &[0xee10_0f10], &[], 1, 1),
        ("swi", &[0xef00_0000], &[], 3, 3),
        ("undefined", &[0xe7f0_00f0], &[], 3, 3),
        ("cdp without a coprocessor", &[0xee00_0000], &[], 3, 3),
    ];
    check(cases, arm);
}

#[test]
fn interlocks() {
    #[rustfmt::skip]
    let cases: &[Case<u32>] = &[
        ("a loaded word", &[LDR, USES_R0], &[], 3, 3),
        ("a loaded word, one later", &[LDR, OTHER, USES_R0], &[], 3, 3),
        ("a loaded byte", &[LDRB, USES_R0], &[], 4, 4),
        ("a loaded half-word", &[0xe1d4_00b0, USES_R0], &[], 4, 4),
        ("a loaded byte, one later", &[LDRB, OTHER, USES_R0], &[], 4, 4),
        ("a loaded byte, two later", &[LDRB, OTHER, OTHER, USES_R0], &[], 4, 4),
        ("once is enough", &[LDRB, USES_R0, USES_R0], &[], 5, 5),
        ("ldrb; mul r6, r7, r8 hides it", &[LDRB, 0xe006_0897, USES_R0], &[], 5, 4),
        ("ldrb r0; mov r0, #1: another value", &[LDRB, 0xe3a0_0001, USES_R0], &[], 3, 3),
        ("ldr r0, [r4], #4; ldr r1, [r4]: the base is there", &[0xe494_0004, 0xe594_1000], &[], 2, 2),
        ("ldr r0; str r2, [r0]", &[LDR, 0xe580_2000], &[], 3, 3),
        ("ldr r0; str r0, [r5]", &[LDR, 0xe585_0000], &[(5, bench::DATA)], 3, 3),
        ("ldr r0; stmia r0, {r1-r2}", &[LDR, 0xe880_0006], &[], 4, 4),
        ("ldr r1; stmia r4, {r1-r2}: the first word", &[0xe594_1000, 0xe884_0006], &[], 4, 4),
        ("ldr r2; stmia r4, {r1-r2}: the second word is in time", &[0xe594_2000, 0xe884_0006], &[], 3, 3),
        ("ldrb r2; stmia r4, {r1-r2}", &[0xe5d4_2000, 0xe884_0006], &[], 4, 4),
        ("ldr r3; mla r2, r5, r6, r3", &[0xe594_3000, 0xe022_3695], &[], 5, 4),
        ("ldr r1; bx r1", &[0xe594_1000, 0xe12f_ff11], &[], 5, 5),
        ("ldr r0; a use whose condition fails", &[LDR, 0x0080_1002], &[], 3, 3),
        ("ldreq r0, not executed", &[0x0594_0000, USES_R0], &[], 2, 2),
        ("ldm {r0-r2}; add r5, r6, r2: the last", &[0xe894_0007, 0xe086_5002], &[], 5, 5),
        ("ldm {r0-r2}; add r5, r6, r1: not the last", &[0xe894_0007, 0xe086_5001], &[], 4, 4),
        ("ldm {r0}: in time", &[0xe894_0001, USES_R0], &[], 3, 3),
        ("swp r0", &[0xe104_0091, USES_R0], &[], 4, 4),
        ("swpb r0", &[0xe144_0091, USES_R0], &[], 5, 5),
        ("mrc r0", &[0xee10_0f10, USES_R0], &[], 3, 3),
        ("ldr r0; b; a use at the target", &[LDR, 0xeaff_ffff, USES_R0], &[], 5, 5),
        ("mul r0", &[MUL, USES_R0], &[(2, 5)], 4, 4),
        ("mul r0, one later", &[MUL, OTHER, USES_R0], &[(2, 5)], 5, 4),
        ("muls r0", &[0xe010_0291, USES_R0], &[(2, 5)], 4, 5),
        ("mul r0; str r0, [r4]", &[MUL, 0xe584_0000], &[(2, 5)], 4, 4),
        ("mul r0; stmia r4, {r0-r1}", &[MUL, 0xe884_0003], &[(2, 5)], 5, 5),
        ("mul r0; mla r5, r6, r7, r0: an addend", &[MUL, 0xe025_0796], &[(2, 5), (7, 5)], 6, 4),
        ("mul r0; mul r5, r0, r7: a factor", &[MUL, 0xe005_0790], &[(2, 5), (7, 5)], 6, 5),
        ("umull r0, r3; add r1, r2, r3", &[0xe083_0291, 0xe082_1003], &[(2, 5)], 5, 5),
    ];
    check(cases, arm);
}

#[test]
fn version_5te() {
    #[rustfmt::skip]
    let cases: &[(&str, &[u32], u64)] = &[
        ("smulbb r0, r1, r2", &[0xe160_0281], 1),
        ("smulbb r0", &[0xe160_0281, USES_R0], 3),
        ("smulbb r0; str r0", &[0xe160_0281, 0xe584_0000], 3),
        ("smulbb r0; smlabb r5, r6, r7, r0", &[0xe160_0281, 0xe105_0786], 2),
        ("smlawb r0, r1, r2, r3", &[0xe120_3281], 1),
        ("smlalbb r0, r1, r2, r3", &[0xe141_0382], 2),
        ("smlalbb r0", &[0xe141_0382, USES_R0], 4),
        ("qadd r0, r1, r2", &[0xe102_0051], 1),
        ("qadd r0", &[0xe102_0051, USES_R0], 3),
        ("qadd r0; str r0: not stored before it is there", &[0xe102_0051, 0xe584_0000], 2),
        ("qadd r0; mla r5, r6, r7, r0", &[0xe102_0051, 0xe025_0796], 3),
        ("clz r0, r1", &[0xe16f_0f11], 1),
        ("clz r0", &[0xe16f_0f11, USES_R0], 2),
        ("ldrd r0, [r4]", &[0xe1c4_00d0], 2),
        ("ldrd r0; add r2, r1, r3: the last", &[0xe1c4_00d0, 0xe081_2003], 4),
        ("ldrd r0; add r1, r0, r2: the first", &[0xe1c4_00d0, USES_R0], 3),
        ("strd r0, [r4]", &[0xe1c4_00f0], 2),
        ("blx r1", &[0xe12f_ff31], 3),
        ("blx", &[0xfa00_000e], 3),
        ("bkpt", &[0xe120_0070], 3),
        ("pld [r4]", &[0xf5d4_f000], 1),
    ];
    for (name, opcodes, expected) in cases {
        let registers = &[(1, 0x40), (3, 0), (7, 5)];
        let program = arm(opcodes, ZERO_WAIT);
        let cycles = cycles(CORES[1], program, registers, opcodes.len());
        assert_eq!(cycles, *expected, "{name}");
    }
}

#[test]
fn thumb() {
    #[rustfmt::skip]
    let cases: &[Case<u16>] = &[
        ("add r0, r1, r2", &[0x1888], &[], 1, 1),
        ("lsl r0, r1", &[0x4088], &[], 2, 2),
        ("ldr r0, [r4]; add r0, r0, r1", &[0x6820, 0x1840], &[], 3, 3),
        ("ldrb r0, [r4]; add r0, r0, r1", &[0x7820, 0x1840], &[], 4, 4),
        ("push {r0, r1}", &[0xb403], &[], 2, 2),
        ("pop {pc}", &[0xbd00], &[], 5, 5),
        ("mov pc, r1", &[0x468f], &[(1, 0x40)], 3, 4),
        ("add pc, r1", &[0x448f], &[(1, 0x40)], 3, 3),
        ("mul r0, r1: sets flags, and its old r0 counts", &[0x4348], &[(0, 5)], 3, 4),
        ("b", &[0xe01e], &[], 3, 3),
        ("bl: two halves", &[0xf000, 0xf81e], &[], 4, 4),
        ("bx r1", &[0x4708], &[(1, 0x40)], 3, 3),
        ("swi", &[0xdf00], &[], 3, 3),
    ];
    check(cases, |opcodes, cost| Program::thumb(opcodes, cost, cost));
}

/// A fetch waits 3 cycles (4 when nonsequential), a word of data 4 (3 when sequential).
#[test]
fn waits_are_added() {
    #[rustfmt::skip]
    let cases: &[(&str, &[u32], u64)] = &[
        ("add", &[OTHER], 1 + 3),
        ("ldr r0; add: the interlock is none of them", &[LDR, USES_R0], (1 + 3 + 4) + (1 + 1 + 3)),
        ("ldrb r0; add; add: waiting brings no value nearer", &[LDRB, OTHER, USES_R0], (1 + 3 + 2) + (1 + 3) + (1 + 1 + 3)),
        ("ldmia r4, {r0-r2}", &[0xe894_0007], 3 + 3 + 4 + 3 + 3),
        ("swp r0, r1, [r4]", &[0xe104_0091], 2 + 3 + 4 + 4),
        ("b: its own fetch, and two at the target", &[0xea00_000e], 3 + 3 + 4 + 3),
    ];
    for core in CORES {
        for (name, opcodes, expected) in cases {
            let cycles = cycles(core, arm(opcodes, waited()), &[], opcodes.len());
            assert_eq!(cycles, *expected, "{name}, {core:?}");
        }
    }
}

#[test]
fn an_interrupt_takes_three_cycles() {
    for core in CORES {
        let mut program = arm(&[OTHER], ZERO_WAIT).on(core.0);
        program.core.flags_mut().irq_disabled = false;
        program.bus.irq = true;
        assert_eq!(program.cycles(&mut Arm9::new(core.1), 1), 3);
    }
}

/// An access is behind the interlocks and the waits before it, at the end of its own wait states, and never behind its instruction.
#[test]
fn an_access_is_in_a_cycle_of_its_instruction() {
    let model = &mut Arm9::new(Arm9Core::EjS);
    let region = RegionIndex(1);
    let load = |base: u32, loaded: u32| Operands {
        needed: 1 << base,
        given: 1 << loaded,
        loaded: 1 << loaded,
        accesses: 1,
        ..Operands::default()
    };
    for (operands, cost, at, cycles) in [
        (load(4, 0), ZERO_WAIT, 0, 1),
        (load(0, 1), ZERO_WAIT, 1, 2),
        (load(1, 2), waited(), 1 + 3 + 4, 1 + 1 + 3 + 4),
    ] {
        model.begin(CycleClass::Load, region, &cost, Width::Word);
        model.operands(&operands);
        let transfer = (&cost, Width::Word, Direction::Read);
        let asked = model.transfers_at(region, transfer.0, transfer.1, transfer.2);
        model.data(region, transfer.0, transfer.1, transfer.2);
        assert_eq!((asked, model.end()), (at, cycles));
    }
}

#[test]
fn a_saved_state_is_of_the_same_core_and_place() {
    let [tdmi, ejs] = Arm9Core::ALL.map(Arm9::new);
    assert!(tdmi.takes(&tdmi) && !tdmi.takes(&ejs));
    assert!(!tdmi.takes(&Arm9::behind_caches(Arm9Core::Tdmi)));
}
