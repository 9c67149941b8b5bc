//! The only door to files, sockets, terminals and the wall clock.

mod error;
mod gdb;
mod image_file;
mod interrupt;
mod last_word;
mod listener;
mod memory_use;
mod pacer;
pub mod serial;
mod session;
mod settle;
mod share;

pub use error::HostError;
pub use gdb::{GdbEnd, GdbEvent, GdbServer};
pub use image_file::read_image;
pub use interrupt::{Interrupt, SignalGuard};
pub use last_word::LastWord;
pub use memory_use::{Reserving, memory_exceeded, memory_limit, set_memory_limit};
pub use pacer::Pacer;
pub use serial::{Endpoint, Link, PeerReport, PeerState, SerialBackend, Settlement, TcpOptions};
pub use session::{Companion, Progress, Session, SessionEnd, SessionStop, run_together};
pub use share::{LeftOut, Shared, WrittenBack, read_share, write_share};
