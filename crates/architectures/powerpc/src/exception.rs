//! Exceptions: vectors, and what the save registers tell (manual: "Exceptions").

use super::{Core, CoreModel, Msr, mmu, special};
use serde::{Deserialize, Serialize};
use socscope_core::Purpose;

/// A reason to leave the program for a vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Exception {
    /// The reset line.
    SystemReset,
    /// The bus refused an access.
    MachineCheck,
    /// Data at `address` could not be translated or is protected; `status` goes into DSISR.
    DataStorage {
        /// The effective address.
        address: u32,
        /// Bits of DSISR.
        status: u32,
    },
    /// The instruction could not be translated or is protected; `status` goes into SRR1.
    InstructionStorage {
        /// Bits of SRR1.
        status: u32,
    },
    /// Neither a block nor a translation buffer holds `address`, and software shall search the page table.
    TableSearch {
        /// The effective address.
        address: u32,
        /// What it is used for; a write also if the page is only not marked as changed.
        purpose: Purpose,
    },
    /// The interrupt line.
    External,
    /// An access that the core cannot make at `address`; `status` goes into DSISR.
    Alignment {
        /// The effective address.
        address: u32,
        /// Bits of DSISR, made from the instruction.
        status: u32,
    },
    /// An instruction that the program should not have executed.
    Program(ProgramCause),
    /// A floating-point instruction while MSR\[FP\] is clear.
    FloatUnavailable,
    /// The decrementer passed zero.
    Decrementer,
    /// sc.
    SystemCall,
    /// After an instruction, with MSR\[SE\] or MSR\[BE\].
    Trace,
    /// An AltiVec instruction while MSR\[VEC\] is clear.
    VectorUnavailable,
    /// Vector arithmetic on denormalised numbers in Java mode, which the core leaves to software.
    VectorAssist,
}

/// Why a program exception was taken: a bit of SRR1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[repr(u32)]
pub enum ProgramCause {
    /// A floating-point exception that is enabled.
    Float = 0x0010_0000,
    /// An instruction that does not exist, or has an invalid form.
    Illegal = 0x0008_0000,
    /// A privileged instruction without privilege.
    Privileged = 0x0004_0000,
    /// tw, twi.
    Trap = 0x0002_0000,
}

/// SRR1 of a machine check: the bus answered with an error (TEA).
const BUS_ERROR: u32 = 0x0004_0000;

impl Exception {
    /// Offset of its vector.
    pub const fn vector(self) -> u32 {
        match self {
            Exception::SystemReset => 0x100,
            Exception::MachineCheck => 0x200,
            Exception::DataStorage { .. } => 0x300,
            Exception::InstructionStorage { .. } => 0x400,
            Exception::External => 0x500,
            Exception::Alignment { .. } => 0x600,
            Exception::Program(_) => 0x700,
            Exception::FloatUnavailable => 0x800,
            Exception::Decrementer => 0x900,
            Exception::SystemCall => 0xc00,
            Exception::Trace => 0xd00,
            Exception::VectorUnavailable => 0xf20,
            Exception::TableSearch { purpose, .. } => match purpose {
                Purpose::Fetch => 0x1000,
                Purpose::Read => 0x1100,
                Purpose::Write => 0x1200,
            },
            Exception::VectorAssist => 0x1600,
        }
    }

    /// A number for each vector, for probes: its offset divided by 32, as far as it fits.
    pub const fn number(self) -> u8 {
        (self.vector() >> 5) as u8
    }

    /// The offset of the vector of a number.
    pub(crate) const fn offset(number: u8) -> u32 {
        (number as u32) << 5
    }

    /// Bits of SRR1 beside those of the machine state.
    const fn status(self) -> u32 {
        match self {
            Exception::MachineCheck => BUS_ERROR,
            Exception::InstructionStorage { status } => status,
            Exception::Program(cause) => cause as u32,
            _ => 0,
        }
    }
}

/// Where the vectors lie while MSR\[IP\] is set.
pub const HIGH_VECTORS: u32 = 0xfff0_0000;

impl Core {
    /// Enters the handler of `exception`. `address` is what SRR0 shall hold: the instruction that raised it or, for system calls, traces
    /// and interrupts, the one that would be next.
    pub fn enter(&mut self, exception: Exception, address: u32) {
        self.request_taken(exception);
        let before = self.msr();
        let saved = before.0 & Msr::SAVED;
        if let Exception::DataStorage { address, status }
        | Exception::Alignment { address, status } = exception
        {
            self.set_special(special::DAR, address);
            self.set_special(special::DSISR, status);
        }
        self.set_special(special::SRR0, address);
        self.set_special(special::SRR1, saved | exception.status());
        let mut handler = before.for_handler(matches!(exception, Exception::MachineCheck));
        if let Exception::TableSearch { address, purpose } = exception {
            self.prepare_table_search(address, purpose, before);
            if self.model() == CoreModel::Ppc603e {
                handler.0 |= Msr::TEMPORARY_REGISTERS;
            }
        }
        self.set_msr(handler);
        let prefix = if handler.has(Msr::EXCEPTION_PREFIX) {
            HIGH_VECTORS
        } else {
            0
        };
        self.set_program_counter(prefix | exception.vector());
    }
}

/// SRR1 of a table search: the key, that it was a fetch, that it was a write (MPC603e UM, "Table search exceptions"; the
/// way that the 755 would replace is always 0).
const KEY: u32 = 0x0008_0000;
const FETCH: u32 = 0x0004_0000;
const WRITE: u32 = 0x0001_0000;

impl Core {
    /// Tells the handler what to look for, and where.
    fn prepare_table_search(&mut self, address: u32, purpose: Purpose, before: Msr) {
        let wanted = mmu::Wanted::of(self, address);
        let fetching = purpose == Purpose::Fetch;
        let mut status = before.0 & Msr::SAVED & 0xffff | if wanted.key { KEY } else { 0 };
        if self.model().has_search_registers() {
            status |= self.condition & 0xf000_0000
                | if fetching { FETCH } else { 0 }
                | if purpose == Purpose::Write { WRITE } else { 0 };
            let (missed, compared) = match fetching {
                true => (special::IMISS, special::ICMP),
                false => (special::DMISS, special::DCMP),
            };
            self.set_special(missed, address);
            self.set_special(compared, wanted.compared);
            self.set_special(special::HASH1, wanted.groups[0]);
            self.set_special(special::HASH2, wanted.groups[1]);
        } else {
            // Bit 31 would name the way to replace, of which there is one here.
            self.set_special(special::IMISS, address & !1);
            self.set_special(special::ICMP, wanted.compared);
        }
        self.set_special(special::SRR1, status);
    }
}

/// DSISR of an alignment exception: which instruction it was (manual: "Alignment exception").
pub const fn alignment_status(word: u32) -> u32 {
    let registers = word >> 16 & 0x3ff;
    let update_and_operation = if word >> 26 == 31 {
        (word >> 1 & 3) << 15 | (word >> 6 & 1) << 14 | (word >> 7 & 0xf) << 10
    } else {
        (word >> 26 & 1) << 14 | (word >> 27 & 0xf) << 10
    };
    update_and_operation | registers
}
