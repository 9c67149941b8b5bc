//! A machine whose core is a toy: what a machine does with any core, it does with this one.

use crate::support::toy::assembler::{self as a, BEFORE, LOOP, Program, RETURN, STATUS, WAIT};
use crate::support::toy::{CONTROLLER, PROGRAM, alone, board, cpu, elf, store};
use socscope_core::Unobserved;
use socscope_machine::{Engine, Machine, Stop, Until};
use socscope_time::Instant;
use socscope_toy::VECTOR;

const SHARED: u32 = 0x8000;

fn run_us(machine: &mut Machine, microseconds: u64) -> Stop {
    let until = Until::time(Instant(microseconds * 1_000_000));
    machine.run(&until, &mut Unobserved)
}

fn word(machine: &Machine, address: u32, big: bool) -> u32 {
    let bytes = machine
        .peek(address, 4)
        .try_into()
        .expect("there is memory");
    match big {
        true => u32::from_be_bytes(bytes),
        false => u32::from_le_bytes(bytes),
    }
}

fn loaded(big: bool, more: &str, segments: &[(u32, Vec<u32>)]) -> Machine {
    let mut machine = alone(big, more);
    machine
        .load_elf(&elf(big, segments), "toy.elf")
        .expect("it fits");
    machine
}

/// Counts a word in memory up, for ever.
fn counts() -> Vec<u32> {
    let mut code = Program::default();
    code.put(&a::number(1, SHARED))
        .label("again")
        .put(&[a::load(2, 1, 0), a::step(2, 1), a::store(2, 1, 0)])
        .to(a::branch(0), "again");
    code.instructions()
}

#[test]
fn both_engines_and_both_byte_orders_give_the_same_state() {
    for big in [false, true] {
        let ends = [Engine::Interpreted, Engine::Translated].map(|engine| {
            let mut machine = loaded(big, "", &[(PROGRAM, counts())]);
            machine.set_engine(engine);
            machine.set_translation_threshold(1);
            assert_eq!(run_us(&mut machine, 100), Stop::Time);
            // 48 MHz, a cycle an instruction: four before the loop, four in it.
            assert_eq!(word(&machine, SHARED, big), (4800 - 4) / 4);
            machine.state_hash()
        });
        assert_eq!(ends[0], ends[1]);
    }
}

#[test]
fn instructions_cost_what_the_platform_says() {
    let ratio = "socscope,timing = \"fixed-cpi\"; socscope,cpi = <5 2>;";
    let mut machine = loaded(true, ratio, &[(PROGRAM, counts())]);
    run_us(&mut machine, 100);
    let instructions = 4800 * 2 / 5;
    assert_eq!(word(&machine, SHARED, true), (instructions - 4) / 4);
    assert_eq!(machine.accuracy().model, "fixed CPI 5/2");
    // The cache is filled once a line, be instructions short or long.
    let caches = "socscope,timing = \"caches\"; i-cache-size = <1024>; i-cache-line-size = <16>; \
                  d-cache-size = <1024>; d-cache-line-size = <16>; socscope,memory-cycles = <20>;";
    let mut machine = loaded(true, caches, &[(PROGRAM, counts())]);
    run_us(&mut machine, 100);
    let misses: Vec<u64> = machine
        .cache_counts(0)
        .iter()
        .map(|(_, counts)| counts.read_misses)
        .collect();
    assert_eq!(misses, [2, 1]);
}

/// The handler counts at SHARED + 4, silences the controller, and goes back; the program waits and counts how often it goes on.
fn waits() -> Machine {
    let mut handler = Program::default();
    handler
        .put(&a::number(3, CONTROLLER))
        .put(&[a::load(4, 3, 0x100)])
        .put(&a::number(1, SHARED))
        .put(&[a::load(2, 1, 4), a::step(2, 1), a::store(2, 1, 4)])
        .put(&[a::store(2, 3, 0x130), RETURN]);
    let mut program = Program::default();
    program
        .put(&store(CONTROLLER + 0x14, 0x21))
        .put(&store(CONTROLLER + 0x120, 1 << 5))
        .put(&[a::set(5, 1), a::to_special(STATUS, 5)])
        .label("again")
        .put(&store(CONTROLLER + 0x12c, 1 << 5))
        .put(&a::number(1, SHARED))
        .put(&[a::load(2, 1, 0), a::step(2, 1), a::store(2, 1, 0)])
        .put(&[a::add_number(6, 2, -3)])
        .to(a::branch_if(1, 6, 7, 0), "again")
        .put(&[WAIT, LOOP]);
    let mut vector = Program::default();
    vector.put(&[a::branch((0x7000 - VECTOR as i32) / 2)]);
    loaded(
        true,
        "",
        &[
            (PROGRAM, program.instructions()),
            (VECTOR, vector.instructions()),
            (0x7000, handler.instructions()),
        ],
    )
}

