//! What a block transfer costs at most whose memory is not known: it may run from one region into the next.

use socscope_arm::timing::Arm7Tdmi;
use socscope_flow::{Arm, CodeState, Entry, Platform, Program, Region, analyse, price};
use socscope_memory::AccessCost;

const SUPERVISOR: u32 = 0x13;

const CODE: [u32; 2] = [
    0xe890_000e, // ldmia r0, {r1-r3}
    0xe12f_ff1e, // bx lr
];

fn region(start: u32, last: u32, wait_states: (u16, u16), code: bool) -> Region {
    Region {
        start,
        last,
        cost: AccessCost::with_wait_states(32, wait_states.0, wait_states.1),
        writable: true,
        pointed: !code,
        stacks: false,
        code,
    }
}

/// The most cycles from the entry to its return.
fn bound(second_start: u32, register: Option<(u32, u32)>) -> u64 {
    let platform = Platform {
        regions: vec![
            region(0, 0xfff, (0, 0), true),
            region(0x1000, 0x1fff, (4, 1), false),
            region(second_start, second_start + 0xfff, (3, 2), false),
        ],
    };
    bound_on(&platform, register)
}

fn bound_on(platform: &Platform, register: Option<(u32, u32)>) -> u64 {
    let program = Program {
        constants: vec![(0, CODE.iter().flat_map(|word| word.to_le_bytes()).collect())],
        inline: true,
        blocks_max: 100,
        steps_max: 100,
        ..Program::default()
    };
    let entry = Entry {
        address: 0,
        code: CodeState(0),
        mode: SUPERVISOR,
        registers: register
            .map(|(low, high)| (0, low, high))
            .into_iter()
            .collect(),
    };
    let priced = price(
        &analyse::<Arm>(&program, &entry).expect("the mode exists"),
        platform,
        &Arm7Tdmi::default(),
    );
    let out = priced.edges.iter().filter(|edge| edge.to.is_none());
    out.map(|edge| edge.cycles).max().expect("it returns")
}

/// The load's fetch and its internal cycle, and the jump back: S, I, S N S without wait states.
const REST: u64 = 1 + 1 + 3;

#[test]
fn an_unknown_block_transfer_may_run_into_the_next_region() {
    // Apart: N S S in one of them, 5 + 2 + 2 or 4 + 3 + 3.
    assert_eq!(bound(0x3000, None), REST + 10);
    // N S in the first, N in the second, or N in the first, N S in the second: 5 + 2 + 4, 5 + 4 + 3.
    assert_eq!(bound(0x2000, None), REST + 12);
}

#[test]
fn a_known_one_takes_what_its_addresses_take() {
    let at = |address| Some((address, address));
    assert_eq!(bound(0x2000, at(0x1000)), REST + 9);
    assert_eq!(bound(0x2000, at(0x1ff8)), REST + 5 + 2 + 4);
    assert_eq!(bound(0x2000, at(0x1ffc)), REST + 5 + 4 + 3);
    assert_eq!(bound(0x2000, at(0x2000)), REST + 10);
}

#[test]
fn a_return_whose_region_nobody_knows_costs_what_the_dearest_one_does() {
    let at = |start, wait_states| region(start, start + 0xfff, wait_states, false);
    let dear = Platform {
        regions: vec![at(0, (0, 0)), at(0x1000, (4, 1)), at(0x3000, (3, 2))],
    };
    let cheap = Some((0x100, 0x100));
    // N S in the second or in the third: 5 + 2 or 4 + 3 instead of 1 + 1; three words of the first.
    assert_eq!(bound_on(&dear, cheap), REST + 5 + 3);
    let nowhere = Platform { regions: vec![] };
    assert_eq!(bound_on(&nowhere, cheap), REST + 3);
}
