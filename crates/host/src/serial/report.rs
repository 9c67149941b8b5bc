//! What is known about the other end of a serial line.

use serde::Serialize;

/// Whether somebody is at the other end of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PeerState {
    /// Nobody; somebody may come.
    Absent,
    /// Somebody.
    Present,
    /// The input is over: end of file, or the user has left.
    Ended,
}

/// How a wait for the other end came out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Settlement {
    /// The other end waits for us; all that it said has been taken in.
    Settled,
    /// Nobody is there.
    Absent,
    /// Nobody waits for us: the program is busy with something else outside, named here, such as a user's typing.
    Elsewhere(String),
    /// The program cannot be observed; it runs on another host, as another user or in another namespace.
    Unobservable(String),
    /// It was still at work, as named here, when the bound ran out. Further waits are short until it settles again.
    TimedOut(String),
    /// The link is `live`, or a person's terminal: its user wants no waiting.
    Live,
    /// The interrupt was raised.
    Interrupted,
}

/// What a run record keeps about a link: nothing in it depends on the wall clock when `repeatable` holds.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct PeerReport {
    /// Where the other end is, as configured: a port chosen by the system is 0.
    pub address: String,
    /// Whether the link's input is the same in each run with the same program at the other end.
    pub repeatable: bool,
    /// Why it is not.
    pub reason: Option<String>,
    /// Clients that connected.
    pub connections: u64,
    /// Connections that were closed since they began with a request of HTTP, as a page in a browser makes it.
    pub refused: u64,
    /// Bytes from outside.
    pub received_bytes: u64,
    /// Bytes to outside.
    pub sent_bytes: u64,
    /// Bytes to outside that nobody heard.
    pub dropped_bytes: u64,
}

impl PeerReport {
    pub(crate) fn repeatable(address: String) -> PeerReport {
        PeerReport {
            address,
            repeatable: true,
            ..PeerReport::default()
        }
    }

    /// Notes why a run may not repeat; the first reason stays.
    pub(crate) fn spoil(&mut self, reason: impl Into<String>) {
        self.repeatable = false;
        self.reason.get_or_insert_with(|| reason.into());
    }
}
