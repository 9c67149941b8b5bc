//! Changes of the processor's state, and its way to memory and back, of version 6 (manual: "Status register access instructions", SRS, RFE).

use super::load_store::update_base;
use super::{
    Alignment, ArmSemantics, Exception, LINK, Mode, PROGRAM_COUNTER, read, read_stored, trap,
};
use socscope_memory::Width;

encodings! {
    since V6;
    "SETEND", "1111 00010000 zzz1 zzzz zzez 0000 zzzz", Data, "SETEND BE|LE", set_byte_order(; e);
    "CPS", "1111 00010000 kkr0 zzzz zzza if0m mmmm", Data, "CPS{IE|ID} aif{, #m}", change_state(; k, r, a, i, f, m);
    "SRS", "1111 100 p u 1 w 0 oozo zzzz zozo zzzm mmmm", StoreMultiple, "SRS{mode} #m{!}", store_state(; p, u, w, m);
    "RFE", "1111 100 p u 0 w 1 nnnn zzzz ozoz zzzz zzzz", LoadMultiple, "RFE{mode} Rn{!}", return_from(; p, u, w, n);
    "MCRR2", "1111 1100 0100 nnnn dddd kkkk aaaa mmmm", Undefined, "MCRR2 pk, a, Rd, Rn, cm",
        undefined(Exception::Undefined; );
    "MRRC2", "1111 1100 0101 nnnn dddd kkkk aaaa mmmm", Undefined, "MRRC2 pk, a, Rd, Rn, cm",
        undefined(Exception::Undefined; );
}

use trap::trap as undefined;

/// E, A, I and F in the status register.
const BIG_ENDIAN: u32 = 1 << 9;
const ABORTS: u32 = 1 << 8;
const INTERRUPTS: u32 = 1 << 7;
const FAST_INTERRUPTS: u32 = 1 << 6;
const MODE: u32 = 0x1f;

#[inline(always)]
pub(super) fn set_byte_order<S: ArmSemantics>(s: &mut S, big: u32) {
    let (value, mask) = (s.word(big * BIG_ENDIAN), s.word(BIG_ENDIAN));
    s.set_status(value, mask);
}

/// Masks are set or cleared if the upper bit of `kind` says so, the mode is changed if `changes_mode` does; without privilege nothing is.
#[inline(always)]
pub(super) fn change_state<S: ArmSemantics>(
    s: &mut S,
    kind: u32,
    changes_mode: u32,
    aborts: u32,
    interrupts: u32,
    fast_interrupts: u32,
    mode: u32,
) {
    let masks = aborts * ABORTS + interrupts * INTERRUPTS + fast_interrupts * FAST_INTERRUPTS;
    let masks = masks * (kind >> 1);
    let mask = masks | (changes_mode * MODE);
    let value = (masks * (kind & 1)) | mode;
    let (mask, none, value) = (s.word(mask), s.word(0), s.word(value));
    let privileged = s.privileged();
    let mask = s.select(privileged, mask, none);
    s.set_status(value, mask);
}

/// Where two words lie, and the base behind them.
#[inline(always)]
fn two_words<S: ArmSemantics>(s: &mut S, base: S::Word, pre: u32, up: u32) -> [S::Word; 2] {
    let offset = |s: &mut S, bytes: u32| {
        let bytes = s.word(bytes);
        s.add(base, bytes)
    };
    let end = if up != 0 { 8 } else { 8_u32.wrapping_neg() };
    let below = if up != 0 { 0 } else { end };
    let start = below.wrapping_add(if pre == up { 4 } else { 0 });
    [offset(s, start), offset(s, end)]
}

/// What a program without privilege must not do, which then is no instruction; the words have to be aligned, too.
#[inline(always)]
fn when_allowed<S: ArmSemantics>(s: &mut S, start: S::Word, body: impl FnOnce(&mut S)) {
    let privileged = s.privileged();
    let user = s.flag_not(privileged);
    s.when(user, |s| undefined(s, Exception::Undefined));
    s.when(privileged, |s| {
        let aligned = s.is_aligned(start, Alignment::Bytes(4));
        s.when(aligned, body);
    });
}

/// Stores LR and the saved status on the stack of a mode. In the system mode, which has none, the status register.
#[inline(always)]
fn store_state<S: ArmSemantics>(s: &mut S, pre: u32, up: u32, write_back: u32, mode: u32) {
    let Some(mode) = Mode::from_bits(mode) else {
        return undefined(s, Exception::Undefined);
    };
    let base = s.stack_of(mode);
    let [start, end] = two_words(s, base, pre, up);
    when_allowed(s, start, |s| {
        let link = read_stored(s, LINK);
        let status = s.saved_status();
        let four = s.word(4);
        let second = s.add(start, four);
        let first_accepted = s.store(start, Width::Word, link);
        let second_accepted = s.store(second, Width::Word, status);
        if write_back != 0 {
            let good = s.flag_and(first_accepted, second_accepted);
            s.when(good, |s| s.set_stack_of(mode, end));
        }
    });
}

/// Loads the program counter and the status register.
#[inline(always)]
fn return_from<S: ArmSemantics>(s: &mut S, pre: u32, up: u32, write_back: u32, n: u32) {
    let base = read(s, n);
    let [start, end] = two_words(s, base, pre, up);
    when_allowed(s, start, |s| {
        let four = s.word(4);
        let second = s.add(start, four);
        let (target, first_arrived) = s.load(start, Width::Word);
        let (status, second_arrived) = s.load(second, Width::Word);
        let good = s.flag_and(first_arrived, second_arrived);
        let update = (write_back != 0 && n != PROGRAM_COUNTER).then_some((n, end));
        update_base(s, update, good);
        s.when(good, |s| s.return_with(target, status));
    });
}
