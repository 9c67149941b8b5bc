//! Transfers of control that only a profile's hooks can follow, out of translated code.

use super::services::Parts;
use crate::frame::adapter::Adapter;
use crate::frame::context::{Common, Context};
use crate::memories::Memories;
use crate::profile::Kind;
use socscope_core::{ExecutionState, Observer, Transfer, Translation};

/// Leaves the addresses of the helpers here.
pub(crate) fn lead_to<A: Adapter, B: Memories, O: Observer>(common: &mut Common) {
    type Follow<A> = unsafe extern "C" fn(*mut Context<A>, u32, u32) -> u64;
    common.follow_helper = follow::<A, B, O> as Follow<A> as usize as u64;
    common.special_helper = special::<A, O> as Follow<A> as usize as u64;
}

/// What the helper takes beside the address: the kind of transfer, and whether code's addresses are translated there.
pub(crate) const fn how(Kind(kind): Kind, state: ExecutionState) -> u32 {
    kind << 1 | state.translated as u32
}

/// Lets the observer follow from the instruction that was executed last, and counted, to the address where control goes on, with the registers there.
/// Gives 1 if translated code may go on, too.
///
/// # Safety
/// `context` is the one that the code was entered with.
unsafe extern "C" fn follow<A: Adapter, B: Memories, O: Observer>(
    context: *mut Context<A>,
    to: u32,
    how: u32,
) -> u64 {
    // SAFETY: as above.
    let parts = unsafe { Parts::<A, B>::of(context) };
    // SAFETY: nothing else refers to the context while the helper runs.
    let context = unsafe { &mut *context };
    let stack = context.register(A::STACK);
    let changed = A::execution_state(context.state());
    let common = &mut context.common;
    // SAFETY: the engine put the address of what it borrows exclusively there, and uses it for nothing else until the code returns.
    let observer = unsafe { &mut *(common.observer as *mut O) };
    let kind = Kind(how >> 1).transfer();
    observer.executed(common.accessing, common.behind);
    if let Transfer::ExceptionEntry(number) = kind {
        observer.interrupted(number, common.behind, common.interrupted_stack);
    }
    if let (Transfer::ExceptionEntry(_) | Transfer::ExceptionReturn, Some(state)) = (kind, changed)
    {
        observer.execution_state(state);
    }
    observer.transfer(common.accessing, to, kind, stack);
    // Where a pipeline is filled from the place that is reached, the cycle is known only then, unless the engine knows the code there, as it does of cores
    // whose execution state changes; what is no exception tells no cycle at all.
    let at_exception = matches!(
        kind,
        Transfer::ExceptionEntry(_) | Transfer::ExceptionReturn
    );
    let knows_cycle = !A::REFILLS || changed.is_some();
    if at_exception && knows_cycle && observer.stop() {
        let cycle = common.cycle_now();
        A::give_machine_state(context.state(), parts.core);
        if let Some(flavour) = A::flavour(parts.core) {
            A::give(context.state(), parts.core, to, flavour);
            observer.look(cycle, parts.core, parts.bus.space());
        }
    }
    if matches!(kind, Transfer::Jump | Transfer::Call)
        && let Translation::Profile(shared) = observer.translation()
    {
        let state = ExecutionState {
            user: false,
            translated: how & 1 != 0,
        };
        // SAFETY: the engine put the address of its tables there, and does not use them until the code returns.
        let targets = unsafe { &mut *parts.seat.targets };
        targets[usize::from(state.translated)].learn(to, state, shared.functions);
    }
    u64::from(observer.follows(to) && !observer.stop())
}

/// Tells the observer of a special register that was written. Gives 1 if the run is to end behind the instruction.
///
/// # Safety
/// `context` is the one that the code was entered with.
unsafe extern "C" fn special<A: Adapter, O: Observer>(
    context: *mut Context<A>,
    number: u32,
    value: u32,
) -> u64 {
    // SAFETY: nothing else refers to the context while the helper runs.
    let common = unsafe { &(*context).common };
    // SAFETY: the engine put the address of what it borrows exclusively there, and uses it for nothing else until the code returns.
    let observer = unsafe { &mut *(common.observer as *mut O) };
    observer.special_written(number, value);
    u64::from(observer.stop())
}
