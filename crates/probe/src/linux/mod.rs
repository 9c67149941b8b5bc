//! Which task of a Linux kernel each core runs, and what for: its own code, a system call, a fault, an interrupt, nothing.
//!
//! It fires when a core enters or leaves an exception and when it changes the pointer to its task, which is a special register or a variable that
//! known instructions write, and nowhere else. There the task is looked at, and the rest costs nothing. What a core shows of its kernel is its
//! architecture's business: [`socscope_core::LinuxCore`]. It does not see what the kernel does within one of these stretches, and what a core did
//! before the probe was there counts as the kernel's own work until the core leaves the kernel.

mod layout;
mod moment;
#[cfg(test)]
mod tests;
mod track;

pub use layout::{Current, Layout, Task, Variable};
pub use track::{Activity, Call, Rest, Stretch, Track};

use crate::window::CoreSet;
use moment::{Known, Seen};
use socscope_core::{Core, LinuxCore, Observer, Transfer, Translation};
use socscope_device::TraceEvent;
use socscope_memory::{AddressSpace, Viewer};
use std::collections::BTreeSet;

/// The probe.
#[derive(Clone, Debug)]
pub struct Linux {
    layout: Layout,
    task_registers: &'static [u32],
    /// The cores that the kernel may run on.
    cores: CoreSet,
    track: Track,
    /// The core whose turn it is.
    core: u16,
    seen: Option<Seen>,
    /// The tasks of the cores.
    known: Vec<Known>,
}

impl Linux {
    /// A probe of a kernel with these control blocks on these cores, which are like `core`; none is known before it was looked at.
    pub fn new(layout: Layout, core: &dyn LinuxCore, cores: CoreSet) -> Linux {
        Linux {
            task_registers: match layout.current {
                Current::Register { .. } => core.task_registers(),
                Current::Variable(_) => &[],
            },
            layout,
            cores,
            track: Track::default(),
            core: 0,
            seen: None,
            known: vec![],
        }
    }

    /// What was found.
    pub fn track(&self) -> &Track {
        &self.track
    }

    /// Everything told from now on is about this core.
    pub fn turn(&mut self, core: u16) {
        self.core = core;
    }

    /// The task that the present core runs; none before it was looked at.
    pub fn task(&self) -> Option<(u16, &Task)> {
        Some((self.core, self.track.task_of(self.core)?))
    }

    /// Addresses of instructions at which the pointer to the task has just been written.
    pub fn addresses(&self) -> Option<&BTreeSet<u32>> {
        match &self.layout.current {
            Current::Register { .. } => None,
            Current::Variable(variable) => Some(&variable.written_before),
        }
    }

    /// The present core stands before the instruction at an address.
    pub fn reaches(&mut self, address: u32) {
        if self.addresses().is_some_and(|them| them.contains(&address)) {
            self.seen.get_or_insert(Seen::Switch);
        }
    }

    /// A device tells something in the turn of the present core.
    pub fn device(&mut self, event: TraceEvent) {
        if let TraceEvent::InterruptVectored {
            source,
            spurious: false,
            ..
        } = event
        {
            self.track.interrupt(self.core, source);
        }
    }
}

impl Observer for Linux {
    fn special_written(&mut self, number: u32, _value: u32) {
        if self.task_registers.contains(&number) {
            self.seen.get_or_insert(Seen::Switch);
        }
    }

    fn transfer(&mut self, _from: u32, _to: u32, kind: Transfer, _stack_pointer: u32) {
        match kind {
            Transfer::ExceptionEntry(number) => self.seen = Some(Seen::Entry(number)),
            Transfer::ExceptionReturn => self.seen = Some(Seen::Return),
            Transfer::Jump | Transfer::Call => {}
        }
    }

    fn stop(&self) -> bool {
        self.seen.is_some()
    }

    /// Takes in the present core, when it has done something that matters, and the first time.
    fn look(&mut self, cycle: u64, core: &dyn Core, space: &AddressSpace) {
        let seen = self.seen.take();
        let place = usize::from(self.core);
        if let Some(linux) = core.linux().filter(|_| self.cores.has(place)) {
            if self.known.len() <= place {
                self.known.resize(place + 1, None);
            }
            let tasks = (&self.layout, &mut self.known[place]);
            let seen_by = (space, Viewer::Core(self.core));
            let moment = moment::moment(seen, (cycle, core), linux, tasks, seen_by);
            self.track.take(self.core, &moment);
        }
    }

    fn translation(&mut self) -> Translation<'_> {
        Translation::Exceptions(self.task_registers)
    }
}
