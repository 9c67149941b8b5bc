//! What names a translation: its address, that of its page on the bus, and what it was made for.

use crate::profile::Mode;
use crate::states::StateIndex;
use socscope_core::ExecutionState;

/// States of the timing model that a key has room for.
const STATES_MAX: u32 = 1 << 5;
/// Bits of a flavour that a key has room for.
const FLAVOUR_BITS: u32 = 5;

/// The parts of the machine state that code does not look at when it runs.
pub(crate) trait Flavour: Copy + PartialEq {
    /// All of it, in the lowest five bits.
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

/// What a key holds beside the address and the page on the bus; `None` when the timing model has too many states.
pub(crate) fn key_part(flavour: impl Flavour, state: StateIndex, mode: Mode) -> Option<u64> {
    let bits = flavour.bits();
    debug_assert!(bits >> FLAVOUR_BITS == 0);
    let state_and_mode = u64::from(state.0) | (mode as u64) << 5;
    (state.0 < STATES_MAX).then(|| (state_and_mode << FLAVOUR_BITS | u64::from(bits)) << 32)
}

/// Where the number of the page on the bus stands in a key.
pub(crate) const PAGE_SHIFT: u32 = 32;

/// The key of code at an address whose instructions are fetched from `physical`.
pub(crate) fn key(address: u32, physical: u32, part: u64) -> u64 {
    u64::from(address) | part | u64::from(physical & !0xfff) << PAGE_SHIFT
}
