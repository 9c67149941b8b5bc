//! What the planner has to know of an instruction.

use super::accesses::{accesses_once, looks_once, span_bytes};
use crate::frame::{Flow, Planned};
use crate::statistics::Reason;
use socscope_memory::Width;
use socscope_powerpc::footprint::slot::LINK;
use socscope_powerpc::footprint::{footprint, goes_to_link};
use socscope_powerpc::{Class, CoreModel, encoding};

/// An instruction; `told` when exceptions and their ends are the interpreter's.
pub(crate) fn plan(address: u32, word: u32, told: bool) -> Planned<Class> {
    let encoding = encoding(word);
    let class = encoding.class;
    // What matters of it is the same on all cores.
    let found = footprint(CoreModel::E600, address, word);
    let planned = Planned::of(&found, (address, word, Width::Word), class, LINK);
    let flow = match class {
        Class::Illegal | Class::Vector => Flow::Left,
        Class::Exception if told => Flow::Left,
        Class::Exception => Flow::Computed {
            call: false,
            always: true,
        },
        // An invalid form.
        Class::Branch if found.leave.is_none() => Flow::Left,
        Class::Branch => planned.flow,
        _ => Flow::Falls,
    };
    let may_leave = !matches!(
        class,
        Class::Integer | Class::Multiply | Class::Divide | Class::Branch | Class::ConditionRegister
    ) || encoding.pattern.text().contains('e');
    Planned {
        flow,
        mostly_returns: goes_to_link(&found),
        may_leave,
        accesses_once: accesses_once(word),
        looks_once: looks_once(word),
        span_bytes: span_bytes(word),
        reason: match class {
            Class::System => Reason::Status,
            _ => planned.reason,
        },
        ..planned
    }
}

/// Whether it is a branch that leaves a way back.
pub(crate) fn is_call(address: u32, word: u32) -> bool {
    plan(address, word, false).links
}
