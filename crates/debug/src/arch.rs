//! The architecture as GDB is told of it.

use crate::banks::{FIRST_BANKED, REGISTERS};
use gdbstub::arch::{Arch, RegId, Registers};
use socscope_isa::arm::BANKED_REGISTERS;
use std::fmt::Write;
use std::num::NonZeroUsize;
use std::sync::OnceLock;

/// ARM version 4T with all banks.
#[derive(Debug)]
pub enum Arm {}

/// Numbers of the registers that every mode has.
pub(crate) const STACK: usize = 13;
pub(crate) const LINK: usize = 14;
pub(crate) const PROGRAM_COUNTER: usize = 15;
/// Number of the status register in force.
pub(crate) const STATUS: usize = 16;

impl Arch for Arm {
    type Usize = u32;
    type Registers = ArmRegisters;
    type BreakpointKind = usize;
    type RegId = Register;

    fn target_description_xml() -> Option<&'static str> {
        static XML: OnceLock<String> = OnceLock::new();
        Some(XML.get_or_init(description))
    }
}

/// A register by its number in the description.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Register(pub usize);

impl RegId for Register {
    fn from_raw_id(id: usize) -> Option<(Self, Option<NonZeroUsize>)> {
        (id < REGISTERS).then_some((Register(id), NonZeroUsize::new(4)))
    }

    fn to_raw_id(&self) -> Option<usize> {
        Some(self.0)
    }
}

/// All registers of a thread; what is not known of a task that does not run is `None`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArmRegisters(pub [Option<u32>; REGISTERS]);

impl Default for ArmRegisters {
    fn default() -> ArmRegisters {
        ArmRegisters([None; REGISTERS])
    }
}

impl Registers for ArmRegisters {
    type ProgramCounter = u32;

    fn pc(&self) -> u32 {
        self.0[PROGRAM_COUNTER].unwrap_or(0)
    }

    fn gdb_serialize(&self, mut write_byte: impl FnMut(Option<u8>)) {
        for register in self.0 {
            match register {
                Some(value) => value
                    .to_le_bytes()
                    .into_iter()
                    .for_each(|byte| write_byte(Some(byte))),
                None => (0..4).for_each(|_| write_byte(None)),
            }
        }
    }

    fn gdb_deserialize(&mut self, bytes: &[u8]) -> Result<(), ()> {
        if bytes.len() != 4 * REGISTERS {
            return Err(());
        }
        for (register, value) in self.0.iter_mut().zip(bytes.as_chunks().0) {
            *register = Some(u32::from_le_bytes(*value));
        }
        Ok(())
    }
}

/// The name of a register by its number in the target description.
pub fn register_name(number: usize) -> String {
    match number {
        STACK => "sp".into(),
        LINK => "lr".into(),
        PROGRAM_COUNTER => "pc".into(),
        STATUS => "cpsr".into(),
        0..STACK => format!("r{number}"),
        _ => BANKED_REGISTERS
            .get(number - FIRST_BANKED)
            .map_or_else(String::new, |bank| bank.name.into()),
    }
}

/// The target description: the core feature that GDB knows, and one with the banks.
fn description() -> String {
    let mut xml = String::from(
        "<?xml version=\"1.0\"?><!DOCTYPE target SYSTEM \"gdb-target.dtd\"><target version=\"1.0\">\
         <architecture>armv4t</architecture><feature name=\"org.gnu.gdb.arm.core\">",
    );
    for number in 0..REGISTERS {
        if number == FIRST_BANKED {
            xml += "</feature><feature name=\"org.socscope.arm.banks\">";
        }
        let kind = match number {
            STACK => "data_ptr",
            LINK | PROGRAM_COUNTER => "code_ptr",
            _ => "uint32",
        };
        let group = if number >= FIRST_BANKED {
            " group=\"banked\" save-restore=\"no\""
        } else {
            ""
        };
        let name = register_name(number);
        let _ = write!(
            xml,
            "<reg name=\"{name}\" bitsize=\"32\" type=\"{kind}\"{group}/>"
        );
    }
    xml + "</feature></target>"
}
