//! What names a translation.

use crate::profile::Mode;
use crate::states::StateIndex;
use socscope_arm::InstructionSet;
use socscope_memory::RegionIndex;

/// What names an entry: address and instruction set, timing state, what is done for an observer, region.
pub(crate) fn key(
    address: u32,
    set: InstructionSet,
    state: StateIndex,
    mode: Mode,
    region: RegionIndex,
) -> u64 {
    let thumb = u64::from(set == InstructionSet::Thumb);
    u64::from(address)
        | thumb
        | u64::from(state.0) << 32
        | (mode as u64) << 44
        | u64::from(region.0) << 48
}
