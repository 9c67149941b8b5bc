//! The receiver time-out: a counter that each character reloads and each bit period decrements.

use super::event;
use serde::{Deserialize, Serialize};
use socscope_device::Context;
use socscope_time::{EventId, Instant};

/// Waits for a first character, then runs towards its deadline.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Timeout {
    deadline: Option<Instant>,
    /// TIMEOUT in CSR.
    pub expired: bool,
    /// May be earlier than the deadline, which characters move: then it is only a look at the clock.
    event: Option<EventId>,
}

impl Timeout {
    /// Start Time-out: waits for a first character again.
    pub fn start(&mut self) {
        self.deadline = None;
        self.expired = false;
    }

    /// The counter stops; the flag stays.
    pub fn stop(&mut self) {
        self.deadline = None;
    }

    /// Back to the reset state.
    pub fn reset(&mut self, context: &mut Context) {
        if let Some(event) = self.event {
            context.cancel(event);
        }
        *self = Timeout::default();
    }

    /// A character was received: time-out after `duration_ps` from now.
    pub fn reload(&mut self, duration_ps: u64, context: &mut Context) {
        if self.expired {
            return;
        }
        let deadline = context.now.after_ps(duration_ps);
        self.deadline = Some(deadline);
        match self.event {
            Some(event) if event.time() <= deadline => return,
            Some(event) => context.cancel(event),
            None => {}
        }
        self.event = Some(context.schedule(deadline, event::TIMEOUT));
    }

    /// The event is due.
    pub fn check(&mut self, context: &mut Context) {
        self.event = None;
        match self.deadline {
            Some(deadline) if deadline <= context.now => {
                self.deadline = None;
                self.expired = true;
            }
            Some(deadline) => self.event = Some(context.schedule(deadline, event::TIMEOUT)),
            None => {}
        }
    }
}
