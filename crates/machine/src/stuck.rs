//! Guests that can never go on: exceptions that raise themselves, and endless loops that no interrupt ends.

use crate::machine::Machine;
use crate::processor::CoreView;
use crate::run::Stop;
use socscope_isa::arm::{InstructionSet, Mode};
use socscope_isa::powerpc::Msr;
use socscope_memory::{Bus, Width};

/// `b .` in ARM, Thumb and PowerPC.
const BRANCH_TO_SELF: [(Option<InstructionSet>, u32); 3] = [
    (Some(InstructionSet::Arm), 0xeaff_fffe),
    (Some(InstructionSet::Thumb), 0xe7fe),
    (None, 0x4800_0000),
];

/// Faults by their vectors.
const FAULTS: [&str; 5] = [
    "reset",
    "undefined instruction",
    "software interrupt",
    "prefetch abort",
    "data abort",
];
/// The vector of software interrupts: their mode is that of programs, too.
const SOFTWARE_INTERRUPT: u32 = 8;
/// Vectors of a PowerPC's exceptions that programs of their own do not begin at.
const POWERPC_VECTORS: [(u32, &str); 9] = [
    (0x200, "machine check"),
    (0x300, "data storage exception"),
    (0x400, "instruction storage exception"),
    (0x500, "external interrupt"),
    (0x600, "alignment exception"),
    (0x700, "program exception"),
    (0x800, "floating-point unavailable exception"),
    (0x900, "decrementer exception"),
    (0xc00, "system call"),
];

impl Machine {
    /// Whether the guest is in a place that it cannot leave; endless loops are looked for when `loops` is set.
    pub(crate) fn stuck(&mut self, loops: bool) -> Option<Stop> {
        if self.reaching {
            return None;
        }
        if let Some(stop) = self.given_up() {
            return Some(stop);
        }
        let exceptions = self.exception_loop();
        exceptions.or_else(|| loops.then(|| self.dead_end()).flatten())
    }

    /// A machine check that a core could not take.
    pub(crate) fn given_up(&self) -> Option<Stop> {
        let signals = self.bus.signals.iter();
        let core = signals
            .take(self.processors.len())
            .position(|one| one.given_up)?;
        let CoreView::PowerPc(state) = self.processors[core].view() else {
            return None;
        };
        let why = state.last_fault.map_or_else(
            || "its line asked for one".into(),
            |fault| fault.to_string(),
        );
        Some(Stop::Stuck(format!(
            "core {core} is in checkstop at {:#010x}: a machine check while MSR[ME] is clear ({why})",
            state.program_counter()
        )))
    }

    /// The same instruction raised the last exceptions in a row, each from within the mode of its own handler: the way back is lost.
    fn exception_loop(&self) -> Option<Stop> {
        let recent = self.bus.exceptions.repeated()?;
        let mode = match recent.vector {
            1 => Mode::Undefined,
            _ => Mode::Abort,
        };
        let nested = self
            .current()
            .view()
            .arm()?
            .saved_status_of(mode)
            .is_some_and(|saved| saved.mode == mode);
        nested.then(|| {
            let what = FAULTS;
            let first = self.bus.exceptions.first.map_or(String::new(), |first| {
                format!(
                    "; the first exception was a {} at {:#010x}",
                    what[first.vector as usize], first.pc
                )
            });
            let kind = what[recent.vector as usize];
            Stop::Stuck(format!(
                "the {kind} at {:#010x} happens again in its own handler{first}",
                recent.pc
            ))
        })
    }

    /// A branch to itself with all interrupts masked: how programs end, and what handlers of unexpected exceptions do.
    fn dead_end(&mut self) -> Option<Stop> {
        let (set, pc) = match self.current().view() {
            CoreView::Arm(core) => {
                let status = core.status();
                let set = core.instruction_set();
                let pc = set.width().align(core.program_counter());
                (status.irq_disabled && status.fiq_disabled).then_some((Some(set), pc))
            }
            CoreView::PowerPc(core) => {
                let msr = core.msr();
                let alone = self.processors.len() == 1;
                let here = !msr.has(Msr::EXTERNAL_ENABLE | Msr::INSTRUCTION_TRANSLATION);
                (alone && here).then_some((None, core.program_counter()))
            }
        }?;
        let width = set.map_or(Width::Word, InstructionSet::width);
        let word = self.bus.fetch(pc, width).ok()?.value;
        let word = width.truncate(word);
        let looping = BRANCH_TO_SELF.contains(&(set, word)) && !self.bus.reset_possible();
        if !looping {
            return None;
        }
        match self.unexpected(pc) {
            Some(exception) => Some(Stop::Stuck(format!(
                "{exception}, and its handler is an endless loop at {pc:#010x}"
            ))),
            // What the program said last is still to come out.
            None => (!self.sends()).then_some(Stop::Loop(pc)),
        }
    }

    fn sends(&self) -> bool {
        self.bus.slots.iter().any(|slot| slot.model.sends())
    }

    /// The exception whose handler the core is in, as its mode says, or the vector that it stands at.
    fn unexpected(&self, pc: u32) -> Option<String> {
        match self.current().view() {
            CoreView::Arm(core) => {
                let mode = core.status().mode;
                let kind = match mode {
                    Mode::Undefined | Mode::Abort => {
                        let raised = self.bus.exceptions.latest()?;
                        return Some(format!(
                            "the {} at {:#010x} is not handled",
                            FAULTS[raised.vector as usize], raised.pc
                        ));
                    }
                    Mode::Interrupt => "an interrupt",
                    Mode::FastInterrupt => "a fast interrupt",
                    Mode::Supervisor if pc == SOFTWARE_INTERRUPT => "a software interrupt",
                    _ => return None,
                };
                Some(format!("{kind} is not handled"))
            }
            CoreView::PowerPc(_) => {
                let (_, name) = POWERPC_VECTORS
                    .iter()
                    .find(|(at, _)| pc & 0x000f_ffff == *at)?;
                let high = pc & 0xfff0_0000;
                matches!(high, 0 | 0xfff0_0000).then(|| format!("a {name} is not handled"))
            }
        }
    }
}
