//! The state of a core.

use super::special::{self, special_register};
use super::time::Time;
use super::{CoreModel, Exception, Msr};
use serde::{Deserialize, Serialize};
use socscope_memory::Fault;

/// Bytes that a reservation covers, from a multiple of them on.
pub const RESERVATION_BYTES: u32 = 32;

/// Bits of what a core shall do: a reset, a machine check by its line, the decrementer's exception.
const RESET: u8 = 1;
const MACHINE_CHECK: u8 = 2;
const DECREMENTER: u8 = 4;
/// Nothing at all, until one of the others or an interrupt.
const STOPPED: u8 = 8;

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

/// All special registers that have no field of their own, by number.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Vec<u32>")]
struct SpecialValues(Vec<u32>);

impl TryFrom<Vec<u32>> for SpecialValues {
    type Error = &'static str;

    fn try_from(values: Vec<u32>) -> Result<SpecialValues, &'static str> {
        match values.len() {
            special::COUNT => Ok(SpecialValues(values)),
            _ => Err("a core has 1024 special registers"),
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
    special: SpecialValues,
    time: Time,
    /// What the core shall do before its next instruction, as bits.
    requests: u8,
    /// r0 to r3 of the 603's table search, or of the program during one.
    temporary: [u32; 4],
    /// Address of the reserved granule on the bus.
    pub reservation: Option<u32>,
    /// The last access that the bus refused, for reports.
    pub last_fault: Option<Fault>,
}

impl Core {
    /// A core after reset: it begins at 0xfff00100.
    pub fn new(model: CoreModel) -> Core {
        let mut special = vec![0; special::COUNT];
        special[special::PVR as usize] = model.version();
        special[special::SVR as usize] = model.system_version();
        let mut core = Core {
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
            special: SpecialValues(special),
            time: Time::new(),
            requests: 0,
            temporary: [0; 4],
            reservation: None,
            last_fault: None,
        };
        // The e600 counts time only while HID0 says so.
        core.time.enable(model != CoreModel::E600, 0);
        core
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

    /// All general-purpose registers.
    #[inline(always)]
    pub fn registers(&self) -> &[u32; 32] {
        &self.registers
    }

    /// All general-purpose registers.
    #[inline(always)]
    pub fn registers_mut(&mut self) -> &mut [u32; 32] {
        &mut self.registers
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

    /// Writes the machine state; bits that the core does not have stay zero. TGPR exchanges r0 to r3.
    pub fn set_msr(&mut self, msr: Msr) {
        let before = self.msr.0;
        self.msr = Msr(msr.0 & self.model.msr_mask());
        if (before ^ self.msr.0) & Msr::TEMPORARY_REGISTERS != 0 {
            self.registers[..4].swap_with_slice(&mut self.temporary);
        }
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

    /// A special register by number, as mfspr reads it with privilege at `cycle`; 0 for one that the core does not have.
    pub fn special_at(&self, number: u32, cycle: u64) -> u32 {
        match number {
            special::TBL => self.time.base_at(cycle) as u32,
            special::TBU => (self.time.base_at(cycle) >> 32) as u32,
            special::DEC => self.time.decrementer_at(cycle),
            _ => self.special(number),
        }
    }

    /// The same for registers that no time changes: all but the time base and the decrementer, which read as 0 here.
    pub fn special(&self, number: u32) -> u32 {
        match number {
            special::XER => self.xer.bits(),
            special::LR => self.link,
            special::CTR => self.count,
            // The user's copies of the performance monitor lie 16 below.
            928..=942 => self.special.0[number as usize + 16],
            _ => self.special.0[number as usize % special::COUNT],
        }
    }

    /// Where a special register that is only kept stands in [`Core::kept`]; none for XER, LR, CTR, the time base and the decrementer.
    pub fn place_of_kept(number: u32) -> Option<usize> {
        match number {
            special::XER | special::LR | special::CTR => None,
            special::TBL | special::TBU | special::DEC => None,
            928..=942 => Some(number as usize + 16),
            0..1024 => Some(number as usize),
            _ => None,
        }
    }

    /// The special registers that are only kept, as [`Core::special`] reads them.
    pub fn kept(&self) -> &[u32] {
        &self.special.0
    }

    /// The same, for writing those of [`Core::place_of_plain`].
    pub fn kept_mut(&mut self) -> &mut [u32] {
        &mut self.special.0
    }

    /// Where a special register stands in [`Core::kept`] whose new value is kept whole and changes nothing else: what exceptions save, and what
    /// software keeps for itself.
    pub fn place_of_plain(number: u32) -> Option<usize> {
        let plain = matches!(
            number,
            special::DSISR | special::DAR | special::SRR0 | special::SRR1 | special::VRSAVE
        ) || (special::SPRG0..special::SPRG0 + 4).contains(&number);
        plain.then_some(number as usize)
    }

    /// Writes a special register by number, as mtspr does with privilege at `cycle`; one that the core does not have is left alone.
    pub fn set_special_at(&mut self, number: u32, value: u32, cycle: u64) {
        match number {
            special::TBL_WRITE => {
                let high = self.time.base_at(cycle) >> 32 << 32;
                self.time.set_base(high | u64::from(value), cycle);
            }
            special::TBU_WRITE => {
                let low = self.time.base_at(cycle) & u64::from(u32::MAX);
                self.time.set_base(u64::from(value) << 32 | low, cycle);
            }
            special::DEC => {
                // Setting the sign passes zero as counting does.
                let before = self.time.decrementer_at(cycle);
                if before >> 31 == 0 && value >> 31 != 0 {
                    self.requests |= DECREMENTER;
                }
                self.time.set_decrementer(value, cycle);
            }
            _ => self.set_special(number, value),
        }
        if number == special::HID0 && self.model == CoreModel::E600 {
            self.time
                .enable(value & special::HID0_TIME_BASE != 0, cycle);
        }
    }

    /// The same for registers that have nothing to do with time; time base and decrementer are left alone.
    pub(super) fn set_special(&mut self, number: u32, value: u32) {
        let Some(register) = special_register(self.model, number) else {
            return;
        };
        match number {
            special::XER => self.xer = Xer::from_bits(value),
            special::LR => self.link = value,
            special::CTR => self.count = value,
            special::TBL_WRITE | special::TBU_WRITE | special::DEC => {}
            _ => self.special.0[number as usize] = value & register.mask,
        }
    }

    /// Whether the data cache is on (HID0\[DCE\]).
    pub fn has_data_cache(&self) -> bool {
        self.special(special::HID0) & special::HID0_DATA_CACHE != 0
    }

    /// Says which core of a machine this is (PIR).
    pub fn set_number(&mut self, number: u32) {
        self.special.0[special::PIR as usize] = number;
    }

    /// Says how fast the time base counts: both frequencies as the device tree gives them, neither 0.
    pub fn set_time_base_frequency(&mut self, ticks_hz: u32, cycles_hz: u32) {
        self.time.set_ratio(ticks_hz, cycles_hz);
    }

    /// The time base.
    pub fn time_base_at(&self, cycle: u64) -> u64 {
        self.time.base_at(cycle)
    }

    /// Writes the time base.
    pub fn set_time_base(&mut self, value: u64, cycle: u64) {
        self.time.set_base(value, cycle);
    }

    /// The first cycle at which the decrementer has passed zero; a core that runs up to it, and no further, takes its exception in time.
    #[inline(always)]
    pub fn decrementer_due_cycle(&self) -> u64 {
        self.time.due_cycle()
    }

    /// Notices that the decrementer passed zero by `cycle`. Engines call it before each instruction.
    #[inline(always)]
    pub fn notice_time(&mut self, cycle: u64) {
        if cycle >= self.time.due_cycle() {
            self.decrementer_passes_zero();
        }
    }

    #[cold]
    fn decrementer_passes_zero(&mut self) {
        self.requests |= DECREMENTER;
        self.time.passed_zero();
    }

    /// The decrementer passed zero, and its exception was not taken yet.
    pub fn decrementer_pending(&self) -> bool {
        self.requests & DECREMENTER != 0
    }

    /// A pulse on the line for resets.
    pub fn request_reset(&mut self) {
        self.requests |= RESET;
    }

    /// A pulse on the line for machine checks; a core that does not listen (EMCP of HID0, of the e600's HID1) ignores it.
    pub fn request_machine_check(&mut self) {
        let register = match self.model {
            CoreModel::E600 => special::HID1,
            _ => special::HID0,
        };
        if self.special(register) & special::HID_MACHINE_CHECK_LINE != 0 {
            self.requests |= MACHINE_CHECK;
        }
    }

    /// Whether the core executes nothing until an interrupt (MSR\[POW\]).
    #[inline(always)]
    pub fn is_stopped(&self) -> bool {
        self.requests & STOPPED != 0
    }

    /// After mtmsr: stops the core if MSR\[POW\] and HID0 say so.
    pub fn stop_if_asked(&mut self) {
        let modes = match self.model {
            CoreModel::E600 => special::HID0_NAP | special::HID0_SLEEP,
            _ => special::HID0_DOZE | special::HID0_NAP | special::HID0_SLEEP,
        };
        if self.msr.has(Msr::POWER_MANAGEMENT) && self.special(special::HID0) & modes != 0 {
            self.requests |= STOPPED;
        }
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
    pub fn pending(&self, interrupt: bool) -> Option<Exception> {
        if interrupt || self.requests & (RESET | MACHINE_CHECK | DECREMENTER) != 0 {
            self.most_urgent(interrupt)
        } else {
            None
        }
    }

    /// In the order of the manual's "Exception priorities".
    fn most_urgent(&self, interrupt: bool) -> Option<Exception> {
        let enabled = self.msr.has(Msr::EXTERNAL_ENABLE);
        if self.requests & RESET != 0 {
            Some(Exception::SystemReset)
        } else if self.requests & MACHINE_CHECK != 0 {
            Some(Exception::MachineCheck)
        } else if enabled && interrupt {
            Some(Exception::External)
        } else if enabled && self.requests & DECREMENTER != 0 {
            Some(Exception::Decrementer)
        } else {
            None
        }
    }

    /// An exception is taken: what asked for it no longer does, and the core runs.
    pub(super) fn request_taken(&mut self, exception: Exception) {
        self.requests &= !match exception {
            Exception::SystemReset => RESET | STOPPED,
            Exception::MachineCheck => MACHINE_CHECK | STOPPED,
            Exception::Decrementer => DECREMENTER | STOPPED,
            _ => STOPPED,
        };
    }
}
