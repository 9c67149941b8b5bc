//! External control (manual: "External control instructions"). A word goes between a register and the external device whose number EAR
//! holds. No board has such a device: the word comes from, and goes to, what answers at its address on the bus.

use super::word_aligned;
use crate::cache::indexed;
use crate::{PowerPcSemantics, special};
use socscope_memory::Width;

encodings! {
    "eciwx", "011111 ddddd aaaaa bbbbb 0100110110 z", Load, "eciwx rD, rA, rB", read(; d, a, b);
    "ecowx", "011111 sssss aaaaa bbbbb 0110110110 z", Store, "ecowx rS, rA, rB", write(; s, a, b);
}

/// E of EAR: external control is permitted.
const ENABLED: u32 = 0x8000_0000;
/// DSISR of an access while it is not.
const FORBIDDEN: u32 = 0x0010_0000;

fn read<S: PowerPcSemantics>(s: &mut S, d: u32, a: u32, b: u32) {
    let address = permitted(s, a, b);
    let (value, arrived) = s.load(address, Width::Word);
    s.when(arrived, |s| s.set_register(d, value));
}

fn write<S: PowerPcSemantics>(s: &mut S, from: u32, a: u32, b: u32) {
    let address = permitted(s, a, b);
    let value = s.register(from);
    s.store(address, Width::Word, value);
}

/// The address; an exception, after which no access is made, if it is not aligned or EAR does not permit the access.
fn permitted<S: PowerPcSemantics>(s: &mut S, a: u32, b: u32) -> S::Word {
    let address = indexed(s, a, b);
    word_aligned(s, address, |_| {});
    let (access, bit) = (s.special(special::EAR), s.word(ENABLED));
    let enabled = s.and(access, bit);
    let forbidden = s.is_zero(enabled);
    s.when(forbidden, |s| s.data_storage(address, FORBIDDEN));
    address
}
