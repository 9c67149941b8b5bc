//! Accesses to devices out of translated code.

use super::lookups::Stall;
use super::running::budget;
use super::services::Parts;
use crate::frame::adapter::Adapter;
use crate::frame::context::{Common, Context};
use crate::frame::granules;
use crate::frame::reached;
use crate::memories::Memories;
use crate::profile::Mode;
use socscope_core::Observer;
use socscope_core::Purpose;
use socscope_isa::StaticCycleModel;
use socscope_memory::{AccessCost, Direction};

/// Leaves the addresses of the helpers here.
pub(crate) fn lead_to<A: Adapter, B: Memories, M: StaticCycleModel<A::Class>, O: Observer>(
    common: &mut Common,
) {
    type Load<A> = unsafe extern "C" fn(*mut Context<A>, u32, u32) -> u64;
    type Store<A> = unsafe extern "C" fn(*mut Context<A>, u32, u32, u32) -> u64;
    common.load_device_helper = load::<A, B, M, O> as Load<A> as usize as u64;
    common.store_device_helper = store::<A, B, M, O> as Store<A> as usize as u64;
}

/// Reads a device: what came of it in the upper half, see [`reached`], and the value in the lower one; 0 if the address is not a device's.
///
/// # Safety
/// `context` is the one that the code was entered with.
pub(super) unsafe extern "C" fn load<
    A: Adapter,
    B: Memories,
    M: StaticCycleModel<A::Class>,
    O: Observer,
>(
    context: *mut Context<A>,
    address: u32,
    how: u32,
) -> u64 {
    // SAFETY: as above.
    unsafe { access::<A, B, M, O>(context, address, how, None) }.unwrap_or(reached::NOTHING)
}

/// Writes a device: as [`load`], without a value.
///
/// # Safety
/// `context` is the one that the code was entered with.
pub(super) unsafe extern "C" fn store<
    A: Adapter,
    B: Memories,
    M: StaticCycleModel<A::Class>,
    O: Observer,
>(
    context: *mut Context<A>,
    address: u32,
    value: u32,
    how: u32,
) -> u64 {
    // SAFETY: as above.
    unsafe { access::<A, B, M, O>(context, address, how, Some(value)) }.unwrap_or(reached::NOTHING)
}

/// # Safety
/// `context` is the one that the code was entered with.
unsafe fn access<A: Adapter, B: Memories, M: StaticCycleModel<A::Class>, O: Observer>(
    context: *mut Context<A>,
    address: u32,
    how: u32,
    written: Option<u32>,
) -> Option<u64> {
    // SAFETY: as above.
    let mut parts = unsafe { Parts::<A, B>::of(context) };
    // SAFETY: nothing else refers to the context while the code runs.
    let context = unsafe { &mut *context };
    let (width, wanted) = granules::parts_of(how);
    if width.align(address) != address {
        return None;
    }
    let purpose = match written {
        None => Purpose::Read,
        Some(_) => Purpose::Write,
    };
    let physical = parts.translate(address, purpose)?;
    let found = parts.bus.device_region(physical)?;
    if wanted != 0 && wanted != granules::tag(found) {
        return None;
    }
    let epoch = parts.bus.space().epoch();
    let common = &mut context.common;
    // SAFETY: the engine put the address of what it borrows exclusively there, and uses it for nothing else until the code returns.
    let model = unsafe { &mut *(common.model as *mut M) };
    let stall = Stall::before(common, model, parts.bus);
    let (value, region, direction) = match written {
        None => {
            let when =
                |_, cost: &AccessCost| stall.transfers_at(model, cost, (width, Direction::Read));
            let read = parts.bus.read(physical, width, when).ok()?;
            (read.value, read.region, Direction::Read)
        }
        Some(value) => {
            let value = width.truncate(value);
            let when =
                |_, cost: &AccessCost| stall.transfers_at(model, cost, (width, Direction::Write));
            let region = parts.bus.write(physical, width, value, when).ok()?;
            (0, region, Direction::Write)
        }
    };
    stall.tell(
        common,
        model,
        (parts.bus, physical),
        (region, width, direction),
    );
    if parts.seat.mode != Mode::Plain {
        // SAFETY: the engine put the address of what it borrows exclusively there, and uses it for nothing else until the code returns.
        let observer = unsafe { &mut *(common.observer as *mut O) };
        observer.data(common.accessing, physical, width, direction, region);
    }
    let deadline = parts.bus.deadline().min(A::due_cycle(parts.core));
    let cycles = deadline.saturating_sub(common.cycle);
    let granted = budget(cycles, common.fractions);
    common.cut = common.granted - granted;
    common.granted = granted;
    common.came_budget -= common.cut;
    let waits = A::has_waiting_interrupt(parts.core, parts.bus);
    common.waiting = u32::from(waits);
    let interrupted = waits && A::lets_interrupts_through(context.state());
    // A device that writes memory may have written code.
    let space = parts.bus.space();
    // SAFETY: the engine put the address of its translations there, and does not change them until the code returns.
    let translations = unsafe { &*parts.seat.translations };
    let changed = space.epoch() != epoch || translations.were_written(space);
    parts.seat.catch_up(space.epoch());
    let came = if interrupted || changed {
        reached::LEAVES
    } else {
        reached::GOES_ON
    };
    Some(came << 32 | u64::from(value))
}
