//! System linkage and processor control (manual: "System linkage instructions", "Processor control instructions").

use super::PowerPcSemantics;
use super::exception::{Exception, ProgramCause};
use super::special::{self, Privilege, special_register};

encodings! {
    "sc", "010001 zzzzz zzzzz zzzzzzzzzzzzzz 1 z", Exception, "sc", system_call(; );
    "rfi", "010011 zzzzz zzzzz zzzzz 0000110010 z", Exception, "rfi", return_from_interrupt(; );
    "mfmsr", "011111 ddddd zzzzz zzzzz 0001010011 z", System, "mfmsr rD", move_from_machine_state(; d);
    "mtmsr", "011111 sssss zzzzz zzzzz 0010010010 z", System, "mtmsr rS", move_to_machine_state(; s);
    "mfspr", "011111 ddddd lllll hhhhh 0101010011 z", System, "mfspr rD, spr", move_from_special(; d, h, l);
    "mtspr", "011111 sssss lllll hhhhh 0111010011 z", System, "mtspr spr, rS", move_to_special(; s, h, l);
    "mftb", "011111 ddddd lllll hhhhh 0101110011 z", System, "mftb rD, tbr", move_from_time_base(; d, h, l);
}

/// Does what `body` says, or traps a program that has no privilege.
#[inline(always)]
pub(super) fn privileged<S: PowerPcSemantics>(s: &mut S, body: impl FnOnce(&mut S)) {
    let problem = s.problem_state();
    let supervisor = s.flag_not(problem);
    s.when(supervisor, body);
    s.when(problem, |s| {
        s.exception(Exception::Program(ProgramCause::Privileged))
    });
}

fn illegal<S: PowerPcSemantics>(s: &mut S) {
    s.exception(Exception::Program(ProgramCause::Illegal));
}

#[inline(always)]
fn system_call<S: PowerPcSemantics>(s: &mut S) {
    s.exception(Exception::SystemCall);
}

#[inline(always)]
fn return_from_interrupt<S: PowerPcSemantics>(s: &mut S) {
    privileged(s, |s| s.return_from_interrupt());
}

#[inline(always)]
fn move_from_machine_state<S: PowerPcSemantics>(s: &mut S, d: u32) {
    privileged(s, |s| {
        let value = s.machine_state();
        s.set_register(d, value);
    });
}

#[inline(always)]
fn move_to_machine_state<S: PowerPcSemantics>(s: &mut S, from: u32) {
    privileged(s, |s| {
        let value = s.register(from);
        s.set_machine_state(value);
    });
}

/// A register that the core does not have: without privilege its number says which trap it is, with privilege it is illegal.
fn absent<S: PowerPcSemantics>(s: &mut S, number: u32) {
    if special::is_privileged_number(number) {
        privileged(s, illegal);
    } else {
        illegal(s);
    }
}

fn guarded<S: PowerPcSemantics>(s: &mut S, privilege: Privilege, body: impl FnOnce(&mut S)) {
    match privilege {
        Privilege::User => body(s),
        Privilege::Supervisor => privileged(s, body),
        Privilege::Never => illegal(s),
    }
}

fn move_from_special<S: PowerPcSemantics>(s: &mut S, d: u32, high: u32, low: u32) {
    let number = high << 5 | low;
    let Some(register) = special_register(s.model(), number) else {
        return absent(s, number);
    };
    guarded(s, register.read, |s| {
        let value = match number {
            special::XER => read_xer(s),
            special::LR => s.link(),
            special::CTR => s.count(),
            _ => s.special(number),
        };
        s.set_register(d, value);
    });
}

fn move_to_special<S: PowerPcSemantics>(s: &mut S, from: u32, high: u32, low: u32) {
    let number = high << 5 | low;
    let Some(register) = special_register(s.model(), number) else {
        return absent(s, number);
    };
    guarded(s, register.write, |s| {
        let value = s.register(from);
        match number {
            special::XER => write_xer(s, value),
            special::LR => s.set_link(value),
            special::CTR => s.set_count(value),
            _ => s.set_special(number, value),
        }
    });
}

fn move_from_time_base<S: PowerPcSemantics>(s: &mut S, d: u32, high: u32, low: u32) {
    match high << 5 | low {
        number @ (special::TBL | special::TBU) => {
            let value = s.special(number);
            s.set_register(d, value);
        }
        _ => illegal(s),
    }
}

fn read_xer<S: PowerPcSemantics>(s: &mut S) -> S::Word {
    let mut word = s.string_bytes();
    for (bit, flag) in [
        (31, s.summary_overflow()),
        (30, s.overflow()),
        (29, s.carry()),
    ] {
        let value = s.flag_word(flag);
        let shift = s.word(bit);
        let value = s.shift_left(value, shift);
        word = s.or(word, value);
    }
    word
}

fn write_xer<S: PowerPcSemantics>(s: &mut S, value: S::Word) {
    let (summary, overflow, carry) = (s.bit(value, 31), s.bit(value, 30), s.bit(value, 29));
    s.set_summary_overflow(summary);
    s.set_overflow(overflow);
    s.set_carry(carry);
    s.set_string_bytes(value);
}
