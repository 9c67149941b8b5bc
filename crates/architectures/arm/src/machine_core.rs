//! An ARM as a part of a machine.

use crate::images::{foreign, images};
use crate::page_tables::walk;
use crate::{Core, InstructionSet, Mode, Register, Status, control};
use socscope_core::{
    BranchToSelf, BuildNotes, Cause, Entry, Exceptions, Handler, Images, InterruptLines, Looking,
    MachineCore, PageWalk, Purpose, RegisterFile,
};
use socscope_memory::{AddressSpace, Endianness, Viewer};

/// Faults by their vectors.
const FAULTS: [&str; 5] = [
    "reset",
    "undefined instruction",
    "software interrupt",
    "prefetch abort",
    "data abort",
];
const UNDEFINED: u8 = 1;
/// The vector of software interrupts: their mode is that of programs, too.
const SOFTWARE_INTERRUPT: u32 = 8;
/// Vectors of the two interrupts, from that of the reset on.
const INTERRUPTS: [u32; 2] = [0x18, 0x1c];

/// Exceptions by their vectors (manual: "Exceptions").
const NAMES: [&str; 8] = [
    "vector 0x0",
    "undefined instruction",
    "software interrupt",
    "prefetch abort",
    "data abort",
    "vector 0x14",
    "interrupt",
    "fast interrupt",
];

pub(crate) static EXCEPTIONS: Exceptions = Exceptions {
    name: |number| match NAMES.get(usize::from(number)) {
        Some(name) => (*name).into(),
        None => format!("vector {:#x}", u32::from(number) * 4),
    },
    cause: |number| match number {
        UNDEFINED => Cause::Undefined,
        2 => Cause::SystemCall,
        6 | 7 => Cause::Interrupt,
        _ => Cause::Other,
    },
    is_fault: |number| matches!(number, 1 | 3 | 4),
    is_told_apart: |number| matches!(number, 3 | 4 | 6 | 7),
    keep_stack: false,
    have_handler_addresses: true,
};

impl MachineCore for Core {
    fn model_name(&self) -> &'static str {
        self.model().name()
    }

    fn images(&self) -> Images {
        images(self.model())
    }

    fn foreign(&self, notes: &dyn BuildNotes) -> Option<String> {
        foreign(notes, self.model())
    }

    fn reset_address(&self) -> u32 {
        self.control.vector_base()
    }

    fn exceptions(&self) -> &'static Exceptions {
        &EXCEPTIONS
    }

    fn register_file(&self) -> &'static RegisterFile {
        self.model().version().register_file()
    }

    fn numbered_register(&self, number: usize) -> Option<u32> {
        self.numbered(number)
    }

    fn set_numbered_register(&mut self, number: usize, value: u32) -> bool {
        self.set_numbered(number, value)
    }

    fn named_registers(&self, _cycle: u64) -> Vec<(String, u32)> {
        self.named()
    }

    /// Bit 0 of the address means Thumb.
    fn start(&mut self, entry: Entry, number: usize, _cycle: u64) {
        // The others come out of reset as they are.
        if number > 0 {
            return;
        }
        let instruction_set = match entry.address & 1 {
            1 => InstructionSet::Thumb,
            _ => InstructionSet::Arm,
        };
        self.set_program_counter(entry.address & !1);
        for (register, value) in (0..).zip(entry.arguments) {
            self.set_register(register, *value);
        }
        self.set_status(Status {
            instruction_set,
            ..self.status()
        });
    }

    fn takes_interrupt(&self, lines: InterruptLines, _cycle: u64) -> bool {
        let status = self.status();
        lines.fast && !status.fiq_disabled || lines.normal && !status.irq_disabled
    }

    fn signals(&self) -> &'static [&'static str] {
        &["irq", "fiq"]
    }

    fn is_woken(&self, lines: InterruptLines) -> bool {
        lines.normal || lines.fast
    }

    fn is_masked(&self, signal: &str) -> Option<bool> {
        match signal {
            "irq" => Some(self.status().irq_disabled),
            "fiq" => Some(self.status().fiq_disabled),
            _ => None,
        }
    }

    fn has_translation(&self) -> bool {
        self.model().has_system_control()
    }

    fn bus_address(
        &self,
        (space, viewer): (&AddressSpace, Viewer),
        address: u32,
        translated: bool,
    ) -> Option<u32> {
        let mut core = self.clone();
        if core.model().has_system_control() {
            let control = core.control.get(Register::Control);
            let on = u32::from(translated) * control::MMU;
            core.set_system_control(Register::Control, control | on);
            core.set_system_control(Register::Domains, u32::MAX);
        }
        let mut bus = Looking(space, viewer, Endianness::Little);
        core.translate(&mut bus, address, Purpose::Read, false).ok()
    }

    fn written_by_others(&mut self, address: u32) {
        Core::written_by_others(self, address);
    }

    /// A mark for an exclusive store does not outlive the turn.
    fn end_turn(&mut self) -> Vec<u32> {
        self.exclusive = None;
        vec![]
    }

    fn linux_page_walk(&self) -> Option<PageWalk> {
        self.has_translation().then_some(walk)
    }

    fn fault_name(&self, number: u8) -> &'static str {
        FAULTS
            .get(usize::from(number))
            .copied()
            .unwrap_or("exception")
    }

    fn is_nested_fault(&self, number: u8) -> bool {
        let mode = match number {
            UNDEFINED => Mode::Undefined,
            _ => Mode::Abort,
        };
        self.saved_status_of(mode)
            .is_some_and(|saved| saved.mode == mode)
    }

    fn branch_to_self(&self, alone: bool) -> Option<BranchToSelf> {
        let status = self.status();
        let set = self.instruction_set();
        let opcode = match set {
            InstructionSet::Arm => 0xeaff_fffe,
            InstructionSet::Thumb => 0xe7fe,
        };
        // Where on the bus it would lie is then not known by the address.
        let elsewhere = self.control.translates() || self.control.has(control::BIG_ENDIAN);
        (alone && status.irq_disabled && status.fiq_disabled && !elsewhere).then(|| BranchToSelf {
            address: set.width().align(self.program_counter()),
            width: set.width(),
            opcode,
        })
    }

    fn handler(&self) -> Handler {
        let kind = match self.status().mode {
            Mode::Undefined | Mode::Abort => return Handler::OfLatestFault,
            Mode::Interrupt => "an interrupt",
            Mode::FastInterrupt => "a fast interrupt",
            Mode::Supervisor
                if self.program_counter() == self.control.vector_base() | SOFTWARE_INTERRUPT =>
            {
                "a software interrupt"
            }
            _ => return Handler::None,
        };
        Handler::Of(kind.into())
    }

    fn has_taken_interrupt(&self, from: u32, status_word: u32) -> bool {
        let in_mode = matches!(self.status().mode, Mode::Interrupt | Mode::FastInterrupt);
        let from_here = |saved: Status| saved.bits() == status_word;
        in_mode
            && self.saved_status().is_some_and(from_here)
            && INTERRUPTS.contains(&(self.program_counter() ^ self.control.vector_base()))
            && from != self.program_counter()
    }
}
