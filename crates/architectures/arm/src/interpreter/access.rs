//! Accesses to memory: rounded down, in aligned pieces or refused off alignment, in the byte order of the status register.

use super::executor::Executor;
use crate::mmu::Abort;
use crate::{Alignment, Core, control};
use socscope_core::{Observer, Purpose};
use socscope_isa::{CycleClass, CycleModel};
use socscope_memory::{AccessCost, Bus, Direction, Fault, FaultReason, Width};

impl<B: Bus, M: CycleModel, O: Observer> Executor<'_, B, M, O> {
    #[inline(always)]
    pub(super) fn read(&mut self, address: u32, width: Width) -> Option<u32> {
        let aligned = width.align(address);
        if aligned != address {
            self.observer.unaligned(self.address, address, width);
            self.allow(address, Direction::Read)?;
            if self.core.control.has(control::UNALIGNED) {
                return self.read_pieces(address, width);
            }
        }
        let value = self.read_piece(aligned, width)?;
        Some(self.ordered(value, width))
    }

    #[inline(always)]
    pub(super) fn write(&mut self, address: u32, width: Width, value: u32) -> Option<()> {
        let value = self.ordered(width.truncate(value), width);
        let aligned = width.align(address);
        if aligned != address {
            self.observer.unaligned(self.address, address, width);
            self.allow(address, Direction::Write)?;
            if self.core.control.has(control::UNALIGNED) {
                return self.write_pieces(address, width, value);
            }
        }
        self.write_piece(aligned, width, value)
    }

    /// Whether system control lets accesses of an instruction begin there.
    #[inline(always)]
    pub(super) fn check_alignment(&mut self, address: u32, alignment: Alignment) -> bool {
        let unaligned = self.core.control.has(control::UNALIGNED);
        let bytes = match alignment {
            Alignment::Bytes(bytes) => bytes,
            Alignment::Pair if unaligned => 4,
            Alignment::Pair => 8,
        };
        let checked = unaligned || self.core.control.has(control::ALIGNMENT);
        let good = !checked || address & (bytes - 1) == 0;
        if !good {
            self.misaligned(address, self.direction());
        }
        good
    }

    /// Which way the instruction moves data, which is asked of those that may abort before they have begun.
    fn direction(&self) -> Direction {
        match crate::encoding(self.core.model(), self.set, self.word).class {
            CycleClass::Store | CycleClass::StoreMultiple => Direction::Write,
            _ => Direction::Read,
        }
    }

    #[cold]
    fn misaligned(&mut self, address: u32, direction: Direction) {
        let reason = FaultReason::Unaligned;
        let modified = self.core.control.modified(address);
        let abort = Abort::misaligned(modified, Fault { address, reason });
        self.abort(abort, direction);
    }

    /// The first abort is taken behind the instruction.
    #[cold]
    fn abort(&mut self, abort: Abort, direction: Direction) {
        let abort = match direction {
            Direction::Read => abort,
            Direction::Write => abort.of_write(),
        };
        self.abort.get_or_insert(abort);
    }

    /// The address on the bus, or a pending abort.
    #[inline(always)]
    pub(super) fn translated(&mut self, address: u32, purpose: Purpose) -> Option<u32> {
        let unprivileged = self.unprivileged || self.core.is_unprivileged();
        match self
            .core
            .translate(self.bus, address, purpose, unprivileged)
        {
            Ok(physical) => Some(physical),
            Err(fault) => {
                let direction = match purpose {
                    Purpose::Write => Direction::Write,
                    _ => Direction::Read,
                };
                self.abort(fault.into(), direction);
                None
            }
        }
    }

    /// Of words with the bytes the other way round (BE-32), others are picked.
    #[inline(always)]
    fn picked(&self, physical: u32, width: Width) -> u32 {
        physical ^ picked(self.core, width)
    }

    /// Words are little-endian on the bus; big-endian data have their bytes the other way round (BE-8).
    #[inline(always)]
    fn ordered(&self, value: u32, width: Width) -> u32 {
        if self.core.status().big_endian {
            value.swap_bytes() >> (32 - width.bits())
        } else {
            value
        }
    }

    /// An access off alignment aborts where it is asked for.
    #[cold]
    fn allow(&mut self, address: u32, direction: Direction) -> Option<()> {
        if !self.core.control.has(control::ALIGNMENT) {
            return Some(());
        }
        self.misaligned(address, direction);
        None
    }

    #[cold]
    fn read_pieces(&mut self, address: u32, width: Width) -> Option<u32> {
        let mut value = 0;
        for (offset, piece) in width.pieces(address) {
            value |= self.read_piece(address.wrapping_add(offset), piece)? << (8 * offset);
        }
        Some(self.ordered(value, width))
    }

    #[cold]
    fn write_pieces(&mut self, address: u32, width: Width, value: u32) -> Option<()> {
        for (offset, piece) in width.pieces(address) {
            let value = piece.truncate(value >> (8 * offset));
            self.write_piece(address.wrapping_add(offset), piece, value)?;
        }
        Some(())
    }

    #[inline(always)]
    fn read_piece(&mut self, effective: u32, width: Width) -> Option<u32> {
        let physical = self.translated(effective, Purpose::Read)?;
        let address = self.picked(physical, width);
        let when = |region, cost: &AccessCost| {
            self.cycle
                + self
                    .model
                    .transfers_at(region, cost, width, Direction::Read)
        };
        match self.bus.read(address, width, when) {
            Ok(access) => {
                let cost = self.bus.cost(access.region);
                self.model
                    .data_at(address, access.region, cost, width, Direction::Read);
                self.observer
                    .data(self.address, address, width, Direction::Read, access.region);
                Some(access.value)
            }
            Err(fault) => {
                self.refused(fault, (effective, address), width, Direction::Read);
                None
            }
        }
    }

    #[inline(always)]
    fn write_piece(&mut self, effective: u32, width: Width, value: u32) -> Option<()> {
        let physical = self.translated(effective, Purpose::Write)?;
        let address = self.picked(physical, width);
        let when = |region, cost: &AccessCost| {
            self.cycle
                + self
                    .model
                    .transfers_at(region, cost, width, Direction::Write)
        };
        match self.bus.write(address, width, value, when) {
            Ok(region) => {
                let cost = self.bus.cost(region);
                self.model
                    .data_at(address, region, cost, width, Direction::Write);
                self.observer
                    .data(self.address, address, width, Direction::Write, region);
                Some(())
            }
            Err(fault) => {
                self.refused(fault, (effective, address), width, Direction::Write);
                None
            }
        }
    }

    #[cold]
    fn refused(
        &mut self,
        fault: Fault,
        (effective, address): (u32, u32),
        width: Width,
        direction: Direction,
    ) {
        let region = self.bus.region(address);
        self.model
            .data(region, self.bus.cost(region), width, direction);
        self.observer.refused(address, width, direction);
        let status = self.core.external_abort(self.bus, effective, false);
        let modified = self.core.control.modified(effective);
        self.abort(Abort::external(modified, status, fault), direction);
    }
}

/// What tells the address of an access from where it lies in words with the bytes the other way round (BE-32).
#[inline(always)]
pub(super) fn picked(core: &Core, width: Width) -> u32 {
    match core.control.has(control::BIG_ENDIAN) {
        true => 4 - width.bytes(),
        false => 0,
    }
}
