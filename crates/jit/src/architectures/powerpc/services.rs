//! What translated code calls beside the frame's helpers.

use super::adapter::PowerPc;
use crate::frame::{Context, Parts, prepare};
use crate::memories::Memories;
use socscope_core::Purpose;
use socscope_powerpc::{Attributes, Core, RESERVATION_BYTES, TlbOperation, Translate};

/// What an instruction is about to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Preparation {
    /// dcbz: its line is one of plain memory that may be cached.
    SetToZero = 0,
    /// lwarx, whose load has been done.
    Reserve = 1,
    /// stwcx.: the reservation ends.
    TakeReservation = 2,
}

/// A special register that tells the time.
///
/// # Safety
/// `context` is the one that the code was entered with.
pub unsafe extern "C" fn time(context: *mut Context<PowerPc>, number: u32, _unused: u32) -> u64 {
    // SAFETY: as above; nothing else refers to the context while the code runs.
    let common = unsafe { &(*context).common };
    // SAFETY: the engine put the address of the core there, and uses it for nothing else until the code returns.
    let core = unsafe { &*(common.core as *const Core) };
    u64::from(core.special_at(number, common.cycle_now()))
}

/// mfsr and mfsrin.
///
/// # Safety
/// `context` is the one that the code was entered with.
pub unsafe extern "C" fn segment(context: *mut Context<PowerPc>, index: u32, _unused: u32) -> u64 {
    // SAFETY: as above; nothing else refers to the context while the code runs.
    let common = unsafe { &(*context).common };
    // SAFETY: the engine put the address of the core there, and uses it for nothing else until the code returns.
    let core = unsafe { &*(common.core as *const Core) };
    u64::from(core.segment(index))
}

/// mtsr and mtsrin.
///
/// # Safety
/// `context` is the one that the code was entered with.
pub unsafe extern "C" fn set_segment<B: Memories>(
    context: *mut Context<PowerPc>,
    index: u32,
    value: u32,
) -> u64 {
    // SAFETY: as above.
    let parts = unsafe { Parts::<PowerPc, B>::of(context) };
    Translate::set_segment(parts.mmu, parts.core, index, value);
    parts.follow();
    0
}

/// tlbie.
///
/// # Safety
/// `context` is the one that the code was entered with.
pub unsafe extern "C" fn invalidate<B: Memories>(
    context: *mut Context<PowerPc>,
    address: u32,
    _unused: u32,
) -> u64 {
    // SAFETY: as above.
    let parts = unsafe { Parts::<PowerPc, B>::of(context) };
    let operation = TlbOperation::Invalidate;
    Translate::maintain(parts.mmu, parts.core, operation, address);
    parts.follow();
    0
}

/// Looks at an address before an instruction does something with it: see [`Preparation`].
///
/// # Safety
/// `context` is the one that the code was entered with.
pub unsafe extern "C" fn prepare<B: Memories>(
    context: *mut Context<PowerPc>,
    address: u32,
    how: u32,
) -> u64 {
    // SAFETY: as above.
    let mut parts = unsafe { Parts::<PowerPc, B>::of(context) };
    let (table, work) = prepare::parts_of(how);
    let prepared = match work {
        how if how == Preparation::SetToZero as u8 => parts.prepare_zero(address, table),
        how if how == Preparation::Reserve as u8 => parts.reserve(address),
        _ => parts.take_reservation(address, table),
    };
    // SAFETY: as above.
    unsafe { parts.tell_reached(context) };
    prepared.unwrap_or(prepare::IMPOSSIBLE)
}

impl<B: Memories> Parts<'_, PowerPc, B> {
    fn attributes(&mut self, address: u32, purpose: Purpose) -> Option<Attributes> {
        self.ask(|core, mmu, bus| mmu.attributes(core, bus, address, purpose).ok())
    }

    fn prepare_zero(&mut self, address: u32, table: usize) -> Option<u64> {
        let physical = self.translate(address, Purpose::Write)?;
        let page = self.attributes(address, Purpose::Write)?;
        if !self.core.has_data_cache() || page.is_inhibited() || page.is_written_through() {
            return None;
        }
        self.host(address, physical, table, true)?;
        Some(prepare::DONE)
    }

    /// The granule on the bus, where reservations are possible without any doubt.
    fn reservable(&mut self, address: u32, purpose: Purpose) -> Option<(u32, u32)> {
        let physical = self.translate(address, purpose)?;
        let page = self.attributes(address, purpose)?;
        (!page.is_written_through()).then_some((physical, physical & !(RESERVATION_BYTES - 1)))
    }

    fn reserve(&mut self, address: u32) -> Option<u64> {
        let (_, granule) = self.reservable(address, Purpose::Read)?;
        self.core.reservation = Some(granule);
        Some(prepare::DONE)
    }

    fn take_reservation(&mut self, address: u32, table: usize) -> Option<u64> {
        let (physical, granule) = self.reservable(address, Purpose::Write)?;
        self.host(address, physical, table, true)?;
        Some(if self.core.reservation.take() == Some(granule) {
            prepare::DONE
        } else {
            prepare::NOT_RESERVED
        })
    }
}
