//! What the cycle models cost: the interpreter with each of them, on the chip and on the external bus.

#[path = "../tests/timing/bench/mod.rs"]
mod bench;

use bench::{Program, ZERO_WAIT};
use socscope_arm::timing::Arm7Tdmi;
use socscope_isa::CycleModel;
use socscope_memory::AccessCost;
use socscope_timing::FixedCpi;

const INSTRUCTIONS: u32 = 20_000_000;

/// Load, add, store, count, branch: for ever.
const LOOP: [u32; 5] = [
    0xe594_0000, // ldr  r0, [r4]
    0xe080_0001, // add  r0, r0, r1
    0xe584_0000, // str  r0, [r4]
    0xe256_6001, // subs r6, r6, #1
    0xeaff_fffa, // b    back to the ldr
];

/// A 16-bit memory with 2 wait states on a chip select.
fn external(chip_select: u8) -> AccessCost {
    let mut cost = AccessCost::with_wait_states(16, 2, 2);
    cost.external = chip_select + 1;
    cost
}

#[expect(clippy::disallowed_types, reason = "a bench measures the host")]
fn measure(name: &str, model: &mut impl CycleModel, code: AccessCost, data: AccessCost) {
    let mut program = Program::arm(&LOOP, code, data);
    let start = std::time::Instant::now();
    let cycles = program.cycles(model, INSTRUCTIONS);
    let seconds = start.elapsed().as_secs_f64();
    let cpi = cycles as f64 / f64::from(INSTRUCTIONS);
    println!(
        "{name}: {:.1} guest MIPS, CPI {cpi:.2}",
        f64::from(INSTRUCTIONS) / seconds / 1e6
    );
}

fn main() {
    let mut fixed = FixedCpi::new(19, 10).expect("a good ratio");
    measure("fixed CPI", &mut fixed, ZERO_WAIT, ZERO_WAIT);
    measure(
        "ARM7TDMI, on-chip memory",
        &mut Arm7Tdmi::default(),
        ZERO_WAIT,
        ZERO_WAIT,
    );
    measure(
        "ARM7TDMI, code and data in one external memory",
        &mut Arm7Tdmi::default(),
        external(0),
        external(0),
    );
    measure(
        "ARM7TDMI, code in external ROM, data in external RAM",
        &mut Arm7Tdmi::default(),
        external(0),
        external(1),
    );
}
