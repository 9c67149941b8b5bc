//! How a machine runs: time, events, stops, and that nothing depends on how a run is cut into pieces.

use crate::support;
use socscope_core::Unobserved;
use socscope_machine::{LockStep, Machine, Stop, Until};
use socscope_time::Instant;
use support::{board, board_running};

const BRANCH_TO_SELF: u32 = 0xeaff_fffe;
/// msr cpsr_c, #0x13: supervisor mode, interrupts on.
const INTERRUPTS_ON: u32 = 0xe321_f013;
const NO_OPERATION: u32 = 0xe1a0_0000;

fn run_to(machine: &mut Machine, milliseconds: u64) -> Stop {
    machine.run(
        &Until::time(Instant(milliseconds * 1_000_000_000)),
        &mut Unobserved,
    )
}

#[test]
fn a_run_in_pieces_is_the_same_run() {
    let program = [INTERRUPTS_ON, 0xe280_0001, 0xe081_1000, 0xeaff_fffc];
    let (mut whole, mut pieces) = (board_running(&program), board_running(&program));
    run_to(&mut whole, 7);
    for milliseconds in 1..=7 {
        assert_eq!(run_to(&mut pieces, milliseconds), Stop::Time);
    }
    assert_eq!(whole.state_hash(), pieces.state_hash());
    assert!(whole.core(0).arm().unwrap().register(0) > 1_000);
    let mut stepped = board_running(&program);
    while stepped.now() < Instant(7_000_000_000) {
        stepped.step(&mut Unobserved);
    }
    assert_eq!(whole.state_hash(), stepped.state_hash());
}

#[test]
fn a_run_stops_at_an_address_and_at_a_mark() {
    let mut machine = board_running(&[
        NO_OPERATION,
        NO_OPERATION,
        0xe187_7007,
        NO_OPERATION,
        BRANCH_TO_SELF,
    ]);
    let mut until = Until::time(Instant::FOREVER);
    until.addresses.insert(4);
    assert_eq!(machine.run(&until, &mut Unobserved), Stop::Address(4));
    assert_eq!(machine.pc(), 4);
    let until = Until {
        mark: Some(7),
        ..Until::time(Instant::FOREVER)
    };
    assert_eq!(machine.run(&until, &mut Unobserved), Stop::Mark(7));
    assert_eq!(machine.pc(), 12);
    assert_eq!(machine.marks().len(), 1);
}

#[test]
fn an_endless_loop_with_interrupts_masked_is_reported() {
    let mut machine = board_running(&[NO_OPERATION, BRANCH_TO_SELF]);
    assert_eq!(run_to(&mut machine, 1_000), Stop::Loop(4));
    let mut waiting = board_running(&[INTERRUPTS_ON, BRANCH_TO_SELF]);
    assert_eq!(run_to(&mut waiting, 10), Stop::Time);
}

#[test]
fn an_endless_loop_of_a_handler_names_the_exception() {
    const UNDEFINED: u32 = 0xe7f0_00f0;
    const SOFTWARE_INTERRUPT: u32 = 0xef00_0000;
    // A branch over the vectors, each a loop, to what raises the exception.
    let ends_with = |instruction: u32| {
        let mut words = vec![0xea00_0006];
        words.extend([BRANCH_TO_SELF; 7]);
        words.extend([NO_OPERATION, instruction]);
        let Stop::Stuck(reason) = run_to(&mut board_running(&words), 1_000) else {
            panic!("the loop is not seen")
        };
        reason
    };
    let handler = "and its handler is an endless loop at";
    assert_eq!(
        ends_with(UNDEFINED),
        format!("the undefined instruction at 0x00000024 is not handled, {handler} 0x00000004")
    );
    assert_eq!(
        ends_with(SOFTWARE_INTERRUPT),
        format!("a software interrupt is not handled, {handler} 0x00000008")
    );
    // ldr r0, [r1] of nothing: r1 is 0x50000000 by the instruction before.
    let mut words = vec![0xea00_0006];
    words.extend([BRANCH_TO_SELF; 7]);
    words.extend([0xe3a0_1205, 0xe591_0000]);
    let Stop::Stuck(reason) = run_to(&mut board_running(&words), 1_000) else {
        panic!("the loop is not seen")
    };
    assert_eq!(
        reason,
        format!("the data abort at 0x00000024 is not handled, {handler} 0x00000010")
    );
}

#[test]
fn a_jump_into_nowhere_is_reported_with_its_beginning() {
    // mov r0, #0x50000000; mov pc, r0, and no handler at the prefetch abort's vector but another jump there.
    let jump = [0xe3a0_0205, 0xe1a0_f000];
    let mut machine = board_running(&[NO_OPERATION, jump[0], jump[1], 0xe1a0_f000]);
    let Stop::Stuck(reason) = run_to(&mut machine, 1_000) else {
        panic!("the loop is not seen")
    };
    assert!(
        reason.starts_with("the prefetch abort at 0x50000000 happens again in its own handler"),
        "{reason}"
    );
}

#[test]
fn a_sleeping_core_lets_time_pass_without_instructions() {
    // ldr r0, [pc, #4]; mov r1, #1; str r1, [r0]; b .; the power-saving block.
    let program = [
        0xe59f_0008,
        0xe3a0_1001,
        0xe580_1000,
        BRANCH_TO_SELF,
        0xffff_4000,
    ];
    let mut machine = board_running(&program);
    assert_eq!(run_to(&mut machine, 1_000), Stop::Time);
    assert_eq!(machine.pc(), 12);
    assert_eq!(machine.cycle(), 40_000_000);
    assert!(machine.asleep());
    assert_eq!(
        machine.run(&Until::time(Instant::FOREVER), &mut Unobserved),
        Stop::Asleep
    );
}

