//! What the planner has to know of an instruction.

use crate::frame::{Flow, Planned};
use crate::statistics::Reason;
use socscope_isa::{Footprint, Known, MemoryAccess};
use socscope_memory::{Direction, Width};
use socscope_powerpc::footprint::slot::{LINK, OVERFLOW, RESERVATION};
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
        Class::Illegal => Flow::Left,
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
    ) || found.writes.contains(OVERFLOW);
    Planned {
        flow,
        mostly_returns: goes_to_link(&found),
        may_leave,
        looks_once: looks_once(&found),
        span_bytes: span_bytes(&found),
        reason: match class {
            Class::System => Reason::Status,
            _ => planned.reason,
        },
        ..planned
    }
}

/// Whether nothing can refuse the instruction once its only look at the table has succeeded: strings take several, and a reservation is made behind the
/// load.
fn looks_once(found: &Footprint) -> bool {
    let mut accesses = found.accesses.iter();
    let reserves = found.writes.contains(RESERVATION)
        && accesses.any(|access| access.direction == Direction::Read);
    !reserves && (found.accesses.len() <= 1 || span_bytes(found) != 0)
}

/// Bytes of several words that lie one behind the other. Of accesses that depend on values some are narrower.
fn span_bytes(found: &Footprint) -> u32 {
    let is_next = |pair: &[MemoryAccess]| {
        let [first, second] = pair else {
            return false;
        };
        let next = first.address.sum(Known::Constant(4));
        let words = [first, second].map(|access| access.width) == [Width::Word; 2];
        words && first.direction == second.direction && second.address == next
    };
    match found.accesses.len() as u32 {
        count @ 2.. if found.accesses.windows(2).all(is_next) => 4 * count,
        _ => 0,
    }
}

/// Whether it is a branch that leaves a way back.
pub(crate) fn is_call(address: u32, word: u32) -> bool {
    plan(address, word, false).links
}
