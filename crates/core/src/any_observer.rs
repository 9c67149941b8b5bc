//! An observer behind a table of functions.

use crate::{Core, ExecutionState, Observer, Transfer, Translation};
use socscope_isa::CycleClass;
use socscope_memory::{AddressSpace, Direction, RegionIndex, Width};

/// Any observer. Engines are compiled once for all that come in this way, and call each hook by its address: for those whose speed matters little.
pub struct AnyObserver<'a>(pub &'a mut dyn Observer);

impl Observer for AnyObserver<'_> {
    fn instruction(&mut self, pc: u32, width: Width, region: RegionIndex) {
        self.0.instruction(pc, width, region);
    }

    fn begins(&mut self, class: CycleClass, pc: u32, width: Width, core: &dyn Core) {
        self.0.begins(class, pc, width, core);
    }

    fn multiplier(&mut self, operand: u32, signed: bool) {
        self.0.multiplier(operand, signed);
    }

    fn refused(&mut self, address: u32, width: Width, direction: Direction) {
        self.0.refused(address, width, direction);
    }

    fn refills(&mut self, address: u32, width: Width) {
        self.0.refills(address, width);
    }

    fn cycles(&mut self, cycles: u64) {
        self.0.cycles(cycles);
    }

    fn data(
        &mut self,
        pc: u32,
        address: u32,
        width: Width,
        direction: Direction,
        region: RegionIndex,
    ) {
        self.0.data(pc, address, width, direction, region);
    }

    fn unaligned(&mut self, pc: u32, address: u32, width: Width) {
        self.0.unaligned(pc, address, width);
    }

    fn interrupted(&mut self, number: u8, next: u32, stack_pointer: u32) {
        self.0.interrupted(number, next, stack_pointer);
    }

    fn transfer(&mut self, from: u32, to: u32, kind: Transfer, stack_pointer: u32) {
        self.0.transfer(from, to, kind, stack_pointer);
    }

    fn executed(&mut self, pc: u32, next: u32) {
        self.0.executed(pc, next);
    }

    fn special_written(&mut self, number: u32, value: u32) {
        self.0.special_written(number, value);
    }

    fn execution_state(&mut self, state: ExecutionState) {
        self.0.execution_state(state);
    }

    fn magic(&mut self, number: u8, argument: u32, cycle: u64) {
        self.0.magic(number, argument, cycle);
    }

    fn stop(&self) -> bool {
        self.0.stop()
    }

    fn look(&mut self, cycle: u64, core: &dyn Core, space: &AddressSpace) {
        self.0.look(cycle, core, space);
    }

    fn translation(&mut self) -> Translation<'_> {
        self.0.translation()
    }

    fn follows(&self, pc: u32) -> bool {
        self.0.follows(pc)
    }

    fn ran(&mut self, cycles: u64, address: u32, region: Option<RegionIndex>) {
        self.0.ran(cycles, address, region);
    }
}
