//! An access that is aborted, as a core is told of it.

use super::TranslationFault;
use super::fault::status;
use crate::system_control::Register;
use crate::{Core, CoreModel, Version};
use socscope_isa::LineOperation;
use socscope_memory::Fault;

/// An access that no memory or device answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Abort {
    /// The modified virtual address.
    address: u32,
    /// What the fault status registers say of it.
    status: u32,
    /// What the bus, or the core, has refused; nothing where the address has no translation.
    refused: Option<Fault>,
}

impl From<TranslationFault> for Abort {
    fn from(TranslationFault { address, status }: TranslationFault) -> Abort {
        Abort {
            address,
            status,
            refused: None,
        }
    }
}

impl Abort {
    /// The modified virtual address is off alignment.
    pub fn misaligned(address: u32, fault: Fault) -> Abort {
        Abort {
            address,
            status: status::ALIGNMENT,
            refused: Some(fault),
        }
    }

    /// The bus has refused what the core asked for at a modified virtual address; `status` is what it says of such a refusal there.
    pub fn external(address: u32, status: u32, fault: Fault) -> Abort {
        Abort {
            address,
            status,
            refused: Some(fault),
        }
    }

    /// The same, of a write.
    #[must_use]
    pub fn of_write(self) -> Abort {
        Abort {
            status: self.status | status::WRITE,
            ..self
        }
    }
}

impl Core {
    /// Tells the core of a data access that is aborted.
    pub(crate) fn take_data_abort(&mut self, abort: Abort) {
        self.last_fault = abort.refused;
        if !self.model().has_system_control() {
            return;
        }
        let mask = match self.model().has(Version::V6) {
            true => u32::MAX,
            false => 0xff,
        };
        self.control
            .set(Register::DataFaultStatus, abort.status & mask);
        self.control.set(Register::FaultAddress, abort.address);
    }

    /// Tells the core of a fetch that is aborted.
    pub(crate) fn take_prefetch_abort(&mut self, abort: Abort) {
        self.last_fault = abort.refused;
        self.note_fetch_fault(abort.address, abort.status);
    }

    /// A breakpoint's instruction is answered as an aborted fetch is.
    pub(crate) fn take_breakpoint(&mut self, address: u32) {
        self.note_fetch_fault(self.control.modified(address), status::DEBUG);
    }

    /// What a line's address without a translation comes to: nothing before version 6, whose caches are looked up by the address of the program.
    pub(crate) fn line_abort(
        &mut self,
        operation: LineOperation,
        fault: TranslationFault,
    ) -> Option<Abort> {
        if !self.model().has(Version::V6) {
            return None;
        }
        let status = match operation {
            LineOperation::DiscardInstructions => {
                self.control
                    .set(Register::InstructionFaultStatus, fault.status & 0xf);
                status::INSTRUCTION_LINE
            }
            _ => fault.status,
        };
        Some(TranslationFault { status, ..fault }.into())
    }

    fn note_fetch_fault(&mut self, address: u32, status: u32) {
        if !self.model().has_system_control() {
            return;
        }
        // The status of fetches has no domain from version 6 on.
        let mask = match self.model().has(Version::V6) {
            true => 0x40f,
            false => 0xff,
        };
        self.control
            .set(Register::InstructionFaultStatus, status & mask);
        if self.model() == CoreModel::Arm1176JzS {
            self.control.set(Register::InstructionFaultAddress, address);
        }
    }
}
