//! Exceptions: vectors, modes and return addresses (manual: "Exceptions").

use super::{Core, InstructionSet, LINK, Mode, Version, control};
use serde::{Deserialize, Serialize};

/// A reason to leave the program for a vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[repr(u8)]
pub enum Exception {
    /// Start, and the reset line.
    Reset = 0,
    /// An instruction that nobody claims.
    Undefined = 1,
    /// SWI.
    SoftwareInterrupt = 2,
    /// An instruction that could not be fetched was about to execute.
    PrefetchAbort = 3,
    /// A data access was refused.
    DataAbort = 4,
    /// Normal interrupt.
    Interrupt = 6,
    /// Fast interrupt.
    FastInterrupt = 7,
}

impl Exception {
    /// Address of its vector, from the vector of the reset on.
    pub const fn vector(self) -> u32 {
        self as u32 * 4
    }

    /// Its vector's address divided by four.
    pub const fn number(self) -> u8 {
        self as u8
    }

    /// The mode in which it is handled.
    pub const fn mode(self) -> Mode {
        match self {
            Exception::Reset | Exception::SoftwareInterrupt => Mode::Supervisor,
            Exception::Undefined => Mode::Undefined,
            Exception::PrefetchAbort | Exception::DataAbort => Mode::Abort,
            Exception::Interrupt => Mode::Interrupt,
            Exception::FastInterrupt => Mode::FastInterrupt,
        }
    }

    /// What r14 holds afterwards. `address` is that of the instruction that raised it, or, for an interrupt, of the one that would be next.
    pub const fn return_address(self, address: u32, set: InstructionSet) -> u32 {
        let next = set.width().bytes();
        address.wrapping_add(match self {
            Exception::Reset => 0,
            Exception::Undefined | Exception::SoftwareInterrupt => next,
            Exception::PrefetchAbort | Exception::Interrupt | Exception::FastInterrupt => 4,
            Exception::DataAbort => 8,
        })
    }
}

impl Core {
    /// Enters the handler of `exception`: banks, masks, ARM state, vector.
    pub fn enter(&mut self, exception: Exception, address: u32) {
        let before = self.status();
        let link = exception.return_address(address, before.instruction_set);
        let mut status = before;
        status.mode = exception.mode();
        status.instruction_set = InstructionSet::Arm;
        status.irq_disabled = true;
        if matches!(exception, Exception::Reset | Exception::FastInterrupt) {
            status.fiq_disabled = true;
        }
        if self.model().has(Version::V6) {
            status.big_endian = self.control.has(control::BIG_ENDIAN_EXCEPTIONS);
            status.aborts_disabled |= !matches!(
                exception,
                Exception::Undefined | Exception::SoftwareInterrupt
            );
        }
        self.set_status(status);
        self.set_saved_status(before);
        self.set_register(LINK, link);
        self.set_program_counter(self.control.vector_base() | exception.vector());
    }
}
