//! What translated code works on: the core's registers, and the way back.

use super::adapter::Adapter;
use crate::profile::Fields;
use socscope_isa::LinePlaces;
use socscope_memory::RegionIndex;
use std::mem::{ManuallyDrop, offset_of};

/// Helpers of an architecture's own, at most.
pub(crate) const OWN_HELPERS: usize = 5;
/// One of them: it takes two numbers.
pub(crate) type OwnHelper<A> = unsafe extern "C" fn(*mut Context<A>, u32, u32) -> u64;

/// Bytes for the architecture's part.
const OWN_BYTES: usize = 512;

/// The memory that translated code and the engine share. All of it may be zeros.
#[repr(C)]
pub(crate) struct Context<A: Adapter> {
    /// It comes first: short offsets lead to its registers.
    own: Own<A::State>,
    pub common: Common,
}

/// The architecture's part, in a place that is as large for all.
#[repr(C)]
union Own<S> {
    state: ManuallyDrop<S>,
    space: [u64; OWN_BYTES / 8],
}

/// What all architectures have.
#[repr(C)]
pub(crate) struct Common {
    /// Whether an interrupt waits until it is enabled.
    pub waiting: u32,
    /// Whether the observer is told of exceptions and their ends, and of writes of special registers.
    pub told: u32,
    pub heard: u32,
    /// Which exit was taken.
    pub exit: u32,
    /// Where the program goes on after an exit to an address that was computed.
    pub exit_address: u32,
    /// Address of the table of entries for computed addresses.
    pub entries: u64,
    /// Addresses of the core, its translation, the bus and the engine's part of the seat, for the helpers.
    pub core: u64,
    pub mmu: u64,
    pub bus: u64,
    pub seat: u64,
    /// Addresses of the helpers, which depend on the type of the bus.
    pub read_helper: u64,
    pub write_helper: u64,
    pub store_helper: u64,
    pub fetch_helper: u64,
    pub load_device_helper: u64,
    pub store_device_helper: u64,
    pub resume_helper: u64,
    pub follow_helper: u64,
    pub special_helper: u64,
    pub tell_model_helper: u64,
    pub own_helpers: [u64; OWN_HELPERS],
    /// The cycle at the entry, fractions in a cycle, and how many there would be left at its beginning.
    pub cycle: u64,
    pub fractions: u64,
    pub granted: i64,
    /// Fractions of cycles left, for helpers that need the time.
    pub left: i64,
    /// By how much the access to a device has brought the deadline nearer, in fractions of cycles.
    pub cut: i64,
    /// What the last helper gave back.
    pub helped: u64,
    /// Address of the tracker that a profile shares.
    pub tracker: u64,
    /// Addresses of the tables of functions by computed address: of code whose addresses are those on the bus, of code whose are translated.
    pub targets: [u64; 2],
    /// The budget when control came to where it goes on from other code, in the region of this number, or from the engine: as long as the budget is
    /// the same, the last instruction was one from there.
    pub came_budget: i64,
    pub came_region: u32,
    /// Instructions executed when code came back, since the profile's counters were last brought up to date, and the budget then.
    pub executed: u64,
    pub mark: i64,
    /// The calling context that was left by a jump to an address without code.
    pub left_node: u64,
    /// What tables know of the region that a helper has reached.
    pub reached_tag: u32,
    /// The instruction that a helper is called for, and the one behind it.
    pub accessing: u32,
    pub behind: u32,
    /// The stack pointer of what an exception interrupts.
    pub interrupted_stack: u32,
    /// Address of the observer, for the helpers that tell it something.
    pub observer: u64,
    /// Address of the timing model, and what code looks up of it.
    pub model: u64,
    pub lookups: [LinePlaces; 3],
    /// Accesses that code has found there, and the line of the last fetch.
    pub found: [u64; 3],
    pub fetching: u32,
    /// Where on the bus the memory lies that a helper has reached.
    pub reached_bus: u32,
    /// Where on the bus the instruction lies that accesses a device, and for how many fractions of cycles it has waited.
    pub accessing_bus: u32,
    pub stalled: u64,
}

