//! The floating-point status and control register.

/// FX: an exception bit became one.
pub const EXCEPTION: u32 = 1 << 31;
/// FEX: an exception that is enabled has happened.
pub const ENABLED_EXCEPTION: u32 = 1 << 30;
/// VX: one of the invalid operations has happened.
pub const INVALID: u32 = 1 << 29;
/// OX: overflow.
pub const OVERFLOW: u32 = 1 << 28;
/// UX: underflow.
pub const UNDERFLOW: u32 = 1 << 27;
/// ZX: division by zero.
pub const ZERO_DIVIDE: u32 = 1 << 26;
/// XX: inexact.
pub const INEXACT: u32 = 1 << 25;
/// VXSNAN: a signalling NaN.
pub const SIGNALLING: u32 = 1 << 24;
/// VXISI: infinity minus infinity.
pub const INFINITY_MINUS_INFINITY: u32 = 1 << 23;
/// VXIDI: infinity by infinity.
pub const INFINITY_BY_INFINITY: u32 = 1 << 22;
/// VXZDZ: zero by zero.
pub const ZERO_BY_ZERO: u32 = 1 << 21;
/// VXIMZ: infinity times zero.
pub const INFINITY_TIMES_ZERO: u32 = 1 << 20;
/// VXVC: NaN in an ordered comparison.
pub const INVALID_COMPARE: u32 = 1 << 19;
/// FR: the last result was rounded away from zero.
pub const ROUNDED_UP: u32 = 1 << 18;
/// FI: the last result was inexact.
pub const FRACTION_INEXACT: u32 = 1 << 17;
/// FPRF: what the last result was.
pub const RESULT: u32 = 0x1f << 12;
/// FPCC: the part of it that comparisons write.
pub const CONDITION: u32 = 0xf << 12;
/// VXSOFT: asked for by software.
pub const SOFTWARE: u32 = 1 << 10;
/// VXSQRT: root of a negative number.
pub const INVALID_ROOT: u32 = 1 << 9;
/// VXCVI: no integer for it.
pub const INVALID_INTEGER: u32 = 1 << 8;
/// VE: invalid operations are enabled.
pub const INVALID_ENABLE: u32 = 1 << 7;
/// OE: overflows are enabled.
pub const OVERFLOW_ENABLE: u32 = 1 << 6;
/// UE: underflows are enabled.
pub const UNDERFLOW_ENABLE: u32 = 1 << 5;
/// ZE: divisions by zero are enabled.
pub const ZERO_DIVIDE_ENABLE: u32 = 1 << 4;

/// All bits that tell of an invalid operation.
pub const INVALID_OPERATIONS: u32 = SIGNALLING
    | INFINITY_MINUS_INFINITY
    | INFINITY_BY_INFINITY
    | ZERO_BY_ZERO
    | INFINITY_TIMES_ZERO
    | INVALID_COMPARE
    | SOFTWARE
    | INVALID_ROOT
    | INVALID_INTEGER;
/// All exception bits that stay until they are cleared, but FX.
pub const STICKY: u32 = OVERFLOW | UNDERFLOW | ZERO_DIVIDE | INEXACT | INVALID_OPERATIONS;
/// Bits that do not exist.
const RESERVED: u32 = 1 << 11;

/// The register with VX and FEX as the other bits make them.
pub const fn summarised(status: u32) -> u32 {
    let mut status = status & !(INVALID | ENABLED_EXCEPTION | RESERVED);
    if status & INVALID_OPERATIONS != 0 {
        status |= INVALID;
    }
    // VX, OX, UX, ZX, XX lie 22 bits above VE, OE, UE, ZE, XE.
    if status >> 22 & status & 0xf8 != 0 {
        status |= ENABLED_EXCEPTION;
    }
    status
}

/// The register after these exceptions: FX tells that one of them is new.
pub const fn raised(status: u32, exceptions: u32) -> u32 {
    let new = exceptions & STICKY & !status != 0;
    summarised(status | exceptions | if new { EXCEPTION } else { 0 })
}
