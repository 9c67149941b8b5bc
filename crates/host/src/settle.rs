//! What the program at the other end of a connection is doing: how far its socket has come, and what its threads wait for.

mod call;
mod group;
mod memory;
mod socket;

pub(crate) use group::{Doing, Group};
pub(crate) use socket::{Pair, SocketQuery, SocketView};
