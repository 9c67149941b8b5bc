//! The ARM7TDMI's cycles. The table with the manual's sections is in docs/decisions/arm7tdmi-cycles.md.

use crate::{AccuracyLabel, external_bus::ExternalBus};
use serde::{Deserialize, Serialize};
use socscope_isa::{CycleClass, CycleModel, Foreseeable, Foresight};
use socscope_memory::{AccessCost, Direction, RegionIndex, Sequence, Width};

/// Counts N, S and I cycles as the ARM7TDMI's instruction cycle operations give them, each with the cost of the memory
/// that it reaches. C cycles do not occur: no coprocessor answers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Arm7Tdmi {
    class: CycleClass,
    cycles: u64,
    /// Kind of the next instruction's first cycle, which its predecessor announces.
    next_fetch: Sequence,
    next_data: Sequence,
    /// Internal cycles that follow the instruction's data accesses.
    trailing_internal: u64,
    /// False from reset to the first instruction, which finds an empty pipeline.
    pipeline_full: bool,
    external_bus: ExternalBus,
}

impl Default for Arm7Tdmi {
    fn default() -> Self {
        Arm7Tdmi {
            class: CycleClass::Data,
            cycles: 0,
            next_fetch: Sequence::Sequential,
            next_data: Sequence::Nonsequential,
            trailing_internal: 0,
            pipeline_full: false,
            external_bus: ExternalBus::default(),
        }
    }
}

impl Arm7Tdmi {
    /// How far the cycles can be trusted.
    pub fn accuracy(&self) -> AccuracyLabel {
        AccuracyLabel {
            model: "ARM7TDMI N, S and I cycles with wait states".into(),
            validated_against:
                "sequences derived by hand from the instruction cycle operations of the ARM7TDMI manual (DDI 0029, DDI 0210), every class, two memories"
                    .into(),
            known_error: "none in these sequences; not compared with silicon".into(),
            leaves_out:
                "bus cycles lost to DMA arbitration below a whole access, external NWAIT, clock start-up after power saving"
                    .into(),
        }
    }

    #[inline]
    fn access(
        &mut self,
        sequence: Sequence,
        direction: Direction,
        width: Width,
        cost: &AccessCost,
    ) {
        let cycles = u64::from(cost.cycles(sequence, direction, width));
        if cost.external != 0 {
            self.cycles += self.external_bus.wait(cost, direction);
            self.external_bus.accessed(cost, direction);
        } else if !self.external_bus.is_quiet() {
            self.external_bus.idle(cycles);
        }
        self.cycles += cycles;
    }

    #[inline]
    fn internal(&mut self, cycles: u64) {
        if cycles != 0 && !self.external_bus.is_quiet() {
            self.external_bus.idle(cycles);
        }
        self.cycles += cycles;
    }

    #[inline]
    fn end_of_data(&mut self) {
        let cycles = std::mem::take(&mut self.trailing_internal);
        self.internal(cycles);
    }

    /// Two opcode fetches from a new place: N, then S.
    #[inline]
    fn fill_pipeline(&mut self, fetch: &AccessCost, width: Width) {
        self.access(Sequence::Nonsequential, Direction::Read, width, fetch);
        self.access(Sequence::Sequential, Direction::Read, width, fetch);
    }
}

impl Foreseeable for Arm7Tdmi {
    fn foresight(&self) -> Foresight<Arm7Tdmi> {
        Foresight {
            model: self.clone(),
            fractions: 1,
            owed: 0,
        }
    }

    fn take_over(&mut self, ahead: &Arm7Tdmi, _owed: u64) {
        self.clone_from(ahead);
    }

    fn depends_on_regions(&self) -> bool {
        true
    }
}

impl CycleModel for Arm7Tdmi {
    #[inline]
    fn begin(&mut self, class: CycleClass, fetch: &AccessCost, width: Width) {
        self.class = class;
        self.cycles = 0;
        if !self.pipeline_full {
            self.pipeline_full = true;
            self.fill_pipeline(fetch, width);
        }
        self.access(self.next_fetch, Direction::Read, width, fetch);
        self.next_fetch = Sequence::Sequential;
        match class {
            CycleClass::DataShiftByRegister | CycleClass::Undefined => self.internal(1),
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

    #[inline]
    fn data(&mut self, _: RegionIndex, cost: &AccessCost, width: Width, direction: Direction) {
        self.access(self.next_data, direction, width, cost);
        if matches!(
            self.class,
            CycleClass::LoadMultiple | CycleClass::StoreMultiple
        ) {
            self.next_data = Sequence::Sequential;
        }
    }

    #[inline]
    fn multiplier(&mut self, operand: u32, signed: bool) {
        let (extra, signed) = match self.class {
            CycleClass::Multiply => (0, true),
            CycleClass::MultiplyAccumulate => (1, true),
            CycleClass::MultiplyLong => (1, signed),
            CycleClass::MultiplyAccumulateLong => (2, signed),
            _ => return,
        };
        self.internal(multiplier_cycles(operand, signed) + extra);
    }

    #[inline]
    fn refill(&mut self, fetch: &AccessCost, width: Width) {
        self.end_of_data();
        self.fill_pipeline(fetch, width);
        self.next_fetch = Sequence::Sequential;
    }

    #[inline]
    fn end(&mut self) -> u64 {
        self.end_of_data();
        // Between two instructions only what the next one depends on differs from one model to another.
        self.class = CycleClass::Data;
        self.next_data = Sequence::Nonsequential;
        std::mem::take(&mut self.cycles)
    }
}

/// Cycles of the 8-bit-a-cycle multiplier array: it stops when the rest of the operand is all zero or, in a signed
/// multiplication, all one (DDI 0210, "Multiply and multiply accumulate").
fn multiplier_cycles(operand: u32, signed: bool) -> u64 {
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
