//! What names a translation: its address, where that lies, and what it was made for.

use super::adapter::Adapter;
use crate::profile::Mode;
use crate::states::StateIndex;
use socscope_core::ExecutionState;
use socscope_memory::RegionIndex;

/// Bits of a key above the address that the number of a page on the bus does not need, and those that the number of a region does not.
const PAGE_LEAVES: u32 = 12;
const REGION_LEAVES: u32 = 16;
const MODE_BITS: u32 = 2;

/// The parts of the machine state that code does not look at when it runs.
pub(crate) trait Flavour: Copy + PartialEq {
    /// How many bits it has.
    const BITS: u32;
    /// All of it, in the lowest bits.
    fn bits(self) -> u32;
    /// Whose code it is; whether addresses of instructions are translated, too.
    fn execution_state(self) -> ExecutionState;
    /// Which of the tables of pages its data lie in; addresses of the bus in the first one.
    fn data_table(self) -> usize {
        0
    }
    /// Which of the tables of pages its instructions lie in.
    fn fetch_table(self) -> usize {
        0
    }
    /// Whether addresses of instructions are translated; else they are those on the bus.
    fn fetches_translated(self) -> bool {
        self.execution_state().translated
    }
}

/// What a key holds beside the address and where that lies; `None` when the timing model has too many states.
pub(crate) fn key_part<A: Adapter>(
    flavour: A::Flavour,
    state: StateIndex,
    mode: Mode,
) -> Option<u64> {
    let (bits, state_bits) = (flavour.bits(), state_bits::<A>());
    debug_assert!(bits >> A::Flavour::BITS == 0);
    let state_and_mode = u64::from(state.0) | (mode as u64) << state_bits;
    let has_room = state.0 >> state_bits == 0;
    has_room.then(|| (state_and_mode << A::Flavour::BITS | u64::from(bits)) << 32)
}

/// Where a place's upper bits stand in a key.
pub(crate) const PLACE_SHIFT: u32 = 32;

/// The key of code at an address: `place` is that of its page on the bus, or what [`region_place`] gives.
pub(crate) fn key(address: u32, place: u32, part: u64) -> u64 {
    u64::from(address) | part | u64::from(place & !0xfff) << PLACE_SHIFT
}

/// Stands for the page on the bus where that is known by the address, and code of different regions has to be told apart.
pub(crate) const fn region_place(region: RegionIndex) -> u32 {
    (region.0 as u32) << REGION_LEAVES
}

/// How many bits of a key the states of the timing model get.
const fn state_bits<A: Adapter>() -> u32 {
    let left = if A::LEARNS {
        REGION_LEAVES
    } else {
        PAGE_LEAVES
    };
    left - A::Flavour::BITS - MODE_BITS
}
