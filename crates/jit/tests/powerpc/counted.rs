//! A probe that counts as a profile does, in one context: instructions, cycles and accesses by region.

use socscope_core::{ExecutionState, Observer, Ranges, Shared, Transfer, Translation};
use socscope_jit::shared::{DATA_KINDS, Tracking};
use socscope_memory::{Direction, RegionIndex, Width};
use std::collections::BTreeSet;

/// Of the test's bus: nothing, memory, ROM and device.
const REGIONS: u16 = 4;
/// A write of it ends the run.
const SPRG1: u32 = 273;
const SRR0: u32 = 26;
/// The special registers that probes want to hear of.
pub const HEARD: [u32; 2] = [SPRG1, SRR0];

/// Instructions, cycles and accesses of a region.
type Counts = (u64, u64, [u64; DATA_KINDS]);

/// The counts.
pub struct Counted {
    tracking: Tracking,
    stops: BTreeSet<u32>,
    device: RegionIndex,
    accessed: u64,
    state: ExecutionState,
    pub told: Vec<[u32; 4]>,
    /// Whether it ends the run at times; whether it does now.
    pub may_stop: bool,
    pub stops_run: bool,
}

/// All code is one function.
struct OneFunction;

impl Ranges for OneFunction {
    fn range_of(&self, _: ExecutionState, _: u32) -> Option<(u32, u32, i64)> {
        None
    }

    fn identity(&self) -> u64 {
        1
    }
}

impl Counted {
    /// Nothing yet.
    pub fn new() -> Counted {
        let mut tracking = Tracking::new(usize::from(REGIONS), 0);
        tracking.executes(RegionIndex(0));
        Counted {
            tracking,
            stops: BTreeSet::new(),
            device: RegionIndex(REGIONS - 1),
            accessed: 0,
            state: ExecutionState::default(),
            told: vec![],
            may_stop: false,
            stops_run: false,
        }
    }

    /// Everything that was counted and told: by region; instructions in all, the region that executes, accesses to the device; exceptions, their ends,
    /// special registers, and where the run was ended.
    pub fn all(&self) -> (Vec<Counts>, [u64; 3], Vec<[u32; 4]>) {
        let counters = self.tracking.counters();
        let by_region = (0..counters.regions()).map(|region| counters.get(0, region));
        let region = u64::from(self.tracking.executing_region().0);
        let all = [self.tracking.instructions(), region, self.accessed];
        (by_region.collect(), all, self.told.clone())
    }
}

impl Observer for Counted {
    fn instruction(&mut self, _pc: u32, _width: Width, region: RegionIndex) {
        self.tracking.executes(region);
        self.tracking.count_instruction();
    }

    fn cycles(&mut self, cycles: u64) {
        self.tracking.count_cycles(cycles);
    }

    fn data(
        &mut self,
        pc: u32,
        address: u32,
        width: Width,
        direction: Direction,
        region: RegionIndex,
    ) {
        self.tracking.count_data(region, width, direction);
        if region == self.device {
            let place = u64::from(pc) << 32 | u64::from(address);
            self.accessed = self.accessed.wrapping_mul(31).wrapping_add(place);
        }
    }

    fn interrupted(&mut self, number: u8, next: u32, stack_pointer: u32) {
        self.told.push([0, u32::from(number), next, stack_pointer]);
    }

    fn execution_state(&mut self, state: ExecutionState) {
        self.state = state;
    }

    fn transfer(&mut self, from: u32, to: u32, kind: Transfer, stack_pointer: u32) {
        if !matches!(kind, Transfer::Jump | Transfer::Call) {
            let ExecutionState { user, translated } = self.state;
            let state = u32::from(user) << 1 | u32::from(translated);
            self.told.push([1 << 8 | state, from, to, stack_pointer]);
            self.stops_run |= self.may_stop && (from ^ to) & 0x10 != 0;
        }
    }

    fn special_written(&mut self, number: u32, value: u32) {
        if HEARD.contains(&number) {
            self.told.push([2, number, value, 0]);
            self.stops_run |= self.may_stop && number == SPRG1;
        }
    }

    fn stop(&self) -> bool {
        self.stops_run
    }

    fn translation(&mut self) -> Translation<'_> {
        Translation::Profile(Shared {
            tracking: &self.tracking,
            counting: true,
            stops: &self.stops,
            functions: &OneFunction,
            special_registers: &HEARD,
        })
    }

    fn ran(&mut self, _cycles: u64, _address: u32, region: Option<RegionIndex>) {
        if let Some(region) = region {
            self.tracking.executes(region);
        }
    }
}
