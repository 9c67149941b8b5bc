//! What a core shows of the Linux kernel that it runs.

use socscope_memory::{AddressSpace, Endianness};

/// What a kernel is entered for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KernelEntry {
    /// An interrupt controller's line.
    Interrupt,
    /// The core's own timer.
    Timer,
    /// A system call, by its number.
    SystemCall(u32),
    /// An exception that an instruction has brought, by the number that the architecture's manual gives it: a page that is not there, an illegal
    /// instruction.
    Fault(u32),
}

/// A core between two instructions, to those who know Linux.
pub trait LinuxCore {
    /// Special registers that hold the pointer to the task, by the numbers that probes are told ([`crate::Observer::special_written`]); none where
    /// kernels keep it in a variable.
    fn task_registers(&self) -> &'static [u32] {
        &[]
    }
    /// Address on the bus of the control block of the task that such a register points to, in which the architecture's part, `thread`, lies
    /// `thread_offset` behind the beginning; `None` before the kernel has said which task it runs.
    fn task(&self, _thread_offset: u32, _space: &AddressSpace) -> Option<u32> {
        None
    }
    /// How the kernel's words lie in memory.
    fn byte_order(&self) -> Endianness;
    /// What the exception of this number, which has just been taken, enters the kernel for.
    fn entry(&self, number: u8) -> KernelEntry;
    /// Whether the handler of this exception goes on in the kernel's own mode at once, by a return that ends nothing.
    fn changes_mode(&self, _number: u8) -> bool {
        false
    }
    /// Whether the exception that was just taken has interrupted a program.
    fn has_left_user(&self) -> bool;
    /// The stack pointer of what the exception has interrupted that was just taken.
    fn interrupted_stack(&self) -> u32;
    /// What the system call gives that has just returned.
    fn system_call_result(&self) -> u32;
}
