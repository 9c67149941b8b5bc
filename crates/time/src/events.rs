//! The event queue: events are data, ordered by (time, priority, sequence).

use crate::Instant;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Names a scheduled event, for cancelling it. Its order is the order of execution.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct EventId {
    time: Instant,
    priority: u8,
    sequence: u64,
}

impl EventId {
    /// When the event is due.
    pub fn time(self) -> Instant {
        self.time
    }
}

/// A queue of future events with a payload `P` each. Equal times run by priority (low first), then in the order of scheduling.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct EventQueue<P> {
    pending: BTreeMap<EventId, P>,
    next_sequence: u64,
}

impl<P> Default for EventQueue<P> {
    fn default() -> Self {
        EventQueue {
            pending: BTreeMap::new(),
            next_sequence: 0,
        }
    }
}

impl<P> EventQueue<P> {
    /// Adds an event.
    pub fn schedule(&mut self, time: Instant, priority: u8, payload: P) -> EventId {
        let id = EventId {
            time,
            priority,
            sequence: self.next_sequence,
        };
        self.next_sequence += 1;
        self.pending.insert(id, payload);
        id
    }

    /// Removes an event; `None` when it has already run or been cancelled.
    pub fn cancel(&mut self, id: EventId) -> Option<P> {
        self.pending.remove(&id)
    }

    /// Removes all events but those to be kept.
    pub fn retain(&mut self, keep: impl Fn(&P) -> bool) {
        self.pending.retain(|_, payload| keep(payload));
    }

    /// When the next event is due; [`Instant::FOREVER`] when there is none.
    pub fn next_time(&self) -> Instant {
        self.pending
            .first_key_value()
            .map_or(Instant::FOREVER, |(id, _)| id.time)
    }

    /// Takes the next event that is due at `now` or earlier.
    pub fn pop_due(&mut self, now: Instant) -> Option<(EventId, P)> {
        let entry = self.pending.first_entry()?;
        (entry.key().time <= now).then(|| entry.remove_entry())
    }

    /// What the pending events carry, in the order of execution.
    pub fn payloads(&self) -> impl Iterator<Item = &P> {
        self.pending.values()
    }

    /// Number of pending events.
    pub fn len(&self) -> usize {
        self.pending.len()
    }

    /// Whether nothing is pending.
    pub fn is_empty(&self) -> bool {
        self.pending.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_run_by_time_then_priority_then_order() {
        let mut queue = EventQueue::default();
        queue.schedule(Instant(20), 0, "late");
        queue.schedule(Instant(10), 1, "low");
        queue.schedule(Instant(10), 0, "first");
        queue.schedule(Instant(10), 0, "second");
        let mut order = vec![];
        while let Some((_, name)) = queue.pop_due(Instant(15)) {
            order.push(name);
        }
        assert_eq!(order, ["first", "second", "low"]);
        assert_eq!(queue.next_time(), Instant(20));
    }

    #[test]
    fn a_cancelled_event_does_not_run() {
        let mut queue = EventQueue::default();
        let id = queue.schedule(Instant(5), 0, ());
        assert_eq!(queue.cancel(id), Some(()));
        assert_eq!(queue.cancel(id), None);
        assert!(queue.is_empty() && queue.pop_due(Instant::FOREVER).is_none());
    }
}
