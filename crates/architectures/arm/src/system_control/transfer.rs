//! MCR and MRC to system control, on a core.

use super::{Named, Operation, Register, control};
use crate::Core;

impl Core {
    /// Reads what lies at a place; `lines` are those that ask for interrupts, as the interrupt status register has them.
    pub(crate) fn read_system_control(&self, named: Named, lines: u32) -> u32 {
        match named {
            Named::Constant(value) => value,
            Named::Kept(register, _) => self.control.get(register),
            Named::Lines => lines,
            Named::Operation(_) => 0,
        }
    }

    /// Writes what lies at a place; what is left to do for those who know of other things than the core.
    pub(crate) fn write_system_control(&mut self, named: Named, value: u32) -> Operation {
        match named {
            Named::Kept(register, mask) => {
                let old = self.control.get(register);
                self.set_system_control(register, old & !mask | value & mask);
            }
            Named::Operation(Operation::Forget(side, scope)) => {
                if let Some(mmu) = self.mmu_mut() {
                    mmu.forget((side, scope), value);
                }
            }
            Named::Operation(operation) => return operation,
            Named::Constant(_) | Named::Lines => {}
        }
        Operation::Nothing
    }

    /// Writes all bits of a register, and drops what was derived from it.
    pub fn set_system_control(&mut self, register: Register, value: u32) {
        let changed = self.control.get(register) ^ value;
        self.control.set(register, value);
        let matters = match register {
            Register::Control => {
                const BITS: u32 = control::MMU
                    | control::SYSTEM
                    | control::ROM
                    | control::EXTENDED_PAGES
                    | control::BIG_ENDIAN_EXCEPTIONS
                    | control::ACCESS_FLAG;
                changed & BITS != 0
            }
            // Entries of the page tables that are in the buffer stay there.
            Register::Domains | Register::Process => changed != 0,
            Register::Context => changed & 0xff != 0,
            _ => false,
        };
        if matters && let Some(mmu) = self.mmu_mut() {
            mmu.registers_changed();
        }
    }
}
