//! Lines that end at cores, and whether the cores work.

use crate::running::processor::CORES_MAX;
use serde::{Deserialize, Serialize};
use socscope_core::InterruptLines;

/// An input of a core.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) enum CoreLine {
    /// The (normal) interrupt request.
    Interrupt,
    /// The fast interrupt request, of cores that have one.
    FastInterrupt,
    /// A rising edge is a machine check.
    MachineCheck,
    /// A rising edge is a system reset exception.
    SoftReset,
    /// While it is low the core is held: it does not fetch.
    Enable,
}

impl CoreLine {
    /// The line and the core that an output of this name goes to: `nirq` and `nfiq` as some controllers have them, or one of the
    /// names below with the number of the core.
    pub fn of_output(name: &str) -> Option<(u16, CoreLine)> {
        match name {
            "nirq" => return Some((0, CoreLine::Interrupt)),
            "nfiq" => return Some((0, CoreLine::FastInterrupt)),
            _ => {}
        }
        let named = [
            ("int", CoreLine::Interrupt),
            ("mcp", CoreLine::MachineCheck),
            ("sreset", CoreLine::SoftReset),
            ("enable", CoreLine::Enable),
        ];
        let numbered = |(prefix, line)| Some((name.strip_prefix(prefix)?.parse().ok()?, line));
        named.into_iter().find_map(numbered)
    }

    /// All of them, by the names that they have behind that of their core.
    const NAMED: [(&str, CoreLine); 5] = [
        ("irq", CoreLine::Interrupt),
        ("fiq", CoreLine::FastInterrupt),
        ("mcp", CoreLine::MachineCheck),
        ("sreset", CoreLine::SoftReset),
        ("enable", CoreLine::Enable),
    ];

    /// The line of a name.
    pub fn named(name: &str) -> Option<CoreLine> {
        let found = CoreLine::NAMED
            .into_iter()
            .find(|(known, _)| *known == name);
        found.map(|(_, line)| line)
    }
}

/// What a core is told, and whether it works.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Signals {
    pub interrupt: bool,
    pub fast_interrupt: bool,
    machine_check: bool,
    soft_reset: bool,
    /// An edge of the line of the same name that the core has not taken yet.
    pub machine_check_pending: bool,
    pub soft_reset_pending: bool,
    pub enabled: bool,
    /// The core has been let go, and goes on where time is now; the instruction, event or input that did it leaves nothing of this.
    #[serde(skip)]
    pub released: bool,
    /// The core's clock is off until an interrupt.
    pub asleep: bool,
    /// The core has given up until it is reset.
    pub given_up: bool,
}

/// The signals of all cores that a machine may have.
pub(crate) type AllSignals = [Signals; CORES_MAX];

impl Default for Signals {
    fn default() -> Signals {
        Signals {
            interrupt: false,
            fast_interrupt: false,
            machine_check: false,
            soft_reset: false,
            machine_check_pending: false,
            soft_reset_pending: false,
            enabled: true,
            released: false,
            asleep: false,
            given_up: false,
        }
    }
}

impl Signals {
    /// Whether the core executes instructions.
    pub fn awake(&self) -> bool {
        self.enabled && !self.asleep && !self.given_up
    }

    /// The interrupt requests.
    pub fn interrupt_lines(&self) -> InterruptLines {
        InterruptLines {
            normal: self.interrupt,
            fast: self.fast_interrupt,
        }
    }

    /// Whether there is an edge that the core does not know of yet.
    pub fn edge(&self) -> bool {
        self.machine_check_pending || self.soft_reset_pending
    }

    /// The level of a line.
    pub fn level(&self, line: CoreLine) -> bool {
        match line {
            CoreLine::Interrupt => self.interrupt,
            CoreLine::FastInterrupt => self.fast_interrupt,
            CoreLine::MachineCheck => self.machine_check,
            CoreLine::SoftReset => self.soft_reset,
            CoreLine::Enable => self.enabled,
        }
    }

    /// Sets a line.
    pub fn drive(&mut self, line: CoreLine, level: bool) {
        match line {
            CoreLine::Interrupt => self.interrupt = level,
            CoreLine::FastInterrupt => self.fast_interrupt = level,
            CoreLine::MachineCheck => {
                self.machine_check_pending |= level && !self.machine_check;
                self.machine_check = level;
            }
            CoreLine::SoftReset => {
                self.soft_reset_pending |= level && !self.soft_reset;
                self.soft_reset = level;
            }
            CoreLine::Enable => {
                self.released |= level && !self.enabled;
                self.enabled = level;
            }
        }
    }

    /// The core is reset; its lines keep their levels.
    pub fn reset(&mut self) {
        self.machine_check_pending = false;
        self.soft_reset_pending = false;
        self.asleep = false;
        self.given_up = false;
    }
}
