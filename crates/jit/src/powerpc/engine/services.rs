//! What translated code calls where its tables are not enough.

use super::memory_only::MemoryOnly;
use super::seat::Seat;
use crate::memories::Memories;
use crate::powerpc::context::Context;
use crate::powerpc::flavour::{self, Flavour};
use crate::powerpc::prepare::{self, Preparation};
use crate::powerpc::tables::{PAGE, fetch_entry};
use crate::states::StateIndex;
use socscope_memory::{Endianness, Width};
use socscope_powerpc::{Attributes, Core, Mmu, Msr, Purpose, RESERVATION_BYTES, Translate};

/// What a helper works on.
pub(super) struct Parts<'a, B> {
    pub core: &'a mut Core,
    pub mmu: &'a mut Mmu,
    pub bus: &'a mut B,
    pub seat: &'a mut Seat,
}

impl<B: Memories> Parts<'_, B> {
    /// # Safety
    /// `context` is the one that translated code was entered with, for a bus of this type.
    pub unsafe fn of<'a>(context: *mut Context) -> Parts<'a, B> {
        // SAFETY: the engine put the addresses there of what it borrows exclusively, and uses none of them until the code returns.
        unsafe {
            Parts {
                core: &mut *((*context).core as *mut Core),
                mmu: &mut *((*context).mmu as *mut Mmu),
                bus: &mut *((*context).bus as *mut B),
                seat: &mut *((*context).seat as *mut Seat),
            }
        }
    }

    /// The address on the bus, as the interpreter finds it; `None` when there is none, or only the interpreter can say.
    pub fn translate(&mut self, address: u32, purpose: Purpose) -> Option<u32> {
        let bus = &mut MemoryOnly(self.bus);
        let physical = self.mmu.translate(self.core, bus, address, purpose).ok();
        self.seat.follow(self.mmu);
        physical
    }

    /// Whether the run ends before the instruction at an address, which is not fetched then.
    ///
    /// # Safety
    /// Translated code runs.
    unsafe fn ends_at(&self, address: u32) -> bool {
        // SAFETY: the engine put the address of its stops there, and does not change them until the code returns.
        let stops = unsafe { &*self.seat.stops };
        stops.contains(&address)
    }

    /// The host's address of bytes that lie in one page, which the tables know from now on; `None` where that is no plain memory, or, for writing,
    /// holds code.
    fn host(
        &mut self,
        address: u32,
        physical: u32,
        table: usize,
        for_writing: bool,
    ) -> Option<u64> {
        let space = self.bus.space_mut();
        let host = space.page(physical & PAGE, for_writing);
        self.seat.catch_up(space.epoch());
        let host = host?.as_ptr() as u64;
        let tag = self.seat.tag_of(self.bus.region(physical));
        let tables = &mut self.seat.tables;
        tables.set_data(table, (address, tag), host, for_writing);
        Some(host + u64::from(address & !PAGE))
    }

    fn pointer(&mut self, address: u32, how: u32, for_writing: bool) -> Option<u64> {
        let (table, bytes) = parts_of(how);
        if (address ^ address.wrapping_add(bytes - 1)) & PAGE != 0 {
            return None;
        }
        let purpose = if for_writing {
            Purpose::Write
        } else {
            Purpose::Read
        };
        let physical = self.translate(address, purpose)?;
        self.host(address, physical, table, for_writing)
    }
}

impl<B: Memories> Parts<'_, B> {
    /// Writes data, beside code too, if that is possible.
    fn store(&mut self, address: u32, value: u32, how: u32) -> Option<()> {
        let (table, bytes) = parts_of(how);
        if (address ^ address.wrapping_add(bytes - 1)) & PAGE != 0 {
            return None;
        }
        let physical = self.translate(address, Purpose::Write)?;
        if let Some(host) = self.host(address, physical, table, true) {
            let value = value << (32 - 8 * bytes);
            // SAFETY: the bytes lie in one page of a memory whose place in the host was just handed out for writing.
            unsafe {
                std::ptr::copy_nonoverlapping(
                    value.to_be_bytes().as_ptr(),
                    host as *mut u8,
                    bytes as usize,
                );
            }
            return Some(());
        }
        let width = Width::ALL[(bytes.trailing_zeros() as usize).min(2)];
        if width.align(address) != address {
            return None;
        }
        // SAFETY: the engine put the address of its translations there, and does not change them until the code returns.
        let translations = unsafe { &*self.seat.translations };
        let space = self.bus.space_mut();
        let region =
            translations.write_in_page(space, physical, (width, value, Endianness::Big))?;
        self.seat.tag_of(region);
        Some(())
    }
}

/// The table and the number of bytes.
pub(super) fn parts_of(how: u32) -> (usize, u32) {
    (how as usize >> 8, (how & 0xff).max(1))
}

/// The host's address of data to be read, or 0.
///
/// # Safety
/// `context` is the one that the code was entered with.
pub(super) unsafe extern "C" fn read<B: Memories>(
    context: *mut Context,
    address: u32,
    how: u32,
) -> u64 {
    // SAFETY: as above.
    let mut parts = unsafe { Parts::<B>::of(context) };
    let pointer = parts.pointer(address, how, false).unwrap_or(0);
    // SAFETY: as above; it is no part of what the parts refer to.
    unsafe { (*context).reached_tag = parts.seat.reached_tag };
    pointer
}

