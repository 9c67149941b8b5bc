//! Every class of instruction, driven by hand: the sequences of the ARM7TDMI manual's instruction cycle operations.

mod bench;

use bench::{ZERO_WAIT, waited};
use socscope_isa::{CycleClass, CycleModel};
use socscope_memory::{AccessCost, Direction, RegionIndex, Width};
use socscope_timing::Arm7Tdmi;
use std::collections::BTreeSet;

/// What an engine tells the model between `begin` and `end`.
#[derive(Clone, Copy)]
enum Fact {
    Read(Width),
    Write(Width),
    Multiplier(u32, bool),
    Refill,
}

use Fact::{Multiplier, Read, Refill, Write};

/// Tells the model of one instruction; all its accesses go to one memory.
fn tell(
    model: &mut Arm7Tdmi,
    class: CycleClass,
    facts: &[Fact],
    cost: &AccessCost,
    opcode: Width,
) -> u64 {
    model.begin(class, cost, opcode);
    for fact in facts {
        match *fact {
            Read(width) => model.data(RegionIndex(1), cost, width, Direction::Read),
            Write(width) => model.data(RegionIndex(1), cost, width, Direction::Write),
            Multiplier(operand, signed) => model.multiplier(operand, signed),
            Refill => model.refill(cost, opcode),
        }
    }
    model.end()
}

/// A model whose pipeline is full.
fn running(cost: &AccessCost) -> Arm7Tdmi {
    let mut model = Arm7Tdmi::default();
    tell(&mut model, CycleClass::Data, &[], cost, Width::Word);
    model
}

const W: Width = Width::Word;

use CycleClass as C;

/// A row of the table: class, facts, the manual's formula, cycles in the two memories.
type Row = (C, &'static [Fact], &'static str, u64, u64);

// Class, facts, the manual's formula, cycles without wait states, cycles with N = 5 and S = 4 for a word.
// The store's second N is its successor's fetch (manual: the next cycle is nonsequential); see the test below.
#[rustfmt::skip]
const TABLE: &[Row] = &[
        (C::NotExecuted, &[], "1S", 1, 4),
        (C::Data, &[], "1S", 1, 4),
        (C::Data, &[Refill], "2S+1N", 3, 13),
        (C::DataShiftByRegister, &[], "1S+1I", 2, 5),
        (C::DataShiftByRegister, &[Refill], "2S+1N+1I", 4, 14),
        (C::Branch, &[Refill], "2S+1N", 3, 13),
        (C::BranchPrefix, &[], "1S", 1, 4),
        (C::Load, &[Read(W)], "1S+1N+1I", 3, 10),
        (C::Load, &[Read(W), Refill], "2S+2N+1I", 5, 19),
        (C::Load, &[Read(Width::Byte)], "1S+1N+1I, N of a byte", 3, 8),
        (C::Store, &[Write(W)], "1S+1N here", 2, 9),
        (C::Store, &[Write(Width::Half)], "1S+1N here, N of a half-word", 2, 7),
        (C::LoadMultiple, &[Read(W)], "1S+1N+1I", 3, 10),
        (C::LoadMultiple, &[Read(W), Read(W), Read(W)], "3S+1N+1I", 5, 18),
        (C::LoadMultiple, &[Read(W), Read(W), Read(W), Refill], "4S+2N+1I", 7, 27),
        (C::StoreMultiple, &[Write(W)], "1S+1N here", 2, 9),
        (C::StoreMultiple, &[Write(W), Write(W), Write(W)], "3S+1N here", 4, 17),
        (C::Swap, &[Read(W), Write(W)], "1S+2N+1I", 4, 15),
        (C::Swap, &[Read(Width::Byte), Write(Width::Byte)], "1S+2N+1I, N of a byte", 4, 11),
        (C::Multiply, &[Multiplier(0x0000_007f, true)], "1S+1I", 2, 5),
        (C::Multiply, &[Multiplier(0xffff_ff80, true)], "1S+1I", 2, 5),
        (C::Multiply, &[Multiplier(0x0000_7fff, true)], "1S+2I", 3, 6),
        (C::Multiply, &[Multiplier(0x007f_ffff, true)], "1S+3I", 4, 7),
        (C::Multiply, &[Multiplier(0x7fff_ffff, true)], "1S+4I", 5, 8),
        (C::MultiplyAccumulate, &[Multiplier(0x0000_1234, true)], "1S+(2+1)I", 4, 7),
        (C::MultiplyLong, &[Multiplier(0xffff_ffff, true)], "1S+(1+1)I", 3, 6),
        (C::MultiplyLong, &[Multiplier(0xffff_ffff, false)], "1S+(4+1)I", 6, 9),
        (C::MultiplyAccumulateLong, &[Multiplier(0x0012_3456, false)], "1S+(3+2)I", 6, 9),
        (C::Exception, &[Refill], "2S+1N", 3, 13),
        (C::Undefined, &[Refill], "2S+1N+1I", 4, 14),
];

