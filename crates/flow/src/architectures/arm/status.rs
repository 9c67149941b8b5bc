//! What is known of ARM's status registers.

use super::Arm;
use crate::architecture::Status;
use crate::flags::{ANY, Flags, Name};
use crate::range::Range;
use crate::reading::{FlowReading, Truth};
use crate::value::Value;
use socscope_arm::Mode;

/// The low bits of the status register that this reading keeps.
pub(super) const CONTROL: u32 = 0xff;
pub(super) const THUMB: u32 = 1 << 5;
pub(super) const IRQ_OFF: u32 = 1 << 7;
/// The flags of the status register.
pub(super) const CONDITIONS: u32 = 0xf000_0000;

/// Number of banks: that of the user and one for each exception mode.
pub(super) const BANKS: u16 = 6;

/// The bank that a mode sees.
pub(super) const fn bank(mode: Mode) -> usize {
    match mode {
        Mode::User | Mode::System => 0,
        Mode::FastInterrupt => 1,
        Mode::Interrupt => 2,
        Mode::Supervisor => 3,
        Mode::Abort => 4,
        Mode::Undefined => 5,
    }
}

/// Mode and flags.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArmStatus {
    /// The mode in force.
    pub mode: Mode,
    /// The low byte of the status register.
    pub control: Range,
    /// The condition flags.
    pub flags: Flags,
}

impl ArmStatus {
    /// At the entry of a program in `mode`.
    pub fn entry(mode: Mode) -> ArmStatus {
        ArmStatus {
            mode,
            control: Range::of(
                [0, 0x40, 0x80, 0xc0]
                    .iter()
                    .map(|masks| masks | mode as u32)
                    .collect(),
            ),
            flags: Flags::UNKNOWN,
        }
    }
}

impl Status for ArmStatus {
    fn forget(&mut self, gone: &dyn Fn(&Value) -> bool) {
        let compared = self.flags.comparison.as_ref();
        if compared.is_some_and(|(compared, _)| compared.is_about(gone)) {
            self.flags.comparison = None;
        }
    }
    fn meet(&mut self, other: &ArmStatus) {
        if self.flags != other.flags {
            self.flags.outcomes |= other.flags.outcomes;
            if self.flags.comparison != other.flags.comparison {
                self.flags.comparison = None;
            }
        }
        self.control = self.control.join(&other.control);
    }
    fn same_ranges(&self, other: &ArmStatus) -> bool {
        self.flags.outcomes == other.flags.outcomes && self.control == other.control
    }
}

impl FlowReading<'_, Arm> {
    /// Puts the new flags into force.
    pub(super) fn put_flags(&mut self) {
        if self.notes == [None; 4] {
            return;
        }
        let old = self.state.status.flags.clone();
        let mut kept = 0;
        let mut outcomes = ANY;
        let mut linked: [u8; 8] = [0; 8];
        for name in Name::ALL {
            match self.notes[name as usize] {
                None => kept |= name.bit(),
                Some(Truth::Known(true)) => outcomes &= name.table(),
                Some(Truth::Known(false)) => outcomes &= !name.table(),
                Some(Truth::Of(of, table)) if of > 0 && of < 8 && table == name.table() => {
                    linked[of] |= name.bit();
                }
                Some(_) => {}
            }
        }
        if kept != 0 {
            outcomes &= Flags::loosened(old.outcomes, kept);
        }
        let mut comparison = None;
        for ((compared, _), linked) in self.comparisons.iter().zip(&linked[1..]) {
            let linked = linked & compared.determines();
            if linked != 0 {
                outcomes &= Flags::loosened(compared.feasible(), linked);
                comparison = Some((Box::new(compared.clone()), linked));
            }
        }
        // Nothing that contradicts itself comes out of words that can be at all.
        let outcomes = if outcomes == 0 { ANY } else { outcomes };
        self.state.status.flags = Flags {
            outcomes,
            comparison,
        };
    }

    pub(super) fn control_written(&mut self, control: Range) {
        let before = self.state.status.mode;
        let modes = control.and(&Range::constant(0x1f));
        match modes.single().and_then(Mode::from_bits) {
            Some(mode) => self.state.status.mode = mode,
            None => self.effects.mode_lost = true,
        }
        let fast = Mode::FastInterrupt;
        if self.state.status.mode != before && (self.state.status.mode == fast || before == fast) {
            for register in 8..13 {
                self.state.words[register] = Value::unknown().made_from(true);
            }
        }
        self.state.status.control = control;
    }
}