/// The host's address of data to be written, or 0.
///
/// # Safety
/// `context` is the one that the code was entered with.
pub(super) unsafe extern "C" fn write<B: Memories>(
    context: *mut Context,
    address: u32,
    how: u32,
) -> u64 {
    // SAFETY: as above.
    let mut parts = unsafe { Parts::<B>::of(context) };
    let pointer = parts.pointer(address, how, true).unwrap_or(0);
    // SAFETY: as above; it is no part of what the parts refer to.
    unsafe { (*context).reached_tag = parts.seat.reached_tag };
    pointer
}

/// Writes data, beside code too; 1 if that was done.
///
/// # Safety
/// `context` is the one that the code was entered with.
pub(super) unsafe extern "C" fn store<B: Memories>(
    context: *mut Context,
    address: u32,
    value: u32,
    how: u32,
) -> u32 {
    // SAFETY: as above.
    let mut parts = unsafe { Parts::<B>::of(context) };
    let stored = parts.store(address, value, how);
    // SAFETY: as above; it is no part of what the parts refer to.
    unsafe { (*context).reached_tag = parts.seat.reached_tag };
    u32::from(stored.is_some())
}

/// Fetches an instruction's page: what the table of pages then says of it, or 0.
///
/// # Safety
/// `context` is the one that the code was entered with.
pub(super) unsafe extern "C" fn fetch<B: Memories>(
    context: *mut Context,
    address: u32,
    table: u32,
) -> u64 {
    // SAFETY: as above.
    let mut parts = unsafe { Parts::<B>::of(context) };
    // SAFETY: the code calls this.
    if unsafe { parts.ends_at(address) } {
        return 0;
    }
    let Some(physical) = parts.translate(address, Purpose::Fetch) else {
        return 0;
    };
    let tables = &mut parts.seat.tables;
    tables.set_fetch(table as usize, address, physical);
    fetch_entry(address, physical)
}

/// The code that goes on at an address under the machine state that was just written, or 0 where something else comes first or there is none.
///
/// # Safety
/// `context` is the one that the code was entered with.
pub(super) unsafe extern "C" fn resume<B: Memories>(
    context: *mut Context,
    address: u32,
    state: u32,
) -> u64 {
    // SAFETY: as above.
    let parts = unsafe { Parts::<B>::of(context) };
    // SAFETY: nothing else refers to the context while the code runs.
    let context = unsafe { &*context };
    parts.core.set_msr(Msr(context.machine_state));
    let interrupted = context.waiting != 0 && parts.core.msr().has(Msr::EXTERNAL_ENABLE);
    // SAFETY: the code calls this.
    if interrupted || unsafe { parts.ends_at(address) } {
        return 0;
    }
    let Parts {
        core,
        mmu,
        bus,
        seat,
    } = parts;
    let mut code = || {
        let flavour = Flavour::of(core)?;
        let part = flavour.key_part(StateIndex(state), seat.mode)?;
        let physical = seat.physical((core, mmu, bus), flavour, address)?;
        let key = flavour::key(address, physical, part);
        // SAFETY: the engine put the addresses there of its tables, and does not change them until the code returns.
        let (entries, translations) = unsafe { (&*seat.entries, &*seat.translations) };
        entries.get(key).or_else(|| translations.code(key))
    };
    code().unwrap_or(0)
}

/// A special register that tells the time.
///
/// # Safety
/// `context` is the one that the code was entered with.
pub(super) unsafe extern "C" fn time(context: *mut Context, number: u32, _unused: u32) -> u64 {
    // SAFETY: as above; nothing else refers to the context while the code runs.
    let context = unsafe { &*context };
    // SAFETY: the engine put the address of the core there, and uses it for nothing else until the code returns.
    let core = unsafe { &*(context.core as *const Core) };
    let used = (context.granted - context.left) as u64;
    u64::from(core.special_at(number, context.cycle + used / context.fractions.max(1)))
}

/// Looks at an address before an instruction does something with it: see [`Preparation`].
///
/// # Safety
/// `context` is the one that the code was entered with.
pub(super) unsafe extern "C" fn prepare<B: Memories>(
    context: *mut Context,
    address: u32,
    how: u32,
) -> u64 {
    // SAFETY: as above.
    let mut parts = unsafe { Parts::<B>::of(context) };
    let table = how as usize >> 8;
    match how as u8 {
        how if how == Preparation::SetToZero as u8 => parts.prepare_zero(address, table),
        how if how == Preparation::Reserve as u8 => parts.reserve(address),
        _ => parts.take_reservation(address, table),
    }
    .unwrap_or(prepare::IMPOSSIBLE)
}

impl<B: Memories> Parts<'_, B> {
    fn attributes(&mut self, address: u32, purpose: Purpose) -> Option<Attributes> {
        let bus = &mut MemoryOnly(self.bus);
        let attributes = self.mmu.attributes(self.core, bus, address, purpose).ok();
        self.seat.follow(self.mmu);
        attributes
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