#[test]
fn unmapped_addresses_are_bus_errors_or_logged_stubs() {
    // mov r0, #0x50000000; ldr r1, [r0]; b .
    let program = [
        0xe3a0_0205,
        0xe590_1000,
        BRANCH_TO_SELF,
        NO_OPERATION,
        BRANCH_TO_SELF,
    ];
    let mut strict = board_running(&program);
    run_to(&mut strict, 1);
    assert_eq!(strict.pc(), 0x10, "the data abort's vector");
    let mut lenient =
        support::board_with("/ { chosen { socscope,unmapped = \"stub\"; }; };").unwrap();
    let bytes: Vec<u8> = program.iter().flat_map(|word| word.to_le_bytes()).collect();
    lenient.poke(0, &bytes);
    run_to(&mut lenient, 1);
    assert_eq!(lenient.pc(), 8);
    let touched: Vec<_> = lenient
        .log()
        .touched()
        .map(|(what, address, count, _)| (what.to_string(), address, count))
        .collect();
    assert_eq!(touched, [("unmapped: read".to_string(), 0x5000_0000, 1)]);
}

#[test]
fn code_that_changes_itself_runs_as_changed() {
    // The loop's mov r2, #1 becomes mov r2, #2: remap is off, so the program runs from on-chip RAM.
    let mut machine = board();
    let base = 0x0030_0000u32;
    let program = [
        0xe59f_0014u32, // ldr r0, =new instruction
        0xe3a0_2001,    // mov r2, #1 (to be changed)
        0xe080_3002,    // add r3, r0, r2
        0xe353_0000,    // cmp r3, #0
        0xe58f_0000,    // str r0, [pc, #0]: writes over the second word below
        0xe3a0_4007,    // mov r4, #7
        0xe3a0_4009,    // mov r4, #9, overwritten with the new instruction
        0xe3a0_2002,    // the new instruction: mov r2, #2
    ];
    let bytes: Vec<u8> = program.iter().flat_map(|word| word.to_le_bytes()).collect();
    machine.poke(base, &bytes);
    machine.poke(0, &0xe3a0_f603u32.to_le_bytes()); // mov pc, #0x300000
    for _ in 0..8 {
        machine.step(&mut Unobserved);
    }
    assert_eq!(
        machine.core(0).arm().unwrap().register(2),
        2,
        "the changed instruction ran"
    );
    assert_eq!(machine.core(0).arm().unwrap().register(4), 7);
}

#[test]
fn linked_machines_share_one_time() {
    let mut machines = [
        board_running(&[BRANCH_TO_SELF]),
        board_running(&[INTERRUPTS_ON, BRANCH_TO_SELF]),
    ];
    machines[0] = board_running(&[INTERRUPTS_ON, BRANCH_TO_SELF]);
    let [first, second] = &mut machines;
    let mut both = [first, second];
    let mut lock_step = LockStep::default();
    lock_step
        .connect(&mut both, (0, "usart1"), (1, "usart1"))
        .unwrap();
    let stop = lock_step.run(
        &mut both,
        &mut [Unobserved, Unobserved],
        0,
        &Until::time(Instant(1_000_000_000)),
    );
    assert_eq!(stop, None);
    assert!(
        both.iter()
            .all(|machine| machine.now() >= Instant(1_000_000_000))
    );
    let error = lock_step
        .connect(&mut both, (0, "usart7"), (1, "usart1"))
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "test: no port is called usart7; there are: usart0, usart1"
    );
}

#[test]
fn addresses_before_the_remap_have_a_place_in_the_image() {
    let machine = board();
    assert_eq!(machine.nominal_address(0x10), 0x0100_0010);
    assert_eq!(machine.nominal_address(0x0030_0004), 0x4);
    assert_eq!(machine.nominal_address(0x5000_0000), 0x5000_0000);
}

#[test]
fn a_port_has_one_wire() {
    let mut machines = [board(), board()];
    let [first, second] = &mut machines;
    let mut both = [first, second];
    let mut lock_step = LockStep::default();
    lock_step
        .connect(&mut both, (0, "usart0"), (1, "usart0"))
        .unwrap();
    let mut refused = |first, second| {
        let error = lock_step.connect(&mut both, first, second).unwrap_err();
        error.to_string()
    };
    let message =
        "test: port usart0 is at one end of a wire already; a wire joins two ports".to_string();
    assert_eq!(refused((0, "usart1"), (1, "usart0")), message);
    assert_eq!(
        refused((0, "usart1"), (0, "usart1")),
        message.replace("usart0", "usart1")
    );
}

#[test]
fn what_is_poked_ends_with_the_address_space() {
    let source = r#"/dts-v1/;
    / {
        #address-cells = <1>;
        #size-cells = <1>;
        cpus {
            #address-cells = <1>;
            #size-cells = <0>;
            cpu@0 { device_type = "cpu"; compatible = "arm,arm7tdmi"; reg = <0>; clocks = <&clock>; };
        };
        clock: clock { compatible = "fixed-clock"; clock-frequency = <1000000>; };
        ram@0 { compatible = "socscope,ram"; reg = <0 0x1000>; };
        ram@fffff000 { compatible = "socscope,ram"; reg = <0xfffff000 0x1000>; };
    };"#;
    let mut machine = Machine::new(&support::compile(source), "test", &[]).unwrap();
    assert_eq!(machine.poke(0xffff_fffe, &[1, 2, 3]), 2);
    assert_eq!(machine.peek(0xffff_fffe, 4), [1, 2]);
    assert_eq!(machine.peek(0, 1), [0]);
}
