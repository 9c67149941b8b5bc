//! What the planner has to know of an instruction.

use super::adapter::Flavour;
use crate::frame::{Fetched, Flow, Planned};
use crate::statistics::Reason;
use socscope_arm::{
    ALWAYS, Exception, Flags, Footprint, LINK, Leave, MemoryAccess, Value, condition_code,
    encoding, footprint,
};
use socscope_isa::CycleClass;
use socscope_memory::Direction;

/// An instruction; `told` when exceptions and returns from them are the interpreter's.
pub(crate) fn plan(fetched: &Fetched<Flavour>, told: bool) -> Planned<CycleClass> {
    let &Fetched {
        flavour: Flavour { model, set, .. },
        address,
        word,
        width,
        ..
    } = fetched;
    let found = footprint(model, set, address, word);
    // That programs have no right to it is looked at when code is made for them.
    let found = match found.system_control {
        true => Footprint {
            leave: None,
            ..found
        },
        false => found,
    };
    let class = encoding(model, set, word).class;
    let conditional = condition_code(model, set, word) != ALWAYS;
    let touches_status = found.status_written || found.status_read;
    let accesses = found.accesses.len() as u32;
    // The mark is made behind the load; a store that asks for it was looked at before.
    let loads = |access: &MemoryAccess| access.direction == Direction::Read;
    let marks = found.exclusive && found.accesses.iter().any(loads);
    // What it may do in the present mode is looked at behind the load.
    let asks_for_mode = found.user_writes.0 != 0 || matches!(found.leave, Some(Leave::Return(_)));
    // Flags that are written only under a condition come through.
    let replaces = !conditional && !may_keep_carry(class);
    Planned {
        word,
        width,
        class,
        flow: flow(fetched, &found, told),
        // The link register says it, when the branch is made.
        links: false,
        mostly_returns: mostly_returns(&found) || class == CycleClass::LoadMultiple,
        accesses,
        may_leave: accesses != 0 || touches_status || multiplies(class) || found.exclusive,
        // The mark is looked at beside the access.
        accesses_once: accesses == 1
            && found.leave.is_none()
            && !asks_for_mode
            && !found.exclusive
            && !found.unprivileged,
        looks_once: (accesses == 1 && !marks && !asks_for_mode) || (found.exclusive && !marks),
        span_bytes: match class {
            // What is stored only where the mark still is, is looked at store by store.
            _ if found.exclusive => 0,
            CycleClass::LoadMultiple | CycleClass::StoreMultiple if accesses > 1 => 4 * accesses,
            _ => 0,
        },
        flags_read: u32::from(found.flags_read.0 & Flags::CONDITIONS.0),
        flags_replaced: match replaces {
            true => u32::from(found.flags_written.0 & Flags::CONDITIONS.0),
            false => 0,
        },
        reason: match found.leave {
            Some(Leave::Exception(_)) => Reason::Exception,
            Some(Leave::Return(_)) => Reason::Return,
            _ if touches_status => Reason::Status,
            Some(_) => Reason::Calls,
            None => Reason::Other,
        },
    }
}

/// Whether an instruction may leave a way back to the next one: the link register may have been written long before.
pub(crate) fn is_call(fetched: &Fetched<Flavour>) -> bool {
    let Flavour { model, set, .. } = fetched.flavour;
    footprint(model, set, fetched.address, fetched.word)
        .leave
        .is_some()
}

/// How an instruction goes on.
fn flow(fetched: &Fetched<Flavour>, found: &Footprint, told: bool) -> Flow {
    let &Fetched {
        flavour: Flavour { model, set, .. },
        address,
        word,
        width,
        ..
    } = fetched;
    let next = address.wrapping_add(width.bytes());
    let always = condition_code(model, set, word) == ALWAYS;
    let computed = Flow::Computed {
        call: false,
        always,
    };
    let touches_status = found.status_written || found.status_read;
    let moves_only = found.leave.is_none() && found.accesses.is_empty();
    let changes = !told
        && matches!(
            found.leave,
            Some(Leave::Exception(Exception::SoftwareInterrupt) | Leave::Return(_))
        );
    // What goes into the flags may be what the state has no place for.
    let flags_from_control = found.system_control && found.flags_written.0 != 0;
    if touches_status && !moves_only && !changes || found.mark.is_some() || flags_from_control {
        return Flow::Left;
    }
    match found.leave {
        _ if changes => computed,
        None => Flow::Falls,
        Some(Leave::Branch(target)) => match known(fetched, target) {
            Some(target) => Flow::Jumps {
                target: width.align(target),
                call: found
                    .constants
                    .iter()
                    .any(|&(index, value)| index == LINK && value & !1 == next),
                always,
            },
            None => computed,
        },
        Some(Leave::BranchExchange(_)) => computed,
        Some(Leave::Return(_) | Leave::Exception(_)) => Flow::Left,
    }
}

/// A target that is known: a constant, or what the first half of a branch that has two has put into the register.
fn known(fetched: &Fetched<Flavour>, target: Value) -> Option<u32> {
    match target {
        Value::Constant(target) => Some(target),
        Value::Register(register, offset) => {
            let Flavour { model, set, .. } = fetched.flavour;
            let before = fetched.before?;
            if encoding(model, set, before).class != CycleClass::BranchPrefix {
                return None;
            }
            let address = fetched.address.wrapping_sub(fetched.width.bytes());
            let found = footprint(model, set, address, before);
            let mut constants = found.constants.iter();
            let found = constants.find(|(index, _)| *index == register)?;
            Some(found.1.wrapping_add(offset))
        }
        Value::Mixed(_) => None,
    }
}

fn mostly_returns(found: &Footprint) -> bool {
    matches!(
        found.leave,
        Some(
            Leave::BranchExchange(Value::Register(LINK, 0))
                | Leave::Branch(Value::Register(LINK, 0))
        )
    )
}

fn multiplies(class: CycleClass) -> bool {
    matches!(
        class,
        CycleClass::Multiply
            | CycleClass::MultiplyAccumulate
            | CycleClass::MultiplyLong
            | CycleClass::MultiplyAccumulateLong
            | CycleClass::MultiplyHalf
            | CycleClass::MultiplyHalfLong
    )
}

/// Shifts by a register leave the carry as it is when the amount is zero.
fn may_keep_carry(class: CycleClass) -> bool {
    class == CycleClass::DataShiftByRegister
}
