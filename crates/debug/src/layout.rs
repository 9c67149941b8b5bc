//! The registers of each architecture as GDB is told of them: their numbers, names and bytes.

use crate::banks;
use socscope_arm::BANKED_REGISTERS;
use socscope_machine::{CoreView, Machine};
use socscope_powerpc as powerpc;
use std::fmt::Write;

/// An architecture's registers, all of 32 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Layout {
    /// Those of every mode, and the banks.
    Arm,
    /// r0 to r31, then pc, msr, cr, lr, ctr, xer: GDB's core feature.
    PowerPc,
}

/// Numbers of an ARM's registers that every mode has.
pub(crate) const ARM_STACK: usize = 13;
pub(crate) const ARM_LINK: usize = 14;
pub(crate) const ARM_PROGRAM_COUNTER: usize = 15;
/// Number of an ARM's status register in force.
pub(crate) const ARM_STATUS: usize = 16;

/// The PowerPC's registers behind r31, by the names of GDB's feature.
const POWERPC_OTHERS: [&str; 6] = ["pc", "msr", "cr", "lr", "ctr", "xer"];
const POWERPC_PROGRAM_COUNTER: usize = 32;

impl Layout {
    /// Of a machine's cores.
    pub fn of(machine: &Machine) -> Layout {
        match machine.core(0) {
            CoreView::Arm(_) => Layout::Arm,
            CoreView::PowerPc(_) => Layout::PowerPc,
        }
    }

    /// How many registers there are.
    pub fn count(self) -> usize {
        match self {
            Layout::Arm => banks::REGISTERS,
            Layout::PowerPc => POWERPC_PROGRAM_COUNTER + POWERPC_OTHERS.len(),
        }
    }

    /// The order in which registers are written: on an ARM the status first, which chooses the bank.
    pub fn writing_order(self) -> Vec<usize> {
        let all = 0..self.count();
        match self {
            Layout::Arm => [ARM_STATUS].into_iter().chain(all).collect(),
            Layout::PowerPc => all.collect(),
        }
    }

    /// A register's value.
    pub fn read(self, core: CoreView, number: usize) -> Option<u32> {
        match core {
            CoreView::Arm(core) => banks::read(core, number),
            CoreView::PowerPc(core) => read_powerpc(core, number),
        }
    }

    /// The bytes of a value as GDB reads them: in the core's order.
    pub fn bytes(self, value: u32) -> [u8; 4] {
        match self {
            Layout::Arm => value.to_le_bytes(),
            Layout::PowerPc => value.to_be_bytes(),
        }
    }

    /// The value of such bytes.
    pub fn value(self, bytes: [u8; 4]) -> u32 {
        match self {
            Layout::Arm => u32::from_le_bytes(bytes),
            Layout::PowerPc => u32::from_be_bytes(bytes),
        }
    }

    /// The name of a register by its number in the target description.
    pub fn name(self, number: usize) -> String {
        match self {
            Layout::Arm => arm_name(number),
            Layout::PowerPc if number < POWERPC_PROGRAM_COUNTER => format!("r{number}"),
            Layout::PowerPc => POWERPC_OTHERS
                .get(number - POWERPC_PROGRAM_COUNTER)
                .map_or_else(String::new, |name| String::from(*name)),
        }
    }

    /// The target description, with the features that GDB knows.
    pub fn description(self) -> String {
        let (architecture, feature) = match self {
            Layout::Arm => ("armv4t", "org.gnu.gdb.arm.core"),
            Layout::PowerPc => ("powerpc:common", "org.gnu.gdb.power.core"),
        };
        let mut xml = format!(
            "<?xml version=\"1.0\"?><!DOCTYPE target SYSTEM \"gdb-target.dtd\"><target version=\"1.0\">\
             <architecture>{architecture}</architecture><feature name=\"{feature}\">"
        );
        for number in 0..self.count() {
            let banked = self == Layout::Arm && number >= banks::FIRST_BANKED;
            if self == Layout::Arm && number == banks::FIRST_BANKED {
                xml += "</feature><feature name=\"org.socscope.arm.banks\">";
            }
            let group = if banked {
                " group=\"banked\" save-restore=\"no\""
            } else {
                ""
            };
            let (name, kind) = (self.name(number), self.kind(number));
            let _ = write!(
                xml,
                "<reg name=\"{name}\" bitsize=\"32\" type=\"{kind}\"{group}/>"
            );
        }
        xml + "</feature></target>"
    }

    fn kind(self, number: usize) -> &'static str {
        match (self, number) {
            (Layout::Arm, ARM_STACK) => "data_ptr",
            (Layout::Arm, ARM_LINK | ARM_PROGRAM_COUNTER) => "code_ptr",
            (Layout::PowerPc, POWERPC_PROGRAM_COUNTER) => "code_ptr",
            _ => "uint32",
        }
    }
}

fn arm_name(number: usize) -> String {
    match number {
        ARM_STACK => "sp".into(),
        ARM_LINK => "lr".into(),
        ARM_PROGRAM_COUNTER => "pc".into(),
        ARM_STATUS => "cpsr".into(),
        0..ARM_STACK => format!("r{number}"),
        _ => BANKED_REGISTERS
            .get(number - banks::FIRST_BANKED)
            .map_or_else(String::new, |bank| bank.name.into()),
    }
}

fn read_powerpc(core: &powerpc::Core, number: usize) -> Option<u32> {
    Some(match number {
        0..POWERPC_PROGRAM_COUNTER => core.register(number as u32),
        32 => core.program_counter(),
        33 => core.msr().0,
        34 => core.condition,
        35 => core.link,
        36 => core.count,
        37 => core.xer.bits(),
        _ => return None,
    })
}
