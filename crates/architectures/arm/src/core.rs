//! The state of a core: registers with their banks, status registers.

use super::stored::Stored;
use super::{
    CoreModel, Exception, InstructionSet, LINK, Mmu, Mode, PROGRAM_COUNTER, Status, SystemControl,
    Version,
};
use serde::{Deserialize, Serialize};
use socscope_memory::Fault;

/// Bytes that an exclusive load covers, from a multiple of them on.
pub const EXCLUSIVE_BYTES: u32 = 8;

/// Everything that a core remembers between two instructions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Stored", into = "Stored")]
pub struct Core {
    model: CoreModel,
    /// r0 to r14 as the mode in force sees them; r15 is the address of the next instruction.
    registers: [u32; 16],
    status: Status,
    /// r8 to r12 of all modes but FIQ while FIQ is in force, else those of FIQ.
    other_high: [u32; 5],
    /// r13 and r14 of the user mode while another bank is in force, else 0.
    user: [u32; 2],
    /// r13 and r14 of the five exception modes while another bank is in force, else 0.
    banks: [[u32; 2]; 5],
    saved: [Status; 5],
    /// What system control decides.
    pub control: SystemControl,
    /// Translation of addresses, of models with system control.
    mmu: Option<Box<Mmu>>,
    /// Address of the granule that is marked for an exclusive store.
    pub exclusive: Option<u32>,
    /// The last access that the bus refused, for reports.
    pub last_fault: Option<Fault>,
}

/// The registers of the modes that are not in force.
pub(super) struct Banks {
    pub other_high: [u32; 5],
    pub user: [u32; 2],
    pub banks: [[u32; 2]; 5],
}

impl Default for Core {
    fn default() -> Self {
        Core::new(CoreModel::Arm7Tdmi)
    }
}

impl Core {
    /// A core after reset; its registers are 0.
    pub fn new(model: CoreModel) -> Core {
        let status = Status {
            aborts_disabled: model.has(Version::V6),
            ..Status::RESET
        };
        Core {
            model,
            registers: [0; 16],
            status,
            other_high: [0; 5],
            user: [0; 2],
            banks: [[0; 2]; 5],
            saved: [Status::RESET; 5],
            control: SystemControl::new(model),
            mmu: model
                .has_system_control()
                .then(|| Box::new(Mmu::new(model))),
            exclusive: None,
            last_fault: None,
        }
    }

    /// The status register, then those of the banks.
    pub(super) fn all_status(&self) -> [Status; 6] {
        let [a, b, c, d, e] = self.saved;
        [self.status, a, b, c, d, e]
    }

    pub(super) fn into_registers(self) -> ([u32; 16], Banks) {
        let banks = Banks {
            other_high: self.other_high,
            user: self.user,
            banks: self.banks,
        };
        (self.registers, banks)
    }

    /// Status registers are in the order of [`Core::all_status`].
    pub(super) fn from_registers(
        model: CoreModel,
        registers: [u32; 16],
        banks: Banks,
        [status, saved @ ..]: [Status; 6],
    ) -> Core {
        Core {
            registers,
            status,
            other_high: banks.other_high,
            user: banks.user,
            banks: banks.banks,
            saved,
            ..Core::new(model)
        }
    }

    /// Which core it is.
    #[inline(always)]
    pub fn model(&self) -> CoreModel {
        self.model
    }

    /// Translation of addresses, where the model has one.
    #[inline(always)]
    pub fn mmu_mut(&mut self) -> Option<&mut Mmu> {
        self.mmu.as_deref_mut()
    }

    #[inline(always)]
    pub(super) fn control_and_mmu(&mut self) -> (&SystemControl, Option<&mut Mmu>) {
        (&self.control, self.mmu.as_deref_mut())
    }

    /// For saved states.
    pub(super) fn take_mmu(&mut self) -> Option<Box<Mmu>> {
        self.mmu.take()
    }

    pub(super) fn set_mmu(&mut self, mmu: Option<Box<Mmu>>) {
        self.mmu = mmu;
    }

    /// Takes the reset exception; registers keep their values, but those of system control.
    pub fn reset(&mut self) {
        self.control = SystemControl::new(self.model);
        self.mmu = Core::new(self.model).mmu;
        let address = self.program_counter();
        self.enter(Exception::Reset, address);
    }

    /// A register of the mode in force; 15 gives the address of the next instruction.
    #[inline(always)]
    pub fn register(&self, index: u32) -> u32 {
        self.registers[(index & 15) as usize]
    }

    /// Writes a register of the mode in force.
    #[inline(always)]
    pub fn set_register(&mut self, index: u32, value: u32) {
        self.registers[(index & 15) as usize] = value;
    }

    /// A register as `mode` sees it.
    #[inline]
    pub fn register_of(&self, mode: Mode, index: u32) -> u32 {
        match self.slot(mode, index) {
            Slot::Current(index) => self.registers[index],
            Slot::High(index) => self.other_high[index],
            Slot::User(index) => self.user[index],
            Slot::Bank(bank, index) => self.banks[bank][index],
        }
    }

