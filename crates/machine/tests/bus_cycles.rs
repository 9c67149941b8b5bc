//! Devices see the cycle in which an access transfers its data: the numbers come from the manual's cycle tables (docs/decisions/arm7tdmi-cycles.md).

use crate::support;
use socscope_core::{Observer, Translation, Unobserved};
use socscope_device::TraceEvent;
use socscope_machine::{Engine, Machine, MachineObserver, Until};
use socscope_time::Instant;
use support::board_with;

/// Memories of 32 bits without wait states; of 16 bits with two; of 16 bits with three for the first transfer of a burst and one for others.
const MEMORIES: &str = r#"/ {
    flash@10000000 { compatible = "mmio-sram"; reg = <0x10000000 0x1000>; socscope,bus-bits = <16>; socscope,wait-states = <2 2>; };
    burst@11000000 { compatible = "mmio-sram"; reg = <0x11000000 0x1000>; socscope,bus-bits = <16>; socscope,wait-states = <3 1>; };
};"#;
const SRAM: u32 = 0x0030_0000;
const FLASH: u32 = 0x1000_0000;
const BURST: u32 = 0x1100_0000;
/// What a program finds in r0, r1 and r2: a device, memory, and a number.
const TIMER: u32 = 0xfffe_0000;
const USART: u32 = 0xfffd_0000;
const DATA: u32 = SRAM + 0x1000;
const START: u32 = 5;
/// The cycle at which a program begins: mov with the pipeline's filling (3 x 18), four ldr (18 + 18 + 1 each), bx (18), and the target's filling.
const BEGIN: u64 = 54 + 4 * 37 + 18;

const NOP: u32 = 0xe1a0_0000;
const MUL: u32 = 0xe003_0292;
const LDR_DATA: u32 = 0xe591_3000;
const STR_DATA: u32 = 0xe581_2000;
const LDR: u32 = 0xe590_3000;
const STR: u32 = 0xe580_2000;
const LDM: u32 = 0xe890_0038;
const STM: u32 = 0xe880_001c;
const SWP: u32 = 0xe100_3092;
const LDRH: u32 = 0xe1d0_30b0;
const LOOP: u32 = 0xeaff_fffe;

/// A board that goes to `words` at `place`, an odd one for Thumb.
fn board(more: &str, place: u32, device: u32, words: &[u32]) -> Machine {
    let mut machine = board_with(&format!("{MEMORIES} {more}")).expect("the platform is right");
    // mov r4, #0; ldr r0, r1, r2 and r3 from behind the code; bx r3.
    let code = [
        0xe3a0_4000,
        0xe59f_000c,
        0xe59f_100c,
        0xe59f_200c,
        0xe59f_300c,
        0xe12f_ff13,
    ];
    let words_at = |machine: &mut Machine, address: u32, words: &[u32]| {
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        assert_eq!(machine.poke(address, &bytes), bytes.len());
    };
    words_at(&mut machine, 0, &code);
    words_at(&mut machine, 24, &[device, DATA, START, place]);
    words_at(&mut machine, place & !1, words);
    machine
}

/// The cycles of accesses to registers, counted from a place.
#[derive(Clone, Debug, Default)]
struct Accesses {
    since: u64,
    cycles: Vec<u64>,
}

impl Observer for Accesses {
    fn translation(&mut self) -> Translation<'_> {
        Translation::Nothing
    }
}

impl MachineObserver for Accesses {
    fn wants_registers(&self) -> bool {
        true
    }
    fn trace(&mut self, _device: u16, _time: Instant, cycle: u64, event: TraceEvent) {
        if let TraceEvent::Register { .. } = event {
            self.cycles.push(cycle - self.since);
        }
    }
}

/// When the last of the instructions accesses the device, counted from its begin.
fn accesses(machine: &mut Machine, instructions: usize) -> Vec<u64> {
    const PROLOGUE: usize = 6;
    for _ in 0..PROLOGUE + instructions - 1 {
        machine.step(&mut Unobserved);
    }
    let mut seen = Accesses {
        since: machine.cycle(),
        ..Accesses::default()
    };
    machine.step(&mut seen);
    seen.cycles
}

