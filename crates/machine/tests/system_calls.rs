//! System calls of an ARM program stay in translated code, and do what the interpreter does.

use crate::support::board_running;
use socscope_core::Unobserved;
use socscope_machine::{Engine, Machine, Until};

/// A user program calls, under conditions too; the handler returns in two ways.
const PROGRAM: [u32; 26] = [
    // b start; five vectors to themselves but that of software interrupts: b handler.
    0xea00_0006,
    0xeaff_fffe,
    0xea00_000e,
    0xeaff_fffe,
    0xeaff_fffe,
    0xeaff_fffe,
    0xeaff_fffe,
    0xeaff_fffe,
    // start: mov sp, #0x300000; add sp, sp, #0x1000; msr cpsr_c, #0x10; mov r4, #0
    0xe3a0_d603,
    0xe28d_da01,
    0xe321_f010,
    0xe3a0_4000,
    // again: swi 0; cmp r4, #8; swine 1; adds r5, r5, r4; b again
    0xef00_0000,
    0xe354_0008,
    0x1f00_0001,
    0xe095_5004,
    0xeaff_fffa,
    0,
    // handler: stmfd sp!, {r3, lr}; add r4, r4, #1; tst r4, #1; ldmeqfd sp!, {r3, pc}^
    0xe92d_4008,
    0xe284_4001,
    0xe314_0001,
    0x08fd_8008,
    // mrs r6, spsr; ldmfd sp!, {r3, lr}; movs pc, lr
    0xe14f_6000,
    0xe8bd_4008,
    0xe1b0_f00e,
    0,
];

fn run(engine: Engine) -> Machine {
    let mut machine = board_running(&PROGRAM);
    machine.set_engine(engine);
    machine.set_translation_threshold(1);
    run_to(&mut machine, 1_000_000);
    machine
}

fn run_to(machine: &mut Machine, cycle: u64) {
    let end = machine.clock().instant_of(cycle);
    machine.run(&Until::time(end), &mut Unobserved);
}

#[test]
fn system_calls_and_returns_stay_in_translated_code() {
    let [slow, fast] = [Engine::Interpreted, Engine::Translated].map(run);
    assert_eq!(fast.state_hash(), slow.state_hash());
    assert_eq!(fast.cycle(), slow.cycle());
    let statistics = fast.engine_statistics();
    let left = statistics.left_for;
    assert_eq!((left.exceptions, left.returns), (0, 0));
    assert!(
        statistics.entered > 0 && statistics.interpreted < 500,
        "{statistics:?}"
    );
    let calls = fast.core(0).numbered_register(4);
    assert!(calls > Some(1_000), "{calls:?}");
}

#[test]
fn a_fork_goes_on_in_the_same_code() {
    let [mut slow, mut fast] = [Engine::Interpreted, Engine::Translated].map(run);
    let made = fast.engine_statistics().translations;
    let mut fork = fast.fork().unwrap();
    for machine in [&mut slow, &mut fork, &mut fast] {
        run_to(machine, 2_000_000);
    }
    let statistics = fork.engine_statistics();
    // Where the run begins, perhaps.
    assert!(
        made > 2 && statistics.translations <= 1,
        "{made} {statistics:?}"
    );
    assert_eq!(statistics.flushes, 0);
    assert_eq!(fork.state_hash(), slow.state_hash());
    assert_eq!(fast.state_hash(), slow.state_hash());
}
