//! The cycles of the ARM9TDMI and of the ARM9EJ-S. The tables with the manuals' sections are in docs/decisions/arm9-cycles.md.

mod base;
mod issue;

use super::scoreboard::Scoreboard;
use super::sequences::multiplier_cycles;
use serde::{Deserialize, Serialize};
use socscope_isa::{AheadOfTime, CycleClass, CycleModel, Operands, StaticCycleModel};
use socscope_memory::{AccessCost, Direction, RegionIndex, Sequence, Width};

/// A core of the family.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Arm9Core {
    /// ARM9TDMI, of the ARM920T.
    Tdmi,
    /// ARM9EJ-S, of the ARM926EJ-S.
    EjS,
}

impl Arm9Core {
    /// All of them.
    pub const ALL: [Arm9Core; 2] = [Arm9Core::Tdmi, Arm9Core::EjS];

    /// What platforms call its timing model.
    pub const fn name(self) -> &'static str {
        match self {
            Arm9Core::Tdmi => "arm9tdmi",
            Arm9Core::EjS => "arm9ej-s",
        }
    }
}

/// Counts issue cycles and interlocks of a pipeline of five stages, whose instruction and data ports answer in a cycle; longer accesses stop all of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Arm9 {
    core: Arm9Core,
    /// Whether what accesses cost beyond a cycle is counted; beneath caches these count it.
    counts_waits: bool,
    scoreboard: Scoreboard,
    #[serde(skip)]
    now: Present,
}

/// The instruction that executes.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Present {
    class: CycleClass,
    operands: Operands,
    /// Cycles that it waits for registers.
    interlocked: u64,
    /// Cycles in which the pipeline waits for memory.
    waited: u64,
    /// Data accesses so far.
    accesses: u64,
    /// Cycles of the multiplier array.
    multiplier: u64,
    refills: bool,
}

impl Default for Present {
    fn default() -> Present {
        Present {
            class: CycleClass::Data,
            operands: Operands::default(),
            interlocked: 0,
            waited: 0,
            accesses: 0,
            multiplier: 0,
            refills: false,
        }
    }
}

impl Arm9 {
    /// A core that waits for its memories.
    pub fn new(core: Arm9Core) -> Arm9 {
        Arm9 {
            core,
            counts_waits: true,
            scoreboard: Scoreboard::default(),
            now: Present::default(),
        }
    }

    /// A core between caches, which count what accesses cost.
    pub fn behind_caches(core: Arm9Core) -> Arm9 {
        Arm9 {
            counts_waits: false,
            ..Arm9::new(core)
        }
    }

    fn wait_for(&mut self, (cost, width): (&AccessCost, Width), how: (Sequence, Direction)) {
        if self.counts_waits {
            self.now.waited += wait_states((cost, width), how);
        }
    }
}

/// What an access takes beyond one cycle.
fn wait_states(
    (cost, width): (&AccessCost, Width),
    (sequence, direction): (Sequence, Direction),
) -> u64 {
    u64::from(cost.cycles(sequence, direction, width).saturating_sub(1))
}

impl CycleModel for Arm9 {
    const WANTS_OPERANDS: bool = true;

    #[inline]
    fn begin(&mut self, class: CycleClass, _: RegionIndex, fetch: &AccessCost, width: Width) {
        self.now = Present {
            class,
            ..Present::default()
        };
        self.wait_for((fetch, width), (Sequence::Sequential, Direction::Read));
    }

    #[inline]
    fn operands(&mut self, operands: &Operands) {
        self.now.operands = *operands;
        self.now.interlocked = self.scoreboard.wait(operands);
    }

    /// The cycle in which the access is made, as if the memory stage were the execute stage: so it lies within its instruction.
    fn transfers_at(
        &self,
        region: RegionIndex,
        cost: &AccessCost,
        width: Width,
        direction: Direction,
    ) -> u64 {
        let mut ahead = self.clone();
        ahead.data(region, cost, width, direction);
        let Present {
            interlocked,
            waited,
            accesses,
            ..
        } = ahead.now;
        interlocked + waited + accesses - 1
    }

    #[inline]
    fn data(&mut self, _: RegionIndex, cost: &AccessCost, width: Width, direction: Direction) {
        let goes_on = self.now.accesses != 0 && self.now.class != CycleClass::Swap;
        let sequence = match goes_on {
            true => Sequence::Sequential,
            false => Sequence::Nonsequential,
        };
        self.wait_for((cost, width), (sequence, direction));
        self.now.accesses += 1;
    }

    #[inline]
    fn multiplier(&mut self, operand: u32, signed: bool) {
        if self.core == Arm9Core::Tdmi {
            self.now.multiplier = multiplier_cycles(operand, signed);
        }
    }

    #[inline]
    fn refill(&mut self, _: RegionIndex, fetch: &AccessCost, width: Width) {
        self.now.refills = true;
        for sequence in [Sequence::Nonsequential, Sequence::Sequential] {
            self.wait_for((fetch, width), (sequence, Direction::Read));
        }
    }

    #[inline]
    fn end(&mut self) -> u64 {
        let cycles = self.now.interlocked + self.issued();
        self.scoreboard = self.left_behind(cycles);
        std::mem::take(&mut self.now).waited + cycles
    }
}

impl StaticCycleModel for Arm9 {
    type Ahead = Self;

    fn ahead_of_time(&self) -> AheadOfTime<Arm9> {
        AheadOfTime {
            model: self.clone(),
            fractions: 1,
            owed: 0,
        }
    }

    fn take_over(&mut self, ahead: &Arm9, _owed: u64) {
        self.clone_from(ahead);
    }

    fn depends_on_regions(&self) -> bool {
        self.counts_waits
    }

    fn tells_equal_regions_apart(&self) -> bool {
        false
    }
}
