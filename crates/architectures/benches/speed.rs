//! Speed of the interpreter alone: a loop of loads, stores, arithmetic, branches and calls on a flat memory, without timing and probes.

#[path = "../../core/tests/support/mod.rs"]
#[allow(dead_code)]
mod support;

use socscope_arm::interpreter::run;
use socscope_arm::{Core, InstructionSet};
use socscope_core::Unobserved;
use socscope_memory::{Endianness, Width};
use socscope_powerpc as powerpc;
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
const POWERPC: &[u32] = &[
    0x3860_1000,
    0x3880_2000,
    0x38a0_0040,
    0x80c3_0000,
    0x3863_0004,
    0x7ce7_3278,
    0x54e8_103a,
    0x7d08_3214,
    0x7c08_3040,
    0x9904_0000,
    0x3884_0001,
    0x34a5_ffff,
    0x4082_ffdc,
    0x9421_fff0,
    0x4800_000d,
    0x3821_0010,
    0x4bff_ffc0,
    0x7d28_39d6,
    0x4e80_0020,
];

fn report(name: &str, instructions: u64, seconds: f64) {
    let rate = instructions as f64 / seconds / 1e6;
    println!("interpreter, {name}: {rate:.1} guest MIPS");
}

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
        report(name, cycle, start.elapsed().as_secs_f64());
    }
    for (name, machine_state) in [
        ("PowerPC", 0),
        ("PowerPC, addresses translated", TRANSLATED),
    ] {
        powerpc_speed(name, machine_state);
    }
}

/// MSR: instruction and data addresses are translated.
const TRANSLATED: u32 = 0x30;
/// The page table, of one entry for each page.
const TABLE: u32 = 0x1_0000;

#[expect(clippy::disallowed_types, reason = "a bench measures the host")]
fn powerpc_speed(name: &str, machine_state: u32) {
    let mut bus = MemoryBus::of(Endianness::Big, &[(0, 0x2_0000)]);
    bus.put(0, Width::Word, POWERPC);
    bus.deadline = INSTRUCTIONS;
    for page in 0..16 {
        let entry = [0x8000_0000, page << 12 | 0x182];
        bus.put(TABLE | page << 6, Width::Word, &entry);
    }
    let mut core = powerpc::Core::new(powerpc::CoreModel::E600);
    core.set_msr(powerpc::Msr(machine_state));
    core.set_special_at(25, TABLE, 0);
    core.set_program_counter(0);
    core.set_register(1, 0x8000);
    let start = std::time::Instant::now();
    let mut cycle = 0;
    socscope_powerpc::interpreter::run(
        &mut core,
        &mut bus,
        &mut powerpc::Mmu::new(powerpc::CoreModel::E600),
        &mut OneCycle::default(),
        &mut Unobserved,
        &mut cycle,
    );
    report(name, cycle, start.elapsed().as_secs_f64());
}
