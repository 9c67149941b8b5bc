//! What a 32-bit PowerPC shows of its kernel: the task in SPRG3, user or kernel in MSR\[PR\], the reason in the vector.

use super::layout::Layout;
use super::track::{Activity, Moment, Step};
use socscope_memory::{AddressSpace, Endianness};
use socscope_powerpc::{Core, Msr};

/// SPRG3: the kernel keeps the physical address of the current task's `thread` there.
pub(super) const THREAD: u32 = 275;
const SYSTEM_CALL_NUMBER: u32 = 0;
const STACK: u32 = 1;
const RESULT: u32 = 3;
/// SRR1: the machine state before the exception.
const SAVED_STATE: u32 = 27;

/// Vectors divided by 32, as probes are told them.
const EXTERNAL: u8 = (0x500_u32 >> 5) as u8;
const DECREMENTER: u8 = (0x900_u32 >> 5) as u8;
const SYSTEM_CALL: u8 = (0xc00_u32 >> 5) as u8;

/// What the last instruction did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Seen {
    /// It was, or brought, an exception.
    Entry(u8),
    /// It was rfi.
    Return,
    /// It changed the pointer to the task.
    Switch,
}

/// The core between two instructions.
pub(super) fn moment(
    seen: Option<Seen>,
    cycle: u64,
    core: &Core,
    layout: &Layout,
    space: &AddressSpace,
) -> Moment {
    let pointer = core.special(THREAD);
    let block = pointer.wrapping_sub(layout.thread);
    let task = (pointer != 0)
        .then(|| layout.read(block, space, Endianness::Big))
        .flatten();
    let step = match seen {
        Some(Seen::Entry(number)) => Step::Entry {
            activity: activity(number, core),
            from_user: Msr(core.special(SAVED_STATE)).has(Msr::PROBLEM),
        },
        Some(Seen::Return) => Step::Return,
        Some(Seen::Switch) | None => Step::Switch,
    };
    Moment {
        cycle,
        step,
        user: core.msr().has(Msr::PROBLEM),
        stack: core.register(STACK),
        block,
        task,
        result: core.register(RESULT),
    }
}

/// What the kernel is entered for.
fn activity(number: u8, core: &Core) -> Activity {
    match number {
        EXTERNAL => Activity::Interrupt(None),
        DECREMENTER => Activity::Timer,
        SYSTEM_CALL => Activity::SystemCall(core.register(SYSTEM_CALL_NUMBER)),
        number => Activity::Fault(u32::from(number) << 5),
    }
}
