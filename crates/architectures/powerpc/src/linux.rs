//! What a 32-bit PowerPC shows of a Linux kernel: the task in SPRG3, user or kernel in MSR\[PR\], the reason in the vector.

use crate::facts::STACK;
use crate::{Core, Exception, Msr, SRR1};
use socscope_core::{KernelEntry, LinuxCore};
use socscope_memory::{AddressSpace, Endianness};

/// SPRG3: the kernel keeps the address on the bus of the current task's `thread` there.
const THREAD: u32 = 275;
/// r0 and r3 of a system call.
const SYSTEM_CALL_NUMBER: u32 = 0;
const SYSTEM_CALL_RESULT: u32 = 3;

impl LinuxCore for Core {
    fn task_registers(&self) -> &'static [u32] {
        &[THREAD]
    }

    fn task(&self, thread_offset: u32, _space: &AddressSpace) -> Option<u32> {
        let thread = self.special(THREAD);
        (thread != 0).then(|| thread.wrapping_sub(thread_offset))
    }

    fn byte_order(&self) -> Endianness {
        Endianness::Big
    }

    fn entry(&self, number: u8) -> KernelEntry {
        const EXTERNAL: u8 = Exception::External.number();
        const DECREMENTER: u8 = Exception::Decrementer.number();
        const SYSTEM_CALL: u8 = Exception::SystemCall.number();
        match number {
            EXTERNAL => KernelEntry::Interrupt,
            DECREMENTER => KernelEntry::Timer,
            SYSTEM_CALL => KernelEntry::SystemCall(self.register(SYSTEM_CALL_NUMBER)),
            number => KernelEntry::Fault(Exception::offset(number)),
        }
    }

    fn has_left_user(&self) -> bool {
        Msr(self.special(SRR1)).has(Msr::PROBLEM)
    }

    fn interrupted_stack(&self) -> u32 {
        self.register(STACK)
    }

    fn system_call_result(&self) -> u32 {
        self.register(SYSTEM_CALL_RESULT)
    }
}