#[test]
fn an_access_is_in_its_own_cycle_of_the_manuals_order() {
    let rows: &[(u32, &[u32], &[u64])] = &[
        // S N I and S N: behind the fetch.
        (SRAM, &[NOP, LDR], &[1]),
        (SRAM, &[NOP, STR], &[1]),
        (SRAM, &[NOP, LDRH], &[1]),
        // S N (n-1)S I, S N (n-1)S, and S N N I.
        (SRAM, &[NOP, LDM], &[1, 2, 3]),
        (SRAM, &[NOP, STM], &[1, 2, 3]),
        (SRAM, &[NOP, SWP], &[1, 2]),
        // Two transfers of three cycles each for a fetch.
        (FLASH, &[NOP, LDR], &[6]),
        (FLASH, &[NOP, STR], &[6]),
        (FLASH, &[NOP, LDM], &[6, 7, 8]),
        (FLASH, &[NOP, STM], &[6, 7, 8]),
        (FLASH, &[NOP, SWP], &[6, 7]),
        // nop and ldr r3, [r0] of Thumb, str r2, [r0]: one transfer.
        (FLASH | 1, &[0x6803_46c0], &[3]),
        (FLASH | 1, &[0x6002_46c0], &[3]),
        // The fetch is S, 2 + 2, or N, 4 + 2: behind a jump S, behind internal cycles and a store N.
        (BURST, &[LDR], &[4]),
        (BURST, &[NOP, LDR], &[4]),
        (BURST, &[LDR_DATA, LDR], &[6]),
        (BURST, &[MUL, LDR], &[6]),
        (BURST, &[STR_DATA, LDR], &[6]),
        (BURST, &[STR_DATA, NOP, LDR], &[4]),
        (BURST, &[MUL, LDM], &[6, 7, 8]),
        (BURST, &[STR_DATA, SWP], &[6, 7]),
    ];
    for &(place, words, expected) in rows {
        let count = words.len() * if place & 1 != 0 { 2 } else { 1 };
        let found = accesses(&mut board("", place, TIMER, words), count);
        assert_eq!(found, expected, "{place:#x} {words:x?}");
    }
}

#[test]
fn an_access_ends_behind_the_devices_own_wait_states() {
    // An access of four cycles: the last one.
    let slow = "&tc { socscope,wait-states = <3 3>; };";
    for (words, expected) in [
        ([NOP, LDR], &[4][..]),
        ([NOP, STR], &[4]),
        ([NOP, LDM], &[4, 8, 12]),
        ([NOP, SWP], &[4, 8]),
    ] {
        let found = accesses(&mut board(slow, SRAM, TIMER, &words), 2);
        assert_eq!(found, expected, "{words:x?}");
    }
}

/// Runs to the loop at the end of a program, in both engines: what its registers are.
fn registers(more: &str, place: u32, device: u32, words: &[u32]) -> [u32; 16] {
    let run = |engine| {
        let mut machine = board(more, place, device, words);
        machine.set_engine(engine);
        machine.set_translation_threshold(1);
        let until = Until::time(machine.clock().instant_of(5_000));
        machine.run(&until, &mut Unobserved);
        let core = machine.core(0);
        let core = core.arm().expect("it is one");
        let values: [u32; 16] = std::array::from_fn(|index| core.register(index as u32));
        (values, machine.state_hash())
    };
    let interpreted = run(Engine::Interpreted);
    assert_eq!(interpreted, run(Engine::Translated));
    interpreted.0
}

/// str r2, [r0]: the timer starts; ldr r3, [r0, #0x10], and the same into r4 and r5: its value.
const READ_TIMER: [u32; 3] = [0xe590_3010, 0xe590_4010, 0xe590_5010];

