//! Moves through time, and where each must lead to.

use super::runs::{COUNTER, END_CYCLE, STORE, go_on};
use proptest::prelude::*;
use socscope_checkpoint::history::{
    Arrival, Conditions, History, HistoryError, Place, Watch, World,
};
use socscope_core::Unobserved;
use socscope_machine::{Machine, Until};
use socscope_time::Instant;

/// One move.
#[derive(Clone, Debug)]
pub enum Move {
    Goto(u64),
    Back(u32),
    Step(u32),
    LastStore,
    LastCall,
    OnTo(u64),
    NextStore,
    Present,
}

/// Any moves.
pub fn moves() -> impl Strategy<Value = Vec<Move>> {
    let one = prop_oneof![
        3 => (0..=END_CYCLE).prop_map(Move::Goto),
        3 => (1u32..40).prop_map(Move::Back),
        2 => (1u32..40).prop_map(Move::Step),
        2 => Just(Move::LastStore),
        1 => Just(Move::LastCall),
        2 => (0..END_CYCLE).prop_map(Move::OnTo),
        1 => Just(Move::NextStore),
        1 => Just(Move::Present),
    ];
    proptest::collection::vec(one, 1..12)
}

/// The last step before a place that satisfies a condition.
fn last(steps: &[(Place, u32)], place: Place, is: impl Fn(u32) -> bool) -> Option<Place> {
    let mut before = steps.iter().rev().filter(|(one, _)| *one < place);
    before.find(|(_, pc)| is(*pc)).map(|(one, _)| *one)
}

/// The first step at a place or behind it.
fn next(steps: &[(Place, u32)], place: Place) -> Option<Place> {
    let behind = steps.partition_point(|(one, _)| *one < place);
    steps.get(behind).map(|(one, _)| *one)
}

/// Makes a move, and compares where it leads to with the steps of a straight run.
pub fn make(
    one: &Move,
    machine: &mut Machine,
    history: &mut History,
    steps: &[(Place, u32)],
) -> Result<(), HistoryError> {
    let here = Place::of(machine);
    let begin = steps[0].0;
    let world = &mut World::alone(machine);
    match one {
        Move::Goto(cycle) => {
            history.goto_cycle(world, *cycle)?;
            let expected = next(steps, Place::at(*cycle));
            assert!(expected.is_none_or(|place| place == Place::of(world.machine())));
        }
        Move::Back(count) => {
            for _ in 0..*count {
                let here = Place::of(world.machine());
                let arrival = history.reverse_step(world)?;
                let expected = last(steps, here, |_| true);
                assert_eq!(arrival == Arrival::Begin, expected.is_none());
                assert_eq!(Place::of(world.machine()), expected.unwrap_or(begin));
            }
        }
        Move::Step(count) => {
            let mut left = *count;
            while left > 0 && history.in_past() {
                let here = Place::of(world.machine());
                history.step(world, &mut Unobserved)?;
                let expected = last(steps, Place::of(world.machine()), |_| true);
                assert_eq!(expected, Some(here));
                left -= 1;
            }
        }
        Move::LastStore => {
            let conditions = Conditions::watching(COUNTER + 2, 1, Watch::Write);
            let arrival = history.reverse_continue(world, &conditions, &mut go_on)?;
            let expected = last(steps, here, |pc| pc == STORE);
            assert_eq!(Place::of(world.machine()), expected.unwrap_or(begin));
            if let Arrival::Hit { old, new, .. } = arrival {
                let value = |bytes: Vec<u8>| u32::from_le_bytes(bytes.try_into().unwrap());
                assert_eq!(value(old) + 1, value(new));
            }
        }
        Move::LastCall => {
            let conditions = Conditions::at(STORE - 4);
            history.reverse_continue(world, &conditions, &mut go_on)?;
            let expected = last(steps, here, |pc| pc == STORE - 4);
            assert_eq!(Place::of(world.machine()), expected.unwrap_or(begin));
        }
        Move::OnTo(cycle) => {
            let until = Until::time(world.machine().clock().instant_of(*cycle));
            history.run(
                world,
                &until,
                &Conditions::none(),
                &mut Unobserved,
                &mut go_on,
            )?;
        }
        Move::NextStore => {
            let conditions = Conditions::watching(COUNTER, 4, Watch::Write);
            let forever = Until::time(Instant::FOREVER);
            let arrival = history.run(world, &forever, &conditions, &mut Unobserved, &mut go_on)?;
            if matches!(arrival, Arrival::Hit { .. }) {
                let here = Place::of(world.machine());
                assert_eq!(
                    last(steps, here, |_| true),
                    last(steps, here, |pc| pc == STORE)
                );
            }
        }
        Move::Present => history.to_present(world)?,
    }
    Ok(())
}
