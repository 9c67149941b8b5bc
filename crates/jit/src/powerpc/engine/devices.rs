//! Accesses to devices out of translated code.

use super::running::CYCLES_MAX;
use super::services::{Parts, parts_of};
use crate::memories::Memories;
use crate::powerpc::context::Context;
use crate::powerpc::reached;
use crate::profile::Mode;
use socscope_core::Observer;
use socscope_memory::{Direction, Width};
use socscope_powerpc::{Msr, Purpose};

/// Reads a device: what came of it in the upper half, see [`reached`], and the value in the lower one; 0 if the address is not a device's.
///
/// # Safety
/// `context` is the one that the code was entered with.
pub(super) unsafe extern "C" fn load<B: Memories, O: Observer>(
    context: *mut Context,
    address: u32,
    how: u32,
) -> u64 {
    // SAFETY: as above.
    unsafe { access::<B, O>(context, address, how, None) }.unwrap_or(reached::NOTHING)
}

/// Writes a device: as [`load`], without a value.
///
/// # Safety
/// `context` is the one that the code was entered with.
pub(super) unsafe extern "C" fn store<B: Memories, O: Observer>(
    context: *mut Context,
    address: u32,
    value: u32,
    how: u32,
) -> u64 {
    // SAFETY: as above.
    unsafe { access::<B, O>(context, address, how, Some(value)) }.unwrap_or(reached::NOTHING)
}

/// # Safety
/// `context` is the one that the code was entered with.
unsafe fn access<B: Memories, O: Observer>(
    context: *mut Context,
    address: u32,
    how: u32,
    written: Option<u32>,
) -> Option<u64> {
    // SAFETY: as above.
    let mut parts = unsafe { Parts::<B>::of(context) };
    // SAFETY: nothing else refers to the context while the code runs.
    let context = unsafe { &mut *context };
    let (_, bytes) = parts_of(how);
    let width = Width::ALL[(bytes.trailing_zeros() as usize).min(2)];
    if width.align(address) != address {
        return None;
    }
    let purpose = match written {
        None => Purpose::Read,
        Some(_) => Purpose::Write,
    };
    let physical = parts.translate(address, purpose)?;
    if !parts.bus.is_device(physical) {
        return None;
    }
    let epoch = parts.bus.space().epoch();
    let fractions = context.fractions.max(1);
    let used = (context.granted - context.left) as u64;
    let cycle = context.cycle + used / fractions;
    let (value, region, direction) = match written {
        None => {
            let read = parts.bus.read(physical, width, |_, _| cycle).ok()?;
            (read.value, read.region, Direction::Read)
        }
        Some(value) => {
            let value = width.truncate(value);
            let region = parts.bus.write(physical, width, value, |_, _| cycle).ok()?;
            (0, region, Direction::Write)
        }
    };
    if parts.seat.mode != Mode::Plain {
        // SAFETY: the engine put the address of what it borrows exclusively there, and uses it for nothing else until the code returns.
        let observer = unsafe { &mut *(context.observer as *mut O) };
        observer.data(context.accessing, physical, width, direction, region);
    }
    let due = parts.core.decrementer_due_cycle();
    let deadline = parts.bus.deadline().min(due);
    let cycles = deadline.saturating_sub(context.cycle).min(CYCLES_MAX);
    let granted = (cycles * fractions) as i64;
    context.cut = context.granted - granted;
    context.granted = granted;
    context.came_budget -= context.cut;
    let waits = parts.bus.irq() || parts.core.decrementer_pending();
    context.waiting = u32::from(waits);
    let interrupted = waits && Msr(context.machine_state).has(Msr::EXTERNAL_ENABLE);
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
