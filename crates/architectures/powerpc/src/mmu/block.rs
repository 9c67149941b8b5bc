//! Block address translation (manual: "Block address translation").

use crate::{Core, CoreModel, Msr, special};
use socscope_core::Purpose;

/// BEPI and BRPN: blocks lie at multiples of 128 kB.
const ADDRESS: u32 = 0xfffe_0000;
/// BL: which bits of the address the block does not fix, 15 to the right of where they are.
const LENGTH: u32 = 0x0000_1ffc;
/// XBL: four bits more.
const LONG_LENGTH: u32 = 0x0001_e000;
/// Vs: valid with privilege.
const SUPERVISOR: u32 = 2;
/// Vp: valid without.
const PROBLEM: u32 = 1;

/// What a block says of an address: the second word of a page's entry with this page's number, WIMG and PP.
pub(super) fn find(core: &Core, effective: u32, purpose: Purpose) -> Option<u32> {
    let (first, more) = match purpose {
        Purpose::Fetch => (special::IBAT0U, special::IBAT4U),
        _ => (special::DBAT0U, special::DBAT4U),
    };
    let more = has_more_blocks(core).then_some(more);
    let valid = if core.msr().has(Msr::PROBLEM) {
        PROBLEM
    } else {
        SUPERVISOR
    };
    let lengths = if has_large_blocks(core) {
        LENGTH | LONG_LENGTH
    } else {
        LENGTH
    };
    let registers = [Some(first), more].into_iter().flatten();
    registers
        .flat_map(|first| (first..first + 8).step_by(2))
        .find_map(|number| {
            let (upper, lower) = (core.special(number), core.special(number + 1));
            let free = (upper & lengths) << 15;
            let hit = upper & valid != 0 && (effective ^ upper) & ADDRESS & !free == 0;
            hit.then_some(
                lower & ADDRESS | effective & (free | !ADDRESS) & super::PAGE | lower & 0xfff,
            )
        })
}

fn has_more_blocks(core: &Core) -> bool {
    match core.model() {
        CoreModel::Ppc603e | CoreModel::Ppc755 => {
            core.special(special::HID2) & special::HID2_MORE_BLOCKS != 0
        }
        CoreModel::E600 => core.special(special::HID0) & special::HID0_MORE_BLOCKS != 0,
        CoreModel::Ppc750 | CoreModel::Ppc7400 => false,
    }
}

fn has_large_blocks(core: &Core) -> bool {
    core.model() == CoreModel::E600 && core.special(special::HID0) & special::HID0_LARGE_BLOCKS != 0
}
