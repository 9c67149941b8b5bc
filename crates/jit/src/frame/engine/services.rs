//! What translated code calls where its tables are not enough.

use super::memory_only::MemoryOnly;
use super::seat::Seat;
use crate::frame::adapter::Adapter;
use crate::frame::context::{Common, Context, OwnHelper};
use crate::frame::granules;
use crate::frame::key::{key, key_part};
use crate::frame::tables::{PAGE, fetch_entry};
use crate::memories::Memories;
use crate::states::StateIndex;
use socscope_core::Purpose;
use socscope_memory::{Endianness, Viewer, Width};

/// What a helper works on.
pub(crate) struct Parts<'a, A: Adapter, B> {
    pub core: &'a mut A::Core,
    pub mmu: &'a mut A::Mmu,
    pub bus: &'a mut B,
    pub(super) seat: &'a mut Seat,
}

impl<A: Adapter, B: Memories> Parts<'_, A, B> {
    /// # Safety
    /// `context` is the one that translated code was entered with, for a bus of this type.
    pub unsafe fn of<'a>(context: *mut Context<A>) -> Parts<'a, A, B> {
        // SAFETY: the caller's promise.
        let common = unsafe { &(*context).common };
        // SAFETY: the engine put the addresses there of what it borrows exclusively, and uses none of them until the code returns.
        unsafe {
            Parts {
                core: &mut *(common.core as *mut A::Core),
                mmu: &mut *(common.mmu as *mut A::Mmu),
                bus: &mut *(common.bus as *mut B),
                seat: &mut *(common.seat as *mut Seat),
            }
        }
    }

    /// The address on the bus, as the interpreter finds it; `None` when there is none, or only the interpreter can say.
    pub fn translate(&mut self, address: u32, purpose: Purpose) -> Option<u32> {
        self.translate_for(address, (purpose, None))
    }

    fn translate_for(&mut self, address: u32, how: (Purpose, Option<usize>)) -> Option<u32> {
        let physical = self.ask(|core, mmu, bus| A::translate(core, mmu, bus, address, how))?;
        self.seat.reached_bus = physical;
        Some(physical)
    }

    /// Lets code know what was reached.
    ///
    /// # Safety
    /// `context` is the one that the parts are of.
    pub unsafe fn tell_reached(&self, context: *mut Context<A>) {
        // SAFETY: the caller's promise; it is no part of what the parts refer to.
        let common = unsafe { &mut (*context).common };
        common.reached_tag = self.seat.reached_tag;
        common.reached_bus = self.seat.reached_bus;
    }

    /// Asks the translation of addresses, which may walk through memory.
    pub fn ask<T>(
        &mut self,
        question: impl FnOnce(&mut A::Core, &mut A::Mmu, &mut MemoryOnly<B>) -> T,
    ) -> T {
        let answer = question(self.core, self.mmu, &mut MemoryOnly(self.bus));
        A::follow(self.core, self.mmu, &mut self.seat.tables);
        answer
    }

    /// Drops what the tables know of translations that have changed.
    pub fn follow(self) {
        A::follow(self.core, self.mmu, &mut self.seat.tables);
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
    pub fn host(
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
        tables.set_data(table, (address, physical, tag), host, for_writing);
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
        let physical = self.translate_for(address, (purpose, Some(table)))?;
        self.host(address, physical, table, for_writing)
    }
}

impl<A: Adapter, B: Memories> Parts<'_, A, B> {
    /// Writes data, beside code too, if that is possible.
    fn store(&mut self, address: u32, value: u32, how: u32) -> Option<()> {
        let (table, bytes) = parts_of(how);
        if (address ^ address.wrapping_add(bytes - 1)) & PAGE != 0 {
            return None;
        }
        let physical = self.translate_for(address, (Purpose::Write, Some(table)))?;
        if let Some(host) = self.host(address, physical, table, true) {
            let in_order = match self.bus.order() {
                Endianness::Big => (value << (32 - 8 * bytes)).to_be_bytes(),
                Endianness::Little => value.to_le_bytes(),
            };
            // SAFETY: the bytes lie in one page of a memory whose place in the host was just handed out for writing.
            unsafe {
                std::ptr::copy_nonoverlapping(in_order.as_ptr(), host as *mut u8, bytes as usize);
            }
            return Some(());
        }
        let width = Width::ALL[(bytes.trailing_zeros() as usize).min(2)];
        if width.align(address) != address {
            return None;
        }
        // SAFETY: the engine put the address of its translations there, and does not change them until the code returns.
        let translations = unsafe { &*self.seat.translations };
        let order = self.bus.order();
        let space = self.bus.space_mut();
        let region = translations.write_in_page(space, physical, (width, value, order))?;
        self.seat.tag_of(region);
        Some(())
    }
}

