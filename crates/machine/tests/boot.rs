//! Boot code that remaps as the chip's data sheet shows it, and what it costs on the study's board.

use crate::support;
use socscope_core::Unobserved;
use socscope_memory::{Direction, Sequence, Width};
use support::{board_running, board_with};

/// Programs the chip selects and the remap with one STM, jumps to the final address, and touches SRAM and RAM there.
const BOOT: [u32; 25] = [
    0xe59f_c054, // 00: ldr   r12, target
    0xe28f_a028, // 04: adr   r10, table
    0xe89a_03ff, // 08: ldmia r10, {r0-r9}
    0xe59f_b04c, // 0c: ldr   r11, ebi
    0xe88b_03ff, // 10: stmia r11, {r0-r9}
    0xe1a0_f00c, // 14: mov   pc, r12
    0xe3a0_0000, // 18: mov   r0, #0
    0xe580_c000, // 1c: str   r12, [r0]
    0xe590_1000, // 20: ldr   r1, [r0]
    0xe3a0_2402, // 24: mov   r2, #0x02000000
    0xe582_1000, // 28: str   r1, [r2]
    0xe592_3000, // 2c: ldr   r3, [r2]
    0xeaff_fffe, // 30: b     .
    0x0100_20a5, // 34: table: chip select 0 at 16 MiB, 16 bits, 2 wait states
    0x0200_20a1, // chip select 1 at 32 MiB, 16 bits, 1 wait state
    0x2000_0000,
    0x3000_0000,
    0x4000_0000,
    0x5000_0000,
    0x6000_0000,
    0x7000_0000,
    0x0000_0001, // remap
    0x0000_0006,
    0x0100_0018, // 5c: target
    0xffe0_0000, // 60: ebi
];

#[test]
fn the_jump_behind_the_remap_comes_out_of_the_pipeline() {
    let mut machine = board_running(&BOOT);
    for _ in 0..5 {
        machine.step(&mut Unobserved);
    }
    assert_eq!(machine.pc(), 0x14);
    machine.step(&mut Unobserved);
    assert_eq!(machine.pc(), 0x0100_0018);
    for _ in 0..6 {
        machine.step(&mut Unobserved);
    }
    assert_eq!(
        machine.core(0).arm().unwrap().register(3),
        0x0100_0018,
        "through SRAM at 0 and RAM at 32 MiB"
    );
    assert_eq!(machine.peek(0, 4), 0x0100_0018u32.to_le_bytes());
}

#[test]
fn a_run_boots_as_single_steps_do() {
    let mut stepped = board_running(&BOOT);
    for _ in 0..40 {
        stepped.step(&mut Unobserved);
    }
    let mut run = board_running(&BOOT);
    let until = socscope_machine::Until::time(stepped.now());
    run.run(&until, &mut Unobserved);
    assert_eq!(run.cycle(), stepped.cycle());
    assert_eq!(run.state_hash(), stepped.state_hash());
}

#[test]
fn every_instruction_takes_the_cycles_of_its_memories() {
    let mut machine = board_running(&BOOT);
    let mut cycles = vec![];
    for _ in 0..13 {
        let before = machine.cycle();
        machine.step(&mut Unobserved);
        cycles.push(machine.cycle() - before);
    }
    // A word from the boot ROM takes 2 * (1 + 8) = 18 cycles, later 2 * (1 + 2) = 6; from the RAM 2 * (1 + 1) = 4;
    // SRAM and registers 1; X is the wait state between two chip selects.
    let expected = [
        3 * 18 + 18 + 1,   // empty pipeline; S N I
        18,                // S
        18 + 10 * 18 + 1,  // S N 9S I
        18 + 18 + 1,       // S N I
        18 + 10,           // S N 9S to the registers
        6 + 6 + 6, // N S(new) after the store's N; the wait states of chip select 0 are the new ones already
        6,         // S
        6 + 1,     // S N
        6 + 1 + 1, // N N I
        6,         // S
        6 + 1 + 4, // S X N
        1 + 6 + 1 + 4 + 1, // X N X N I
        6 + 6 + 6, // S N S
    ];
    assert_eq!(cycles, expected);
}

