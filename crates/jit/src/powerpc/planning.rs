//! What the planner has to know of an instruction.

use super::accesses::{accesses_once, looks_once, span_bytes};
use crate::frame::{Flow, Planned, flow};
use socscope_isa::Footprint;
use socscope_memory::Width;
use socscope_powerpc::footprint::{footprint, goes_to_link, leaves_a_way_back};
use socscope_powerpc::{Class, CoreModel, encoding};

/// An instruction; `told` when exceptions and their ends are the interpreter's.
pub(crate) fn plan(address: u32, word: u32, told: bool) -> Planned<Class> {
    let encoding = encoding(word);
    let class = encoding.class;
    let branch = branch(address, word, class);
    let links = branch
        .as_ref()
        .is_some_and(|found| leaves_a_way_back(found, address));
    let flow = match (class, &branch) {
        (Class::Illegal | Class::Vector, _) => Flow::Left,
        (Class::Exception, _) if told => Flow::Left,
        (Class::Exception, _) => Flow::Computed {
            call: false,
            always: true,
        },
        // An invalid form.
        (_, Some(found)) if found.leave.is_none() => Flow::Left,
        (_, Some(found)) => flow(found, links),
        (_, None) => Flow::Falls,
    };
    let may_leave = !matches!(
        class,
        Class::Integer | Class::Multiply | Class::Divide | Class::Branch | Class::ConditionRegister
    ) || encoding.pattern.text().contains('e');
    Planned {
        word,
        width: Width::Word,
        class,
        flow,
        links,
        mostly_returns: branch.as_ref().is_some_and(goes_to_link),
        may_leave,
        accesses_once: accesses_once(word),
        looks_once: looks_once(word),
        span_bytes: span_bytes(word),
    }
}

/// What a branch may touch; nothing for other instructions. Branches are the same on all cores.
fn branch(address: u32, word: u32, class: Class) -> Option<Footprint> {
    (class == Class::Branch).then(|| footprint(CoreModel::E600, address, word))
}

/// Whether it is a branch that leaves a way back.
pub(crate) fn is_call(address: u32, word: u32) -> bool {
    branch(address, word, encoding(word).class)
        .is_some_and(|found| leaves_a_way_back(&found, address))
}
