//! The registers of a PowerPC as GDB and logs of changes number them: r0 to r31, then those of GDB's core feature.

use crate::{Core, Msr, Privilege, SPECIAL_REGISTERS, Xer};
use socscope_core::{Register, RegisterFile, RegisterGroup, RegisterKind};
use socscope_memory::Endianness;

const NAMES: [&str; 38] = [
    "r0", "r1", "r2", "r3", "r4", "r5", "r6", "r7", "r8", "r9", "r10", "r11", "r12", "r13", "r14",
    "r15", "r16", "r17", "r18", "r19", "r20", "r21", "r22", "r23", "r24", "r25", "r26", "r27",
    "r28", "r29", "r30", "r31", "pc", "msr", "cr", "lr", "ctr", "xer",
];
const PROGRAM_COUNTER: usize = 32;

const REGISTERS: [Register; NAMES.len()] = {
    let mut all = [Register {
        name: "",
        kind: RegisterKind::Number,
    }; NAMES.len()];
    let mut number = 0;
    while number < NAMES.len() {
        all[number].name = NAMES[number];
        number += 1;
    }
    all[PROGRAM_COUNTER].kind = RegisterKind::Code;
    all
};

/// All of them.
pub static REGISTER_FILE: RegisterFile = RegisterFile {
    architecture: "powerpc:common",
    endianness: Endianness::Big,
    groups: &[RegisterGroup {
        feature: "org.gnu.gdb.power.core",
        is_banked: false,
        registers: &REGISTERS,
    }],
    written_first: None,
    of_saved: |_| {},
};

impl Core {
    /// A register by its number in the register file.
    pub(crate) fn numbered(&self, number: usize) -> Option<u32> {
        Some(match number {
            0..PROGRAM_COUNTER => self.register(number as u32),
            32 => self.program_counter(),
            33 => self.msr().0,
            34 => self.condition,
            35 => self.link,
            36 => self.count,
            37 => self.xer.bits(),
            _ => return None,
        })
    }

    /// Writes a register by its number; whether there is one.
    pub(crate) fn set_numbered(&mut self, number: usize, value: u32) -> bool {
        match number {
            0..PROGRAM_COUNTER => self.set_register(number as u32, value),
            32 => self.set_program_counter(value),
            33 => self.set_msr(Msr(value)),
            34 => self.condition = value,
            35 => self.link = value,
            36 => self.count = value,
            37 => self.xer = Xer::from_bits(value),
            _ => return false,
        }
        true
    }

    /// General registers, segments, and all special registers that can be read.
    pub(crate) fn named(&self, cycle: u64) -> Vec<(String, u32)> {
        let mut registers = vec![];
        for index in 0..32 {
            registers.push((format!("r{index}"), self.register(index)));
        }
        registers.push(("pc".into(), self.program_counter()));
        registers.push(("msr".into(), self.msr().0));
        registers.push(("cr".into(), self.condition));
        for index in 0..16 {
            registers.push((format!("sr{index}"), self.segment(index)));
        }
        for register in SPECIAL_REGISTERS {
            let readable = register.read != Privilege::Never;
            if register.is_in(self.model()) && readable {
                let value = self.special_at(register.number, cycle);
                registers.push((register.name.to_lowercase(), value));
            }
        }
        registers
    }
}
