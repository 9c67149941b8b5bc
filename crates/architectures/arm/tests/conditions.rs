//! All conditions with all flags, in both instruction sets.

#[allow(dead_code)]
use crate::support;
use socscope_arm::interpreter::{Outcome, step};
use socscope_arm::{Core, InstructionSet, Status};
use socscope_core::Unobserved;
use support::{MemoryBus, OneCycle};

/// The manual's table, by code.
fn expected(code: u32, n: bool, z: bool, c: bool, v: bool) -> bool {
    [
        z,
        !z,
        c,
        !c,
        n,
        !n,
        v,
        !v,
        c && !z,
        !c || z,
        n == v,
        n != v,
        !z && n == v,
        z || n != v,
        true,
        false,
    ][code as usize]
}

fn executes(set: InstructionSet, word: u32, flags: u32) -> bool {
    let mut bus = MemoryBus::new(&[(0, 0x100)]);
    bus.put(0, set.width(), &[word]);
    let mut core = Core::default();
    core.set_status(Status {
        instruction_set: set,
        ..Status::RESET.with_bits(flags << 28 | 0x1f)
    });
    let model = &mut OneCycle::default();
    step(&mut core, &mut bus, model, &mut Unobserved, 0).outcome == Outcome::Executed
}

#[test]
fn conditions_hold_as_the_manual_says() {
    for flags in 0..16 {
        let [v, c, z, n] = [0, 1, 2, 3].map(|bit| flags >> bit & 1 != 0);
        for code in 0..16 {
            let holds = expected(code, n, z, c, v);
            let moves = code << 28 | 0x03a0_0001;
            assert_eq!(executes(InstructionSet::Arm, moves, flags), holds);
            if code < 14 {
                let branches = 0xd000 | code << 8;
                assert_eq!(executes(InstructionSet::Thumb, branches, flags), holds);
            }
        }
    }
}
