//! The registers that only some modes have, as a list: how a debugger and a log of changes number them.

use super::{Core, Mode, Status};

/// A register of one mode's bank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BankedRegister {
    /// Its name: `sp_irq`.
    pub name: &'static str,
    /// The mode.
    pub mode: Mode,
    /// Number of the register in that mode; `None` is the saved status.
    pub index: Option<u32>,
}

const fn banked(name: &'static str, mode: Mode, index: u32) -> BankedRegister {
    BankedRegister {
        name,
        mode,
        index: Some(index),
    }
}

const fn saved(name: &'static str, mode: Mode) -> BankedRegister {
    BankedRegister {
        name,
        mode,
        index: None,
    }
}

/// All of them. The order is fixed: logs hold its numbers.
pub const BANKED_REGISTERS: [BankedRegister; 27] = [
    banked("r8_usr", Mode::User, 8),
    banked("r9_usr", Mode::User, 9),
    banked("r10_usr", Mode::User, 10),
    banked("r11_usr", Mode::User, 11),
    banked("r12_usr", Mode::User, 12),
    banked("sp_usr", Mode::User, 13),
    banked("lr_usr", Mode::User, 14),
    banked("r8_fiq", Mode::FastInterrupt, 8),
    banked("r9_fiq", Mode::FastInterrupt, 9),
    banked("r10_fiq", Mode::FastInterrupt, 10),
    banked("r11_fiq", Mode::FastInterrupt, 11),
    banked("r12_fiq", Mode::FastInterrupt, 12),
    banked("sp_fiq", Mode::FastInterrupt, 13),
    banked("lr_fiq", Mode::FastInterrupt, 14),
    saved("spsr_fiq", Mode::FastInterrupt),
    banked("sp_irq", Mode::Interrupt, 13),
    banked("lr_irq", Mode::Interrupt, 14),
    saved("spsr_irq", Mode::Interrupt),
    banked("sp_svc", Mode::Supervisor, 13),
    banked("lr_svc", Mode::Supervisor, 14),
    saved("spsr_svc", Mode::Supervisor),
    banked("sp_abt", Mode::Abort, 13),
    banked("lr_abt", Mode::Abort, 14),
    saved("spsr_abt", Mode::Abort),
    banked("sp_und", Mode::Undefined, 13),
    banked("lr_und", Mode::Undefined, 14),
    saved("spsr_und", Mode::Undefined),
];

impl Core {
    /// A register of [`BANKED_REGISTERS`].
    pub fn banked_register(&self, number: usize) -> Option<u32> {
        let BankedRegister { mode, index, .. } = BANKED_REGISTERS.get(number)?;
        match index {
            Some(index) => Some(self.register_of(*mode, *index)),
            None => self.saved_status_of(*mode).map(Status::bits),
        }
    }

    /// Writes a register of [`BANKED_REGISTERS`]; whether there is one of this number.
    pub fn set_banked_register(&mut self, number: usize, value: u32) -> bool {
        let Some(&BankedRegister { mode, index, .. }) = BANKED_REGISTERS.get(number) else {
            return false;
        };
        match (index, self.saved_status_of(mode)) {
            (Some(index), _) => self.set_register_of(mode, index, value),
            (None, Some(status)) => {
                self.set_saved_status_of(mode, status.with_bits_of(self.model(), value));
            }
            (None, None) => return false,
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_in_every_mode() {
        let mut core = Core::default();
        for (mode, number) in Mode::ALL
            .into_iter()
            .flat_map(|mode| (0..BANKED_REGISTERS.len()).map(move |number| (mode, number)))
        {
            core.set_status(Status {
                mode,
                ..core.status()
            });
            let value = 0x1000_0013 | (number as u32) << 24;
            assert!(core.set_banked_register(number, value));
            let expected = match BANKED_REGISTERS[number].index {
                Some(_) => value,
                // The status register has no bits 24 to 27.
                None => Status::RESET.with_bits(value).bits(),
            };
            assert_eq!(core.banked_register(number), Some(expected));
        }
        assert!(!core.set_banked_register(BANKED_REGISTERS.len(), 0));
        assert_eq!(core.banked_register(BANKED_REGISTERS.len()), None);
    }
}
