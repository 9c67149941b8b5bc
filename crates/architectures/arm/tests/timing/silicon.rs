//! Cycle counts published for silicon: an ARM7TDMI behind a memory controller with different N and S times, which begins its
//! bursts anew after internal cycles.
//!
//! The counts are those that the mGBA test suite (github.com/mgba-emu/suite, timing tests, read-ahead off) expects of the Game Boy
//! Advance: what an instruction sequence adds to the time between two looks at a timer, on which both differences cancel out. Code
//! lies in a 16-bit ROM with four settings of its wait states, in 16-bit RAM, or in 32-bit RAM; data in the 32-bit RAM, or in the ROM.

use Instruction::{Branch, Load, LoadMultiple, Multiply, Nop, Store, StoreMultiple};
use socscope_arm::timing::Arm7Tdmi;
use socscope_isa::{CycleClass, CycleModel};
use socscope_memory::{AccessCost, Direction, RegionIndex, Width};

#[derive(Clone, Copy)]
enum Instruction {
    Nop,
    Load(Width, RegionIndex),
    Store(Width),
    LoadMultiple(usize),
    StoreMultiple(usize),
    Multiply(u32),
    Branch,
}

const W: Width = Width::Word;
const HALF: Width = Width::Half;
const ROM: RegionIndex = RegionIndex(1);
const SLOW: RegionIndex = RegionIndex(2);
const FAST: RegionIndex = RegionIndex(3);

/// Name, instructions, cycles of ARM code, cycles of Thumb code where there is any.
type Row = (
    &'static str,
    &'static [Instruction],
    [u64; 6],
    Option<[u64; 6]>,
);

// Code in ROM with N and S wait states 4 and 2, 3 and 2, 4 and 1, 3 and 1; in 16-bit RAM with 2; in 32-bit RAM without.
const WAIT_STATES: [(u16, u16); 4] = [(4, 2), (3, 2), (4, 1), (3, 1)];

