//! Loads and stores (manual: "Floating-point load instructions", "Floating-point store instructions"). Addresses that are no multiple of
//! four are alignment exceptions. A double is two accesses to words.

use super::floating;
use crate::PowerPcSemantics;
use crate::cache::indexed;
use crate::load_store::{displaced, illegal, word_aligned};
use socscope_memory::Width;

/// Lists each access in its four forms.
macro_rules! accesses {
    ($($access:expr, $class:ident, $name:literal $displaced:literal $updated:literal $indexed:literal $both:literal;)*) => { encodings! {
        $(
            $name, concat!($displaced, " ddddd aaaaa iiiiiiiiiiiiiiii"), $class, concat!($name, " fD, i(rA)"),
                at_offset($access, false; d, a, i);
            concat!($name, "u"), concat!($updated, " ddddd aaaaa iiiiiiiiiiiiiiii"), $class, concat!($name, "u fD, i(rA)"),
                at_offset($access, true; d, a, i);
            concat!($name, "x"), concat!("011111 ddddd aaaaa bbbbb ", $indexed, " z"), $class, concat!($name, "x fD, rA, rB"),
                at_index($access, false; d, a, b);
            concat!($name, "ux"), concat!("011111 ddddd aaaaa bbbbb ", $both, " z"), $class, concat!($name, "ux fD, rA, rB"),
                at_index($access, true; d, a, b);
        )*
        "stfiwx", "011111 ddddd aaaaa bbbbb 1111010111 z", Store, "stfiwx fS, rA, rB", at_index(Access::StoreInteger, false; d, a, b);
    } };
}

accesses! {
    Access::LoadSingle, Load, "lfs" "110000" "110001" "1000010111" "1000110111";
    Access::LoadDouble, Load, "lfd" "110010" "110011" "1001010111" "1001110111";
    Access::StoreSingle, Store, "stfs" "110100" "110101" "1010010111" "1010110111";
    Access::StoreDouble, Store, "stfd" "110110" "110111" "1011010111" "1011110111";
}

#[derive(Clone, Copy)]
enum Access {
    LoadSingle,
    LoadDouble,
    StoreSingle,
    StoreDouble,
    /// The low word, as it is.
    StoreInteger,
}

fn at_offset<S: PowerPcSemantics>(
    s: &mut S,
    access: Access,
    update: bool,
    d: u32,
    a: u32,
    offset: u32,
) {
    if update && a == 0 {
        return illegal(s);
    }
    let address = displaced(s, a, offset);
    transfer(s, access, update, d, a, address);
}

fn at_index<S: PowerPcSemantics>(s: &mut S, access: Access, update: bool, d: u32, a: u32, b: u32) {
    if update && a == 0 {
        return illegal(s);
    }
    let address = indexed(s, a, b);
    transfer(s, access, update, d, a, address);
}

fn transfer<S: PowerPcSemantics>(
    s: &mut S,
    access: Access,
    update: bool,
    d: u32,
    a: u32,
    address: S::Word,
) {
    floating(s, |s| {
        word_aligned(s, address, |s| {
            let succeeded = moved(s, access, d, address);
            if update {
                s.when(succeeded, |s| s.set_register(a, address));
            }
        });
    });
}

fn moved<S: PowerPcSemantics>(s: &mut S, access: Access, d: u32, address: S::Word) -> S::Flag {
    let four = s.word(4);
    let second = s.add(address, four);
    match access {
        Access::LoadSingle => {
            let (word, arrived) = s.load(address, Width::Word);
            let value = s.double_from_single(word);
            s.when(arrived, |s| s.set_float_register(d, value));
            arrived
        }
        Access::LoadDouble => {
            let (high, first_arrived) = s.load(address, Width::Word);
            let (low, second_arrived) = s.load(second, Width::Word);
            let arrived = s.flag_and(first_arrived, second_arrived);
            let value = s.double(high, low);
            s.when(arrived, |s| s.set_float_register(d, value));
            arrived
        }
        Access::StoreSingle => {
            let value = s.float_register(d);
            let word = s.single_from_double(value);
            s.store(address, Width::Word, word)
        }
        Access::StoreDouble => {
            let value = s.float_register(d);
            let (high, low) = s.double_words(value);
            let first_stored = s.store(address, Width::Word, high);
            let second_stored = s.store(second, Width::Word, low);
            s.flag_and(first_stored, second_stored)
        }
        Access::StoreInteger => {
            let value = s.float_register(d);
            let (_, low) = s.double_words(value);
            s.store(address, Width::Word, low)
        }
    }
}
