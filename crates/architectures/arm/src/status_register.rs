//! Moves to and from status registers (manual: "Status register access instructions").

use super::{ArmSemantics, operand, read, write};

encodings! {
    "MRS", "cccc 00010 r 00 oooo dddd zzzz 0000 zzzz", Data, "MRS{c} Rd, CPSR|SPSR", read_status(; r, d);
    "MSR register", "cccc 00010 r 10 kkkk oooo zzzz 0000 mmmm", Data, "MSR{c} CPSR|SPSR_fields, Rm",
        write_from_register(; r, k, m);
    "MSR immediate", "cccc 00110 r 10 kkkk oooo aaaa iiiiiiii", Data, "MSR{c} CPSR|SPSR_fields, #i",
        write_immediate(; r, k, a, i);
}

/// MSR never changes what is executed: T, and J.
const EXECUTION: u32 = 1 << 5 | 1 << 24;

#[inline(always)]
fn read_status<S: ArmSemantics>(s: &mut S, saved: u32, d: u32) {
    let value = if saved != 0 {
        s.saved_status()
    } else {
        s.status()
    };
    write(s, d, value);
}

#[inline(always)]
fn write_from_register<S: ArmSemantics>(s: &mut S, saved: u32, fields: u32, m: u32) {
    let value = read(s, m);
    write_status(s, saved, fields, value);
}

#[inline(always)]
fn write_immediate<S: ArmSemantics>(
    s: &mut S,
    saved: u32,
    fields: u32,
    rotation: u32,
    constant: u32,
) {
    let value = operand::constant(s, rotation, constant).value;
    write_status(s, saved, fields, value);
}

#[inline(always)]
fn write_status<S: ArmSemantics>(s: &mut S, saved: u32, fields: u32, value: S::Word) {
    let mask = (0..4)
        .filter(|byte| fields >> byte & 1 != 0)
        .fold(0, |mask, byte| mask | 0xff << (8 * byte));
    let mask = mask & s.model().status_mask();
    if saved != 0 {
        let mask = s.word(mask);
        s.set_saved_status(value, mask);
    } else {
        let all = s.word(mask & !EXECUTION);
        let user = s.word(mask & s.model().user_status_mask());
        let privileged = s.privileged();
        let mask = s.select(privileged, all, user);
        s.set_status(value, mask);
    }
}
