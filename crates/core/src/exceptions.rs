//! What exceptions are to those who know only their numbers.

/// Why an exception is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// The line of an interrupt controller asks for it.
    Interrupt,
    /// An instruction asks the system for something; the interrupted code goes on behind it.
    SystemCall,
    /// An instruction that does not exist; the interrupted code goes on behind it.
    Undefined,
    /// All else: faults, timers, resets.
    Other,
}

impl Cause {
    /// Whether an instruction asked for it, behind which the interrupted code goes on.
    pub fn is_by_instruction(self) -> bool {
        matches!(self, Cause::SystemCall | Cause::Undefined)
    }
}

/// The exceptions of an architecture, by the numbers that probes are told.
#[derive(Clone, Copy, Debug)]
pub struct Exceptions {
    /// What one is called in reports.
    pub name: fn(u8) -> String,
    /// Why one is taken.
    pub cause: fn(u8) -> Cause,
    /// Whether one is the fault of an instruction: one that comes again and again at the same place tells that the guest is lost.
    pub is_fault: fn(u8) -> bool,
    /// Whether the cycles of its entry are told behind its transfer, apart from those of an instruction.
    pub is_told_apart: fn(u8) -> bool,
    /// They leave the stack pointer as it is: an instruction that returns from them with another one only changes the machine's state.
    pub keep_stack: bool,
    /// The vectors that interrupt controllers hand out are addresses of handlers.
    pub have_handler_addresses: bool,
}

impl Exceptions {
    /// Whether an exception is what an instruction asked for, behind which the interrupted code goes on.
    pub fn is_by_instruction(&self, number: u8) -> bool {
        (self.cause)(number).is_by_instruction()
    }
}
