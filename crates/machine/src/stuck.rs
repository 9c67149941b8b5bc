//! Guests that can never go on: exceptions that raise themselves, and endless loops that no interrupt ends.

use crate::machine::Machine;
use crate::run::Stop;
use socscope_isa::arm::{InstructionSet, Mode};
use socscope_memory::{Bus, Width};

/// `b .` in ARM and Thumb.
const BRANCH_TO_SELF: [(InstructionSet, u32); 2] = [
    (InstructionSet::Arm, 0xeaff_fffe),
    (InstructionSet::Thumb, 0xe7fe),
];

impl Machine {
    /// Whether the guest is in a place that it cannot leave; endless loops are looked for when `loops` is set.
    pub(crate) fn stuck(&mut self, loops: bool) -> Option<Stop> {
        if self.reaching {
            return None;
        }
        let exceptions = self.exception_loop();
        exceptions.or_else(|| loops.then(|| self.dead_end()).flatten())
    }

    /// The same instruction raised the last exceptions in a row, each from within the mode of its own handler: the way back is lost.
    fn exception_loop(&self) -> Option<Stop> {
        let recent = self.bus.exceptions.repeated()?;
        let mode = match recent.vector {
            1 => Mode::Undefined,
            _ => Mode::Abort,
        };
        let nested = self
            .core
            .saved_status_of(mode)
            .is_some_and(|saved| saved.mode == mode);
        nested.then(|| {
            let what = [
                "reset",
                "undefined instruction",
                "software interrupt",
                "prefetch abort",
                "data abort",
            ];
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

    /// A branch to itself with both interrupts masked.
    fn dead_end(&mut self) -> Option<Stop> {
        let status = self.core.status();
        if !(status.irq_disabled && status.fiq_disabled) {
            return None;
        }
        let set = self.core.instruction_set();
        let width = set.width();
        let pc = width.align(self.pc());
        let word = self.bus.fetch(pc, width).ok()?.value;
        let word = if width == Width::Half {
            word & 0xffff
        } else {
            word
        };
        let looping = BRANCH_TO_SELF.contains(&(set, word)) && !self.bus.reset_possible();
        looping.then(|| {
            Stop::Stuck(format!(
                "endless loop at {pc:#010x} with all interrupts masked"
            ))
        })
    }
}
