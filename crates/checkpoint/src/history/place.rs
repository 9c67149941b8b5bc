//! Where a machine stands in its run.

use socscope_machine::{Machine, Moment};

/// A place between two steps of the core, all inputs of the place applied and all events of it passed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// Core cycle.
    pub cycle: u64,
    /// Which of several places at this cycle, with a core of less than one cycle an instruction.
    pub part: u64,
}

impl Place {
    /// The first place at a cycle, or behind it.
    pub fn at(cycle: u64) -> Place {
        Place { cycle, part: 0 }
    }

    /// Where a machine stands.
    pub fn of(machine: &Machine) -> Place {
        machine.moment().into()
    }
}

impl From<Moment> for Place {
    fn from(Moment { cycle, part, .. }: Moment) -> Place {
        Place { cycle, part }
    }
}
