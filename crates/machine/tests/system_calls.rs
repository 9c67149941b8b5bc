//! System calls of an ARM program stay in translated code, and do what the interpreter does.

use crate::support::{SYSTEM_CALLS, board_running};
use socscope_core::Unobserved;
use socscope_machine::{Engine, Machine, Until};

fn run(engine: Engine) -> Machine {
    let mut machine = board_running(&SYSTEM_CALLS);
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
