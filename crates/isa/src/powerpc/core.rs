//! The state of a core.

use super::special::{self, special_register};
use super::{CoreModel, Msr};
use serde::{Deserialize, Serialize};
use socscope_memory::Fault;

/// Bytes that a reservation covers, from a multiple of them on.
pub const RESERVATION_BYTES: u32 = 32;

/// XER, apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Xer {
    /// SO.
    pub summary_overflow: bool,
    /// OV.
    pub overflow: bool,
    /// CA.
    pub carry: bool,
    /// Byte count, 0 to 127.
    pub bytes: u8,
}

impl Xer {
    /// As the register reads.
    pub const fn bits(self) -> u32 {
        (self.summary_overflow as u32) << 31
            | (self.overflow as u32) << 30
            | (self.carry as u32) << 29
            | self.bytes as u32
    }

    /// From the register's bits; those that do not exist are ignored.
    pub const fn from_bits(bits: u32) -> Xer {
        Xer {
            summary_overflow: bits >> 31 & 1 != 0,
            overflow: bits >> 30 & 1 != 0,
            carry: bits >> 29 & 1 != 0,
            bytes: (bits & 0x7f) as u8,
        }
    }
}

/// Everything that a core remembers between two instructions, but its translation buffers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Core {
    model: CoreModel,
    registers: [u32; 32],
    program_counter: u32,
    /// The condition register.
    pub condition: u32,
    /// The integer exception register.
    pub xer: Xer,
    /// The link register.
    pub link: u32,
    /// The count register.
    pub count: u32,
    msr: Msr,
    /// Floating-point registers, as bits.
    pub float: [u64; 32],
    /// Floating-point status and control.
    pub float_status: u32,
    /// Vector registers; the most significant byte is byte 0.
    pub vector: [u128; 32],
    /// Vector status and control.
    pub vector_status: u32,
    segments: [u32; 16],
    /// All other special registers, by number.
    special: Vec<u32>,
    /// The time base; who runs the core advances it.
    pub time_base: u64,
    /// The decrementer passed zero, and its exception was not taken yet.
    pub decrementer_pending: bool,
    /// Address of the reserved granule on the bus.
    pub reservation: Option<u32>,
    /// The last access that the bus refused, for reports.
    pub last_fault: Option<Fault>,
}

impl Core {
    /// A core after reset: it begins at 0xfff00100.
    pub fn new(model: CoreModel) -> Core {
        let mut special = vec![0; 1024];
        special[special::PVR as usize] = model.version();
        special[special::DEC as usize] = u32::MAX;
        Core {
            model,
            registers: [0; 32],
            program_counter: 0xfff0_0100,
            condition: 0,
            xer: Xer::default(),
            link: 0,
            count: 0,
            msr: Msr(Msr::EXCEPTION_PREFIX),
            float: [0; 32],
            float_status: 0,
            vector: [0; 32],
            vector_status: 0x0001_0000,
            segments: [0; 16],
            special,
            time_base: 0,
            decrementer_pending: false,
            reservation: None,
            last_fault: None,
        }
    }

    /// Which core it is.
    #[inline(always)]
    pub fn model(&self) -> CoreModel {
        self.model
    }

    /// A general-purpose register.
    #[inline(always)]
    pub fn register(&self, index: u32) -> u32 {
        self.registers[(index & 31) as usize]
    }

    /// Writes a general-purpose register.
    #[inline(always)]
    pub fn set_register(&mut self, index: u32, value: u32) {
        self.registers[(index & 31) as usize] = value;
    }

    /// Address of the next instruction.
    #[inline(always)]
    pub fn program_counter(&self) -> u32 {
        self.program_counter
    }

    /// Sets the address of the next instruction; its two low bits are ignored.
    #[inline(always)]
    pub fn set_program_counter(&mut self, address: u32) {
        self.program_counter = address & !3;
    }

    /// The machine state.
    #[inline(always)]
    pub fn msr(&self) -> Msr {
        self.msr
    }

