//! What every core can be asked, whatever its architecture.

use crate::LinuxCore;
use std::fmt::Debug;

/// Whose code a core executes, as far as its own state says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ExecutionState {
    /// It has the rights of programs, not those of a kernel.
    pub user: bool,
    /// Addresses of instructions are translated; else they are those on the bus.
    pub translated: bool,
}

/// A core between two instructions.
pub trait Core: Debug {
    /// Address of the next instruction.
    fn program_counter(&self) -> u32;
    /// The stack pointer, by convention of the architecture's programs.
    fn stack_pointer(&self) -> u32;
    /// The register of the first argument, by convention of the architecture's programs.
    fn first_argument(&self) -> u32;
    /// The register that holds rights, interrupt masks and the like.
    fn status_word(&self) -> u32;
    /// Whose code it executes.
    fn execution_state(&self) -> ExecutionState;
    /// What it does, in a word or two: the mode that it is in.
    fn mode_name(&self) -> String;
    /// What it shows of a Linux kernel; `None` where none is understood on it.
    fn linux(&self) -> Option<&dyn LinuxCore> {
        None
    }
}
