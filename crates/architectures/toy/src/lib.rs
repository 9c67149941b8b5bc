//! The toy: the smallest architecture that goes through everything, and the example of how one is added. Instructions have 16 or 32 bits,
//! models either byte order. Sixteen registers, four special ones, one entry for all exceptions.

/// Lists the encodings of a chapter.
macro_rules! encodings {
    ($($all:tt)*) => { socscope_isa::chapter! { [socscope_isa::PlainSemantics] [socscope_isa::CycleClass] $($all)* } };
}

mod arithmetic;
mod control;
mod facts;
mod memory;
mod registers;

pub use facts::{FACTS, RESET, Toy, VECTOR};

socscope_isa::plain_tables!([256 keys, 16 bits, exception::UNDEFINED] arithmetic, memory, control);

/// A core's state.
pub type Core = socscope_core::plain::PlainCore<Toy>;

/// Where words are. Registers r0 to r15 come first.
pub mod slot {
    /// The way back of a call.
    pub const LINK: u32 = 14;
    /// The stack pointer.
    pub const STACK: u32 = 15;
    /// Bit 0: interrupts are taken. Bits 15 to 8: the exception that is handled, plus one.
    pub const STATUS: u32 = 16;
    /// Where an exception came from.
    pub const SAVED_ADDRESS: u32 = 17;
    /// The status before it.
    pub const SAVED_STATUS: u32 = 18;
    /// For handlers.
    pub const SCRATCH: u32 = 19;
    /// How many.
    pub const COUNT: usize = 20;
}

/// Numbers of exceptions.
pub mod exception {
    /// TRAP.
    pub const TRAP: u8 = 0;
    /// The interrupt line.
    pub const INTERRUPT: u8 = 1;
    /// An instruction that does not exist.
    pub const UNDEFINED: u8 = 2;
    /// The bus refused an access.
    pub const FAULT: u8 = 3;
}

/// A field of `bits` with its sign.
const fn signed(value: u32, bits: u32) -> u32 {
    ((value << (32 - bits)) as i32 >> (32 - bits)) as u32
}
