//! The other end of a UART's line on the host.

mod connection;
mod endpoint;
mod file;
mod greeting;
mod pipe;
mod report;
mod tcp;
mod telnet;
mod terminal;

pub use endpoint::{Endpoint, Link, TcpOptions};
pub use file::FileLink;
pub use pipe::{NullLink, PipeEnd, PipeLink, StdoutLink};
pub use report::{PeerReport, PeerState, Settlement};
pub use tcp::TcpServer;
pub use terminal::Terminal;

use crate::{HostError, Interrupt};

/// Bytes to and from one serial line. No call but [`wait_ready`](SerialBackend::wait_ready) and
/// [`settle`](SerialBackend::settle) blocks.
pub trait SerialBackend: Send {
    /// Moves bytes from outside to the front of `buffer` and says how many; 0 when none are there.
    fn read(&mut self, buffer: &mut [u8]) -> Result<usize, HostError>;

    /// Takes all of `bytes` to the outside.
    fn write(&mut self, bytes: &[u8]) -> Result<(), HostError>;

    /// Blocks until the link is usable: a TCP server with `wait` until a client is there.
    fn wait_ready(&mut self) -> Result<(), HostError> {
        Ok(())
    }

    /// Blocks until the program at the other end cannot do anything more without hearing from us, and takes in all
    /// that it has said. To the guest, the host is then infinitely fast and a run repeats to the bit.
    fn settle(&mut self) -> Result<Settlement, HostError> {
        Ok(Settlement::Settled)
    }

    /// Whether somebody is at the other end.
    fn state(&self) -> PeerState;

    /// Why the run ends here, when the other end was all that it was for.
    fn closed(&self) -> Option<&'static str> {
        None
    }

    /// Where the other end is, such as `tcp:127.0.0.1:5001` with the real port.
    fn address(&self) -> String;

    /// What the record has to say about the link.
    fn report(&self) -> PeerReport {
        PeerReport::repeatable(self.address())
    }

    /// Ends the link and reports what could not be written. Later calls do nothing.
    fn close(&mut self) -> Result<(), HostError>;
}

impl Endpoint {
    /// Opens the endpoint. `interrupt` ends waits, and is raised by the terminal's escape key.
    pub fn open(&self, interrupt: &Interrupt) -> Result<Box<dyn SerialBackend>, HostError> {
        Ok(match self {
            Endpoint::Terminal => Box::new(Terminal::open(interrupt)?),
            Endpoint::Stdout => Box::new(StdoutLink::new()),
            Endpoint::Null => Box::new(NullLink),
            Endpoint::Pipe => Box::new(PipeLink::new().0),
            Endpoint::File { output, input } => {
                Box::new(FileLink::open(output.as_deref(), input.as_deref())?)
            }
            Endpoint::Tcp(options) => Box::new(TcpServer::bind(options, interrupt)?),
            Endpoint::Machine { machine, port } => {
                let (machine, port) = (machine.clone(), port.clone());
                return Err(HostError::MachineLink { machine, port });
            }
        })
    }
}