#[test]
fn a_timer_starts_and_is_read_at_the_cycle_of_the_access() {
    // The timer counts every second cycle, the even ones, from the one behind the start.
    let value = |started: u64, read: u64| (read / 2 - started / 2 - 1) as u32;
    // SRAM: the str begins at BEGIN + 2, and its access is in the next cycle; a nop is one cycle, each ldr three.
    for nops in 0..6 {
        let words = [&[STR][..], &vec![NOP; nops], &READ_TIMER, &[LOOP]].concat();
        let started = BEGIN + 2 + 1;
        let first = started + 1 + nops as u64 + 1;
        let expected = [first, first + 3, first + 6].map(|read| value(started, read));
        let found = registers("", SRAM, TIMER, &words);
        assert_eq!(found[3..6], expected, "{nops} nops");
    }
    // Flash: 12 cycles to fill the pipeline, 6 for the first fetch. A str takes 7 cycles, a nop 6, an ldr 8.
    for nops in 0..6 {
        let words = [&[STR][..], &vec![NOP; nops], &READ_TIMER, &[LOOP]].concat();
        let started = BEGIN + 12 + 6;
        let first = started + 1 + 6 * nops as u64 + 6;
        let expected = [first, first + 8, first + 16].map(|read| value(started, read));
        let found = registers("", FLASH, TIMER, &words);
        assert_eq!(found[3..6], expected, "{nops} nops in flash");
    }
}

/// Switches the serial port on: 16 cycles a bit, ten bits a character.
const OPEN: [u32; 8] = [
    0xe3a0_30ac,
    0xe580_3000, // mov r3, #0xac; str r3, [r0]
    0xe3a0_3d23,
    0xe580_3004, // mov r3, #0x8c0; str r3, [r0, #4]
    0xe3a0_3001,
    0xe580_3020, // mov r3, #1; str r3, [r0, #0x20]
    0xe3a0_3040,
    0xe580_3000, // mov r3, #0x40; str r3, [r0]
];
const SEND: u32 = 0xe580_201c;

#[test]
fn a_bit_that_comes_inside_an_instruction_is_seen_by_its_access() {
    // add r6, r0, #0x10; str r2, [r0, #0x1c], whose access is in its last cycle; nops; ldmia r6, {r7, r8}: the second access is the status
    // register's, three cycles after the begin. The character ends 160 cycles after the access that began it.
    let empty_after = |nops: usize| {
        let words = [
            &OPEN[..],
            &[0xe280_6010, SEND],
            &vec![NOP; nops],
            &[0xe896_0180, LOOP],
        ]
        .concat();
        registers("", SRAM, USART, &words)[8] & 0x200 != 0
    };
    // Accesses 1 + nops + 2 cycles after that of the store.
    assert!(!empty_after(156), "159 cycles");
    assert!(
        empty_after(157),
        "160 cycles, and the instruction began at 158"
    );
}

#[test]
fn an_interrupt_that_rises_inside_an_instruction_comes_behind_it() {
    // A handler at 0x18 that ends: mov r9, lr; b . The controller: its vector is not asked; source 2 is let through.
    let controller = [
        0xe3a0_3e20,
        0xe580_3008, // mov r3, #0x200; str r3, [r0, #8]: the interrupt of an empty transmitter
        0xe3e0_3eff,
        0xe243_300f, // mvn r3, #0xff0; sub r3, r3, #15: the controller
        0xe3a0_4004,
        0xe583_4120, // mov r4, #4; str r4, [r3, #0x120]
        0xe321_f013, // msr cpsr_c, #0x13
    ];
    let taken_behind = |nops: usize| {
        let words = [
            &OPEN[..],
            &[0xe280_6010, SEND],
            &controller,
            &vec![NOP; nops],
            &[0xe896_0180, NOP, NOP, LOOP],
        ]
        .concat();
        let load = SRAM + 4 * (words.len() as u32 - 4);
        let run = |engine| {
            let mut machine = board("", SRAM, USART, &words);
            // The literals of the prologue lie there: the handler takes their place once they are read.
            for _ in 0..6 {
                machine.step(&mut Unobserved);
            }
            let handler: Vec<u8> = [0xe1a0_900e_u32, LOOP]
                .iter()
                .flat_map(|word| word.to_le_bytes())
                .collect();
            machine.poke(0x18, &handler);
            machine.set_engine(engine);
            machine.set_translation_threshold(1);
            machine.run(
                &Until::time(machine.clock().instant_of(5_000)),
                &mut Unobserved,
            );
            let core = machine.core(0);
            let core = core.arm().expect("it is one");
            (
                (core.register(9), core.register(8) & 0x200 != 0),
                machine.state_hash(),
            )
        };
        let interpreted = run(Engine::Interpreted);
        assert_eq!(interpreted, run(Engine::Translated));
        let (link, seen) = interpreted.0;
        (link.wrapping_sub(load + 4), seen)
    };
    // The controller's seven instructions take 9 cycles: one for each that computes, two for each store.
    let at = |cycles: usize| taken_behind(cycles - 1 - 9 - 2);
    assert_eq!(
        at(159),
        (4, false),
        "due in the last cycle of the ldm, behind its access: taken behind it, unseen"
    );
    assert_eq!(
        at(160),
        (4, true),
        "due in the cycle of the access: taken behind the ldm, seen"
    );
    assert_eq!(at(161), (4, true), "due before the access");
    assert_eq!(
        at(162),
        (0, false),
        "due as the ldm begins: taken before it"
    );
}

