//! Which register lies at an offset.

use super::registers::*;
use super::sources::{INTERPROCESSOR, Kind, TIMER};
use super::table::DESCRIPTION;
use super::timers::TIMERS_OF_GROUP;

/// A register's bank and its offset in it.
#[derive(Clone, Copy)]
pub(super) enum Place {
    /// Of one core.
    Core(usize, u32),
    /// Of a timer group, at the offset that it has in group A.
    Group(usize, u32),
    /// Vector and priority of a source.
    VectorPriority(usize, Kind),
    /// Destination of a source.
    Destination(usize, Kind),
    Message(usize),
    SharedMessage(usize),
    Global(u32),
}

/// The register at `offset`, for an access of `accessing_core`; `None` where there is none.
pub(super) fn place_of(offset: u32, accessing_core: u16) -> Option<Place> {
    let (number, _) = DESCRIPTION.register_at(offset)?;
    let source = |number: usize, destination: bool| {
        let kind = Kind::of(number)?;
        Some(match destination {
            true => Place::Destination(number, kind),
            false => Place::VectorPriority(number, kind),
        })
    };
    let array = |first: u32| ((offset - first) / 0x10) as usize;
    match offset {
        IPIDR..=EOI => {
            let core = usize::from(accessing_core);
            (core < CORES).then_some(Place::Core(core, offset))
        }
        CORE_BASE.. => {
            let distance = offset - CORE_BASE;
            let core = (distance / CORE_STRIDE) as usize;
            Some(Place::Core(core, distance % CORE_STRIDE))
        }
        SOURCES..SOURCES_END => source(((offset - SOURCES) / 0x20) as usize, offset & 0x10 != 0),
        IPIVPR..=IPIVPR_LAST => source(INTERPROCESSOR + array(IPIVPR), false),
        MSGR..=MSGR_LAST => Some(Place::Message(array(MSGR))),
        MSIR..=MSIR_LAST => Some(Place::SharedMessage(array(MSIR))),
        _ if number.group == "timer" => {
            let group = usize::from(offset >= TFRR + TIMER_GROUP_STRIDE);
            let within = offset - group as u32 * TIMER_GROUP_STRIDE;
            let timer =
                TIMER + TIMERS_OF_GROUP * group + (within.wrapping_sub(TIMERS) / 0x40) as usize;
            match within {
                TIMERS..=TIMERS_LAST if within & 0x20 != 0 => source(timer, within & 0x10 != 0),
                _ => Some(Place::Group(group, within)),
            }
        }
        _ => Some(Place::Global(offset)),
    }
}
