//! Accesses to memory: translated, in aligned pieces, most significant byte first.

use super::executor::Executor;
use crate::{Attributes, Class, CoreModel, Exception, Translate, TranslationFault};
use socscope_core::{Observer, Purpose};
use socscope_isa::CycleModel;
use socscope_memory::{AccessCost, Bus, Direction, Fault, Width};

/// The least page: translations of two addresses may differ across its border.
const PAGE: u32 = !0xfff;

impl<B: Bus, T: Translate, M: CycleModel<Class>, O: Observer> Executor<'_, B, T, M, O> {
    /// The address on the bus, or a pending exception.
    #[inline(always)]
    pub(super) fn translated(&mut self, address: u32, purpose: Purpose) -> Option<u32> {
        match self
            .translation
            .translate(self.core, self.bus, address, purpose)
        {
            Ok(physical) => Some(physical),
            Err(fault) => {
                self.raise(fault.exception(address, purpose));
                None
            }
        }
    }

    /// The address on the bus of a reservation, or a pending exception: on some cores none can be where writes go through the caches.
    pub(super) fn reservable(&mut self, address: u32, purpose: Purpose) -> Option<u32> {
        let physical = self.translated(address, purpose)?;
        let attributes = self
            .translation
            .attributes(self.core, self.bus, address, purpose);
        let impossible = self.core.model() != CoreModel::Ppc603e
            && attributes.is_ok_and(Attributes::is_written_through);
        if impossible {
            self.raise(TranslationFault::DIRECT_STORE.exception(address, purpose));
            return None;
        }
        Some(physical)
    }

    /// Whether data at `address`, which was translated for a write, may be cached and written back.
    pub(super) fn is_cached(&mut self, address: u32) -> bool {
        let attributes = self
            .translation
            .attributes(self.core, self.bus, address, Purpose::Write);
        self.core.has_data_cache()
            && attributes.is_ok_and(|page| !page.is_inhibited() && !page.is_written_through())
    }

    #[inline(always)]
    pub(super) fn read(&mut self, address: u32, width: Width) -> Option<u32> {
        if self.exception.is_some() {
            return None;
        }
        let physical = self.translated(address, Purpose::Read)?;
        if width.align(address) == address {
            return self.read_piece(physical, width);
        }
        self.read_unaligned(address, physical, width)
    }

    #[inline(always)]
    pub(super) fn write(&mut self, address: u32, width: Width, value: u32) -> Option<()> {
        if self.exception.is_some() {
            return None;
        }
        let physical = self.translated(address, Purpose::Write)?;
        if width.align(address) == address {
            return self.write_piece(physical, width, width.truncate(value));
        }
        self.write_unaligned(address, physical, width, value)
    }

    /// Where a byte of an access lies whose first is at `physical`; its last page was translated before anything moves.
    fn rest(
        &mut self,
        address: u32,
        physical: u32,
        width: Width,
        purpose: Purpose,
    ) -> Option<impl Fn(u32) -> u32 + use<B, T, M, O>> {
        let last = address.wrapping_add(width.bytes() - 1);
        let next_page = last & PAGE;
        let second = if next_page == address & PAGE {
            physical & PAGE
        } else {
            self.translated(next_page, purpose)?
        };
        Some(move |offset: u32| {
            let at = address.wrapping_add(offset);
            if at & PAGE == next_page {
                second | at & !PAGE
            } else {
                physical.wrapping_add(offset)
            }
        })
    }

    #[cold]
    fn read_unaligned(&mut self, address: u32, physical: u32, width: Width) -> Option<u32> {
        self.observer.unaligned(self.address, physical, width);
        let place = self.rest(address, physical, width, Purpose::Read)?;
        let mut value = 0;
        for (offset, piece) in width.pieces(address) {
            value = value << piece.bits() | self.read_piece(place(offset), piece)?;
        }
        Some(value)
    }

    #[cold]
    fn write_unaligned(
        &mut self,
        address: u32,
        physical: u32,
        width: Width,
        value: u32,
    ) -> Option<()> {
        self.observer.unaligned(self.address, physical, width);
        let place = self.rest(address, physical, width, Purpose::Write)?;
        for (offset, piece) in width.pieces(address) {
            let below = width.bits() - 8 * offset - piece.bits();
            self.write_piece(place(offset), piece, piece.truncate(value >> below))?;
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
                let region = access.region;
                self.observer
                    .data(self.address, address, width, Direction::Read, region);
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
        self.core.last_fault = Some(fault);
        self.raise(Exception::MachineCheck);
    }
}
