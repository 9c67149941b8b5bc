//! Forks go on with code that was translated for the machine that they were made from, where it is still the same.

use crate::support::powerpc::{addi, branch, counting_together, engine, mpc8641d};
use proptest::prelude::*;
use socscope_core::Unobserved;
use socscope_machine::{Engine, Machine, Until};

fn running(engine: Engine) -> Machine {
    let mut machine = mpc8641d(&[]).unwrap();
    machine.load_elf(&counting_together(), "program").unwrap();
    machine.set_engine(engine);
    machine.set_translation_threshold(1);
    run(&mut machine, 20_000);
    machine
}

fn run(machine: &mut Machine, cycles: u64) {
    let end = machine.clock().instant_of(machine.cycle() + cycles);
    machine.run(&Until::time(end), &mut Unobserved);
}

fn change_code(machine: &mut Machine, place: u32, by: u8) {
    // Any word of the second core's program may become an addition to a register that nothing else uses.
    let instruction = addi(20, 20, i16::from(by) as u32);
    machine.poke(0x100 + 4 * place, &instruction.to_be_bytes());
}

#[test]
fn nothing_is_translated_again() {
    let mut machine = running(Engine::Translated);
    assert!(machine.engine_statistics().translations > 0);
    let before = machine.engine_statistics();
    let mut fork = machine.fork().unwrap();
    run(&mut fork, 50_000);
    let statistics = fork.engine_statistics();
    assert_eq!((statistics.translations, statistics.flushes), (0, 0));
    assert!(statistics.entered > 0, "{statistics:?}");
    assert_eq!(machine.engine_statistics(), before, "each counts its own");
    run(&mut machine, 50_000);
    assert_eq!(machine.state_hash(), fork.state_hash());
    let mut slow = running(Engine::Interpreted);
    run(&mut slow, 50_000);
    assert_eq!(machine.state_hash(), slow.state_hash());
}

#[test]
fn a_device_that_joins_costs_no_translation() {
    let mut machine = running(Engine::Translated);
    let mut fork = machine.fork().unwrap();
    fork.add_node(&engine()).unwrap();
    run(&mut fork, 50_000);
    assert_eq!(fork.engine_statistics().translations, 0);
    run(&mut machine, 50_000);
    assert_eq!(machine.engine_statistics().flushes, 1, "the first one's");
}

#[test]
fn code_that_comes_back_is_not_translated_again() {
    let mut machine = running(Engine::Translated);
    let mut changed = machine.fork().unwrap();
    let was = changed.peek(0x100, 0x40);
    changed.poke(0x100, &branch(0).to_be_bytes());
    run(&mut changed, 20_000);
    let made = changed.engine_statistics().translations;
    let mut fork = machine.fork().unwrap();
    run(&mut fork, 20_000);
    assert_eq!(fork.engine_statistics().translations, 0);
    assert!(made <= 1, "{made}");
    changed.poke(0x100, &was);
    run(&mut changed, 20_000);
    let mut slow = running(Engine::Interpreted);
    slow.poke(0x100, &branch(0).to_be_bytes());
    run(&mut slow, 20_000);
    slow.poke(0x100, &was);
    run(&mut slow, 20_000);
    assert_eq!(changed.state_hash(), slow.state_hash());
}

#[test]
#[expect(
    clippy::disallowed_methods,
    reason = "that machines run on threads at the same time is what is tested"
)]
fn machines_that_run_at_the_same_time_have_their_own() {
    let mut machine = running(Engine::Translated);
    let mut forks: Vec<Machine> = (0..4).map(|_| machine.fork().unwrap()).collect();
    std::thread::scope(|scope| {
        for fork in &mut forks {
            scope.spawn(|| (0..50).for_each(|_| run(fork, 2_000)));
        }
    });
    run(&mut machine, 100_000);
    for fork in &forks {
        assert_eq!(fork.state_hash(), machine.state_hash());
    }
}

#[derive(Clone, Debug)]
enum Step {
    Run(usize, u64),
    Fork(usize),
    Change(usize, u32, u8),
    Join(usize),
    Drop(usize),
}

fn step() -> impl Strategy<Value = Step> {
    let which = 0_usize..8;
    prop_oneof![
        4 => (which.clone(), 1_u64..5_000).prop_map(|(which, cycles)| Step::Run(which, cycles)),
        2 => which.clone().prop_map(Step::Fork),
        2 => (which.clone(), 0_u32..12, any::<u8>()).prop_map(|(which, place, by)| Step::Change(which, place, by)),
        1 => which.clone().prop_map(Step::Join),
        1 => which.prop_map(Step::Drop),
    ]
}

fn take(machines: &mut Vec<Machine>, step: &Step) {
    let count = machines.len();
    match *step {
        Step::Run(which, cycles) => run(&mut machines[which % count], cycles),
        Step::Fork(which) if count < 6 => {
            let fork = machines[which % count].fork().unwrap();
            machines.push(fork);
        }
        Step::Change(which, place, by) => change_code(&mut machines[which % count], place, by),
        Step::Join(which) => {
            // It may be there already.
            let _ = machines[which % count].add_node(&engine());
        }
        Step::Drop(which) if count > 1 => {
            machines.remove(which % count);
        }
        Step::Fork(_) | Step::Drop(_) => {}
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]
    #[test]
    fn whatever_machines_of_one_family_do_is_what_interpreted_ones_do(
        steps in prop::collection::vec(step(), 1..40)
    ) {
        let [mut slow, mut fast] =
            [Engine::Interpreted, Engine::Translated].map(|engine| vec![running(engine)]);
        for one in &steps {
            take(&mut slow, one);
            take(&mut fast, one);
        }
        for (slow, fast) in slow.iter_mut().zip(&mut fast) {
            run(slow, 3_000);
            run(fast, 3_000);
            prop_assert_eq!(slow.state_hash(), fast.state_hash());
        }
    }
}
