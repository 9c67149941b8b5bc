//! What the analysis asks an architecture. Each has a folder of its own here: what is known of its status, and the words of its
//! semantic functions that are not everybody's.

use crate::blocks::CodeState;
use crate::flags::{Guard, Outcomes};
use crate::program::{Entry, Program};
use crate::reading::{FlowReading, LeaveKind, Truth, Word};
use crate::scan::Shape;
use crate::state::State;
use crate::value::Value;
use socscope_memory::Width;
use std::fmt::Debug;

/// An instruction, and how wide it is.
pub type Opcode = (u32, Width);

/// What is known of a core beside words: flags, modes.
pub trait Status: Clone + Debug + PartialEq {
    /// What compares words of which one is `gone` says nothing of words any more.
    fn forget(&mut self, gone: &dyn Fn(&Value) -> bool);
    /// What holds on both of two ways that meet.
    fn meet(&mut self, other: &Self);
    /// Whether both allow the same.
    fn same_ranges(&self, other: &Self) -> bool;
    /// A function has returned to the one whose status this is now.
    fn returned(&mut self) {}
    /// A group of flags is known to have one of these outcomes.
    fn narrow(&mut self, _group: usize, _outcomes: Outcomes) {}
}

/// An architecture, as this analysis sees it. Registers have the numbers that people give them; each stands in a slot, which may
/// depend on the mode.
pub trait Architecture: Sized + Copy + Debug + PartialEq + 'static {
    /// What is known of its status.
    type Status: Status;
    /// What an instruction at work notes of flags.
    type Notes: Clone + Debug + Default + PartialEq;

    /// The number of the stack pointer.
    const STACK: u32;
    /// The number of the first register with an argument; the others follow.
    const ARGUMENT: u32;
    /// How many registers take arguments.
    const ARGUMENTS: u32;
    /// An access that is not aligned is an error of the program; elsewhere it may touch two words.
    const ALIGNED: bool;
    /// A helper of the compiler's library may add to its return address, and go on in its caller.
    const ADDS_TO_LINK: bool;
    /// The entry of an exception takes cycles of its own, beside those of the instruction that raised it.
    const ENTERS_APART: bool;
    /// Semantic functions ask whether two words are equal by their exclusive or.
    const COMPARES_BY_XOR: bool;

    /// Registers that a function may change, but for flags.
    fn volatile() -> Vec<u32>;
    /// What is known where the analysis begins; `None` when there is no such mode.
    fn first_state(entry: &Entry) -> Option<State<Self>>;
    /// The slot of a register.
    fn slot(status: &Self::Status, register: u32) -> usize;
    /// Whether a slot holds a stack pointer.
    fn is_stack(slot: u16) -> bool;
    /// Whether a slot holds, at the entry, what nobody's variable is: where to return to, and with which status.
    fn is_way_back(slot: u16) -> bool;
    /// The slot that holds, at the entry, where the entry returns to.
    fn return_slot(entry: &Entry, kind: LeaveKind) -> u16;

    /// How wide the instruction at an address is; where none is, the least that one may be.
    fn width(program: &Program, code: CodeState, address: u32) -> Width;
    /// The instruction at an address.
    fn opcode(program: &Program, code: CodeState, address: u32) -> Option<Opcode> {
        let width = Self::width(program, code, address);
        Some((program.constant(address, width)?, width))
    }
    /// The outcomes of flags under which an instruction with each kind of condition is executed.
    fn predicates(program: &Program) -> Vec<Outcomes>;
    /// What can be said of an instruction without knowing values.
    fn shape(code: CodeState, address: u32, opcode: Opcode) -> Shape;
    /// Reads an instruction whose condition holds.
    fn read(reading: &mut FlowReading<'_, Self>, opcode: Opcode);
    /// Puts new flags into force.
    fn finish(reading: &mut FlowReading<'_, Self>);
    /// What is noted where an instruction may or may not have done something.
    fn maybe(notes: &mut Self::Notes, before: &Self::Notes);
    /// A truth value, as far as it is known now.
    fn decided(reading: &FlowReading<'_, Self>, truth: Truth) -> Truth;
    /// What is known of a group of flags in force, when a jump depends on it.
    fn group(_reading: &FlowReading<'_, Self>, _of: usize, _table: Outcomes) -> Option<Guard> {
        None
    }
    /// Takes in that the flags that conditional instructions look at have one of these outcomes; false when that cannot be.
    fn assume(state: &mut State<Self>, outcomes: Outcomes) -> bool;
    /// A conjunction of bits that is better known than by its operands' ranges.
    fn and(_reading: &mut FlowReading<'_, Self>, _a: Word, _b: Word) -> Option<Word> {
        None
    }
    /// Whether a store, at a known place of a stack or not, puts away what its function gives back.
    fn saves(reading: &FlowReading<'_, Self>, word: Word, on_stack: bool) -> bool;
    /// A function is entered in a calling context.
    fn entered(_state: &mut State<Self>, _context: u32, _function: u32) {}

    /// Where a jump arrives; `None` when the state to go on in is not known.
    fn arrival(
        state: &State<Self>,
        kind: LeaveKind,
        code: CodeState,
        target: u32,
    ) -> Option<(u32, CodeState)>;
    /// How wide instructions are, at most, behind the return of the whole program.
    fn return_width(kind: LeaveKind, code: CodeState) -> Width;
    /// Whether a jump leaves the address `next` behind for its return.
    fn calls(state: &State<Self>, kind: LeaveKind, target: u32, next: u32) -> bool;
    /// Where a called function returns to, as its caller's register says.
    fn link(state: &State<Self>) -> &Value;
    /// A function has been called over: its flags are lost, and what `left` says where it is known.
    fn called_over(status: &mut Self::Status, left: Option<&Self::Status>);
}