/// Where and how a run ends: whole or in pieces of so many cycles, in single steps, in both engines.
fn ends_alike(make: impl Fn() -> Machine, end: u64) {
    let finish = |machine: &mut Machine| {
        let until = Until::time(machine.clock().instant_of(end));
        machine.run(&until, &mut Unobserved);
        (
            machine.moment(),
            machine.state_hash(),
            machine.core_cycles(0),
        )
    };
    let expected = finish(&mut make());
    for engine in [Engine::Interpreted, Engine::Translated] {
        for piece in [3, 7, 1001, end] {
            let mut machine = make();
            machine.set_engine(engine);
            machine.set_translation_threshold(1);
            for cycle in (piece..end).step_by(piece as usize) {
                machine.run(
                    &Until::time(machine.clock().instant_of(cycle)),
                    &mut Unobserved,
                );
            }
            assert_eq!(
                finish(&mut machine),
                expected,
                "{engine:?} in pieces of {piece}"
            );
        }
    }
    let mut stepped = make();
    while stepped.cycle() < end {
        stepped.step(&mut Unobserved);
    }
    assert_eq!(finish(&mut stepped), expected, "in steps");
}

#[test]
fn dma_inside_instructions_is_the_same_however_the_run_is_made() {
    // The program asks for the transmitter's DMA pointer and counter, its status, then again: ldmia r6, {r7, r8}; ldmia r9, {r10, r11}.
    let loop_words = [
        0xe3a0_64ff,
        0xe386_68fd,
        0xe286_9010,
        0xe286_6038,
        0xe896_0180,
        0xe899_0c00,
        0xe087_7008,
        0xeaff_fffb,
    ];
    let stores = [
        &support::USART0_ON[..],
        &[
            (USART + 0x20, 1),
            (USART + 0x38, support::RAM),
            (USART + 0x3c, 40),
            (USART + 0x30, support::RAM + 0x100),
        ],
    ]
    .concat();
    let program = support::storing(&stores, &loop_words);
    let make = || support::board_running(&program);
    ends_alike(make, 9_000);
    let mut machine = make();
    machine.run(
        &Until::time(machine.clock().instant_of(9_000)),
        &mut Unobserved,
    );
    assert!(machine.core_cycles(0).bus_held > 20, "it sends");
}

/// Counts resets that devices ask for.
struct Resets(u32);

impl Observer for Resets {}

impl MachineObserver for Resets {
    fn reset(&mut self, _pc: u32) {
        self.0 += 1;
    }
}

#[test]
fn a_reset_inside_an_instruction_comes_behind_it() {
    // str r2, [r0] starts the watchdog: 4096 counts of eight cycles, then a reset. ldmia r0, {r7, r8} and b take seven cycles, so that the underflow
    // comes in each of them in turn.
    for nops in 0..7 {
        let words = [&[STR][..], &vec![NOP; nops], &[0xe890_0180, 0xeaff_fffd]].concat();
        let make = || {
            let mut machine = board("", SRAM, 0xffff_8000, &words);
            // What is loaded into r2: the key, reset and enable.
            machine.poke(32, &0x2343_u32.to_le_bytes());
            machine
        };
        let mut machine = make();
        let mut resets = Resets(0);
        machine.run(
            &Until::time(machine.clock().instant_of(34_000)),
            &mut resets,
        );
        assert_eq!(resets.0, 1);
        ends_alike(make, 34_000);
    }
}

