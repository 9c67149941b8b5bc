//! Speed of the interpreter alone: a loop of loads, stores, arithmetic, branches and calls on a flat memory, without timing and probes.

#[path = "../tests/support/mod.rs"]
#[allow(dead_code)]
mod support;

use socscope_interpreter::{Unobserved, run};
use socscope_isa::arm::{Core, InstructionSet};
use support::{MemoryBus, OneCycle};

const INSTRUCTIONS: u64 = 50_000_000;

// A copy and mix of 64 words, then a call with four registers saved, for ever.
const ARM: &[u32] = &[
    0xe3a00a01, 0xe3a01a02, 0xe3a02040, 0xe4903004, 0xe02443e3, 0xe0855104, 0xe1550003, 0x82866001,
    0xe4c15001, 0xe2522001, 0x1afffff7, 0xe92d4070, 0xeb000001, 0xe8bd4070, 0xeafffff0, 0xe0070695,
    0xe1a0f00e,
];
const THUMB: &[u32] = &[
    0x2001, 0x0300, 0x0041, 0x2240, 0x6803, 0x3004, 0x405c, 0x09e5, 0x1976, 0x714e, 0x3a01, 0xd1f7,
    0xb570, 0xf000, 0xf803, 0xbc70, 0xbc80, 0xe7ed, 0x4377, 0x4770,
];

#[expect(clippy::disallowed_types, reason = "a bench measures the host")]
fn main() {
    for (name, set, words) in [
        ("ARM", InstructionSet::Arm, ARM),
        ("Thumb", InstructionSet::Thumb, THUMB),
    ] {
        let mut bus = MemoryBus::new(&[(0, 0x10000)]);
        bus.put(0, set.width(), words);
        bus.deadline = INSTRUCTIONS;
        let mut core = Core::default();
        core.flags_mut().instruction_set = set;
        core.set_register(13, 0x8000);
        let start = std::time::Instant::now();
        let mut cycle = 0;
        run(
            &mut core,
            &mut bus,
            &mut OneCycle::default(),
            &mut Unobserved,
            &mut cycle,
        );
        let seconds = start.elapsed().as_secs_f64();
        println!(
            "interpreter, {name}: {:.1} guest MIPS",
            cycle as f64 / seconds / 1e6
        );
    }
}
