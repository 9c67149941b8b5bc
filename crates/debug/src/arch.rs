//! Registers as gdbstub hands them around. Which there are is known when a machine is debugged, not before.

use gdbstub::arch::{Arch, RegId, Registers};
use socscope_machine::Machine;
use std::num::NonZeroUsize;

/// Registers that an architecture can have here.
const REGISTERS_MAX: usize = 64;

/// The architecture of the machine that is debugged.
#[derive(Debug)]
pub enum AnyArch {}

impl Arch for AnyArch {
    type Usize = u32;
    type Registers = CoreRegisters;
    type BreakpointKind = usize;
    type RegId = Register;
}

/// A register by its number in the description.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Register(pub usize);

impl RegId for Register {
    fn from_raw_id(id: usize) -> Option<(Self, Option<NonZeroUsize>)> {
        (id < REGISTERS_MAX).then_some((Register(id), NonZeroUsize::new(4)))
    }

    fn to_raw_id(&self) -> Option<usize> {
        Some(self.0)
    }
}

/// All registers of a thread, as bytes in the core's order; what is not known of a task that does not run is `None`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CoreRegisters(pub Vec<Option<[u8; 4]>>);

impl Registers for CoreRegisters {
    type ProgramCounter = u32;

    /// Asked for by nobody: the debugger looks at the core.
    fn pc(&self) -> u32 {
        0
    }

    fn gdb_serialize(&self, mut write_byte: impl FnMut(Option<u8>)) {
        for register in &self.0 {
            match register {
                Some(bytes) => bytes.iter().for_each(|byte| write_byte(Some(*byte))),
                None => (0..4).for_each(|_| write_byte(None)),
            }
        }
    }

    fn gdb_deserialize(&mut self, bytes: &[u8]) -> Result<(), ()> {
        let (registers, rest) = bytes.as_chunks();
        if !rest.is_empty() {
            return Err(());
        }
        self.0 = registers.iter().map(|bytes| Some(*bytes)).collect();
        Ok(())
    }
}

/// The name of a register of a machine's cores by its number in the target description.
pub fn register_name(machine: &Machine, number: usize) -> String {
    machine.core(0).register_file().name(number).into()
}
