//! A PowerPC as a part of a machine.

use crate::facts::{ARGUMENT, STACK};
use crate::images::{foreign, images};
use crate::page_tables::walk;
use crate::registers::REGISTER_FILE;
use crate::{Core, CoreModel, Exception, Mmu, Msr, Translate};
use serde::{Deserialize, Serialize};
use socscope_core::{
    BranchToSelf, BuildNotes, Cause, Entry, Exceptions, ExecutionState, Handler, Images,
    InterruptLines, LinuxCore, Looking, MachineCore, PageWalk, Purpose, RegisterFile,
};
use socscope_memory::{AddressSpace, Endianness, Viewer, Width};

/// Where a core begins after its reset.
const RESET: u32 = 0xfff0_0100;
/// Where a core starts that the first one releases: the vector of a system reset.
const RELEASED_AT: u32 = 0x100;
/// HID0, and what a boot loader sets there: the time base counts, the caches are on.
const HID0: u32 = 1008;
const HID0_BITS: u32 = 0x0400_c000;
/// Vectors of exceptions that programs of their own do not begin at.
const VECTORS: [(u32, &str); 9] = [
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
/// Offsets of the vectors of the interrupt line and of the decrementer.
const INTERRUPTS: [u32; 2] = [0x500, 0x900];

/// A core and its translation buffers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Processor {
    /// The core.
    pub core: Core,
    /// Its translation buffers.
    pub mmu: Mmu,
}

impl Processor {
    /// After reset.
    pub fn new(model: CoreModel) -> Processor {
        Processor {
            core: Core::new(model),
            mmu: Mmu::new(model),
        }
    }
}

impl socscope_core::Core for Processor {
    fn program_counter(&self) -> u32 {
        self.core.program_counter()
    }

    fn stack_pointer(&self) -> u32 {
        self.core.register(STACK)
    }

    fn first_argument(&self) -> u32 {
        self.core.register(ARGUMENT)
    }

    fn status_word(&self) -> u32 {
        self.core.msr().0
    }

    fn execution_state(&self) -> ExecutionState {
        self.core.msr().execution_state()
    }

    fn mode_name(&self) -> String {
        socscope_core::Core::mode_name(&self.core)
    }

    fn linux(&self) -> Option<&dyn LinuxCore> {
        Some(&self.core)
    }
}

/// Exceptions by the offsets of their vectors (manual: "Exceptions", and the cores' own manuals).
const NAMES: [(u32, &str); 16] = [
    (0x100, "system reset"),
    (0x200, "machine check"),
    (0x300, "data fault"),
    (0x400, "instruction fault"),
    (0x500, "interrupt"),
    (0x600, "alignment"),
    (0x700, "program"),
    (0x800, "no floating point"),
    (0x900, "decrementer"),
    (0xc00, "system call"),
    (0xd00, "trace"),
    (0xf20, "no AltiVec"),
    (0x1000, "instruction table search"),
    (0x1100, "data table search to read"),
    (0x1200, "data table search to write"),
    (0x1600, "AltiVec assist"),
];

pub(crate) static EXCEPTIONS: Exceptions = Exceptions {
    name: |number| {
        let offset = Exception::offset(number);
        let known = NAMES.iter().find(|(at, _)| *at == offset);
        known.map_or_else(|| format!("vector {offset:#x}"), |(_, name)| (*name).into())
    },
    cause: |number| {
        const EXTERNAL: u8 = Exception::External.number();
        const SYSTEM_CALL: u8 = Exception::SystemCall.number();
        match number {
            EXTERNAL => Cause::Interrupt,
            SYSTEM_CALL => Cause::SystemCall,
            _ => Cause::Other,
        }
    },
    // Its handlers are not told from those that raise one again.
    is_fault: |_| false,
    is_told_apart: |_| true,
    keep_stack: true,
    have_handler_addresses: false,
};