#[rustfmt::skip]
const ROWS: &[Row] = &[
    ("nop", &[Nop], [6, 6, 4, 4, 6, 1], Some([3, 3, 2, 2, 3, 1])),
    ("nop / nop", &[Nop, Nop], [12, 12, 8, 8, 12, 2], Some([6, 6, 4, 4, 6, 2])),
    ("ldrh", &[Load(HALF, FAST)], [10, 9, 9, 8, 8, 3], Some([7, 6, 7, 6, 5, 3])),
    ("ldrh / nop", &[Load(HALF, FAST), Nop], [16, 15, 13, 12, 14, 4], Some([10, 9, 9, 8, 8, 4])),
    ("nop / ldrh", &[Nop, Load(HALF, FAST)], [16, 15, 13, 12, 14, 4], Some([10, 9, 9, 8, 8, 4])),
    ("nop / ldrh / nop", &[Nop, Load(HALF, FAST), Nop], [22, 21, 17, 16, 20, 5], Some([13, 12, 11, 10, 11, 5])),
    ("ldrh of the ROM", &[Load(HALF, ROM)], [14, 12, 13, 11, 12, 7], Some([11, 9, 11, 9, 9, 7])),
    ("ldrh of the ROM / nop", &[Load(HALF, ROM), Nop], [20, 18, 17, 15, 18, 8], Some([14, 12, 13, 11, 12, 8])),
    ("nop / ldrh of the ROM", &[Nop, Load(HALF, ROM)], [20, 18, 17, 15, 18, 8], Some([14, 12, 13, 11, 12, 8])),
    ("ldr of the ROM", &[Load(W, ROM)], [17, 15, 15, 13, 15, 10], Some([14, 12, 13, 11, 12, 10])),
    ("ldr of the ROM / nop", &[Load(W, ROM), Nop], [23, 21, 19, 17, 21, 11], Some([17, 15, 15, 13, 15, 11])),
    ("nop / ldr of the ROM", &[Nop, Load(W, ROM)], [23, 21, 19, 17, 21, 11], Some([17, 15, 15, 13, 15, 11])),
    ("strh", &[Store(HALF)], [9, 8, 8, 7, 7, 2], Some([6, 5, 6, 5, 4, 2])),
    ("strh / nop", &[Store(HALF), Nop], [15, 14, 12, 11, 13, 3], Some([9, 8, 8, 7, 7, 3])),
    ("nop / strh", &[Nop, Store(HALF)], [15, 14, 12, 11, 13, 3], Some([9, 8, 8, 7, 7, 3])),
    ("nop / strh / nop", &[Nop, Store(HALF), Nop], [21, 20, 16, 15, 19, 4], Some([12, 11, 10, 9, 10, 4])),
    ("ldr / ldr", &[Load(W, FAST), Load(W, FAST)], [20, 18, 18, 16, 16, 6], Some([14, 12, 14, 12, 10, 6])),
    ("ldr of the ROM / ldr", &[Load(W, ROM), Load(W, FAST)], [27, 24, 24, 21, 23, 13], Some([21, 18, 20, 17, 17, 13])),
    ("ldr / ldr of the ROM", &[Load(W, FAST), Load(W, ROM)], [27, 24, 24, 21, 23, 13], Some([21, 18, 20, 17, 17, 13])),
    ("ldr / ldr of the ROM, both", &[Load(W, ROM), Load(W, ROM)], [34, 30, 30, 26, 30, 20], Some([28, 24, 26, 22, 24, 20])),
    ("str / str", &[Store(W), Store(W)], [18, 16, 16, 14, 14, 4], Some([12, 10, 12, 10, 8, 4])),
    ("ldr / str", &[Load(W, FAST), Store(W)], [19, 17, 17, 15, 15, 5], Some([13, 11, 13, 11, 9, 5])),
    ("str / ldr", &[Store(W), Load(W, FAST)], [19, 17, 17, 15, 15, 5], Some([13, 11, 13, 11, 9, 5])),
    ("mul of 0", &[Multiply(0)], [9, 8, 8, 7, 7, 2], Some([6, 5, 6, 5, 4, 2])),
    ("mul of 0x78", &[Multiply(0x78)], [9, 8, 8, 7, 7, 2], Some([6, 5, 6, 5, 4, 2])),
    ("mul of 0x5678", &[Multiply(0x5678)], [10, 9, 9, 8, 8, 3], Some([7, 6, 7, 6, 5, 3])),
    ("mul of 0x345678", &[Multiply(0x34_5678)], [11, 10, 10, 9, 9, 4], Some([8, 7, 8, 7, 6, 4])),
    ("mul of 0x12345678", &[Multiply(0x1234_5678)], [12, 11, 11, 10, 10, 5], Some([9, 8, 9, 8, 7, 5])),
    ("mul of 0xff000000", &[Multiply(0xff00_0000)], [11, 10, 10, 9, 9, 4], Some([8, 7, 8, 7, 6, 4])),
    ("mul of 0xffff0000", &[Multiply(0xffff_0000)], [10, 9, 9, 8, 8, 3], Some([7, 6, 7, 6, 5, 3])),
    ("mul of 0xffffff00", &[Multiply(0xffff_ff00)], [9, 8, 8, 7, 7, 2], Some([6, 5, 6, 5, 4, 2])),
    ("mul of 0xffffffff", &[Multiply(0xffff_ffff)], [9, 8, 8, 7, 7, 2], Some([6, 5, 6, 5, 4, 2])),
    ("b / nop", &[Branch, Nop], [26, 25, 19, 18, 24, 4], Some([14, 13, 11, 10, 12, 4])),
    ("ldmia of 1", &[LoadMultiple(1)], [10, 9, 9, 8, 8, 3], None),
    ("ldmia of 2", &[LoadMultiple(2)], [11, 10, 10, 9, 9, 4], None),
    ("ldmia of 6", &[LoadMultiple(6)], [15, 14, 14, 13, 13, 8], None),
    ("ldmia of 1, twice", &[LoadMultiple(1), LoadMultiple(1)], [20, 18, 18, 16, 16, 6], None),
    ("ldmia of 2, twice", &[LoadMultiple(2), LoadMultiple(2)], [22, 20, 20, 18, 18, 8], None),
    ("ldmia of 6, twice", &[LoadMultiple(6), LoadMultiple(6)], [30, 28, 28, 26, 26, 16], None),
    ("stmia of 1", &[StoreMultiple(1)], [9, 8, 8, 7, 7, 2], None),
    ("stmia of 2", &[StoreMultiple(2)], [10, 9, 9, 8, 8, 3], None),
    ("stmia of 6", &[StoreMultiple(6)], [14, 13, 13, 12, 12, 7], None),
    ("stmia of 1, twice", &[StoreMultiple(1), StoreMultiple(1)], [18, 16, 16, 14, 14, 4], None),
    ("stmia of 2, twice", &[StoreMultiple(2), StoreMultiple(2)], [20, 18, 18, 16, 16, 6], None),
    ("stmia of 6, twice", &[StoreMultiple(6), StoreMultiple(6)], [28, 26, 26, 24, 24, 14], None),
];

