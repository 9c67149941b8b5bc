//! System control (CP15): what its registers decide, and the instructions that reach them (manual: part B, "The System Control Coprocessor").

mod identity;
mod operation;
mod place;
mod register;
mod transfer;

pub use operation::{Operation, Scope, Side};
pub use place::{Access, Named, Place, named};
pub use register::Register;

use crate::CoreModel;
use register::REGISTERS;
use serde::{Deserialize, Serialize};

/// Bits of the control register.
pub mod control {
    /// M: addresses are translated.
    pub const MMU: u32 = 1;
    /// A: accesses off alignment abort.
    pub const ALIGNMENT: u32 = 1 << 1;
    /// C: the data cache, or the unified one, is on.
    pub const DATA_CACHE: u32 = 1 << 2;
    /// B: big-endian words, of which bytes and half-words are picked the other way round (BE-32).
    pub const BIG_ENDIAN: u32 = 1 << 7;
    /// S: pages without rights may be read with privilege.
    pub const SYSTEM: u32 = 1 << 8;
    /// R: pages without rights may be read.
    pub const ROM: u32 = 1 << 9;
    /// V: vectors lie at 0xffff0000.
    pub const HIGH_VECTORS: u32 = 1 << 13;
    /// U: words and half-words may lie anywhere. From version 6.
    pub const UNALIGNED: u32 = 1 << 22;
    /// XP: page tables of version 6, without subpages.
    pub const EXTENDED_PAGES: u32 = 1 << 23;
    /// EE: handlers begin with big-endian data. From version 6.
    pub const BIG_ENDIAN_EXCEPTIONS: u32 = 1 << 25;
    /// TRE: memory types are remapped. ARM1176.
    pub const TYPE_REMAP: u32 = 1 << 28;
    /// AFE: the lowest bit of AP says that a page was accessed. ARM1176.
    pub const ACCESS_FLAG: u32 = 1 << 29;
}

/// The registers of system control. On a core without it all are 0.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SystemControl {
    registers: [u32; REGISTERS],
}

impl SystemControl {
    /// After reset.
    pub fn new(model: CoreModel) -> SystemControl {
        let mut all = SystemControl {
            registers: [0; REGISTERS],
        };
        for register in Register::ALL {
            all.set(register, identity::after_reset(model, register));
        }
        all
    }

    /// A register.
    #[inline(always)]
    pub fn get(&self, register: Register) -> u32 {
        self.registers[register as usize]
    }

    /// Writes a register, whatever its bits are; what was derived from it is not told.
    #[inline(always)]
    pub fn set(&mut self, register: Register, value: u32) {
        self.registers[register as usize] = value;
    }

    /// Whether a bit of the control register is set.
    #[inline(always)]
    pub fn has(&self, bits: u32) -> bool {
        self.get(Register::Control) & bits != 0
    }

    /// Sets or clears bits of the control register; what was derived from it is not told.
    pub fn set_control(&mut self, bits: u32, on: bool) {
        let others = self.get(Register::Control) & !bits;
        self.set(Register::Control, if on { others | bits } else { others });
    }

    /// The address of the vector of the reset.
    #[inline]
    pub fn vector_base(&self) -> u32 {
        match self.has(control::HIGH_VECTORS) {
            true => 0xffff_0000,
            false => self.get(Register::VectorBase),
        }
    }

    /// Whether addresses on the bus are others than those of programs: the MMU is on, or a process has its own first 32 MB.
    #[inline(always)]
    pub fn translates(&self) -> bool {
        self.has(control::MMU) || self.get(Register::Process) != 0
    }

    /// The modified virtual address: the first 32 MB are those of the process (manual: "Fast Context Switch Extension").
    #[inline(always)]
    pub fn modified(&self, address: u32) -> u32 {
        match address >> 25 {
            0 => address | self.get(Register::Process),
            _ => address,
        }
    }
}
