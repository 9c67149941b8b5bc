//! Virtual time: an integer clock, clock domains and the event queue.
//!
//! Time never comes from the host. An [`Instant`] counts picoseconds since power-on; a [`Clock`] converts
//! between the cycles of one domain and instants so that cycle order and time order agree exactly.

mod clock;
mod events;

pub use clock::{Clock, Instant};
pub use events::{EventId, EventQueue};
