//! Wherever a machine goes in its past, it is what a straight run makes of it.

mod moves;
mod runs;

use moves::{make, moves};
use proptest::prelude::*;
use runs::{
    COUNTER, END_CYCLE, STORE, live, machine, run_to, scripts, steps, straight, with_history,
};
use socscope_checkpoint::history::{
    Arrival, Conditions, History, Hit, Place, Settings, Watch, Watcher, World,
};
use socscope_core::Unobserved;
use socscope_machine::{Machine, Stop, Until};
use socscope_time::Instant;
use std::ops::ControlFlow;

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_place_is_what_a_straight_run_makes_of_it(
        script in scripts(), moves in moves(), fast in any::<bool>(), scarce in any::<bool>()
    ) {
        let settings = Settings {
            interval_ps: 100_000_000,
            budget_bytes: if scarce { 0 } else { 1 << 30 },
        };
        let steps = steps(fast, &script);
        let (mut machine, mut history) = with_history(fast, &script, settings);
        let present = straight(fast, &script, Place::at(END_CYCLE)).state_hash();
        prop_assert_eq!(machine.state_hash(), present.clone());
        for one in &moves {
            make(one, &mut machine, &mut history, &steps).unwrap();
            let expected = straight(fast, &script, Place::of(&machine));
            prop_assert_eq!(machine.state_hash(), expected.state_hash(), "after {:?}", one);
        }
        history.to_present(&mut World::alone(&mut machine)).unwrap();
        prop_assert_eq!(machine.state_hash(), present);
    }
}

fn usual() -> (Machine, History) {
    let settings = Settings {
        interval_ps: 100_000_000,
        ..Settings::default()
    };
    with_history(false, &vec![(20_000, b"a".to_vec())], settings)
}

#[test]
fn a_change_in_the_past_ends_what_came_behind_it() {
    let (mut machine, mut history) = usual();
    let world = &mut World::alone(&mut machine);
    history.goto_cycle(world, 10_000).unwrap();
    world.machines[0].serial_input("usart0", b"b").unwrap();
    live(&mut machine, &mut history, END_CYCLE);
    assert!(!history.in_past());
    assert_eq!(history.cuts(), 1);
    let other = vec![(10_000, b"b".to_vec())];
    let expected = straight(false, &other, Place::at(END_CYCLE));
    assert_eq!(machine.state_hash(), expected.state_hash());
    let world = &mut World::alone(&mut machine);
    history.goto_cycle(world, 30_000).unwrap();
    let expected = straight(false, &other, Place::at(30_000));
    assert_eq!(machine.state_hash(), expected.state_hash());
}

#[test]
fn a_run_of_the_users_own_in_the_past_is_another_course() {
    let (mut machine, mut history) = usual();
    history
        .goto_cycle(&mut World::alone(&mut machine), 10_000)
        .unwrap();
    run_to(&mut machine, 40_000);
    history.note(&mut World::alone(&mut machine));
    assert!(!history.in_past());
    let expected = straight(false, &vec![], Place::at(40_000));
    assert_eq!(machine.state_hash(), expected.state_hash());
}

#[test]
fn what_lies_outside_the_history_is_refused() {
    let mut machine = machine(false);
    run_to(&mut machine, 1_000);
    let mut history = History::new(&mut World::alone(&mut machine), Settings::default());
    live(&mut machine, &mut history, 2_000);
    let mut message = |time| {
        let world = &mut World::alone(&mut machine);
        history
            .goto_time(world, Instant(time))
            .unwrap_err()
            .to_string()
    };
    assert_eq!(
        message(1_000_000),
        "0.001 ms lie before the history, which begins at 0.025425 ms: switch the history on earlier in the run"
    );
    assert_eq!(
        message(9_000_000_000),
        "9 ms lie behind the present, 0.0504 ms: run on to get there"
    );
    assert!(!history.in_past());
}

#[test]
fn an_interrupted_search_leaves_the_machine_where_it_was() {
    let (mut machine, mut history) = usual();
    let before = machine.state_hash();
    let world = &mut World::alone(&mut machine);
    let nowhere = Conditions::at(0x1000);
    let arrival = history.reverse_continue(world, &nowhere, &mut |_| ControlFlow::Break(()));
    assert_eq!(arrival, Ok(Arrival::Interrupted));
    assert!(!history.in_past());
    assert_eq!(machine.state_hash(), before);
}

#[test]
fn memory_for_states_is_bounded_and_the_first_one_stays() {
    let settings = |budget_bytes| Settings {
        interval_ps: 10_000_000,
        budget_bytes,
    };
    let (mut machine, history) = with_history(false, &vec![], settings(usize::MAX));
    let (states, bytes) = history.size();
    assert!(states > 50, "{states}");
    let (_, thinned) = with_history(false, &vec![], settings(bytes / 2));
    let (fewer, fewer_bytes) = thinned.size();
    assert!(fewer < states && fewer > states / 4, "{fewer} of {states}");
    assert!(fewer_bytes <= bytes / 2);
    assert_eq!(thinned.begin(&World::alone(&mut machine)), Instant::ZERO);
}

#[test]
fn a_watcher_stops_a_live_run_behind_the_access() {
    let mut machine = machine(false);
    let conditions = Conditions::watching(COUNTER, 4, Watch::Write);
    let mut nobody = Unobserved;
    let mut watcher = Watcher::new(&conditions, &mut nobody);
    let stop = machine.run(&Until::time(Instant::FOREVER), &mut watcher);
    assert_eq!(stop, Stop::Observer);
    assert!(matches!(
        watcher.hit(),
        Some(Hit::Watchpoint {
            address: COUNTER,
            ..
        })
    ));
    assert_eq!(machine.pc(), STORE + 4);
    assert_eq!(machine.peek(COUNTER, 4), [1, 0, 0, 0]);
}
