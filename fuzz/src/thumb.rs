//! The Thumb instructions that hold random ones together.

/// Does nothing: MOV r8, r8.
pub const NO_OPERATION: u32 = 0x46c0;
/// B, still without its offset.
pub const BRANCH: u32 = 0xe000;
/// The first half of BL.
pub const CALL_FIRST: u32 = 0xf000;
/// The second half of BL.
pub const CALL_SECOND: u32 = 0xf800;

/// B with a condition, still without its offset; with offset 0 it goes over one instruction.
pub fn branch_if(condition: u32) -> u32 {
    0xd000 | condition << 8
}

/// The offset field of B.
pub fn offset(ahead: i32) -> Option<u32> {
    (-2048..2048)
        .contains(&ahead)
        .then_some((ahead >> 1) as u32 & 0x7ff)
}

/// The offset field of B with a condition.
pub fn conditional_offset(ahead: i32) -> Option<u32> {
    (-256..256)
        .contains(&ahead)
        .then_some((ahead >> 1) as u32 & 0xff)
}

/// The offset fields of both halves of BL.
pub fn call_offset(ahead: i32) -> Option<u32> {
    let ahead_halves = (ahead >> 1) as u32;
    (-0x40_0000..0x40_0000)
        .contains(&ahead)
        .then_some(ahead_halves >> 11 & 0x7ff | (ahead_halves & 0x7ff) << 16)
}

/// LDR register, [pc], still without its offset.
pub fn load_literal(register: u32) -> u32 {
    0x4800 | register << 8
}

/// The offset field of a load that looks ahead.
pub fn load_offset(ahead: i32) -> Option<u32> {
    ((0..1024).contains(&ahead) && ahead % 4 == 0).then_some(ahead as u32 >> 2)
}

/// BX register.
pub fn exchange(register: u32) -> u32 {
    0x4700 | register << 3
}

/// ADD or SUB register, #1.
pub fn count(register: u32, up: bool) -> u32 {
    (if up { 0x3001 } else { 0x3801 }) | register << 8
}

/// PUSH {list}; bit 8 is the link register.
pub fn push(list: u32) -> u32 {
    0xb400 | list
}

/// POP {list}; bit 8 is the program counter.
pub fn pop(list: u32) -> u32 {
    0xbc00 | list
}

/// STR or LDR data, [base, #0].
pub fn access(load: bool, data: u32, base: u32) -> u32 {
    0x6000 | u32::from(load) << 11 | base << 3 | data
}

/// SWI number.
pub fn software_interrupt(number: u32) -> u32 {
    0xdf00 | number
}

/// SUB sp, so many words.
pub fn make_frame(words: u32) -> u32 {
    0xb080 | words
}

/// ADD sp, so many words.
pub fn drop_frame(words: u32) -> u32 {
    0xb000 | words
}

/// STR or LDR data, [sp], so many words above.
pub fn stack_access(load: bool, data: u32, word: u32) -> u32 {
    0x9000 | u32::from(load) << 11 | data << 8 | word
}
