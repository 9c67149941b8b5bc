//! The registers of an ARM as GDB and logs of changes number them: those that every mode has, then the banks.

use crate::{BANKED_REGISTERS, Core, Mode, Version};
use socscope_core::{Register, RegisterFile, RegisterGroup, RegisterKind};
use socscope_memory::Endianness;

const STACK: usize = 13;
const LINK: usize = 14;
const PROGRAM_COUNTER: usize = 15;
const STATUS: usize = 16;
const FIRST_BANKED: usize = 17;

const NAMES: [&str; FIRST_BANKED] = [
    "r0", "r1", "r2", "r3", "r4", "r5", "r6", "r7", "r8", "r9", "r10", "r11", "r12", "sp", "lr",
    "pc", "cpsr",
];

const NUMBER: Register = Register {
    name: "",
    kind: RegisterKind::Number,
};

const COMMON: [Register; FIRST_BANKED] = {
    let mut all = [NUMBER; FIRST_BANKED];
    let mut number = 0;
    while number < FIRST_BANKED {
        all[number].name = NAMES[number];
        number += 1;
    }
    all[STACK].kind = RegisterKind::Data;
    all[LINK].kind = RegisterKind::Code;
    all[PROGRAM_COUNTER].kind = RegisterKind::Code;
    all
};

const BANKED: [Register; BANKED_REGISTERS.len()] = {
    let mut all = [NUMBER; BANKED_REGISTERS.len()];
    let mut number = 0;
    while number < BANKED_REGISTERS.len() {
        all[number].name = BANKED_REGISTERS[number].name;
        number += 1;
    }
    all
};

static GROUPS: [RegisterGroup; 2] = [
    RegisterGroup {
        feature: "org.gnu.gdb.arm.core",
        is_banked: false,
        registers: &COMMON,
    },
    RegisterGroup {
        feature: "org.socscope.arm.banks",
        is_banked: true,
        registers: &BANKED,
    },
];

/// All of them, under the name that GDB has for a version of the architecture. The status chooses the bank.
const fn register_file(architecture: &'static str) -> RegisterFile {
    RegisterFile {
        architecture,
        endianness: Endianness::Little,
        groups: &GROUPS,
        written_first: Some(STATUS),
        of_saved: thumb_bit_moves,
    }
}

static OF_V4T: RegisterFile = register_file("armv4t");
static OF_V5TEJ: RegisterFile = register_file("armv5tej");
static OF_V6: RegisterFile = register_file("armv6");
static OF_V6K: RegisterFile = register_file("armv6k");

impl Version {
    /// The registers of its cores.
    pub(crate) fn register_file(self) -> &'static RegisterFile {
        match self {
            Version::V4T => &OF_V4T,
            Version::V5TEJ => &OF_V5TEJ,
            Version::V6 => &OF_V6,
            Version::V6K => &OF_V6K,
        }
    }
}

/// A saved program counter with bit 0 set means Thumb code: the bit belongs into the status register.
fn thumb_bit_moves(registers: &mut [Option<u32>]) {
    const THUMB: u32 = 1 << 5;
    let Some(pc) = registers[PROGRAM_COUNTER] else {
        return;
    };
    if pc & 1 != 0 {
        registers[PROGRAM_COUNTER] = Some(pc & !1);
        registers[STATUS] = registers[STATUS].map(|status| status | THUMB);
    }
}

impl Core {
    /// A register by its number in the register file.
    pub(crate) fn numbered(&self, number: usize) -> Option<u32> {
        match number {
            0..=PROGRAM_COUNTER => Some(self.register(number as u32)),
            STATUS => Some(self.status().bits()),
            _ => self.banked_register(number - FIRST_BANKED),
        }
    }

    /// Writes a register by its number; whether there is one.
    pub(crate) fn set_numbered(&mut self, number: usize, value: u32) -> bool {
        match number {
            PROGRAM_COUNTER => self.set_program_counter(value),
            STATUS => {
                self.set_status(self.status().with_bits_of(self.model(), value));
            }
            0..PROGRAM_COUNTER => self.set_register(number as u32, value),
            _ => return self.set_banked_register(number - FIRST_BANKED, value),
        }
        true
    }

    /// The registers in force, then stack pointer and link register of every mode, then those of system control.
    pub(crate) fn named(&self) -> Vec<(String, u32)> {
        let mut registers = vec![];
        for index in 0..16 {
            registers.push((format!("r{index}"), self.register(index)));
        }
        registers.push(("cpsr".into(), self.status().bits()));
        if let Some(saved) = self.saved_status() {
            registers.push(("spsr".into(), saved.bits()));
        }
        let modes = [
            ("usr", Mode::User),
            ("fiq", Mode::FastInterrupt),
            ("irq", Mode::Interrupt),
            ("svc", Mode::Supervisor),
            ("abt", Mode::Abort),
            ("und", Mode::Undefined),
        ];
        for (name, mode) in modes {
            for index in [13, 14] {
                let value = self.register_of(mode, index);
                registers.push((format!("r{index}_{name}"), value));
            }
        }
        if self.model().has_system_control() {
            let all = crate::Register::ALL.into_iter();
            registers.extend(all.map(|it| (it.name().into(), self.control.get(it))));
        }
        registers
    }
}
