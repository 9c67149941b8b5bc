//! The GDB remote protocol: what a debugger sees of machines, and how it moves them.

mod arch;
mod channel;
mod counting;
mod debugger;
mod frames;
mod memory;
mod memory_map;
mod monitor;
mod motion;
mod own_answers;
mod past;
mod processes;
mod registers;
mod resume;
mod server;
mod stops;
pub mod tasks;
mod threads;

pub use arch::{AnyArch, register_name};
pub use channel::{Channel, ChannelError, Received};
pub use debugger::{DebugError, Debugger, Subject, SymbolList, Symbols};
pub use frames::Opening;
pub use processes::unknown_cores;
pub use server::{Ended, Rest, Surroundings, converse};
