//! The semantics of a plain architecture's instructions in concrete words.

use super::{Plain, PlainCore};
use crate::Observer;
use socscope_isa::{Concrete, CycleModel, PlainSemantics, Semantics};
use socscope_memory::{AccessCost, Bus, Direction, Fault, Width};

/// One instruction in execution.
pub(super) struct Executor<'a, A: Plain, B, M, O> {
    pub core: &'a mut PlainCore<A>,
    pub bus: &'a mut B,
    pub model: &'a mut M,
    pub observer: &'a mut O,
    /// Its first cycle.
    pub cycle: u64,
    pub address: u32,
    pub leaving: Leaving,
    /// A way back was left.
    pub linked: bool,
    /// It waits for an interrupt.
    pub waits: bool,
    /// The first exception, which is taken after the instruction.
    pub exception: Option<u8>,
}

/// How the instruction leaves; the target is then the core's program counter.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Leaving {
    Falling,
    Branch,
    Return,
}

impl<A: Plain, B: Bus, M: CycleModel, O: Observer> Executor<'_, A, B, M, O> {
    #[cold]
    fn refused(&mut self, fault: Fault, address: u32, width: Width, direction: Direction) {
        let region = self.bus.region(address);
        self.model
            .data(region, self.bus.cost(region), width, direction);
        self.observer.refused(address, width, direction);
        self.core.last_fault = Some(fault);
        self.exception.get_or_insert(A::FAULT);
    }

    #[inline(always)]
    fn aligned(&mut self, address: u32, width: Width) -> u32 {
        let aligned = width.align(address);
        if aligned != address {
            self.observer.unaligned(self.address, address, width);
        }
        aligned
    }
}

impl<A: Plain, B, M, O> Concrete for Executor<'_, A, B, M, O> {}

impl<A: Plain, B: Bus, M: CycleModel, O: Observer> Semantics for Executor<'_, A, B, M, O> {
    type Exception = u8;

    #[inline(always)]
    fn address(&self) -> u32 {
        self.address
    }

    #[inline(always)]
    fn load(&mut self, address: u32, width: Width) -> (u32, bool) {
        const READ: Direction = Direction::Read;
        let address = self.aligned(address, width);
        let when = |region, cost: &AccessCost| {
            self.cycle + self.model.transfers_at(region, cost, width, READ)
        };
        match self.bus.read(address, width, when) {
            Ok(access) => {
                let region = access.region;
                let cost = self.bus.cost(region);
                self.model.data_at(address, region, cost, width, READ);
                self.observer
                    .data(self.address, address, width, READ, region);
                (access.value, true)
            }
            Err(fault) => {
                self.refused(fault, address, width, READ);
                (0, false)
            }
        }
    }

    #[inline(always)]
    fn store(&mut self, address: u32, width: Width, value: u32) -> bool {
        const WRITE: Direction = Direction::Write;
        let address = self.aligned(address, width);
        let value = width.truncate(value);
        let when = |region, cost: &AccessCost| {
            self.cycle + self.model.transfers_at(region, cost, width, WRITE)
        };
        match self.bus.write(address, width, value, when) {
            Ok(region) => {
                let cost = self.bus.cost(region);
                self.model.data_at(address, region, cost, width, WRITE);
                self.observer
                    .data(self.address, address, width, WRITE, region);
                true
            }
            Err(fault) => {
                self.refused(fault, address, width, WRITE);
                false
            }
        }
    }

    #[inline(always)]
    fn branch(&mut self, target: u32) {
        self.core.set_program_counter(target);
        self.leaving = Leaving::Branch;
    }

    #[cold]
    fn exception(&mut self, exception: u8) {
        self.exception.get_or_insert(exception);
    }

    #[inline(always)]
    fn mark(&mut self, number: u32) {
        let argument = self.core.slot(A::ARGUMENT);
        self.bus.magic(number as u8, argument, self.cycle);
        self.observer.magic(number as u8, argument, self.cycle);
    }
}

impl<A: Plain, B: Bus, M: CycleModel, O: Observer> PlainSemantics for Executor<'_, A, B, M, O> {
    #[inline(always)]
    fn slot(&mut self, slot: u32) -> u32 {
        self.core.slot(slot)
    }

    #[inline(always)]
    fn set_slot(&mut self, slot: u32, value: u32) {
        self.core.set_slot(slot, value);
        self.linked |= slot == A::LINK;
    }

    #[inline(always)]
    fn return_to(&mut self, target: u32) {
        self.core.set_program_counter(target);
        self.leaving = Leaving::Return;
    }

    fn wait(&mut self) {
        self.waits = true;
    }
}
