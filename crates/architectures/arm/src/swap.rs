//! Swaps (manual: "Semaphore instructions"). A swap whose read aborts writes nothing.

use super::load_store::load_rotated;
use super::{Alignment, ArmSemantics, read, read_late, write};
use socscope_memory::Width;

encodings! {
    "SWP", "cccc 00010 0 00 nnnn dddd zzzz 1001 mmmm", Swap, "SWP{c} Rd, Rm, [Rn]", swap(Width::Word; n, d, m);
    "SWPB", "cccc 00010 1 00 nnnn dddd zzzz 1001 mmmm", Swap, "SWP{c}B Rd, Rm, [Rn]", swap(Width::Byte; n, d, m);
}

#[inline(always)]
fn swap<S: ArmSemantics>(s: &mut S, width: Width, n: u32, d: u32, m: u32) {
    let address = read(s, n);
    if s.model().has_system_control() && width == Width::Word {
        let aligned = s.is_aligned(address, Alignment::Bytes(4));
        s.when(aligned, |s| exchange(s, width, address, d, m));
    } else {
        exchange(s, width, address, d, m);
    }
}

#[inline(always)]
fn exchange<S: ArmSemantics>(s: &mut S, width: Width, address: S::Word, d: u32, m: u32) {
    let (value, arrived) = load_rotated(s, address, width);
    s.when(arrived, |s| {
        let stored = read_late(s, m);
        let accepted = s.store(address, width, stored);
        s.when(accepted, |s| write(s, d, value));
    });
}