/// Control came from the engine.
pub(crate) const NO_REGION: u32 = u32::MAX;

/// Offsets of the fields.
pub(crate) mod at {
    use super::{Common, Fields, OWN_BYTES, offset_of};

    macro_rules! offsets {
        ($($name:ident, $field:ident;)*) => {
            $(pub const $name: i32 = (OWN_BYTES + offset_of!(Common, $field)) as i32;)*
        };
    }

    offsets! {
        WAITING, waiting;
        TOLD, told;
        HEARD, heard;
        EXIT, exit;
        EXIT_ADDRESS, exit_address;
        ENTRIES, entries;
        READ_HELPER, read_helper;
        WRITE_HELPER, write_helper;
        STORE_HELPER, store_helper;
        FETCH_HELPER, fetch_helper;
        LOAD_DEVICE_HELPER, load_device_helper;
        STORE_DEVICE_HELPER, store_device_helper;
        RESUME_HELPER, resume_helper;
        FOLLOW_HELPER, follow_helper;
        SPECIAL_HELPER, special_helper;
        TELL_MODEL_HELPER, tell_model_helper;
        LOOKUPS, lookups;
        FOUND, found;
        FETCHING, fetching;
        REACHED_BUS, reached_bus;
        ACCESSING_BUS, accessing_bus;
        STALLED, stalled;
        LEFT, left;
        CUT, cut;
        HELPED, helped;
        CAME_BUDGET, came_budget;
        CAME_REGION, came_region;
        EXECUTED, executed;
        MARK, mark;
        LEFT_NODE, left_node;
        ACCESSING, accessing;
        BEHIND, behind;
        INTERRUPTED_STACK, interrupted_stack;
        REACHED_TAG, reached_tag;
        OWN_HELPER, own_helpers;
        TRACKER, tracker;
        TARGETS, targets;
        GRANTED, granted;
    }

    /// What a profile looks at, in code whose addresses are translated or not.
    pub const fn profile(translated: bool) -> Fields {
        Fields {
            tracker: TRACKER,
            targets: TARGETS + 8 * translated as i32,
            granted: GRANTED,
        }
    }

    /// A word at the beginning of the architecture's part.
    pub const fn register(index: u32) -> i32 {
        4 * index as i32
    }
}

impl<A: Adapter> Context<A> {
    /// Bytes of it, after a look at whether the architecture's part has room.
    pub(super) const BYTES: usize = {
        assert!(size_of::<Own<A::State>>() == OWN_BYTES);
        assert!(align_of::<Own<A::State>>() == align_of::<u64>());
        assert!(size_of::<A::State>() >= 4 * A::REGISTERS);
        size_of::<Context<A>>()
    };

    /// The architecture's part.
    pub fn state(&self) -> &A::State {
        // SAFETY: memory of zeros is a value of it, and the architecture's own code and its adapter only write such.
        unsafe { &self.own.state }
    }

    /// A register.
    pub fn register(&self, index: u32) -> u32 {
        // SAFETY: registers stand as words at the beginning of the architecture's part, and it has this many.
        unsafe {
            let first = std::ptr::from_ref(&self.own).cast::<u32>();
            *first.add((index as usize).min(A::REGISTERS - 1))
        }
    }

    /// The same, to be changed.
    pub fn state_mut(&mut self) -> &mut A::State {
        // SAFETY: as above.
        unsafe { &mut self.own.state }
    }
}

impl Common {
    /// The region of the last instruction that translated code executed before it came back with this budget; `None` if it executed none. Its own code
    /// lies in `own`.
    pub fn last_region(&self, budget: i64, own: RegionIndex) -> Option<RegionIndex> {
        match self.came_region {
            _ if budget != self.came_budget => Some(own),
            NO_REGION => None,
            region => Some(RegionIndex(region as u16)),
        }
    }

    /// The cycle that it is, by what was left when a helper was called.
    pub fn cycle_now(&self) -> u64 {
        let used = (self.granted - self.left) as u64;
        self.cycle + used / self.fractions.max(1)
    }
}
