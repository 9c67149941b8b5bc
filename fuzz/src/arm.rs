//! The ARM instructions that hold random ones together.

use socscope_arm::CoreModel;

/// Whose instructions the programs are made of.
pub const MODEL: CoreModel = CoreModel::Arm7Tdmi;
/// Does nothing: MOV r0, r0.
pub const NO_OPERATION: u32 = 0xe1a0_0000;
/// MOV lr, pc.
pub const LINK_AHEAD: u32 = 0xe1a0_e00f;
/// BX lr.
pub const RETURN: u32 = 0xe12f_ff1e;

/// B, still without its offset.
pub fn branch(condition: u32) -> u32 {
    condition << 28 | 0x0a00_0000
}

/// The offset field of B and BL.
pub fn offset(ahead: i32) -> Option<u32> {
    (-0x200_0000..0x200_0000)
        .contains(&ahead)
        .then_some((ahead >> 2) as u32 & 0xff_ffff)
}

/// LDR register, [pc], still without its offset.
pub fn load_literal(register: u32) -> u32 {
    0xe59f_0000 | register << 12
}

/// The offset field of a load that looks ahead.
pub fn load_offset(ahead: i32) -> Option<u32> {
    (0..4096).contains(&ahead).then_some(ahead as u32)
}

/// BX register.
pub fn exchange(register: u32) -> u32 {
    0xe12f_ff10 | register
}

/// ADDS or SUBS register, register, #1.
pub fn count(register: u32, up: bool) -> u32 {
    let operation = if up { 0xe290_0001 } else { 0xe250_0001 };
    operation | register << 16 | register << 12
}

/// STMFD sp!, {list}.
pub fn push(list: u32) -> u32 {
    0xe92d_0000 | list
}

/// LDMFD sp!, {list}.
pub fn pop(list: u32) -> u32 {
    0xe8bd_0000 | list
}

/// STR or LDR data, [base, #offset].
pub fn access(load: bool, data: u32, base: u32, offset: u32) -> u32 {
    0xe580_0000 | u32::from(load) << 20 | base << 16 | data << 12 | offset
}

/// MSR CPSR_c, #value.
pub fn set_status(value: u32) -> u32 {
    0xe321_f000 | value
}

/// SWI number.
pub fn software_interrupt(number: u32) -> u32 {
    0xef00_0000 | number
}

/// SUB sp, sp, so many words.
pub fn make_frame(words: u32) -> u32 {
    0xe24d_d000 | (4 * words)
}

/// ADD sp, sp, so many words.
pub fn drop_frame(words: u32) -> u32 {
    0xe28d_d000 | (4 * words)
}
