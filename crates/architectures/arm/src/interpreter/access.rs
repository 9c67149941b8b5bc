//! Accesses to memory: rounded down, in aligned pieces or refused off alignment, in the byte order of the status register.

use super::executor::Executor;
use crate::Alignment;
use socscope_core::Observer;
use socscope_isa::CycleModel;
use socscope_memory::{AccessCost, Bus, Direction, Fault, FaultReason, Width};

impl<B: Bus, M: CycleModel, O: Observer> Executor<'_, B, M, O> {
    #[inline(always)]
    pub(super) fn read(&mut self, address: u32, width: Width) -> Option<u32> {
        let aligned = width.align(address);
        if aligned != address {
            self.observer.unaligned(self.address, address, width);
            self.allow(address)?;
            if self.core.control.unaligned {
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
            self.allow(address)?;
            if self.core.control.unaligned {
                return self.write_pieces(address, width, value);
            }
        }
        self.write_piece(aligned, width, value)
    }

    /// Whether system control lets accesses of an instruction begin there.
    #[inline(always)]
    pub(super) fn check_alignment(&mut self, address: u32, alignment: Alignment) -> bool {
        let control = self.core.control;
        let bytes = match alignment {
            Alignment::Bytes(bytes) => bytes,
            Alignment::Pair if control.unaligned => 4,
            Alignment::Pair => 8,
        };
        let checked = control.unaligned || control.alignment_checked;
        let good = !checked || address & (bytes - 1) == 0;
        if !good {
            self.misaligned(address);
        }
        good
    }

    #[cold]
    fn misaligned(&mut self, address: u32) {
        let reason = FaultReason::Unaligned;
        self.fault.get_or_insert(Fault { address, reason });
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
    fn allow(&mut self, address: u32) -> Option<()> {
        if !self.core.control.alignment_checked {
            return Some(());
        }
        self.misaligned(address);
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
    fn read_piece(&mut self, address: u32, width: Width) -> Option<u32> {
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
                self.refused(fault, address, width, Direction::Read);
                None
            }
        }
    }

    #[inline(always)]
    fn write_piece(&mut self, address: u32, width: Width, value: u32) -> Option<()> {
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
                self.refused(fault, address, width, Direction::Write);
                None
            }
        }
    }

    #[cold]
    fn refused(&mut self, fault: Fault, address: u32, width: Width, direction: Direction) {
        let region = self.bus.region(address);
        self.model
            .data(region, self.bus.cost(region), width, direction);
        self.observer.refused(address, width, direction);
        self.fault.get_or_insert(fault);
    }
}
