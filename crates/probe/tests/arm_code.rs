//! Translated ARM code counts for a profile what the interpreter counts, where that is easy to get wrong.

use crate::support::{SYSTEM_CALLS, board, board_with};
use socscope_jit::Statistics;
use socscope_machine::{Engine, Machine, Until};
use socscope_probe::{Functions, Profile, ProfileState, Window};

const TIMINGS: [&str; 4] = [
    "",
    "&cpu { socscope,timing = \"fixed-cpi\"; socscope,cpi = <19 10>; };",
    "&cpu { socscope,timing = \"fixed-cpi\"; socscope,cpi = <1 1>; };",
    "&cpu { socscope,timing = \"caches\"; i-cache-size = <256>; i-cache-line-size = <16>; i-cache-sets = <4>;
        d-cache-size = <128>; d-cache-line-size = <8>; d-cache-sets = <8>; socscope,memory-cycles = <7>; };",
];

fn run(
    timing: &str,
    (engine, threshold): (Engine, u32),
    (words, second): (&[u32], u32),
) -> (ProfileState, String, Statistics) {
    let mut machine: Machine = match timing {
        "" => board(),
        _ => board_with(timing).expect("the board is right"),
    };
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    assert_eq!(machine.poke(0, &bytes), bytes.len());
    machine.set_engine(engine);
    machine.set_translation_threshold(threshold);
    let end = 4 * words.len() as u32;
    let ranges = [(0, second, 1), (second, end, 2)];
    let functions = Functions::new(&ranges).expect("they are in order");
    let mut profile = Profile::new(&machine, functions, Window::All);
    let until = Until::time(machine.clock().instant_of(100_000));
    machine.run(&until, &mut profile);
    let statistics = machine.engine_statistics();
    (profile.save(), machine.state_hash(), statistics)
}

/// A program of two functions, the second one at an address, by both engines, in each of the timing models; what code did that was translated at once, in
/// the first of them.
fn compare(words: &[u32], second: u32) -> Statistics {
    let program = (words, second);
    let all = TIMINGS.map(|timing| {
        let (slow, state, _) = run(timing, (Engine::Interpreted, 1), program);
        [1, 20].map(|threshold| {
            let translated = (Engine::Translated, threshold);
            let (fast, same, statistics) = run(timing, translated, program);
            assert_eq!(fast, slow, "{timing} {threshold}");
            assert_eq!(same, state, "{timing} {threshold}");
            assert!(statistics.entered > 0, "{timing} {statistics:?}");
            statistics
        })
    });
    all[0][0]
}

#[test]
fn what_a_call_has_read_is_not_counted_where_it_was_jumped_over() {
    let words = [
        0xe59f_301c, // ldr r3, =0x34
        0xe59f_201c, // ldr r2, =0x38
        0xe220_0001, // loop: eor r0, r0, #1
        0xe350_0000, // cmp r0, #0
        0x0a00_0001, // beq over
        0xe1a0_e00f, // mov lr, pc
        0xe593_f000, // ldr pc, [r3]
        0x1592_1000, // over: ldrne r1, [r2], never
        0xeaff_fff8, // b loop
        0x0000_0034,
        0x0000_0038,
        0xe3b0_4000, // movs r4, #0
        0xe1a0_f00e, // mov pc, lr
        0x0000_002c,
        0,
    ];
    compare(&words, 0x2c);
}

#[test]
fn a_multiplication_into_the_program_counter_that_is_passed_over_takes_no_time() {
    // mov r0, #0x20; mov r1, #1; b 0x20; nothing; 0x20: adds r2, r2, #0x40000000; mulne pc, r0, r1 ; b 0x20
    let words = [
        0xe3a0_0020,
        0xe3a0_1001,
        0xea00_0004,
        0,
        0,
        0,
        0,
        0,
        0xe292_2101,
        0x100f_0190,
        0xeaff_fffc,
    ];
    compare(&words, 0x20);
}

#[test]
fn system_calls_and_returns_stay_in_translated_code_under_a_profile() {
    let statistics = compare(&SYSTEM_CALLS, 0x48);
    let left = statistics.left_for;
    assert_eq!((left.exceptions, left.returns), (0, 0));
    assert!(statistics.interpreted < 500, "{statistics:?}");
}

#[test]
fn accesses_to_devices_stay_in_translated_code() {
    let mut words = [
        0xe59f_3018, // ldr r3, =0xfffd0000: a serial port
        0xe59f_4018, // ldr r4, =0x300000: memory
        0xe593_1014, // loop: ldr r1, [r3, #0x14]
        0xe583_2020, // str r2, [r3, #0x20]
        0xe793_2000, // ldr r2, [r3, r0]
        0xe220_0000, // eor r0, r0, #0
        0xe384_4000, // orr r4, r4, #0
        0xeaff_fff9, // b loop
        0xfffd_0000,
        0x0030_0000,
    ];
    let statistics = compare(&words, 0x20);
    assert!(statistics.refused_accesses < 50, "{statistics:?}");
    // eor r0, r0, #0x20000: one load reaches one port after the other.
    words[5] = 0xe220_0802;
    compare(&words, 0x20);
}

#[test]
fn an_access_whose_instruction_is_refused_behind_it_is_made_and_counted_once() {
    for place in [0xfffd_0014, 0x0030_0000] {
        let words = [
            0xe59f_300c, // ldr r3, =place: a serial port, or memory that is not the largest one
            0xe321_f0df, // msr cpsr_c, #0xdf: System mode, which has the user's registers
            0xe8d3_0002, // loop: ldmia r3, {r1}^
            0xe280_0001, // add r0, r0, #1
            0xeaff_fffc, // b loop
            place,
            0,
            0,
            0,
        ];
        compare(&words, 0x20);
    }
}