    /// Writes a register as `mode` sees it.
    #[inline]
    pub fn set_register_of(&mut self, mode: Mode, index: u32, value: u32) {
        *match self.slot(mode, index) {
            Slot::Current(index) => &mut self.registers[index],
            Slot::High(index) => &mut self.other_high[index],
            Slot::User(index) => &mut self.user[index],
            Slot::Bank(bank, index) => &mut self.banks[bank][index],
        } = value;
    }

    /// Address of the next instruction.
    #[inline(always)]
    pub fn program_counter(&self) -> u32 {
        self.registers[PROGRAM_COUNTER as usize]
    }

    /// Sets the address of the next instruction.
    #[inline(always)]
    pub fn set_program_counter(&mut self, address: u32) {
        self.registers[PROGRAM_COUNTER as usize] = address;
    }

    /// The instruction set in force.
    #[inline(always)]
    pub fn instruction_set(&self) -> InstructionSet {
        self.status.instruction_set
    }

    /// The status register.
    #[inline(always)]
    pub fn status(&self) -> Status {
        self.status
    }

    /// The flags of the status register, to change in place; a mode is changed by [`Core::set_status`] only.
    #[inline(always)]
    pub fn flags_mut(&mut self) -> &mut Status {
        &mut self.status
    }

    /// Writes the status register; another mode brings its registers.
    #[inline]
    pub fn set_status(&mut self, status: Status) {
        let from = self.status.mode;
        self.status = status;
        if from == status.mode {
            return;
        }
        if (from == Mode::FastInterrupt) != (status.mode == Mode::FastInterrupt) {
            self.registers[8..13].swap_with_slice(&mut self.other_high);
        }
        let current = [self.registers[13], self.registers[LINK as usize]];
        *self.bank_mut(from) = current;
        let next = std::mem::take(self.bank_mut(status.mode));
        self.registers[13..15].copy_from_slice(&next);
    }

    /// The saved status register of the mode in force.
    #[inline]
    pub fn saved_status(&self) -> Option<Status> {
        self.saved_status_of(self.status.mode)
    }

    /// Writes the saved status register of the mode in force; nothing where it has none.
    #[inline]
    pub fn set_saved_status(&mut self, status: Status) {
        self.set_saved_status_of(self.status.mode, status);
    }

    /// The saved status register of `mode`; none for User and System.
    #[inline]
    pub fn saved_status_of(&self, mode: Mode) -> Option<Status> {
        mode.bank().map(|bank| self.saved[bank])
    }

    /// Writes the saved status register of `mode`; nothing where it has none.
    #[inline]
    pub fn set_saved_status_of(&mut self, mode: Mode, status: Status) {
        if let Some(bank) = mode.bank() {
            self.saved[bank] = status;
        }
    }

    /// Somebody else wrote to `address`: a mark for an exclusive store that covers it is gone.
    #[inline]
    pub fn written_by_others(&mut self, address: u32) {
        if self.exclusive == Some(address & !(EXCLUSIVE_BYTES - 1)) {
            self.exclusive = None;
        }
    }

    fn bank_mut(&mut self, mode: Mode) -> &mut [u32; 2] {
        match mode.bank() {
            None => &mut self.user,
            Some(bank) => &mut self.banks[bank],
        }
    }

    #[inline]
    fn slot(&self, mode: Mode, index: u32) -> Slot {
        let index = (index & 15) as usize;
        let fast = |mode| mode == Mode::FastInterrupt;
        match index {
            8..13 if fast(mode) != fast(self.status.mode) => Slot::High(index - 8),
            13 | 14 if mode.bank() != self.status.mode.bank() => match mode.bank() {
                None => Slot::User(index - 13),
                Some(bank) => Slot::Bank(bank, index - 13),
            },
            _ => Slot::Current(index),
        }
    }
}

enum Slot {
    Current(usize),
    High(usize),
    User(usize),
    Bank(usize, usize),
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers every register of every bank, then reads them in and from every mode.
    #[test]
    fn banks_hold_their_registers_in_every_mode() {
        let mut core = Core::default();
        for mode in Mode::ALL {
            for index in 0..16 {
                core.set_register_of(mode, index, mode as u32 * 0x100 + index);
            }
        }
        let expected = |mode: Mode, index| {
            let owner = match index {
                0..8 | 15 => Mode::System,
                8..13 if mode == Mode::FastInterrupt => mode,
                8..13 => Mode::System,
                _ if mode == Mode::User => Mode::System,
                _ => mode,
            };
            owner as u32 * 0x100 + index
        };
        for current in Mode::ALL {
            core.set_status(Status {
                mode: current,
                ..core.status()
            });
            for mode in Mode::ALL {
                for index in 0..16 {
                    assert_eq!(core.register_of(mode, index), expected(mode, index));
                }
            }
            for index in 0..16 {
                assert_eq!(core.register(index), expected(current, index));
            }
        }
    }
}
