//! The ARM7TDMI's cycles. The table with the manual's sections is in docs/decisions/arm7tdmi-cycles.md.

use crate::sequences::{BusCycles, Purpose};
use crate::{AccuracyLabel, Sequences, external_bus::ExternalBus};
use serde::{Deserialize, Serialize};
use socscope_isa::{CycleClass, CycleModel, Foreseeable, Foresight};
use socscope_memory::{AccessCost, Direction, RegionIndex, Sequence, Width};

/// Counts N, S and I cycles as the ARM7TDMI's instruction cycle operations give them, each with the cost of the memory
/// that it reaches. C cycles do not occur: no coprocessor answers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Arm7Tdmi {
    class: CycleClass,
    cycles: u64,
    sequences: Sequences,
    external_bus: ExternalBus,
}

impl Default for Arm7Tdmi {
    fn default() -> Self {
        Arm7Tdmi {
            class: CycleClass::Data,
            cycles: 0,
            sequences: Sequences::default(),
            external_bus: ExternalBus::default(),
        }
    }
}

/// Adds up what bus cycles cost.
struct Pricing<'m, 'c> {
    cycles: &'m mut u64,
    external_bus: &'m mut ExternalBus,
    costs: std::marker::PhantomData<&'c AccessCost>,
}

impl<'c> BusCycles for Pricing<'_, 'c> {
    type Place = &'c AccessCost;

    #[inline]
    fn access(&mut self, purpose: Purpose, sequence: Sequence, width: Width, cost: &'c AccessCost) {
        let direction = purpose.direction();
        let cycles = u64::from(cost.cycles(sequence, direction, width));
        if cost.external != 0 {
            *self.cycles += self.external_bus.wait(cost, direction);
            self.external_bus.accessed(cost, direction);
        } else if !self.external_bus.is_quiet() {
            self.external_bus.idle(cycles);
        }
        *self.cycles += cycles;
    }

    #[inline]
    fn internal(&mut self, cycles: u64) {
        if cycles != 0 && !self.external_bus.is_quiet() {
            self.external_bus.idle(cycles);
        }
        *self.cycles += cycles;
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

    /// What the next bus cycles depend on, between two instructions.
    pub fn sequences(&self) -> &Sequences {
        &self.sequences
    }

    /// What the next access to the external bus depends on.
    pub fn external_bus(&self) -> &ExternalBus {
        &self.external_bus
    }

    #[inline]
    fn parts<'c>(&mut self) -> (&mut Sequences, Pricing<'_, 'c>) {
        let pricing = Pricing {
            cycles: &mut self.cycles,
            external_bus: &mut self.external_bus,
            costs: std::marker::PhantomData,
        };
        (&mut self.sequences, pricing)
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
        let (sequences, mut bus) = self.parts();
        sequences.begin(class, fetch, width, &mut bus);
    }

    #[inline]
    fn data(&mut self, _: RegionIndex, cost: &AccessCost, width: Width, direction: Direction) {
        let class = self.class;
        let (sequences, mut bus) = self.parts();
        sequences.data(class, direction, width, cost, &mut bus);
    }

    #[inline]
    fn multiplier(&mut self, operand: u32, signed: bool) {
        let class = self.class;
        let (sequences, mut bus) = self.parts();
        sequences.multiplier(class, operand, signed, &mut bus);
    }

    #[inline]
    fn refill(&mut self, fetch: &AccessCost, width: Width) {
        let (sequences, mut bus) = self.parts();
        sequences.refill(fetch, width, &mut bus);
    }

    #[inline]
    fn end(&mut self) -> u64 {
        let (sequences, mut bus) = self.parts();
        sequences.end(&mut bus);
        self.class = CycleClass::Data;
        std::mem::take(&mut self.cycles)
    }
}