impl<A: Adapter, B: Memories> Parts<'_, A, B> {
    /// Writes data where the table of granules does not allow it, if only code nearby forbade that.
    fn store_beside(&mut self, address: u32, value: u32, how: u32) -> Option<()> {
        let (width, wanted) = granules::parts_of(how);
        let order = self.bus.order();
        let space = self.bus.space_mut();
        let region = space.map().find_for(Viewer::Looking, address);
        if width.align(address) != address || wanted != 0 && wanted != granules::tag(region) {
            return None;
        }
        // SAFETY: the engine put the address of its translations there, and does not change them until the code returns.
        let translations = unsafe { &*self.seat.translations };
        translations.write_beside(space, address, (width, value, order))?;
        Some(())
    }
}

/// Leaves the addresses of the helpers here.
pub(crate) fn lead_to<A: Adapter, B: Memories>(common: &mut Common) {
    type Pointer<A> = unsafe extern "C" fn(*mut Context<A>, u32, u32) -> u64;
    type Store<A> = unsafe extern "C" fn(*mut Context<A>, u32, u32, u32) -> u32;
    common.read_helper = read::<A, B> as Pointer<A> as usize as u64;
    common.write_helper = write::<A, B> as Pointer<A> as usize as u64;
    common.store_helper = store::<A, B> as Store<A> as usize as u64;
    common.fetch_helper = fetch::<A, B> as Pointer<A> as usize as u64;
    common.resume_helper = resume::<A, B> as Pointer<A> as usize as u64;
    let address = |helper: Option<OwnHelper<A>>| helper.map_or(0, |helper| helper as usize as u64);
    common.own_helpers = A::helpers::<B>().map(address);
}

/// The table and the number of bytes.
pub(crate) fn parts_of(how: u32) -> (usize, u32) {
    (how as usize >> 8, (how & 0xff).max(1))
}

/// The host's address of data to be read, or 0.
///
/// # Safety
/// `context` is the one that the code was entered with.
unsafe extern "C" fn read<A: Adapter, B: Memories>(
    context: *mut Context<A>,
    address: u32,
    how: u32,
) -> u64 {
    // SAFETY: as above.
    let mut parts = unsafe { Parts::<A, B>::of(context) };
    let pointer = parts.pointer(address, how, false).unwrap_or(0);
    // SAFETY: as above.
    unsafe { parts.tell_reached(context) };
    pointer
}

/// The host's address of data to be written, or 0.
///
/// # Safety
/// `context` is the one that the code was entered with.
unsafe extern "C" fn write<A: Adapter, B: Memories>(
    context: *mut Context<A>,
    address: u32,
    how: u32,
) -> u64 {
    // SAFETY: as above.
    let mut parts = unsafe { Parts::<A, B>::of(context) };
    let pointer = parts.pointer(address, how, true).unwrap_or(0);
    // SAFETY: as above.
    unsafe { parts.tell_reached(context) };
    pointer
}

/// Writes data, beside code too; 1 if that was done.
///
/// # Safety
/// `context` is the one that the code was entered with.
unsafe extern "C" fn store<A: Adapter, B: Memories>(
    context: *mut Context<A>,
    address: u32,
    value: u32,
    how: u32,
) -> u32 {
    // SAFETY: as above.
    let mut parts = unsafe { Parts::<A, B>::of(context) };
    let stored = match A::LEARNS {
        true => parts.store_beside(address, value, how),
        false => parts.store(address, value, how),
    };
    // SAFETY: as above.
    unsafe { parts.tell_reached(context) };
    u32::from(stored.is_some())
}

/// Fetches an instruction's page: what the table of pages then says of it, or 0.
///
/// # Safety
/// `context` is the one that the code was entered with.
unsafe extern "C" fn fetch<A: Adapter, B: Memories>(
    context: *mut Context<A>,
    address: u32,
    table: u32,
) -> u64 {
    // SAFETY: as above.
    let mut parts = unsafe { Parts::<A, B>::of(context) };
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
unsafe extern "C" fn resume<A: Adapter, B: Memories>(
    context: *mut Context<A>,
    address: u32,
    state: u32,
) -> u64 {
    // SAFETY: as above.
    let parts = unsafe { Parts::<A, B>::of(context) };
    // SAFETY: nothing else refers to the context while the code runs.
    let context = unsafe { &*context };
    A::give_machine_state(context.state(), parts.core);
    let interrupted = context.common.waiting != 0 && A::lets_interrupts_through(context.state());
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
        let flavour = A::flavour(core)?;
        let part = key_part::<A>(flavour, StateIndex(state), seat.mode)?;
        let physical = seat.physical::<A, B>((core, mmu, bus), flavour, address)?;
        let key = key(address, seat.place::<A, B>(bus, physical), part);
        // SAFETY: the engine put the addresses there of its tables, and does not change them until the code returns.
        let (entries, translations) = unsafe { (&*seat.entries, &*seat.translations) };
        entries.get(key).or_else(|| translations.code(key))
    };
    code().unwrap_or(0)
}
