//! The registers of an architecture as debuggers and logs of changes number and name them. All have 32 bits.

use socscope_memory::Endianness;
use std::fmt::Write;

/// What a debugger takes a register's value for, by GDB's names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RegisterKind {
    /// A number.
    Number,
    /// The address of data.
    Data,
    /// The address of code.
    Code,
}

/// A register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Register {
    /// Its name.
    pub name: &'static str,
    /// What it holds.
    pub kind: RegisterKind,
}

impl Register {
    /// Registers with these names; all but `others` are numbers.
    pub const fn all<const COUNT: usize>(
        names: [&'static str; COUNT],
        others: &[(usize, RegisterKind)],
    ) -> [Register; COUNT] {
        let kind = RegisterKind::Number;
        let mut all = [Register { name: "", kind }; COUNT];
        let mut number = 0;
        while number < COUNT {
            all[number].name = names[number];
            number += 1;
        }
        let mut other = 0;
        while other < others.len() {
            all[others[other].0].kind = others[other].1;
            other += 1;
        }
        all
    }
}

/// Registers that a debugger knows as one feature.
#[derive(Clone, Copy, Debug)]
pub struct RegisterGroup {
    /// The feature's name in GDB's target description.
    pub feature: &'static str,
    /// Registers that a debugger neither lists with the others nor restores after a call: banks.
    pub is_banked: bool,
    /// The registers.
    pub registers: &'static [Register],
}

/// The registers of an architecture. Their numbers count through all groups.
#[derive(Clone, Copy, Debug)]
pub struct RegisterFile {
    /// GDB's name of the architecture.
    pub architecture: &'static str,
    /// The order of a register's bytes on GDB's wire.
    pub endianness: Endianness,
    /// The groups.
    pub groups: &'static [RegisterGroup],
    /// Number of a register that is written before the others, because it chooses what they are.
    pub written_first: Option<usize>,
    /// What is made of the registers of a program that does not run, as its system has saved them.
    pub of_saved: fn(&mut [Option<u32>]),
}

impl RegisterFile {
    /// How many registers there are.
    pub fn count(&self) -> usize {
        self.groups.iter().map(|group| group.registers.len()).sum()
    }

    /// The name of a register; empty if there is none of this number.
    pub fn name(&self, number: usize) -> &'static str {
        let mut all = self.groups.iter().flat_map(|group| group.registers);
        all.nth(number).map_or("", |register| register.name)
    }

    /// The order in which registers are written.
    pub fn writing_order(&self) -> Vec<usize> {
        self.written_first
            .into_iter()
            .chain(0..self.count())
            .collect()
    }

    /// The bytes of a value as GDB reads them.
    pub fn bytes(&self, value: u32) -> [u8; 4] {
        match self.endianness {
            Endianness::Little => value.to_le_bytes(),
            Endianness::Big => value.to_be_bytes(),
        }
    }

    /// The value of such bytes.
    pub fn value(&self, bytes: [u8; 4]) -> u32 {
        match self.endianness {
            Endianness::Little => u32::from_le_bytes(bytes),
            Endianness::Big => u32::from_be_bytes(bytes),
        }
    }

    /// GDB's target description.
    pub fn description(&self) -> String {
        let mut xml = format!(
            "<?xml version=\"1.0\"?><!DOCTYPE target SYSTEM \"gdb-target.dtd\"><target version=\"1.0\">\
             <architecture>{}</architecture>",
            self.architecture
        );
        for group in self.groups {
            let _ = write!(xml, "<feature name=\"{}\">", group.feature);
            let banked = match group.is_banked {
                true => " group=\"banked\" save-restore=\"no\"",
                false => "",
            };
            for Register { name, kind } in group.registers {
                let kind = match kind {
                    RegisterKind::Number => "uint32",
                    RegisterKind::Data => "data_ptr",
                    RegisterKind::Code => "code_ptr",
                };
                let _ = write!(
                    xml,
                    "<reg name=\"{name}\" bitsize=\"32\" type=\"{kind}\"{banked}/>"
                );
            }
            xml += "</feature>";
        }
        xml + "</target>"
    }
}
