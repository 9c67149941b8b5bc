//! Counts that no run reaches, which only a damaged file has: going on from them would overflow.

use super::{Entries, More, ProfileState};

/// The greatest count that is taken: at a thousand million instructions a second of the host, more than thirty years.
pub(super) const COUNT_MAX: u64 = 1 << 60;

impl ProfileState {
    /// The greatest count of one core.
    pub(super) fn greatest(&self) -> u64 {
        let contexts = self.counts.iter().map(super::Counts::greatest);
        let spans = self.spans.iter().flat_map(|span| {
            [
                span.start_cycle,
                span.end_cycle,
                span.instructions,
                span.stopped_cycles,
                span.bus_held_cycles,
            ]
        });
        let registers = self.registers.values().copied();
        let all = contexts.chain(spans).chain(registers);
        all.chain([self.instructions, self.cycle])
            .max()
            .unwrap_or(0)
    }
}

impl Entries {
    pub(super) fn greatest(&self) -> u64 {
        self.0.iter().flatten().copied().max().unwrap_or(0)
    }
}

impl More {
    /// The greatest count of exceptions.
    pub(super) fn greatest(&self) -> u64 {
        let cores = self.exceptions.iter().flatten();
        cores
            .flat_map(|core| core.values())
            .copied()
            .max()
            .unwrap_or(0)
    }
}