/// A PowerPC board with a serial port.
fn powerpc(timing: &str, waits: u32, words: &[u32]) -> Machine {
    let source = format!(
        r#"/dts-v1/;
        / {{
            #address-cells = <1>;
            #size-cells = <1>;
            clock: clock {{ compatible = "fixed-clock"; #clock-cells = <0>; clock-frequency = <1000000>; }};
            cpus {{
                #address-cells = <1>;
                #size-cells = <0>;
                PowerPC,8641@0 {{ device_type = "cpu"; reg = <0>; clocks = <&clock>; {timing} }};
            }};
            memory@0 {{ device_type = "memory"; reg = <0 0x10000>; }};
            serial@e0000000 {{
                compatible = "ns16550"; reg = <0xe0000000 0x100>; clocks = <&clock>; socscope,wait-states = <{waits} {waits}>;
            }};
            rom@fff00000 {{ compatible = "mmio-sram"; reg = <0xfff00000 0x1000>; }};
        }};"#
    );
    let mut machine =
        Machine::new(&support::compile(&source), "test", &[]).expect("the platform is right");
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_be_bytes()).collect();
    machine.poke(0xfff0_0100, &bytes);
    machine
}

#[test]
fn with_caches_an_access_is_behind_the_stalls_before_it() {
    const CACHES: &str = "socscope,timing = \"caches\"; i-cache-size = <16384>; i-cache-line-size = <32>; d-cache-size = <16384>; \
        d-cache-line-size = <32>; socscope,memory-cycles = <50>;";
    // lis r3, 0xe000; then in another line of the cache or not: lbz r4, 5(r3), stb, or lmw r30, 0(r3).
    const LIS: u32 = 0x3c60_e000;
    const NOTHING: u32 = 0x6000_0000;
    for (waits, words, expected) in [
        (0, vec![LIS, 0x8883_0005], &[0][..]),
        (4, vec![LIS, 0x8883_0005], &[4]),
        (4, vec![LIS, 0x9883_0007], &[4]),
        (4, vec![LIS, 0xbbc3_0000], &[4, 8]),
        // The line of eight instructions is not there: 50 cycles of memory.
        (
            0,
            [&[LIS], &[NOTHING; 7][..], &[0x8883_0005]].concat(),
            &[50],
        ),
        (
            4,
            [&[LIS], &[NOTHING; 7][..], &[0xbbc3_0000]].concat(),
            &[54, 58],
        ),
    ] {
        let mut machine = powerpc(CACHES, waits, &words);
        for _ in 1..words.len() {
            machine.step(&mut Unobserved);
        }
        let since = machine.cycle();
        let mut seen = Accesses {
            since,
            ..Accesses::default()
        };
        machine.step(&mut seen);
        assert_eq!(seen.cycles, expected, "{waits} wait states, {words:x?}");
    }
}

#[test]
fn with_a_ratio_an_access_is_in_the_first_cycle_in_both_engines() {
    // lis r3, 0xe000; lbz r4, 5(r3); b -4: seven cycles each.
    let words = [0x3c60_e000, 0x8883_0005, 0x4bff_fffc];
    let fixed = "socscope,timing = \"fixed-cpi\"; socscope,cpi = <7 1>;";
    for engine in [Engine::Interpreted, Engine::Translated] {
        let mut machine = powerpc(fixed, 4, &words);
        machine.set_engine(engine);
        machine.set_translation_threshold(1);
        let mut seen = Accesses::default();
        machine.run(&Until::time(machine.clock().instant_of(7 * 201)), &mut seen);
        let expected: Vec<u64> = (0..100).map(|round| 7 * (1 + 2 * round)).collect();
        assert_eq!(seen.cycles, expected, "{engine:?}");
        assert_eq!(
            machine.engine_statistics().entered > 0,
            engine == Engine::Translated
        );
    }
}
