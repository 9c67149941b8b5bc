//! Which bus cycles an ARM7TDMI makes, in what order; what they cost is the listener's business.

use serde::{Deserialize, Serialize};
use socscope_isa::CycleClass;
use socscope_memory::{Direction, Sequence, Width};
use socscope_timing::Purpose;

/// Takes the bus cycles in their order.
pub trait BusCycles {
    /// Where an access goes.
    type Place: Copy;
    /// An N or S cycle.
    fn access(&mut self, purpose: Purpose, sequence: Sequence, width: Width, place: Self::Place);
    /// I cycles.
    fn internal(&mut self, cycles: u64);
}

/// What the next bus cycles depend on. The table with the manual's sections is in docs/decisions/arm7tdmi-cycles.md.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sequences {
    /// Kind of the next instruction's first cycle, which its predecessor announces.
    next_fetch: Sequence,
    next_data: Sequence,
    /// Internal cycles that follow the instruction's data accesses.
    trailing_internal: u64,
    /// False from reset to the first instruction, which finds an empty pipeline.
    pipeline_full: bool,
}

impl Default for Sequences {
    fn default() -> Self {
        Sequences {
            next_fetch: Sequence::Sequential,
            next_data: Sequence::Nonsequential,
            trailing_internal: 0,
            pipeline_full: false,
        }
    }
}

impl Sequences {
    /// Behind an instruction that did nothing but compute.
    pub fn running() -> Sequences {
        Sequences {
            pipeline_full: true,
            ..Sequences::default()
        }
    }

    /// An instruction or exception entry begins; `fetch` is where its opcode comes from.
    #[inline]
    pub fn begin<B: BusCycles>(
        &mut self,
        class: CycleClass,
        fetch: B::Place,
        width: Width,
        bus: &mut B,
    ) {
        if !self.pipeline_full {
            self.pipeline_full = true;
            fill_pipeline(fetch, width, bus);
        }
        bus.access(Purpose::Fetch, self.next_fetch, width, fetch);
        self.next_fetch = Sequence::Sequential;
        match class {
            CycleClass::DataShiftByRegister | CycleClass::Undefined => self.internal(1, bus),
            CycleClass::Load | CycleClass::LoadMultiple | CycleClass::Swap => {
                self.next_data = Sequence::Nonsequential;
                self.trailing_internal = 1;
            }
            // The fetch after a store is nonsequential: the address bus comes back from the data.
            CycleClass::Store | CycleClass::StoreMultiple => {
                self.next_data = Sequence::Nonsequential;
                self.next_fetch = Sequence::Nonsequential;
            }
            _ => {}
        }
    }

    /// A data access of an instruction of `class`.
    #[inline]
    pub fn data<B: BusCycles>(
        &mut self,
        class: CycleClass,
        direction: Direction,
        width: Width,
        place: B::Place,
        bus: &mut B,
    ) {
        bus.access(direction.into(), self.next_data, width, place);
        if matches!(class, CycleClass::LoadMultiple | CycleClass::StoreMultiple) {
            self.next_data = Sequence::Sequential;
        }
    }

    /// The multiplier operand (Rs) of an instruction of `class`.
    #[inline]
    pub fn multiplier<B: BusCycles>(
        &mut self,
        class: CycleClass,
        operand: u32,
        signed: bool,
        bus: &mut B,
    ) {
        let (extra, signed) = match class {
            CycleClass::Multiply => (0, true),
            CycleClass::MultiplyAccumulate => (1, true),
            CycleClass::MultiplyLong => (1, signed),
            CycleClass::MultiplyAccumulateLong => (2, signed),
            _ => return,
        };
        self.internal(multiplier_cycles(operand, signed) + extra, bus);
    }

    /// The program counter was written: the pipeline is filled from the target, `fetch`.
    #[inline]
    pub fn refill<B: BusCycles>(&mut self, fetch: B::Place, width: Width, bus: &mut B) {
        self.end_of_data(bus);
        fill_pipeline(fetch, width, bus);
        self.next_fetch = Sequence::Sequential;
    }

    /// The instruction ends.
    #[inline]
    pub fn end<B: BusCycles>(&mut self, bus: &mut B) {
        self.end_of_data(bus);
        // Between two instructions only what the next one depends on differs from one model to another.
        self.next_data = Sequence::Nonsequential;
    }

    #[inline]
    fn end_of_data<B: BusCycles>(&mut self, bus: &mut B) {
        let cycles = std::mem::take(&mut self.trailing_internal);
        if cycles != 0 {
            self.internal(cycles, bus);
        }
    }

    /// The address of the next fetch already stands on the bus meanwhile: a merged I-S cycle.
    #[inline]
    fn internal<B: BusCycles>(&mut self, cycles: u64, bus: &mut B) {
        bus.internal(cycles);
        self.next_fetch = Sequence::AfterInternal;
    }
}

/// Two opcode fetches from a new place: N, then S.
#[inline]
fn fill_pipeline<B: BusCycles>(fetch: B::Place, width: Width, bus: &mut B) {
    bus.access(Purpose::Fetch, Sequence::Nonsequential, width, fetch);
    bus.access(Purpose::Fetch, Sequence::Sequential, width, fetch);
}

/// Cycles of the 8-bit-a-cycle multiplier array: it stops when the rest of the operand is all zero or, in a signed
/// multiplication, all one (DDI 0210, "Multiply and multiply accumulate").
pub(super) fn multiplier_cycles(operand: u32, signed: bool) -> u64 {
    let rest = if signed {
        operand ^ ((operand as i32) >> 31) as u32
    } else {
        operand
    };
    match rest {
        0..=0xff => 1,
        0x100..=0xffff => 2,
        0x1_0000..=0xff_ffff => 3,
        _ => 4,
    }
}
