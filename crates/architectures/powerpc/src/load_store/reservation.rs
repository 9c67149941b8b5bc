//! Reservations (manual: "Memory synchronization instructions").

use super::word_aligned;
use crate::PowerPcSemantics;
use crate::cache::indexed;
use socscope_memory::Width;

encodings! {
    "lwarx", "011111 ddddd aaaaa bbbbb 0000010100 z", Load, "lwarx rD, rA, rB", load_and_reserve(; d, a, b);
    "stwcx.", "011111 sssss aaaaa bbbbb 0010010110 1", Store, "stwcx. rS, rA, rB", store_conditional(; s, a, b);
}

fn load_and_reserve<S: PowerPcSemantics>(s: &mut S, d: u32, a: u32, b: u32) {
    let address = indexed(s, a, b);
    word_aligned(s, address, |s| {
        let (value, arrived) = s.load(address, Width::Word);
        s.when(arrived, |s| {
            s.reserve(address);
            s.set_register(d, value);
        });
    });
}

/// Stores only while the reservation holds; EQ of field 0 tells.
fn store_conditional<S: PowerPcSemantics>(s: &mut S, from: u32, a: u32, b: u32) {
    let address = indexed(s, a, b);
    word_aligned(s, address, |s| {
        let holds = s.take_reservation(address);
        let lost = s.flag_not(holds);
        s.when(holds, |s| {
            let value = s.register(from);
            let stored = s.store(address, Width::Word, value);
            s.when(stored, |s| set_condition(s, true));
        });
        s.when(lost, |s| set_condition(s, false));
    });
}

fn set_condition<S: PowerPcSemantics>(s: &mut S, stored: bool) {
    let (no, equal, summary) = (s.flag(false), s.flag(stored), s.summary_overflow());
    for (bit, flag) in [no, no, equal, summary].into_iter().enumerate() {
        s.set_condition(bit as u32, flag);
    }
}
