//! What a history is of.

use socscope_machine::{LockStep, Machine};
use socscope_time::Instant;

/// Machines that share one time, and the one that is looked at.
pub struct World<'a> {
    /// The machines; always the same ones in the same order.
    pub machines: &'a mut [Machine],
    /// Their wires.
    pub lock_step: Option<&'a LockStep>,
    /// Index of the machine whose steps, places and conditions are meant. The others follow it in time.
    pub focus: usize,
}

impl<'a> World<'a> {
    /// One machine alone.
    pub fn alone(machine: &'a mut Machine) -> World<'a> {
        World {
            machines: std::slice::from_mut(machine),
            lock_step: None,
            focus: 0,
        }
    }

    /// The machine in focus.
    pub fn machine(&self) -> &Machine {
        &self.machines[self.focus]
    }

    /// The time of the machine in focus.
    pub fn now(&self) -> Instant {
        self.machine().now()
    }
}
