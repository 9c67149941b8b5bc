//! Every class of instruction, driven by hand: the sequences of the ARM7TDMI manual's instruction cycle operations.

use super::bench;
use bench::{ZERO_WAIT, waited};
use socscope_arm::timing::Arm7Tdmi;
use socscope_isa::{CycleClass, CycleModel};
use socscope_memory::{AccessCost, Direction, RegionIndex, Width};
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
    model.begin(class, RegionIndex(1), cost, opcode);
    for fact in facts {
        match *fact {
            Read(width) => model.data(RegionIndex(1), cost, width, Direction::Read),
            Write(width) => model.data(RegionIndex(1), cost, width, Direction::Write),
            Multiplier(operand, signed) => model.multiplier(operand, signed),
            Refill => model.refill(RegionIndex(1), cost, opcode),
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

/// The fetch of the next instruction, N = 5 and S = 4: where a burst begins anew after an internal cycle, and where it goes on.
#[rustfmt::skip]
const NEXT_FETCH: &[(C, &[Fact], &str, u64, u64)] = &[
        (C::NotExecuted, &[], "S", 4, 4),
        (C::Data, &[], "S", 4, 4),
        (C::Data, &[Refill], "S", 4, 4),
        (C::DataShiftByRegister, &[], "I S", 5, 4),
        (C::DataShiftByRegister, &[Refill], "S: the refill came between", 4, 4),
        (C::Branch, &[Refill], "S", 4, 4),
        (C::BranchPrefix, &[], "S", 4, 4),
        (C::Load, &[Read(W)], "I S", 5, 4),
        (C::Load, &[Read(W), Refill], "S: the refill came between", 4, 4),
        (C::Store, &[Write(W)], "N", 5, 5),
        (C::LoadMultiple, &[Read(W), Read(W)], "I S", 5, 4),
        (C::LoadMultiple, &[Read(W), Read(W), Refill], "S: the refill came between", 4, 4),
        (C::StoreMultiple, &[Write(W), Write(W)], "N", 5, 5),
        (C::Swap, &[Read(W), Write(W)], "I S", 5, 4),
        (C::Multiply, &[Multiplier(1, true)], "I S", 5, 4),
        (C::MultiplyAccumulate, &[Multiplier(1, true)], "I S", 5, 4),
        (C::MultiplyLong, &[Multiplier(1, true)], "I S", 5, 4),
        (C::MultiplyAccumulateLong, &[Multiplier(1, true)], "I S", 5, 4),
        (C::Exception, &[Refill], "S", 4, 4),
        (C::Undefined, &[Refill], "S: the refill came between", 4, 4),
];

#[test]
fn the_next_fetch_is_nonsequential_after_a_store_and_after_an_internal_cycle_where_bursts_begin_anew()
 {
    let classes: BTreeSet<C> = NEXT_FETCH.iter().map(|row| row.0).collect();
    assert_eq!(classes.len(), C::Undefined as usize + 1);
    for (class, facts, kind, restarts, continues) in NEXT_FETCH {
        for (cost, next) in [
            (waited(), restarts),
            (waited().continuing_after_internal(), continues),
        ] {
            let mut model = running(&cost);
            tell(&mut model, *class, facts, &cost, W);
            let cycles = tell(&mut model, CycleClass::Data, &[], &cost, W);
            assert_eq!(cycles, *next, "after {class:?}: {kind}");
            assert_eq!(tell(&mut model, CycleClass::Data, &[], &cost, W), 4);
        }
    }
}

/// One instruction whose accesses go to the regions given, all of the same cost.
fn across(class: CycleClass, regions: &[u16], direction: Direction) -> u64 {
    let cost = waited();
    let mut model = running(&cost);
    model.begin(class, RegionIndex(1), &cost, W);
    for &region in regions {
        model.data(RegionIndex(region), &cost, W, direction);
    }
    model.end()
}

#[test]
fn a_block_transfer_that_runs_into_another_region_begins_a_burst_there() {
    // S of the fetch; N, S, S of the data; I of the load.
    assert_eq!(
        across(C::LoadMultiple, &[2, 2, 2], Direction::Read),
        4 + 5 + 4 + 4 + 1
    );
    // N, S in the first region, N in the second.
    assert_eq!(
        across(C::LoadMultiple, &[2, 2, 3], Direction::Read),
        4 + 5 + 4 + 5 + 1
    );
    assert_eq!(
        across(C::LoadMultiple, &[2, 3, 3], Direction::Read),
        4 + 5 + 5 + 4 + 1
    );
    assert_eq!(
        across(C::StoreMultiple, &[2, 3, 3], Direction::Write),
        4 + 5 + 5 + 4
    );
    // The data may lie where the code does: its burst is one of its own.
    assert_eq!(
        across(C::LoadMultiple, &[1, 1, 2], Direction::Read),
        4 + 5 + 4 + 5 + 1
    );
}

#[test]
fn code_that_runs_into_another_region_begins_a_burst_there() {
    for cost in [waited(), waited().continuing_after_internal()] {
        let mut model = running(&cost);
        let mut fetch = |class, region| {
            model.begin(class, RegionIndex(region), &cost, W);
            model.end()
        };
        assert_eq!(fetch(C::Data, 1), 4);
        assert_eq!(fetch(C::Data, 2), 5);
        assert_eq!(fetch(C::DataShiftByRegister, 2), 4 + 1);
        // After an internal cycle too, whatever the memory does then.
        assert_eq!(fetch(C::Data, 1), 5);
        assert_eq!(fetch(C::Data, 1), 4);
    }
}

#[test]
fn a_jump_into_another_region_begins_its_burst_there_once() {
    let cost = waited();
    let mut model = running(&cost);
    model.begin(C::Branch, RegionIndex(1), &cost, W);
    model.refill(RegionIndex(2), &cost, W);
    // S, then N and S at the target.
    assert_eq!(model.end(), 4 + 5 + 4);
    model.begin(C::Data, RegionIndex(2), &cost, W);
    assert_eq!(model.end(), 4);
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