/// Notes the cause of the reset in r1, then starts the watchdog with its shortest period and waits.
const WATCHDOG: [u32; 15] = [
    0xe59f_0020, // ldr r0, sf
    0xe590_1008, // ldr r1, [r0, #8]
    0xe59f_201c, // ldr r2, wd
    0xe59f_301c, // ldr r3, clock mode
    0xe582_3004, // str r3, [r2, #4]
    0xe59f_3018, // ldr r3, restart
    0xe582_3008, // str r3, [r2, #8]
    0xe59f_3014, // ldr r3, overflow mode
    0xe582_3000, // str r3, [r2]
    0xeaff_fffe, // b .
    0xfff0_0000, // sf
    0xffff_8000, // wd
    0x0000_3700, // clock mode: MCK/8, 4096 ticks
    0x0000_c071, // restart
    0x0000_2343, // overflow mode: enabled, resets
];

#[test]
fn the_watchdog_resets_the_system_and_the_boot_code_sees_why() {
    let mut machine = board_running(&WATCHDOG);
    // 32768 cycles are 819 us at 40 MHz.
    let at = |microseconds: u64| {
        socscope_machine::Until::time(socscope_time::Instant(microseconds * 1_000_000))
    };
    machine.run(&at(800), &mut Unobserved);
    assert_eq!(machine.core(0).arm().unwrap().register(1), 0x6c, "the pin");
    machine.run(&at(850), &mut Unobserved);
    assert_eq!(
        machine.core(0).arm().unwrap().register(1),
        0x53,
        "the watchdog"
    );
    assert_eq!(machine.pc(), 0x24, "and it waits again");
}

#[test]
fn registers_cost_what_the_tree_says() {
    let cycles = |additions: &str| {
        let mut machine = board_with(additions).expect("the platform is right");
        let bytes: Vec<u8> = WATCHDOG
            .iter()
            .flat_map(|word| word.to_le_bytes())
            .collect();
        machine.poke(0, &bytes);
        machine.step(&mut Unobserved);
        let before = machine.cycle();
        machine.step(&mut Unobserved);
        machine.cycle() - before
    };
    // ldr r1, [r0, #8] from the boot ROM: S N I.
    assert_eq!(cycles(""), 18 + 1 + 1);
    assert_eq!(cycles("&sf { socscope,wait-states = <2 2>; };"), 18 + 3 + 1);
}

#[test]
fn bursts_do_after_an_internal_cycle_what_the_tree_says() {
    let cycles = |said: &str| {
        let additions = format!("&sram {{ socscope,wait-states = <3 1>; {said} }};");
        let machine = board_with(&additions).map_err(|error| error.to_string())?;
        let sram = machine.regions().iter().find(|one| one.name == "sram");
        let cost = sram.expect("it is there").cost;
        let read = |sequence| cost.cycles(sequence, Direction::Read, Width::Word);
        Ok::<_, String>(Sequence::ALL.map(read))
    };
    // N, S, S after an internal cycle. Where nothing is said, the slower one.
    assert_eq!(cycles(""), Ok([4, 2, 4]));
    let property = |value| format!("socscope,burst-after-internal = {value};");
    assert_eq!(cycles(&property("\"restarts\"")), Ok([4, 2, 4]));
    assert_eq!(cycles(&property("\"continues\"")), Ok([4, 2, 2]));
    let error = cycles(&property("\"goes on\"")).unwrap_err();
    assert!(
        error.ends_with(
            "property socscope,burst-after-internal: \"goes on\" is nothing that a burst does; give \"restarts\" or \"continues\""
        ),
        "{error}"
    );
}
