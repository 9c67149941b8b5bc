//! Which task of a Linux kernel each core runs, and what for: its own code, a system call, a fault, an interrupt, nothing.
//!
//! It fires when a core enters or leaves an exception and when it changes the pointer to its task, and nowhere else. While it is on,
//! a run ends there, translated or not, and the task is looked at; the rest costs nothing. It does not see what the
//! kernel does within one of these stretches, and what a core did before the probe was there counts as the kernel's own work until the
//! core leaves the kernel.

mod layout;
mod powerpc;
#[cfg(test)]
mod tests;
mod track;

pub use layout::{Layout, Task};
pub use track::{Activity, Call, Rest, Stretch, Track};

use powerpc::Seen;
use socscope_core::{Observer, Transfer, Translation};
use socscope_device::TraceEvent;
use socscope_memory::AddressSpace;
use socscope_powerpc::Core;

/// The probe.
#[derive(Clone, Debug)]
pub struct Linux {
    layout: Layout,
    track: Track,
    /// The core whose turn it is.
    core: u16,
    seen: Option<Seen>,
}

impl Linux {
    /// A probe of a kernel with these control blocks; no core is known before it was looked at.
    pub fn new(layout: Layout) -> Linux {
        Linux {
            layout,
            track: Track::default(),
            core: 0,
            seen: None,
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

    /// Looks at a core between two instructions, when it has done something that matters, and the first time.
    pub fn look(&mut self, core: u16, cycle: u64, processor: &Core, space: &AddressSpace) {
        self.core = core;
        let seen = self.seen.take();
        let moment = powerpc::moment(seen, cycle, processor, &self.layout, space);
        self.track.take(core, &moment);
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
        if number == powerpc::THREAD {
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

    fn translation(&mut self) -> Translation<'_> {
        Translation::Exceptions
    }
}