#[test]
fn arm_instructions_take_the_manuals_cycles_in_both_memories() {
    for (class, facts, formula, zero_wait, with_waits) in TABLE {
        for (cost, expected) in [(ZERO_WAIT, zero_wait), (waited(), with_waits)] {
            let cycles = tell(&mut running(&cost), *class, facts, &cost, W);
            assert_eq!(cycles, *expected, "{class:?}: {formula}");
        }
    }
}

#[test]
fn the_table_has_every_class() {
    let classes: BTreeSet<C> = TABLE.iter().map(|row| row.0).collect();
    // `Undefined` is the last of the enumeration.
    assert_eq!(classes.len(), C::Undefined as usize + 1);
}

#[test]
fn the_fetch_after_a_store_is_nonsequential_and_after_all_others_sequential() {
    let cost = waited();
    let cases: [(CycleClass, &[Fact], u64); 8] = [
        (CycleClass::Store, &[Write(W)], 5),
        (CycleClass::StoreMultiple, &[Write(W), Write(W)], 5),
        (CycleClass::Load, &[Read(W)], 4),
        (CycleClass::LoadMultiple, &[Read(W), Read(W)], 4),
        (CycleClass::Swap, &[Read(W), Write(W)], 4),
        (CycleClass::Multiply, &[Multiplier(1, true)], 4),
        (CycleClass::Branch, &[Refill], 4),
        (CycleClass::Exception, &[Refill], 4),
    ];
    for (class, facts, next) in cases {
        let mut model = running(&cost);
        tell(&mut model, class, facts, &cost, W);
        assert_eq!(
            tell(&mut model, CycleClass::Data, &[], &cost, W),
            next,
            "after {class:?}"
        );
        assert_eq!(tell(&mut model, CycleClass::Data, &[], &cost, W), 4);
    }
}

#[test]
fn thumb_fetches_half_words() {
    let cost = waited();
    let mut model = running(&cost);
    assert_eq!(
        tell(&mut model, CycleClass::Data, &[], &cost, Width::Half),
        2
    );
    assert_eq!(
        tell(
            &mut model,
            CycleClass::BranchPrefix,
            &[],
            &cost,
            Width::Half
        ),
        2
    );
    assert_eq!(
        tell(
            &mut model,
            CycleClass::Branch,
            &[Refill],
            &cost,
            Width::Half
        ),
        2 + 3 + 2
    );
    assert_eq!(
        tell(&mut model, CycleClass::Load, &[Read(W)], &cost, Width::Half),
        2 + 5 + 1
    );
}

#[test]
fn the_first_instruction_fills_the_pipeline() {
    let cost = waited();
    let mut model = Arm7Tdmi::default();
    assert_eq!(tell(&mut model, CycleClass::Data, &[], &cost, W), 5 + 4 + 4);
    assert_eq!(tell(&mut model, CycleClass::Data, &[], &cost, W), 4);
}

#[test]
fn the_multiplier_stops_at_each_byte() {
    for (operand, signed, cycles) in [
        (0x0000_0000, true, 1),
        (0x0000_00ff, true, 1),
        (0x0000_0100, true, 2),
        (0x0000_ffff, true, 2),
        (0x0001_0000, true, 3),
        (0x00ff_ffff, true, 3),
        (0x0100_0000, true, 4),
        (0xffff_ff00, true, 1),
        (0xffff_feff, true, 2),
        (0xffff_0000, true, 2),
        (0xfffe_ffff, true, 3),
        (0xff00_0000, true, 3),
        (0xfeff_ffff, true, 4),
        (0x8000_0000, true, 4),
        (0x0000_00ff, false, 1),
        (0x0000_0100, false, 2),
        (0x00ff_ffff, false, 3),
        (0xffff_ffff, false, 4),
        (0xff00_0000, false, 4),
    ] {
        let mut model = running(&ZERO_WAIT);
        let facts = [Multiplier(operand, signed)];
        let total = tell(&mut model, CycleClass::MultiplyLong, &facts, &ZERO_WAIT, W);
        assert_eq!(total, 1 + cycles + 1, "{operand:#010x} signed {signed}");
    }
}

#[test]
fn a_model_saved_between_two_instructions_goes_on_alike() {
    let cost = waited();
    let mut model = running(&cost);
    tell(&mut model, CycleClass::Store, &[Write(W)], &cost, W);
    let bytes = postcard::to_allocvec(&model).unwrap();
    let mut again: Arm7Tdmi = postcard::from_bytes(&bytes).unwrap();
    assert_eq!(again, model);
    assert_eq!(tell(&mut again, CycleClass::Data, &[], &cost, W), 5);
}