    /// Writes the machine state; bits that the core does not have stay zero.
    pub fn set_msr(&mut self, msr: Msr) {
        self.msr = Msr(msr.0 & self.model.msr_mask());
    }

    /// A bit of the condition register; 0 is LT of field 0.
    #[inline(always)]
    pub fn condition_bit(&self, bit: u32) -> bool {
        self.condition << (bit & 31) >> 31 != 0
    }

    /// Writes a bit of the condition register.
    #[inline(always)]
    pub fn set_condition_bit(&mut self, bit: u32, value: bool) {
        let place = 31 - (bit & 31);
        self.condition = self.condition & !(1 << place) | u32::from(value) << place;
    }

    /// A segment register, by the low four bits of `index`.
    pub fn segment(&self, index: u32) -> u32 {
        self.segments[(index & 15) as usize]
    }

    /// Writes a segment register.
    pub fn set_segment(&mut self, index: u32, value: u32) {
        self.segments[(index & 15) as usize] = value;
    }

    /// A special register by number, as mfspr reads it with privilege; 0 for one that the core does not have.
    pub fn special(&self, number: u32) -> u32 {
        match number {
            special::XER => self.xer.bits(),
            special::LR => self.link,
            special::CTR => self.count,
            special::TBL => self.time_base as u32,
            special::TBU => (self.time_base >> 32) as u32,
            // The user's copies of the performance monitor lie 16 below.
            928..=942 => self.special[number as usize + 16],
            _ => self.special[(number & 1023) as usize],
        }
    }

    /// Writes a special register by number, as mtspr does with privilege; one that the core does not have is left alone.
    pub fn set_special(&mut self, number: u32, value: u32) {
        let Some(register) = special_register(self.model, number) else {
            return;
        };
        match number {
            special::XER => self.xer = Xer::from_bits(value),
            special::LR => self.link = value,
            special::CTR => self.count = value,
            special::TBL_WRITE => self.time_base = self.time_base >> 32 << 32 | u64::from(value),
            special::TBU_WRITE => {
                self.time_base = self.time_base & u64::from(u32::MAX) | u64::from(value) << 32
            }
            special::DEC => {
                // Setting the sign passes zero as counting does.
                let before = self.special[special::DEC as usize];
                self.decrementer_pending |= before >> 31 == 0 && value >> 31 != 0;
                self.special[special::DEC as usize] = value;
            }
            _ => self.special[number as usize] = value & register.mask,
        }
    }

    /// Says which core of a machine this is (PIR).
    pub fn set_number(&mut self, number: u32) {
        self.special[special::PIR as usize] = number;
    }

    /// Lets the time base and the decrementer count.
    pub fn advance(&mut self, ticks: u64) {
        self.time_base = self.time_base.wrapping_add(ticks);
        let before = self.special[special::DEC as usize];
        self.decrementer_pending |= before >> 31 == 0 && ticks > u64::from(before);
        self.special[special::DEC as usize] = before.wrapping_sub(ticks as u32);
    }

    /// Ticks until the decrementer passes zero; none while it is negative.
    pub fn ticks_to_decrementer(&self) -> Option<u64> {
        let value = self.special[special::DEC as usize];
        (value >> 31 == 0).then_some(u64::from(value) + 1)
    }

    /// Somebody else wrote to `address` on the bus: a reservation that covers it is lost.
    #[inline]
    pub fn written_by_others(&mut self, address: u32) {
        if self.reservation == Some(address & !(RESERVATION_BYTES - 1)) {
            self.reservation = None;
        }
    }

    /// The exception that the core takes before its next instruction, given the state of its interrupt line.
    #[inline(always)]
    pub fn pending(&self, interrupt: bool) -> Option<super::Exception> {
        if !self.msr.has(Msr::EXTERNAL_ENABLE) {
            None
        } else if interrupt {
            Some(super::Exception::External)
        } else if self.decrementer_pending {
            Some(super::Exception::Decrementer)
        } else {
            None
        }
    }
}
