//! The ARM7TDMI's cycles. The table with the manual's sections is in docs/decisions/arm7tdmi-cycles.md.

use super::sequences::{BusCycles, Sequences};
use serde::{Deserialize, Serialize};
use socscope_isa::{AheadOfTime, CycleClass, CycleModel, StaticCycleModel};
use socscope_memory::{AccessCost, Direction, RegionIndex, Sequence, Width};
use socscope_timing::{AccuracyLabel, Bursts, ExternalBus, Purpose};

/// Counts N, S and I cycles as the ARM7TDMI's instruction cycle operations give them, each with the cost of the memory
/// that it reaches. C cycles do not occur: no coprocessor answers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Arm7Tdmi {
    class: CycleClass,
    cycles: u64,
    sequences: Sequences,
    bursts: Bursts,
    external_bus: ExternalBus,
}

impl Default for Arm7Tdmi {
    fn default() -> Self {
        Arm7Tdmi {
            class: CycleClass::Data,
            cycles: 0,
            sequences: Sequences::default(),
            bursts: Bursts::default(),
            external_bus: ExternalBus::default(),
        }
    }
}

/// Adds up what bus cycles cost.
struct Pricing<'m, 'c> {
    cycles: &'m mut u64,
    bursts: &'m mut Bursts,
    external_bus: &'m mut ExternalBus,
    costs: std::marker::PhantomData<&'c AccessCost>,
}

impl<'c> BusCycles for Pricing<'_, 'c> {
    type Place = (RegionIndex, &'c AccessCost);

    #[inline]
    fn access(
        &mut self,
        purpose: Purpose,
        sequence: Sequence,
        width: Width,
        (region, cost): (RegionIndex, &'c AccessCost),
    ) {
        let direction = purpose.direction();
        let sequence = self.bursts.accessed(purpose, sequence, region);
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
        if !self.external_bus.is_quiet() {
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
                "468 cycle counts published for silicon behind a memory controller whose N and S times differ (single and block transfers, \
                 multiplications, a branch; code in six memories); sequences derived by hand from the instruction cycle operations of the ARM7TDMI \
                 manual (DDI 0029, DDI 0210), every class, two memories"
                    .into(),
            known_error: "none in these, where bursts begin anew after internal cycles (N); a memory for which the platform says that they \
                          continue (S) was not compared; a burst that runs into another region begins anew there (N)"
                .into(),
            leaves_out: "bus cycles lost to DMA arbitration below a whole access, external NWAIT, clock start-up after power saving".into(),
        }
    }

    /// What the next bus cycles depend on, between two instructions.
    pub fn sequences(&self) -> &Sequences {
        &self.sequences
    }

    /// Where the last accesses went.
    pub fn bursts(&self) -> &Bursts {
        &self.bursts
    }

    /// What the next access to the external bus depends on.
    pub fn external_bus(&self) -> &ExternalBus {
        &self.external_bus
    }

    #[inline]
    fn parts<'c>(&mut self) -> (&mut Sequences, Pricing<'_, 'c>) {
        let pricing = Pricing {
            cycles: &mut self.cycles,
            bursts: &mut self.bursts,
            external_bus: &mut self.external_bus,
            costs: std::marker::PhantomData,
        };
        (&mut self.sequences, pricing)
    }
}

impl StaticCycleModel for Arm7Tdmi {
    type Ahead = Self;

    fn ahead_of_time(&self) -> AheadOfTime<Arm7Tdmi> {
        AheadOfTime {
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
    fn begin(&mut self, class: CycleClass, region: RegionIndex, fetch: &AccessCost, width: Width) {
        self.class = class;
        self.cycles = 0;
        let (sequences, mut bus) = self.parts();
        sequences.begin(class, (region, fetch), width, &mut bus);
    }

    /// DDI 0029, "Memory interface": data are taken at the end of the cycle in which nWAIT lets the core go on.
    fn transfers_at(
        &self,
        region: RegionIndex,
        cost: &AccessCost,
        width: Width,
        direction: Direction,
    ) -> u64 {
        let mut ahead = self.clone();
        ahead.data(region, cost, width, direction);
        ahead.cycles.saturating_sub(1)
    }

    #[inline]
    fn data(&mut self, region: RegionIndex, cost: &AccessCost, width: Width, direction: Direction) {
        let class = self.class;
        let (sequences, mut bus) = self.parts();
        sequences.data(class, direction, width, (region, cost), &mut bus);
    }

    #[inline]
    fn multiplier(&mut self, operand: u32, signed: bool) {
        let class = self.class;
        let (sequences, mut bus) = self.parts();
        sequences.multiplier(class, operand, signed, &mut bus);
    }

    #[inline]
    fn refill(&mut self, region: RegionIndex, fetch: &AccessCost, width: Width) {
        let (sequences, mut bus) = self.parts();
        sequences.refill((region, fetch), width, &mut bus);
    }

    #[inline]
    fn end(&mut self) -> u64 {
        let (sequences, mut bus) = self.parts();
        sequences.end(&mut bus);
        self.bursts.end_data();
        self.class = CycleClass::Data;
        std::mem::take(&mut self.cycles)
    }
}
