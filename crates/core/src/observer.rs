//! What an engine tells a probe. Every hook is empty unless a probe fills it, and then costs nothing.

use crate::{Core, ExecutionState};
use socscope_isa::CycleClass;
use socscope_memory::{AddressSpace, Direction, RegionIndex, Width};
use std::any::Any;
use std::collections::BTreeSet;

/// Why the program counter changed other than by falling through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transfer {
    /// A jump or return: any write to the program counter that is neither a call nor an exception.
    Jump,
    /// A branch with link. The return address is the instruction after it.
    Call,
    /// An exception was taken: its number, as the architecture counts ([`crate::Exceptions`]).
    ExceptionEntry(u8),
    /// The program counter and the status register were written together (MOVS PC, LDM with PC and ^).
    ExceptionReturn,
}

/// A probe on a core. An instruction calls `instruction`, `begins`, `magic`, `data` and the like as they happen, `refills` if it leaves,
/// `cycles`, and `transfer` if it left; the entry of an exception without an instruction of its own (interrupts, aborts) calls `begins`,
/// `interrupted`, `refills`, `transfer`, then `cycles`.
pub trait Observer {
    /// An instruction is about to execute (or to be passed over because its condition fails).
    fn instruction(&mut self, _pc: u32, _width: Width, _region: RegionIndex) {}
    /// The timing model is told of the instruction at `pc`, or of an exception's entry instead of it, while the core is as before it.
    fn begins(&mut self, _class: CycleClass, _pc: u32, _width: Width, _core: &dyn Core) {}
    /// The multiplier's operand, as the timing model is told it.
    fn multiplier(&mut self, _operand: u32, _signed: bool) {}
    /// The bus refused a data access; the timing model counts it all the same.
    fn refused(&mut self, _address: u32, _width: Width, _direction: Direction) {}
    /// The pipeline is filled with opcodes of `width` from `address`.
    fn refills(&mut self, _address: u32, _width: Width) {}
    /// The instruction, or an exception entry, took `cycles`.
    fn cycles(&mut self, _cycles: u64) {}
    /// The instruction read or wrote data. `address` is aligned; accesses that fault are not reported.
    fn data(
        &mut self,
        _pc: u32,
        _address: u32,
        _width: Width,
        _direction: Direction,
        _region: RegionIndex,
    ) {
    }
    /// The instruction is about to access `address`, which is no multiple of `width`; the core rounds it down.
    fn unaligned(&mut self, _pc: u32, _address: u32, _width: Width) {}
    /// An exception is about to be taken: its number as in [`Transfer::ExceptionEntry`], the instruction at which the code that it interrupts goes on,
    /// and that code's stack pointer. Behind what an instruction has asked for that is the next instruction.
    /// Called before `execution_state` and `transfer`.
    fn interrupted(&mut self, _number: u8, _next: u32, _stack_pointer: u32) {}
    /// The program counter was written; called after the instruction's other effects, with the stack pointer of the mode now in force.
    fn transfer(&mut self, _from: u32, _to: u32, _kind: Transfer, _stack_pointer: u32) {}
    /// Translated code has executed the instruction at `pc` and counted it; `next` is the one behind it. Instead of `instruction`, before `transfer`.
    fn executed(&mut self, _pc: u32, _next: u32) {}
    /// A special register was written by its number, but for those that programs use for themselves; called within the instruction. Writes of others
    /// than the observer has named in [`Translation`] may be told or not.
    fn special_written(&mut self, _number: u32, _value: u32) {}
    /// The core's execution state is another one from now on, by an exception's entry or return or an instruction; called before `transfer`.
    fn execution_state(&mut self, _state: ExecutionState) {}
    /// A magic instruction with this number and argument was executed in the instruction that starts at `cycle`.
    fn magic(&mut self, _number: u8, _argument: u32, _cycle: u64) {}
    /// Whether the run ends before the next instruction.
    fn stop(&self) -> bool {
        false
    }
    /// The observer asks for a stop: before it is asked again, it may look at the core that has run, which is between two instructions at
    /// `cycle`, and at memory. What happens at a core's instruction can so be looked at without ending the run.
    fn look(&mut self, _cycle: u64, _core: &dyn Core, _space: &AddressSpace) {}
    /// What translated code does for the observer, which hears of no single instruction then.
    fn translation(&mut self) -> Translation<'_> {
        Translation::Impossible
    }
    /// Whether the observer knows that the instruction at `pc` comes next, so that translated code may go on there.
    fn follows(&self, _pc: u32) -> bool {
        true
    }
    /// Translated code ran for `cycles`; its last instruction came from `region`, if it executed any, and control is in the function around `address`.
    fn ran(&mut self, _cycles: u64, _address: u32, _region: Option<RegionIndex>) {}
}

/// What translated code does for an observer.
pub enum Translation<'a> {
    /// The observer needs its hooks: instructions are interpreted.
    Impossible,
    /// Nothing.
    Nothing,
    /// It calls the hooks of exceptions taken and left, and of writes of these special registers.
    Exceptions(&'a [u32]),
    /// It follows calls and returns, and counts; hooks are called for transfers that it cannot follow, and for accesses to devices.
    Profile(Shared<'a>),
}

/// What a profile shares with translated code.
pub struct Shared<'a> {
    /// The memory that both write: of the kind that the translator makes, or translated code is not used.
    pub tracking: &'a dyn Any,
    /// Whether instructions, cycles and accesses are counted.
    pub counting: bool,
    /// Addresses whose instructions are interpreted.
    pub stops: &'a BTreeSet<u32>,
    /// The functions of the image.
    pub functions: &'a dyn Ranges,
    /// Special registers of whose writes the hooks are called.
    pub special_registers: &'a [u32],
}

/// Functions by address.
pub trait Ranges {
    /// First and last address of the function, or of the gap between functions, around `address`, for a core that executes so; the function's
    /// number. `None` where all addresses are one function, whose calls are not followed: in a program of a kernel.
    fn range_of(&self, state: ExecutionState, address: u32) -> Option<(u32, u32, i64)>;
    /// A number that no other functions in this process have, and these only until one of them moves.
    fn identity(&self) -> u64;
}

/// No probe.
#[derive(Clone, Copy, Debug, Default)]
pub struct Unobserved;

impl Observer for Unobserved {
    fn translation(&mut self) -> Translation<'_> {
        Translation::Nothing
    }
}
