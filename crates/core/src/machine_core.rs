//! What a machine asks of a core, and does with it, whatever its architecture.

use crate::{BuildNotes, Core, Exceptions, Images, PageWalk, RegisterFile};
use socscope_memory::{AddressSpace, Viewer, Width};

/// The interrupt requests that end at a core, as they are now.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct InterruptLines {
    /// The (normal) interrupt request.
    pub normal: bool,
    /// The fast interrupt request, of cores that have one.
    pub fast: bool,
}

/// How a boot loader leaves a core that it starts.
#[derive(Clone, Copy, Debug)]
pub struct Entry<'a> {
    /// Address of the first instruction, as the architecture's images give it.
    pub address: u32,
    /// The stack pointer, where the boot protocol sets one.
    pub stack: u32,
    /// Arguments, where the boot protocol hands some over.
    pub arguments: &'a [u32],
}

/// An instruction that branches to itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BranchToSelf {
    /// Where it would be: where the core is.
    pub address: u32,
    /// Its size.
    pub width: Width,
    /// Its opcode.
    pub opcode: u32,
}

/// Whose handler a core is in that has stopped in an endless loop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Handler {
    /// None's, as far as the core says.
    None,
    /// That of the fault that was raised last.
    OfLatestFault,
    /// That of this exception: with its article.
    Of(String),
}

/// A core as a part of a machine.
pub trait MachineCore: Core {
    /// Number by which saved states and records tell models apart.
    fn model_name(&self) -> &'static str;

    /// The images that it runs.
    fn images(&self) -> Images;
    /// What an image needs that the model does not have: another core or extension.
    fn foreign(&self, notes: &dyn BuildNotes) -> Option<String>;
    /// Where it begins after its reset.
    fn reset_address(&self) -> u32;

    /// Its exceptions by number.
    fn exceptions(&self) -> &'static Exceptions;
    /// Its registers by number and name.
    fn register_file(&self) -> &'static RegisterFile;
    /// A register by its number in the register file.
    fn numbered_register(&self, number: usize) -> Option<u32>;
    /// Writes a register by its number; whether there is one.
    fn set_numbered_register(&mut self, number: usize, value: u32) -> bool;
    /// All registers that people look at, by name, at a cycle.
    fn named_registers(&self, cycle: u64) -> Vec<(String, u32)>;

    /// Sets the registers as a boot loader leaves them at `cycle`: 0 is the core that it starts, other numbers are cores beside it, by their place.
    fn start(&mut self, entry: Entry, number: usize, cycle: u64);

    /// Whether it takes an interrupt in place of its next instruction, at `cycle`.
    fn takes_interrupt(&self, lines: InterruptLines, cycle: u64) -> bool;
    /// The signals that end at it, as [`InterruptLines`] and edges tell of them: `irq`, and what else it has of `fiq`, `mcp` and `sreset`.
    fn signals(&self) -> &'static [&'static str] {
        &["irq"]
    }
    /// Whether it takes no interrupt of one of these signals at present; `None` where nothing masks it.
    fn is_masked(&self, signal: &str) -> Option<bool>;
    /// Whether lines ask it to go on while it sleeps.
    fn is_woken(&self, lines: InterruptLines) -> bool;
    /// The cycle at which it wakes by itself while it sleeps.
    fn wakes_at(&self) -> u64 {
        u64::MAX
    }
    /// Edges came on the lines that reset it or tell it of a machine check.
    fn take_edges(&mut self, _soft_reset: bool, _machine_check: bool) {}

    /// Somebody else has written at this address on the bus.
    fn written_by_others(&mut self, _address: u32) {}
    /// Its turn is over; the addresses whose translation all other cores shall forget.
    fn end_turn(&mut self) -> Vec<u32> {
        vec![]
    }
    /// Forgets the translation of an address.
    fn forget_translation(&mut self, _address: u32) {}
    /// Whether it can translate addresses.
    fn has_translation(&self) -> bool {
        false
    }
    /// Where on the bus data at `address` lies, in memory as somebody sees it, for the program in force with all rights; `translated`: as if address translation were on.
    fn bus_address(
        &self,
        _memory: (&AddressSpace, Viewer),
        address: u32,
        _translated: bool,
    ) -> Option<u32> {
        Some(address)
    }

    /// A special register by its number, of architectures that number them.
    fn special_register(&self, _number: u32) -> Option<u32> {
        None
    }
    /// How the page tables of a Linux kernel for it are walked, if that is known.
    fn linux_page_walk(&self) -> Option<PageWalk> {
        None
    }

    /// The name of a fault by its number.
    fn fault_name(&self, number: u8) -> &'static str;
    /// Whether the handler of the fault with this number was itself interrupted by such a fault: the way back is lost.
    fn is_nested_fault(&self, _number: u8) -> bool {
        false
    }
    /// The branch to itself that no interrupt would end, if the next instruction is one. `alone`: no other core could end it.
    fn branch_to_self(&self, alone: bool) -> Option<BranchToSelf>;
    /// Whose handler it is in.
    fn handler(&self) -> Handler;
    /// Why it has given up, if it has.
    fn checkstop(&self) -> Option<String> {
        None
    }
    /// Whether the last step, from this address with this status word, was the entry of an interrupt.
    fn has_taken_interrupt(&self, from: u32, status_word: u32) -> bool;
}