struct Board {
    costs: [AccessCost; 3],
    code: RegionIndex,
    opcode: Width,
}

impl Board {
    fn cost(&self, region: RegionIndex) -> &AccessCost {
        &self.costs[region.0 as usize - 1]
    }

    fn run(&self, model: &mut Arm7Tdmi, instruction: Instruction) -> u64 {
        let class = match instruction {
            Nop => CycleClass::Data,
            Load(..) => CycleClass::Load,
            Store(_) => CycleClass::Store,
            LoadMultiple(_) => CycleClass::LoadMultiple,
            StoreMultiple(_) => CycleClass::StoreMultiple,
            Multiply(_) => CycleClass::Multiply,
            Branch => CycleClass::Branch,
        };
        model.begin(class, self.code, self.cost(self.code), self.opcode);
        let mut data = |region, width, direction, count| {
            for _ in 0..count {
                model.data(region, self.cost(region), width, direction);
            }
        };
        match instruction {
            Nop => {}
            Load(width, region) => data(region, width, Direction::Read, 1),
            Store(width) => data(FAST, width, Direction::Write, 1),
            LoadMultiple(count) => data(FAST, W, Direction::Read, count),
            StoreMultiple(count) => data(FAST, W, Direction::Write, count),
            Multiply(operand) => model.multiplier(operand, true),
            Branch => model.refill(self.code, self.cost(self.code), self.opcode),
        }
        model.end()
    }

    /// What a sequence adds to the time up to the fetch behind it.
    fn added(&self, instructions: &[Instruction]) -> u64 {
        let mut model = Arm7Tdmi::default();
        self.run(&mut model, Nop);
        let cycles: u64 = instructions
            .iter()
            .map(|one| self.run(&mut model, *one))
            .sum();
        let next = self.run(&mut model, Nop);
        let sequential = self.run(&mut model, Nop);
        cycles + next - sequential
    }
}

fn boards(opcode: Width) -> Vec<Board> {
    let slow = AccessCost::with_wait_states(16, 2, 2);
    let board = |(n, s), code| Board {
        costs: [
            AccessCost::with_wait_states(16, n, s),
            slow,
            AccessCost::SINGLE_CYCLE,
        ],
        code,
        opcode,
    };
    let roms = WAIT_STATES.iter().map(|&waits| board(waits, ROM));
    let others = [SLOW, FAST].map(|code| board(WAIT_STATES[0], code));
    roms.chain(others).collect()
}

#[test]
fn the_model_takes_the_cycles_that_were_published_for_silicon() {
    let mut compared = 0;
    let mut check = |name: &str, instructions: &[Instruction], opcode, published: &[u64; 6]| {
        for (board, published) in boards(opcode).iter().zip(published) {
            let cycles = board.added(instructions);
            let (n, s) = (board.cost(board.code), board.code);
            assert_eq!(cycles, *published, "{name}: {opcode:?} from {s:?}: {n:?}");
            compared += 1;
        }
    };
    for (name, instructions, arm, thumb) in ROWS {
        check(name, instructions, W, arm);
        if let Some(thumb) = thumb {
            check(name, instructions, HALF, thumb);
        }
    }
    // The accuracy label gives this number.
    assert_eq!(compared, 468);
    let label = Arm7Tdmi::default().accuracy().validated_against;
    assert!(label.contains(&format!("{compared} ")), "{label}");
}