impl MachineCore for Processor {
    fn model_name(&self) -> &'static str {
        self.core.model().name()
    }

    fn images(&self) -> Images {
        images(self.core.model())
    }

    fn foreign(&self, notes: &dyn BuildNotes) -> Option<String> {
        foreign(notes, self.core.model())
    }

    fn reset_address(&self) -> u32 {
        RESET
    }

    fn exceptions(&self) -> &'static Exceptions {
        &EXCEPTIONS
    }

    fn register_file(&self) -> &'static RegisterFile {
        &REGISTER_FILE
    }

    fn numbered_register(&self, number: usize) -> Option<u32> {
        self.core.numbered(number)
    }

    fn set_numbered_register(&mut self, number: usize, value: u32) -> bool {
        self.core.set_numbered(number, value)
    }

    fn named_registers(&self, cycle: u64) -> Vec<(String, u32)> {
        self.core.named(cycle)
    }

    fn start(&mut self, entry: Entry, number: usize, cycle: u64) {
        let core = &mut self.core;
        core.set_msr(Msr(Msr::MACHINE_CHECK_ENABLE));
        core.set_special_at(HID0, HID0_BITS, cycle);
        self.mmu.registers_changed();
        if number > 0 {
            core.set_program_counter(RELEASED_AT);
            return;
        }
        core.set_program_counter(entry.address);
        core.set_register(STACK, entry.stack);
        for (register, value) in (ARGUMENT..32).zip(entry.arguments) {
            core.set_register(register, *value);
        }
    }

    fn takes_interrupt(&self, lines: InterruptLines, cycle: u64) -> bool {
        let due = self.core.decrementer_due_cycle() <= cycle;
        let enabled = self.core.msr().has(Msr::EXTERNAL_ENABLE);
        self.core.pending(lines.normal).is_some() || due && enabled
    }

    fn signals(&self) -> &'static [&'static str] {
        &["irq", "mcp", "sreset"]
    }

    fn is_woken(&self, lines: InterruptLines) -> bool {
        self.core.pending(lines.normal).is_some()
    }

    fn wakes_at(&self) -> u64 {
        match self.core.msr().has(Msr::EXTERNAL_ENABLE) {
            true => self.core.decrementer_due_cycle(),
            false => u64::MAX,
        }
    }

    fn take_edges(&mut self, soft_reset: bool, machine_check: bool) {
        if soft_reset {
            self.core.request_reset();
        }
        if machine_check {
            self.core.request_machine_check();
        }
    }

    fn written_by_others(&mut self, address: u32) {
        self.core.written_by_others(address);
    }

    /// A reservation does not outlive the turn.
    fn end_turn(&mut self) -> Vec<u32> {
        self.core.reservation = None;
        self.mmu.take_broadcasts().collect()
    }

    fn forget_translation(&mut self, address: u32) {
        self.mmu.invalidate(address);
    }

    fn has_translation(&self) -> bool {
        true
    }

    fn bus_address(
        &self,
        (space, viewer): (&AddressSpace, Viewer),
        address: u32,
        translated: bool,
    ) -> Option<u32> {
        let (mut core, mut mmu) = (self.core.clone(), self.mmu.clone());
        let on = u32::from(translated) * Msr::DATA_TRANSLATION;
        core.set_msr(Msr((core.msr().0 | on) & !Msr::PROBLEM));
        mmu.translate(
            &core,
            &mut Looking(space, viewer, Endianness::Big),
            address,
            Purpose::Read,
        )
        .ok()
    }

    fn is_masked(&self, signal: &str) -> Option<bool> {
        (signal == "irq").then(|| !self.core.msr().has(Msr::EXTERNAL_ENABLE))
    }

    fn special_register(&self, number: u32) -> Option<u32> {
        Some(self.core.special(number))
    }

    fn linux_page_walk(&self) -> Option<PageWalk> {
        Some(walk)
    }

    fn fault_name(&self, number: u8) -> &'static str {
        let known = VECTORS
            .iter()
            .find(|(vector, _)| *vector == u32::from(number) << 5);
        known.map_or("exception", |(_, name)| name)
    }

    fn branch_to_self(&self, alone: bool) -> Option<BranchToSelf> {
        let msr = self.core.msr();
        let here = !msr.has(Msr::EXTERNAL_ENABLE | Msr::INSTRUCTION_TRANSLATION);
        (alone && here).then(|| BranchToSelf {
            address: self.core.program_counter(),
            width: Width::Word,
            opcode: 0x4800_0000,
        })
    }

    fn handler(&self) -> Handler {
        let pc = self.core.program_counter();
        let known = VECTORS.iter().find(|(at, _)| pc & 0x000f_ffff == *at);
        match known {
            Some((_, name)) if matches!(pc & 0xfff0_0000, 0 | 0xfff0_0000) => {
                Handler::Of(format!("a {name}"))
            }
            _ => Handler::None,
        }
    }

    fn checkstop(&self) -> Option<String> {
        let why = self.core.last_fault.map_or_else(
            || "its line asked for one".into(),
            |fault| fault.to_string(),
        );
        Some(format!(
            "in checkstop at {:#010x}: a machine check while MSR[ME] is clear ({why})",
            self.core.program_counter()
        ))
    }

    fn has_taken_interrupt(&self, from: u32, _status_word: u32) -> bool {
        let pc = self.core.program_counter();
        let masked = !self.core.msr().has(Msr::EXTERNAL_ENABLE);
        pc != from && masked && INTERRUPTS.contains(&(pc & 0xffff))
    }
}
