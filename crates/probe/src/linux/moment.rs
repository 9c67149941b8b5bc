//! What a core shows of its kernel between two instructions, as the track takes it.

use super::layout::{Block, Layout, Task};
use super::track::{Activity, Moment, Step};
use socscope_core::{Core, KernelEntry, LinuxCore};
use socscope_memory::{AddressSpace, Viewer};

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

/// The task that a core ran when it was looked at last: where its control block lies, what stood there, and what that says.
pub(super) type Known = Option<(u32, Block, Task)>;

/// The core between two instructions.
pub(super) fn moment<'a>(
    seen: Option<Seen>,
    (cycle, core): (u64, &dyn Core),
    linux: &dyn LinuxCore,
    (layout, known): (&Layout, &'a mut Known),
    (space, viewer): (&AddressSpace, Viewer),
) -> Moment<'a> {
    let block = layout.task_of(linux, (space, viewer));
    let found =
        block.and_then(|at| Some((at, layout.read(at, (space, viewer), linux.byte_order())?)));
    let same = known.as_ref().map(|&(at, block, _)| (at, block));
    if found != same {
        *known = found.map(|(at, block)| (at, block, block.task()));
    }
    let task = known.as_ref().map(|(_, _, task)| task);
    let step = match seen {
        Some(Seen::Entry(number)) => Step::Entry {
            activity: activity(linux.entry(number)),
            from_user: linux.has_left_user(),
            stack: linux.interrupted_stack(),
            changes_mode: linux.changes_mode(number),
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
