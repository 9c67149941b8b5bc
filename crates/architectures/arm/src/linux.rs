//! What an ARM shows of a Linux kernel with the calling convention of the EABI: user or kernel in the saved status, the reason in the vector. The task is
//! in a variable.

use crate::{Core, Exception, Mode, STACK};
use socscope_core::{KernelEntry, LinuxCore};
use socscope_memory::Endianness;

/// r7 and r0 of a system call.
const SYSTEM_CALL_NUMBER: u32 = 7;
const SYSTEM_CALL_RESULT: u32 = 0;

const SYSTEM_CALL: u8 = Exception::SoftwareInterrupt.number();

impl LinuxCore for Core {
    fn byte_order(&self) -> Endianness {
        Endianness::Little
    }

    fn entry(&self, number: u8) -> KernelEntry {
        const INTERRUPT: u8 = Exception::Interrupt.number();
        const FAST_INTERRUPT: u8 = Exception::FastInterrupt.number();
        match number {
            INTERRUPT | FAST_INTERRUPT => KernelEntry::Interrupt,
            SYSTEM_CALL => KernelEntry::SystemCall(self.register(SYSTEM_CALL_NUMBER)),
            number => KernelEntry::Fault(u32::from(number) * 4),
        }
    }

    /// `vector_stub` of arch/arm/kernel/entry-armv.S; system calls are in the supervisor's mode from the beginning.
    fn changes_mode(&self, number: u8) -> bool {
        number != SYSTEM_CALL
    }

    fn has_left_user(&self) -> bool {
        let saved = self.saved_status();
        saved.is_some_and(|saved| saved.mode == Mode::User)
    }

    fn interrupted_stack(&self) -> u32 {
        let saved = self.saved_status().unwrap_or(self.status());
        self.register_of(saved.mode, STACK)
    }

    fn system_call_result(&self) -> u32 {
        self.register(SYSTEM_CALL_RESULT)
    }
}
