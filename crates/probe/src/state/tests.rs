#[path = "../../../machine/tests/support/mod.rs"]
mod support;

use super::*;
use crate::NodeIndex;
use crate::contexts::Entry;
use crate::functions::FunctionId;
use socscope_memory::{Direction, Width};

fn machine() -> Machine {
    let blob = support::compile("/include/ \"at91x40.dts\"\n");
    Machine::new(&blob, "test", &[]).unwrap()
}

fn functions() -> Functions {
    Functions::new(&[(0, 0x100, 4)]).unwrap()
}

/// What is said about a saved state after `damage`.
fn said(damage: impl FnOnce(&mut ProfileState)) -> String {
    let machine = machine();
    let mut state = Profile::new(&machine, functions(), Window::All).save();
    damage(&mut state);
    match Profile::restore(&machine, functions(), state) {
        Ok(_) => String::from("nothing"),
        Err(error) => error.to_string(),
    }
}

#[test]
fn a_state_that_is_whole_is_taken() {
    assert_eq!(said(|_| ()), "nothing");
}

#[test]
fn counters_of_a_larger_machine_are_refused() {
    let regions = machine().regions().len();
    let said = said(|state| state.counts[0] = Counts::of(Tracking::new(99, 0).counters(), 0));
    assert_eq!(
        said,
        format!(
            "the profile counts 99 regions, the machine has {regions}: restore it with the platform that it was saved with"
        )
    );
}

#[test]
fn contexts_have_counters() {
    let damaged = "the profile has 0 contexts and counters of 1: the checkpoint is damaged";
    assert_eq!(said(|state| state.nodes.clear()), damaged);
}

#[test]
fn a_context_has_its_place_once_and_behind_its_caller() {
    let damaged = |number| {
        format!(
            "the profile's context {number} has no place among its callers: the checkpoint is damaged"
        )
    };
    let own_caller = said(|state| state.nodes[0].parent = Some(NodeIndex(0)));
    assert_eq!(own_caller, damaged(0));
    let twice = said(|state| {
        state.nodes.push(state.nodes[0]);
        state.counts.push(state.counts[0].clone());
    });
    assert_eq!(twice, damaged(1));
}

#[test]
fn frames_and_accesses_are_of_contexts_that_exist() {
    let damaged = |number| {
        format!(
            "the profile refers to context {number}, which does not exist or is another function's: the checkpoint is damaged"
        )
    };
    assert_eq!(said(|state| state.current.node.0 = 7), damaged(7));
    assert_eq!(
        said(|state| state.frames[0].key.0 = FunctionId(9)),
        damaged(0)
    );
    assert_eq!(said(|state| access(state, 8, 0)), damaged(8));
}

#[test]
fn frames_return_as_their_kind_does_and_are_not_too_many() {
    let damaged = |address: u32| {
        format!(
            "the profile's frame of context 0 returns to {address:#x}, where none of its kind does: the checkpoint is damaged"
        )
    };
    let returns = |entry, address| {
        said(|state| {
            state.frames[0].entry = entry;
            state.frames[0].return_address = address;
        })
    };
    assert_eq!(returns(Entry::Root, 0x100), damaged(0x100));
    assert_eq!(returns(Entry::Exception, 0x102), damaged(0x102));
    assert_eq!(returns(Entry::Call, 0x101), damaged(0x101));
    let many = said(|state| state.frames = vec![state.frames[0]; FRAMES_MAX + 1]);
    let expected = format!(
        "the profile has {} frames, more than any keeps: the checkpoint is damaged",
        FRAMES_MAX + 1
    );
    assert_eq!(many, expected);
}

fn access(state: &mut ProfileState, node: u32, device: u16) {
    let access = RegisterAccess {
        node: NodeIndex(node),
        device,
        offset: 0,
        direction: Direction::Read,
    };
    state.registers.insert(access, 1);
}

#[test]
fn devices_and_regions_are_the_machines() {
    let other =
        "which the machine does not have: restore it with the platform that it was saved with";
    assert_eq!(
        said(|state| access(state, 0, 500)),
        format!("the profile refers to device 500, {other}")
    );
    let raised = said(|state| state.interrupts.raised(501, 0, 1));
    assert_eq!(raised, format!("the profile refers to device 501, {other}"));
    let transfer = said(|state| {
        let region = RegionIndex(502);
        state
            .dma
            .access(0, Direction::Write, region, Width::Byte, 1);
    });
    assert_eq!(
        transfer,
        format!("the profile refers to region 502, {other}")
    );
    assert_eq!(
        said(|state| state.region = RegionIndex(503)),
        format!("the profile refers to region 503, {other}")
    );
}

#[test]
fn a_count_needs_a_span() {
    let damaged = "the profile counts in no span: the checkpoint is damaged";
    assert_eq!(said(|state| state.spans.clear()), damaged);
}

#[test]
fn counts_that_would_overflow_are_refused() {
    let damaged = format!(
        "the profile has counted up to {}, more than any run does: the checkpoint is damaged",
        u64::MAX
    );
    let counted = said(|state| {
        let mut tracking = Tracking::new(machine().regions().len(), 0);
        tracking.set_counters(0, 1, (1, 2, [u64::MAX; 6]));
        state.counts[0] = Counts::of(tracking.counters(), 0);
    });
    assert_eq!(counted, damaged);
    assert_eq!(
        said(|state| state.spans[0].stopped_cycles = u64::MAX),
        damaged
    );
    assert_eq!(said(|state| state.instructions = u64::MAX), damaged);
    assert_eq!(
        said(|state| state.entries = Entries(vec![vec![u64::MAX]])),
        damaged
    );
}

#[test]
fn a_machine_that_got_more_regions_takes_the_counters_of_those_that_it_had() {
    let machine = machine();
    let mut profile = Profile::new(&machine, functions(), Window::All);
    let before = profile.save();
    let mut regions = machine.regions().to_vec();
    regions.push(regions[1].clone());
    socscope_machine::MachineObserver::mapped(
        &mut profile,
        &regions,
        &socscope_machine::Moves::default(),
    );
    let after = profile.save();
    assert_eq!(after.counts[0].regions(), before.counts[0].regions() + 1);
    assert_eq!((after.nodes, after.frames), (before.nodes, before.frames));
    assert_eq!(before.current.entry, Entry::Root);
}
