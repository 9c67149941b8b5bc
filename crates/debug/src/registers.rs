//! Registers of threads.

use crate::arch::{ArmRegisters, Register};
use crate::banks::{self, REGISTERS};
use crate::debugger::Debugger;
use crate::threads::Thread;
use gdbstub::common::Tid;
use gdbstub::target::ext::base::single_register_access::SingleRegisterAccess;
use gdbstub::target::{TargetError, TargetResult};
use socscope_machine::Input;

/// `ESRCH`: no such thread.
pub(crate) const NO_THREAD: u8 = 3;
/// `EPERM`: a task that does not run is only looked at.
const NOT_RUNNING: u8 = 1;
/// `EINVAL`.
const INVALID: u8 = 22;

impl Debugger<'_> {
    pub(crate) fn registers_of(&mut self, tid: Tid) -> Option<ArmRegisters> {
        let thread = self.alive(tid)?;
        let machine = &self.machines[thread.machine()];
        let mut found = ArmRegisters::default();
        match thread {
            Thread::Task {
                machine: index,
                address,
                ..
            } if !self.has_core(thread) => {
                let table = self.task_tables[index].as_ref()?;
                found.0 = table.saved_registers(machine, address, self.view.as_deref());
            }
            _ => {
                let core = machine.core(0).arm()?;
                for number in 0..REGISTERS {
                    found.0[number] = banks::read(core, number);
                }
            }
        }
        Some(found)
    }

    pub(crate) fn write_register_of(
        &mut self,
        tid: Tid,
        number: usize,
        value: u32,
    ) -> TargetResult<(), Self> {
        let Some(thread) = self.alive(tid) else {
            return Err(TargetError::Errno(NO_THREAD));
        };
        if !self.has_core(thread) {
            return Err(TargetError::Errno(NOT_RUNNING));
        }
        let number = u8::try_from(number).map_err(|_| TargetError::Errno(INVALID))?;
        self.past_changes();
        self.machines[thread.machine()]
            .apply(Input::Register { number, value })
            .map_err(|_| TargetError::Errno(INVALID))
    }
}

impl SingleRegisterAccess<Tid> for Debugger<'_> {
    fn read_register(
        &mut self,
        tid: Tid,
        register: Register,
        buffer: &mut [u8],
    ) -> TargetResult<usize, Self> {
        let registers = self
            .registers_of(tid)
            .ok_or(TargetError::Errno(NO_THREAD))?;
        match registers.0.get(register.0).copied().flatten() {
            Some(value) if buffer.len() >= 4 => {
                buffer[..4].copy_from_slice(&value.to_le_bytes());
                Ok(4)
            }
            // No bytes: not available.
            _ => Ok(0),
        }
    }

    fn write_register(
        &mut self,
        tid: Tid,
        register: Register,
        value: &[u8],
    ) -> TargetResult<(), Self> {
        let value: [u8; 4] = value.try_into().map_err(|_| TargetError::Errno(INVALID))?;
        self.write_register_of(tid, register.0, u32::from_le_bytes(value))
    }
}
