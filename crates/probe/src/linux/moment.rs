//! What a core shows of its kernel between two instructions, as the track takes it.

use super::layout::Layout;
use super::track::{Activity, Moment, Step};
use socscope_core::{Core, KernelEntry, LinuxCore};
use socscope_memory::AddressSpace;

/// What the last instruction did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Seen {
    /// It was, or brought, an exception.
    Entry(u8),
    /// It was a return from one.
    Return,
    /// It changed the pointer to the task.
    Switch,
}

/// The core between two instructions.
pub(super) fn moment(
    seen: Option<Seen>,
    (cycle, core): (u64, &dyn Core),
    linux: &dyn LinuxCore,
    layout: &Layout,
    space: &AddressSpace,
) -> Moment {
    let block = linux.task(layout.thread, space);
    let task = block.and_then(|block| layout.read(block, space, linux.byte_order()));
    let step = match seen {
        Some(Seen::Entry(number)) => Step::Entry {
            activity: activity(linux.entry(number)),
            from_user: linux.has_left_user(),
        },
        Some(Seen::Return) => Step::Return,
        Some(Seen::Switch) | None => Step::Switch,
    };
    Moment {
        cycle,
        step,
        user: core.execution_state().user,
        stack: core.stack_pointer(),
        block: block.unwrap_or(0),
        task,
        result: linux.system_call_result(),
    }
}

fn activity(entry: KernelEntry) -> Activity {
    match entry {
        KernelEntry::Interrupt => Activity::Interrupt(None),
        KernelEntry::Timer => Activity::Timer,
        KernelEntry::SystemCall(number) => Activity::SystemCall(number),
        KernelEntry::Fault(number) => Activity::Fault(number),
    }
}
