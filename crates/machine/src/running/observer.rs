//! What a machine tells a probe, beyond what its core tells.

use crate::boot::linked::Moves;
use crate::inputs::chronicle::Chronicle;
use crate::inputs::input::Input;
use crate::machine::Machine;
use crate::running::execute::Execution;
use serde::{Deserialize, Serialize};
use socscope_architectures::AnyCore;
use socscope_device::TraceEvent;
use socscope_memory::Region;
use socscope_time::Instant;
use std::collections::BTreeSet;

/// A magic instruction that was executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mark {
    /// Its number.
    pub number: u8,
    /// What the first argument register of the calling convention held.
    pub argument: u32,
    /// The core that executed it.
    pub core: u16,
    /// The cycle at which it started.
    pub cycle: u64,
}

/// Marks that are kept, the first and the last.
pub const MARKS_KEPT: usize = 1 << 20;

/// The marks of a run.
pub type Marks = Chronicle<Mark, MARKS_KEPT>;

/// A probe on a machine.
pub trait MachineObserver: socscope_core::Observer {
    /// Whether device traces are wanted; asked when a run starts.
    fn wants_traces(&self) -> bool {
        false
    }
    /// Whether accesses of device registers are wanted as traces; asked when a run starts.
    fn wants_registers(&self) -> bool {
        false
    }
    /// Addresses of instructions before which the observer looks at the core; asked when a run starts.
    fn addresses(&self) -> Option<&BTreeSet<u32>> {
        None
    }
    /// A core stands before an instruction at one of these addresses, at `cycle`. Whether it comes to that is told by `instruction`, before any
    /// other: an interrupt may come first, and a run may end here and be gone on with; then it is told again. If it asks for a stop, it looks at once.
    fn reaches(&mut self, _core: u16, _cycle: u64, _processor: &AnyCore) {}
    /// The machine's regions, and what lies elsewhere than where the image was linked for; told when a run starts, and before the instruction
    /// that first meets another map. While a machine is used, regions are added, but keep their numbers.
    fn mapped(&mut self, _regions: &[Region], _moved: &Moves) {}
    /// A device's trace, in the order of time. `device` is its index, `cycle` the core's cycle.
    fn trace(&mut self, _device: u16, _time: Instant, _cycle: u64, _event: TraceEvent) {}
    /// The core that everything is about from now on, until another one is named. Told when a run starts, and when turns change.
    fn turn(&mut self, _core: u16) {}
    /// All cores are stopped and let `cycles` pass.
    fn stopped(&mut self, _cycles: u64) {}
    /// A magic instruction was executed; `end` is the cycle after it. Called between two instructions.
    fn mark(&mut self, _mark: Mark, _end: u64) {}
    /// A device has reset the system; the next instruction is at `pc`.
    fn reset(&mut self, _pc: u32) {}
    /// A replayed run takes an input.
    fn input(&mut self, _input: &Input) {}
    /// A core has done nothing for `cycles`: its clock was off, or it was held in reset.
    fn asleep(&mut self, _core: u16, _cycles: u64) {}
    /// DMA has delayed a core by `cycles`.
    fn bus_held(&mut self, _core: u16, _cycles: u64) {}
    /// Has a core execute for this observer. Both engines are compiled where this is used, and that takes long: observers of this project say
    /// [`crate::executes_here`] or [`crate::executes_as_any`].
    fn execute(&mut self, machine: &mut Machine, how: Execution)
    where
        Self: Sized,
    {
        machine.execute(how, self);
    }
}

/// [`MachineObserver::execute`], compiled in the crate of the observer.
#[macro_export]
macro_rules! executes_here {
    () => {
        #[inline(never)]
        fn execute(&mut self, machine: &mut $crate::Machine, how: $crate::Execution) {
            machine.execute(how, self);
        }
    };
}

/// [`MachineObserver::execute`] of an observer whose speed matters little: the engines are not compiled for it.
#[macro_export]
macro_rules! executes_as_any {
    () => {
        fn execute(&mut self, machine: &mut $crate::Machine, how: $crate::Execution) {
            machine.execute_for_any(how, self);
        }
    };
}

impl MachineObserver for socscope_core::Unobserved {
    executes_here!();
}
