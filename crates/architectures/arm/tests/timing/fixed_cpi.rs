//! The fixed-CPI model.

use super::bench;
use bench::{Program, ZERO_WAIT, waited};
use socscope_isa::{CycleClass, CycleModel};
use socscope_memory::{RegionIndex, Width};
use socscope_timing::{CpiError, FixedCpi};

#[test]
fn the_total_is_exact_at_every_instruction() {
    for (cycles, instructions) in [
        (19, 10),
        (1, 1),
        (7, 3),
        (2, 3),
        (u32::MAX, 7),
        (1, u32::MAX),
    ] {
        let mut model = FixedCpi::new(cycles, instructions).unwrap();
        let mut total = 0;
        for number in 1..=1000 {
            model.begin(CycleClass::Data, RegionIndex(1), &ZERO_WAIT, Width::Word);
            total += CycleModel::<CycleClass>::end(&mut model);
            assert_eq!(total, number * u64::from(cycles) / u64::from(instructions));
        }
    }
}

#[test]
fn memories_and_classes_make_no_difference() {
    let words = [
        0xe594_0000,
        0xe584_0000,
        0xe000_0291,
        0xe8940007,
        0xe081_0002,
        0xe1a0_f00e,
    ];
    for cost in [ZERO_WAIT, waited()] {
        let mut program = Program::arm(&words, cost, cost).register(14, 0x40);
        // The bench does not count the first of seven.
        assert_eq!(program.cycles(&mut FixedCpi::new(2, 1).unwrap(), 6), 12);
    }
}

#[test]
fn zero_is_no_cost() {
    let error = FixedCpi::new(0, 10).unwrap_err();
    assert_eq!(
        error,
        CpiError {
            cycles: 0,
            instructions: 10
        }
    );
    assert_eq!(
        error.to_string(),
        "0 cycles for 10 instructions is no cost; give two numbers from 1 to 4294967295, for example 19 and 10"
    );
    assert!(FixedCpi::new(19, 0).is_err());
}

#[test]
fn it_says_that_nothing_confirms_it() {
    let label = FixedCpi::new(19, 10).unwrap().accuracy();
    assert_eq!(label.model, "fixed CPI 19/10");
    assert!(label.leaves_out.contains("wait states"));
}
