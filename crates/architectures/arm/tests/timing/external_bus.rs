//! Idle cycles between memories of the external bus (AT91X40 data sheet, EBI).

use socscope_arm::timing::Arm7Tdmi;
use socscope_isa::{CycleClass, CycleModel};
use socscope_memory::{AccessCost, Direction, RegionIndex, Width};

const CODE: RegionIndex = RegionIndex(1);
const ON_CHIP: AccessCost = AccessCost::SINGLE_CYCLE;

/// A 16-bit memory without wait states on chip select `number`.
fn external(number: u8, float_cycles: u16) -> AccessCost {
    let mut cost = AccessCost::with_wait_states(16, 0, 0);
    cost.external = number + 1;
    cost.float_cycles = float_cycles;
    cost
}

/// A Thumb opcode fetch and one half-word access, behind a filled pipeline.
fn cycles(
    class: CycleClass,
    fetch: &AccessCost,
    data: &AccessCost,
    direction: Direction,
) -> (u64, u64) {
    let mut model = Arm7Tdmi::default();
    model.begin(CycleClass::Data, CODE, fetch, Width::Half);
    model.end();
    model.begin(class, CODE, fetch, Width::Half);
    model.data(RegionIndex(2), data, Width::Half, direction);
    let first = model.end();
    model.begin(CycleClass::Data, CODE, fetch, Width::Half);
    (first, model.end())
}

#[test]
fn another_chip_select_costs_one_cycle() {
    let (rom, ram) = (external(0, 0), external(1, 0));
    // Load: S, wait, N, I; the internal cycle separates the data from the next fetch.
    assert_eq!(
        cycles(CycleClass::Load, &rom, &ram, Direction::Read),
        (4, 1)
    );
    // Store: S, wait, N; the next fetch changes back: wait, N.
    assert_eq!(
        cycles(CycleClass::Store, &rom, &ram, Direction::Write),
        (3, 2)
    );
    assert_eq!(
        cycles(CycleClass::Load, &rom, &rom, Direction::Read),
        (3, 1)
    );
    assert_eq!(
        cycles(CycleClass::Load, &rom, &ON_CHIP, Direction::Read),
        (3, 1)
    );
}

#[test]
fn slow_drivers_delay_other_memories_and_writes_but_not_their_own_reads() {
    let (rom, ram) = (external(0, 3), external(1, 0));
    // S, three float cycles, N, I: the chip-select wait is contained in them.
    assert_eq!(
        cycles(CycleClass::Load, &rom, &ram, Direction::Read),
        (6, 1)
    );
    assert_eq!(
        cycles(CycleClass::Load, &rom, &rom, Direction::Read),
        (3, 1)
    );
    // S, three float cycles, N: a write to the same memory waits too.
    assert_eq!(
        cycles(CycleClass::Store, &rom, &rom, Direction::Write),
        (5, 1)
    );
    assert_eq!(
        cycles(CycleClass::Store, &rom, &ON_CHIP, Direction::Write),
        (2, 1)
    );
}

#[test]
fn float_time_runs_while_the_chip_works_inside() {
    let (rom, ram) = (external(0, 3), external(1, 0));
    let mut model = Arm7Tdmi::default();
    model.begin(CycleClass::DataShiftByRegister, CODE, &rom, Width::Half);
    model.end();
    // One internal cycle has passed: two float cycles are left.
    model.begin(CycleClass::Data, RegionIndex(2), &ram, Width::Half);
    assert_eq!(model.end(), 2 + 1);
}

#[test]
fn early_reads_wait_for_a_write_to_end() {
    let standard = external(0, 0);
    let mut early = standard;
    early.early_read = true;
    assert_eq!(
        cycles(CycleClass::Store, &standard, &standard, Direction::Write),
        (2, 1)
    );
    assert_eq!(
        cycles(CycleClass::Store, &early, &early, Direction::Write),
        (2, 2)
    );
    let mut other = external(1, 0);
    other.early_read = true;
    // The early-read wait stands for the chip-select wait on the way back.
    assert_eq!(
        cycles(CycleClass::Store, &early, &other, Direction::Write),
        (3, 2)
    );
}
