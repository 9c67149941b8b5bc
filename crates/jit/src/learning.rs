//! What the interpreter learns for the translator: which region an instruction's accesses reach.

use socscope_interpreter::{Observer, Transfer};
use socscope_memory::{Direction, RegionIndex, Width};
use std::collections::BTreeMap;

/// The region that was reached last, by address of the instruction.
#[derive(Default)]
pub(crate) struct Seen {
    regions: BTreeMap<u32, RegionIndex>,
}

impl Seen {
    pub fn regions(&self) -> &BTreeMap<u32, RegionIndex> {
        &self.regions
    }
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
        self.seen.regions.insert(pc, region);
        self.observer.data(pc, address, width, direction, region);
    }

    #[inline]
    fn unaligned(&mut self, pc: u32, address: u32, width: Width) {
        self.observer.unaligned(pc, address, width);
    }

    #[inline]
    fn transfer(&mut self, from: u32, to: u32, kind: Transfer, stack_pointer: u32) {
        self.observer.transfer(from, to, kind, stack_pointer);
    }

    #[inline]
    fn magic(&mut self, number: u8, cycle: u64) {
        self.observer.magic(number, cycle);
    }

    #[inline]
    fn stop(&self) -> bool {
        self.observer.stop()
    }
}
