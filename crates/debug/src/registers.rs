//! Registers of threads.

use crate::arch::{CoreRegisters, Register};
use crate::debugger::Debugger;
use crate::threads::Thread;
use gdbstub::common::Tid;
use gdbstub::target::ext::base::single_register_access::SingleRegisterAccess;
use gdbstub::target::{TargetError, TargetResult};
use socscope_core::RegisterFile;
use socscope_machine::Input;

/// `ESRCH`: no such thread.
pub(crate) const NO_THREAD: u8 = 3;
/// `EPERM`: a task that does not run is only looked at.
const NOT_RUNNING: u8 = 1;
/// `EINVAL`.
const INVALID: u8 = 22;

impl Debugger<'_> {
    pub(crate) fn registers_of(&mut self, tid: Tid) -> Option<CoreRegisters> {
        let thread = self.alive(tid)?;
        let machine = &self.machines[thread.machine()];
        let layout = self.layout(thread);
        let values: Vec<Option<u32>> = match thread {
            Thread::Task {
                machine: index,
                address,
                ..
            } if !self.has_core(thread) => {
                let table = self.task_tables[index].as_ref()?;
                table.saved_registers(machine, address, self.view.as_deref())
            }
            _ => crate::tasks::registers(machine.core(self.core_of(thread))),
        };
        let bytes = values.into_iter().map(|value| Some(layout.bytes(value?)));
        Some(CoreRegisters(bytes.collect()))
    }

    /// The registers that a thread has.
    pub(crate) fn layout(&self, thread: Thread) -> &'static RegisterFile {
        let core = match thread {
            Thread::Core { core, .. } => core,
            Thread::Task { .. } => 0,
        };
        self.machines[thread.machine()].core(core).register_file()
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
        let core = self.core_of(thread) as u16;
        let machine = &mut self.machines[thread.machine()];
        machine
            .apply(Input::CoreRegister {
                core,
                number,
                value,
            })
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
            Some(bytes) if buffer.len() >= 4 => {
                buffer[..4].copy_from_slice(&bytes);
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
        let thread = self.alive(tid).ok_or(TargetError::Errno(NO_THREAD))?;
        let value = self.layout(thread).value(value);
        self.write_register_of(tid, register.0, value)
    }
}
