//! What translated code has counted when it leaves, and the engine adds to the counters: an exit needs next to no code for it.

use crate::shared::{NodePointer, Tracker};
use socscope_memory::RegionIndex;

/// What is owed at an exit, as far as it is known when the code is made.
#[derive(Clone, Debug, Default)]
pub(crate) struct Owed {
    /// Fractions of cycles since the budget was last brought up to date.
    pub spent: u64,
    /// Instructions since their count was last brought up to date.
    pub executed: u64,
    /// Data accesses by the offset of their counter in the context.
    pub accesses: Box<[(i32, u64)]>,
}

/// Where in the context an exit leaves what was counted when the code ran.
#[derive(Clone, Copy)]
pub(crate) struct CountedPlaces {
    /// Instructions since the counters were last brought up to date.
    pub executed: i32,
    /// The budget then.
    pub mark: i32,
}

/// What was counted when the code ran: instructions and whole cycles.
#[derive(Clone, Copy)]
pub(crate) struct Ran {
    pub executed: u64,
    pub cycles: u64,
}

impl Owed {
    /// Adds all to the counters of the context that runs; the code came from a region.
    ///
    /// # Safety
    /// `tracker` is the address of the tracker that the code has worked on, and nothing else refers to it.
    pub unsafe fn settle(&self, tracker: u64, region: RegionIndex, ran: Ran) {
        let tracker = tracker as *mut u8;
        let line = NodePointer::code_offset(region);
        let executed = ran.executed + self.executed;
        // SAFETY: fields of the tracker, and of the block of the context that runs, which has a line for each region.
        unsafe {
            let node = *tracker.offset(Tracker::NODE as isize).cast::<*mut u8>();
            add(tracker, Tracker::INSTRUCTIONS, executed);
            add(node, line, executed);
            add(node, line + 8, ran.cycles);
            for &(offset, count) in &self.accesses {
                add(node, offset, count);
            }
        }
    }
}

/// # Safety
/// There is a counter at this offset, to which nothing else refers.
unsafe fn add(base: *mut u8, offset: i32, count: u64) {
    // SAFETY: the caller's promise.
    unsafe {
        let counter = base.offset(offset as isize).cast::<u64>();
        *counter = (*counter).wrapping_add(count);
    }
}