#[test]
fn interrupts_are_taken_and_a_core_that_waits_for_none_sleeps() {
    let mut machine = waits();
    // Register 7 is zero: after three rounds it waits, and nothing will come.
    let until = Until::time(Instant::FOREVER);
    assert_eq!(machine.run(&until, &mut Unobserved), Stop::Asleep);
    assert_eq!(word(&machine, SHARED, true), 3);
    assert_eq!(word(&machine, SHARED + 4, true), 3);
    assert_eq!(machine.core(0).status_word(), 1);
}

#[test]
fn guests_that_cannot_go_on_are_told() {
    let mut ends = loaded(false, "", &[(PROGRAM, vec![a::set(1, 1), LOOP])]);
    assert_eq!(run_us(&mut ends, 100_000), Stop::Loop(PROGRAM + 2));
    // A handler that is an endless loop.
    let segments = [
        (PROGRAM, vec![a::set(1, -1), a::load(2, 1, -256)]),
        (VECTOR, vec![LOOP]),
    ];
    let mut unhandled = loaded(false, "", &segments);
    let Stop::Stuck(why) = run_us(&mut unhandled, 100_000) else {
        panic!("it is stuck")
    };
    assert_eq!(
        why,
        "a bus fault is not handled, and its handler is an endless loop at 0x00000020"
    );
    // A handler that faults itself: there is no such instruction.
    let segments = [(PROGRAM, vec![0xaf00]), (VECTOR, vec![0xaf00])];
    let mut nested = loaded(true, "", &segments);
    let Stop::Stuck(why) = run_us(&mut nested, 100_000) else {
        panic!("it is stuck")
    };
    assert_eq!(
        why,
        "the undefined instruction at 0x00000020 happens again in its own handler; the first exception was a undefined \
         instruction at 0x00006000"
    );
}

#[test]
fn handlers_find_what_was_before() {
    let handler = vec![
        a::from_special(8, BEFORE),
        a::from_special(9, STATUS),
        RETURN,
    ];
    let program = vec![a::set(1, 1), a::to_special(STATUS, 1), a::trap(7), LOOP];
    let mut machine = loaded(true, "", &[(PROGRAM, program), (VECTOR, handler)]);
    run_us(&mut machine, 1);
    let core = machine.core(0);
    let registers = [8, 9, 16].map(|number| core.numbered_register(number));
    assert_eq!(registers, [Some(1), Some(0x100), Some(1)]);
}

#[test]
fn what_is_not_for_a_toy_is_refused() {
    let mut machine = alone(false, "");
    let error = |machine: &mut Machine, bytes: &[u8]| {
        machine.load_elf(bytes, "x.elf").unwrap_err().to_string()
    };
    assert_eq!(
        error(&mut machine, &elf(true, &[(PROGRAM, vec![LOOP])])),
        "x.elf: not little-endian like the machine's core: build it with -mlittle-endian"
    );
    let arm = crate::support::mixed::arm_elf(&[(PROGRAM, vec![0])]);
    assert_eq!(
        error(&mut machine, &arm),
        "x.elf: built for ARM, the machine's core is the toy: build it with a compiler for that, such as the assembler of its tests"
    );
    let error = board(
        &cpu(0, "socscope,toy", "slow", "socscope,timing = \"arm7tdmi\";"),
        "",
    );
    assert_eq!(
        error.map(|_| ()).unwrap_err().to_string(),
        "/cpus/cpu@0: property socscope,timing: no timing model of this core is called \"arm7tdmi\"; choose \"fixed-cpi\" or \
         \"caches\""
    );
}
