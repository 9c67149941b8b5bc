//! Coprocessor instructions (manual: "Coprocessor instructions"). What nobody claims traps: on an ARM7TDMI all of them, on the others all but
//! those that reach system control.

use super::trap::trap;
use super::{Access, ArmSemantics, Exception, PROGRAM_COUNTER, Place, named, read};

encodings! {
    "STC", "cccc 110 p u n w 0 bbbb dddd kkkk iiiiiiii", Undefined, "STC{c}{L} pk, cd, [Rb, #+/-i]",
        trap(Exception::Undefined; );
    "LDC", "cccc 110 p u n w 1 bbbb dddd kkkk iiiiiiii", Undefined, "LDC{c}{L} pk, cd, [Rb, #+/-i]",
        trap(Exception::Undefined; );
    "CDP", "cccc 1110 aaaa nnnn dddd kkkk bbb 0 mmmm", Undefined, "CDP{c} pk, a, cd, cn, cm, b",
        trap(Exception::Undefined; );
    "MCR", "cccc 1110 aaa 0 nnnn dddd kkkk bbb 1 mmmm", Undefined, "MCR{c} pk, a, Rd, cn, cm, b",
        to_coprocessor(; a, n, d, k, b, m);
    "MRC", "cccc 1110 aaa 1 nnnn dddd kkkk bbb 1 mmmm", Undefined, "MRC{c} pk, a, Rd, cn, cm, b",
        from_coprocessor(; a, n, d, k, b, m);
}

/// The number of system control.
const SYSTEM_CONTROL: u32 = 15;

#[inline(always)]
fn to_coprocessor<S: ArmSemantics>(
    s: &mut S,
    opcode_1: u32,
    n: u32,
    d: u32,
    coprocessor: u32,
    opcode_2: u32,
    m: u32,
) {
    let place = Place {
        n,
        opcode_1,
        m,
        opcode_2,
    };
    with_place(s, coprocessor, (place, Access::Write), |s, named| {
        let value = read(s, d);
        s.write_system_control(named, value);
    });
}

/// Into r15 go the flags.
#[inline(always)]
fn from_coprocessor<S: ArmSemantics>(
    s: &mut S,
    opcode_1: u32,
    n: u32,
    d: u32,
    coprocessor: u32,
    opcode_2: u32,
    m: u32,
) {
    let place = Place {
        n,
        opcode_1,
        m,
        opcode_2,
    };
    with_place(s, coprocessor, (place, Access::Read), |s, named| {
        let value = s.read_system_control(named);
        if d == PROGRAM_COUNTER {
            let flags = [31, 30, 29, 28].map(|index| s.bit(value, index));
            s.set_negative(flags[0]);
            s.set_zero(flags[1]);
            s.set_carry(flags[2]);
            s.set_overflow(flags[3]);
        } else {
            s.set_register(d, value);
        }
    });
}

/// Does something with what lies at a place; where nothing does, or nothing that a program without privilege may reach, the instruction traps.
#[inline(always)]
fn with_place<S: ArmSemantics>(
    s: &mut S,
    coprocessor: u32,
    (place, access): (Place, Access),
    body: impl FnOnce(&mut S, super::Named),
) {
    let found = match coprocessor {
        SYSTEM_CONTROL => named(s.model(), place, access),
        _ => None,
    };
    let Some((named, for_programs)) = found else {
        return trap(s, Exception::Undefined);
    };
    if for_programs {
        return body(s, named);
    }
    let privileged = s.privileged();
    let user = s.flag_not(privileged);
    s.when(user, |s| trap(s, Exception::Undefined));
    s.when(privileged, |s| body(s, named));
}
