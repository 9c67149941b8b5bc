//! What the interpreter learns for the translator: which regions an instruction's accesses reach.

use socscope_core::{Core, ExecutionState, Observer, Transfer};
use socscope_isa::CycleClass;
use socscope_memory::{Direction, RegionIndex, Width};
use std::collections::BTreeMap;

/// Regions of one instruction that are told apart.
const REGIONS_MAX: usize = 4;
/// Accesses to another region than those that translated code knows, before it is made again; four times as many each time.
const MISSED_MAX: u32 = 1_000;
const RECENT: usize = 1 << 10;

/// The regions that one instruction has reached, the last one first.
struct Reached {
    regions: Vec<RegionIndex>,
    missed: u32,
    missed_max: u32,
}

/// The regions that instructions have reached, by address.
pub(crate) struct Seen {
    reached: BTreeMap<u32, Reached>,
    /// Address and region of what was noted last, so that most accesses need no search.
    recent: Box<[(u32, RegionIndex); RECENT]>,
}

impl Seen {
    pub fn new() -> Seen {
        Seen {
            reached: BTreeMap::new(),
            recent: Box::new([(u32::MAX, RegionIndex::UNMAPPED); RECENT]),
        }
    }

    /// The regions that the instruction at an address has reached, the last one first.
    pub fn regions(&self, address: u32) -> &[RegionIndex] {
        self.reached
            .get(&address)
            .map_or(&[], |reached| &reached.regions)
    }

    /// The instruction at an address has reached a region.
    #[inline]
    pub fn note(&mut self, address: u32, region: RegionIndex) {
        let recent = &mut self.recent[(address >> 1) as usize % RECENT];
        if *recent == (address, region) {
            return;
        }
        *recent = (address, region);
        let reached = self.reached.entry(address).or_insert(Reached {
            regions: vec![],
            missed: 0,
            missed_max: MISSED_MAX,
        });
        reached.regions.retain(|known| *known != region);
        reached.regions.insert(0, region);
        reached.regions.truncate(REGIONS_MAX);
    }

    /// Translated code did not know the region that the instruction at an address has reached: whether it had better be made again.
    pub fn miss(&mut self, address: u32) -> bool {
        let Some(reached) = self.reached.get_mut(&address) else {
            return false;
        };
        reached.missed += 1;
        let again = reached.missed >= reached.missed_max;
        if again {
            reached.missed = 0;
            reached.missed_max = reached.missed_max.saturating_mul(4);
        }
        again
    }
}

/// Stands for the instruction at an address where the regions that it jumps to are meant: no instruction lies at an odd address.
pub(crate) fn jump_from(address: u32) -> u32 {
    address | 1
}

/// An observer that learns on the way.
pub(crate) struct Learning<'a, O> {
    observer: &'a mut O,
    seen: &'a mut Seen,
}

impl<'a, O: Observer> Learning<'a, O> {
    pub fn new(observer: &'a mut O, seen: &'a mut Seen) -> Learning<'a, O> {
        Learning { observer, seen }
    }
}

impl<O: Observer> Observer for Learning<'_, O> {
    #[inline]
    fn instruction(&mut self, pc: u32, width: Width, region: RegionIndex) {
        self.observer.instruction(pc, width, region);
    }

    #[inline]
    fn begins(&mut self, class: CycleClass, pc: u32, width: Width, core: &dyn Core) {
        self.observer.begins(class, pc, width, core);
    }

    #[inline]
    fn multiplier(&mut self, operand: u32, signed: bool) {
        self.observer.multiplier(operand, signed);
    }

    #[inline]
    fn refused(&mut self, address: u32, width: Width, direction: Direction) {
        self.observer.refused(address, width, direction);
    }

    #[inline]
    fn refills(&mut self, address: u32, width: Width) {
        self.observer.refills(address, width);
    }

    #[inline]
    fn executed(&mut self, pc: u32, next: u32) {
        self.observer.executed(pc, next);
    }

    #[inline]
    fn special_written(&mut self, number: u32, value: u32) {
        self.observer.special_written(number, value);
    }

    #[inline]
    fn execution_state(&mut self, state: ExecutionState) {
        self.observer.execution_state(state);
    }

    #[inline]
    fn cycles(&mut self, cycles: u64) {
        self.observer.cycles(cycles);
    }

    #[inline]
    fn data(
        &mut self,
        pc: u32,
        address: u32,
        width: Width,
        direction: Direction,
        region: RegionIndex,
    ) {
        self.seen.note(pc, region);
        self.observer.data(pc, address, width, direction, region);
    }

    #[inline]
    fn unaligned(&mut self, pc: u32, address: u32, width: Width) {
        self.observer.unaligned(pc, address, width);
    }

    #[inline]
    fn interrupted(&mut self, number: u8, next: u32, stack_pointer: u32) {
        self.observer.interrupted(number, next, stack_pointer);
    }

    #[inline]
    fn transfer(&mut self, from: u32, to: u32, kind: Transfer, stack_pointer: u32) {
        self.observer.transfer(from, to, kind, stack_pointer);
    }

    #[inline]
    fn magic(&mut self, number: u8, argument: u32, cycle: u64) {
        self.observer.magic(number, argument, cycle);
    }

    #[inline]
    fn stop(&self) -> bool {
        self.observer.stop()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_regions_reached_last_come_first() {
        let mut seen = Seen::new();
        for region in [1, 2, 1, 3, 4, 5, 3] {
            seen.note(0x100, RegionIndex(region));
        }
        assert_eq!(seen.regions(0x100), [3, 5, 4, 1].map(RegionIndex));
        assert!(seen.regions(0x104).is_empty());
    }

    #[test]
    fn code_is_made_again_less_and_less_often() {
        let mut seen = Seen::new();
        assert!(!seen.miss(0x100));
        seen.note(0x100, RegionIndex(1));
        let mut until_again = || (1..).find(|_| seen.miss(0x100));
        assert_eq!([until_again(), until_again()], [Some(1_000), Some(4_000)]);
    }
}
