//! What a run works on.

use super::Ended;
use crate::frame::adapter::Adapter;
use crate::memories::Memories;
use socscope_core::{Core, Observer};
use socscope_memory::Width;

/// A core with all that belongs to it while it runs.
pub(crate) struct Guest<'a, A: Adapter, B, M, O> {
    pub seat: usize,
    pub core: &'a mut A::Core,
    pub mmu: &'a mut A::Mmu,
    pub bus: &'a mut B,
    /// The timing model.
    pub model: &'a mut M,
    pub observer: &'a mut O,
    /// Cycles so far.
    pub cycle: &'a mut u64,
}

impl<A: Adapter, B: Memories, M, O: Observer> Guest<'_, A, B, M, O> {
    /// Address of the next instruction.
    pub fn address(&self) -> u32 {
        self.core.program_counter()
    }

    /// Whether the next instruction may be the one behind that at an address.
    pub fn is_behind(&self, before: u32) -> bool {
        let distance = self.address().wrapping_sub(before);
        let is_one = |lengths: &[Width]| lengths.iter().any(|width| width.bytes() == distance);
        let of_flavour = || A::flavour(self.core).is_none_or(|of| is_one(A::lengths(of)));
        is_one(A::LENGTHS) && (A::LENGTHS.len() == 1 || of_flavour())
    }

    pub fn is_at_deadline(&self) -> bool {
        *self.cycle >= self.bus.deadline()
    }

    /// Whether neither the deadline nor the observer ends the run here.
    pub fn goes_on(&self) -> bool {
        !self.is_at_deadline() && !self.observer.stop()
    }

    /// Lets an observer that asks for a stop look first: mostly the run goes on then.
    #[inline]
    pub fn let_look(&mut self) {
        if self.observer.stop() {
            self.observer.look(*self.cycle, self.core, self.bus.space());
        }
    }

    pub fn ended(&self) -> Ended {
        if self.is_at_deadline() {
            Ended::Deadline
        } else {
            Ended::Stop
        }
    }

    /// Whether something else than the next instruction comes next.
    pub fn is_interrupted(&mut self) -> bool {
        A::is_interrupted(self.core, self.bus, *self.cycle)
    }
}
