//! Back in time on a machine with two cores.
#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "tests compile device trees with dtc"
)]

use crate::support;
use socscope_checkpoint::history::{
    Arrival, Conditions, History, Hit, Settings, Watch, Watchpoint, World,
};
use socscope_core::Unobserved;
use socscope_machine::{Machine, Until};
use std::ops::ControlFlow;
use support::powerpc::{SHARED, counting_together, mpc8641d};

const END_CYCLE: u64 = 300_000;

fn started() -> Machine {
    let mut machine = mpc8641d(&[]).unwrap();
    machine.load_elf(&counting_together(), "program").unwrap();
    machine
}

fn run_to(machine: &mut Machine, cycle: u64) {
    let until = Until::time(machine.clock().instant_of(cycle));
    machine.run(&until, &mut Unobserved);
}

fn with_history() -> (Machine, History) {
    let mut machine = started();
    let settings = Settings {
        interval_ps: 20_000_000,
        ..Settings::default()
    };
    let mut history = History::new(&mut World::alone(&mut machine), settings);
    while machine.cycle() < END_CYCLE {
        let next = machine.cycle() + 20_000;
        run_to(&mut machine, next.min(END_CYCLE));
        history.note(&mut World::alone(&mut machine));
    }
    (machine, history)
}

/// What a straight run to where the machine stands makes of it.
fn straight(machine: &Machine) -> String {
    let mut again = started();
    again.reach(machine.moment(), &mut Unobserved).unwrap();
    again.state_hash()
}

#[test]
fn any_time_and_one_step_back_are_what_a_straight_run_makes() {
    let (mut machine, mut history) = with_history();
    let present = machine.state_hash();
    let world = &mut World::alone(&mut machine);
    history.goto_cycle(world, 123_456).unwrap();
    assert_eq!(world.machines[0].state_hash(), straight(&world.machines[0]));
    for _ in 0..50 {
        let before = world.machines[0].moment();
        assert!(matches!(history.reverse_step(world), Ok(Arrival::There)));
        assert!(world.machines[0].moment() < before);
    }
    assert_eq!(world.machines[0].state_hash(), straight(&world.machines[0]));
    history.to_present(world).unwrap();
    assert_eq!(machine.state_hash(), present);
}

#[test]
fn back_to_the_last_instruction_and_access_of_either_core() {
    let (mut machine, mut history) = with_history();
    let breakpoint = Conditions {
        breakpoints: [0x108].into(),
        ..Conditions::none()
    };
    let world = &mut World::alone(&mut machine);
    let go_on = &mut |_| ControlFlow::Continue(());
    for _ in 0..3 {
        let arrival = history.reverse_continue(world, &breakpoint, go_on).unwrap();
        let expected = Hit::Breakpoint { address: 0x108 };
        assert!(matches!(arrival, Arrival::Hit { hit, .. } if hit == expected));
        assert_eq!(
            (world.machines[0].turn(), world.machines[0].pc()),
            (1, 0x108)
        );
        assert_eq!(world.machines[0].state_hash(), straight(&world.machines[0]));
    }
    let of_first = Conditions {
        cores: [(0x108, [0].into())].into(),
        ..breakpoint
    };
    let present = world.machines[0].moment();
    let arrival = history.reverse_continue(world, &of_first, go_on).unwrap();
    assert!(
        matches!(arrival, Arrival::Begin),
        "only the second core comes there"
    );
    history.to_present(world).unwrap();
    assert!(world.machines[0].moment() > present);
    let watchpoint = Conditions {
        watchpoints: [Watchpoint {
            address: SHARED + 4,
            bytes: 4,
            watch: Watch::Write,
        }]
        .into(),
        ..Conditions::none()
    };
    let arrival = history.reverse_continue(world, &watchpoint, go_on).unwrap();
    let Arrival::Hit { old, new, .. } = arrival else {
        panic!("the first core has stored");
    };
    let value = |bytes: &[u8]| u32::from_be_bytes(bytes.try_into().unwrap());
    assert_eq!(value(&old) + 1, value(&new), "it counts");
    assert_eq!(world.machines[0].state_hash(), straight(&world.machines[0]));
}
