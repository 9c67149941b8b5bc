//! Links without a device behind them: memory, standard output, nowhere.

use std::collections::VecDeque;
use std::io::{self, IsTerminal, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::{PeerState, SerialBackend};
use crate::HostError;

#[derive(Debug, Default)]
struct Queues {
    to_guest: VecDeque<u8>,
    from_guest: Vec<u8>,
}

/// A queue in memory; its other end is a [`PipeEnd`].
#[derive(Debug)]
pub struct PipeLink(Arc<Mutex<Queues>>);

/// The script's end of a [`PipeLink`]; clones share it.
#[derive(Clone, Debug)]
pub struct PipeEnd(Arc<Mutex<Queues>>);

fn locked(queues: &Mutex<Queues>) -> MutexGuard<'_, Queues> {
    queues.lock().unwrap_or_else(PoisonError::into_inner)
}

impl PipeLink {
    /// Both ends of a new queue.
    pub fn new() -> (PipeLink, PipeEnd) {
        let queues = Arc::new(Mutex::new(Queues::default()));
        (PipeLink(Arc::clone(&queues)), PipeEnd(queues))
    }
}

impl PipeEnd {
    /// Sends `bytes` to the guest.
    pub fn send(&self, bytes: &[u8]) {
        locked(&self.0).to_guest.extend(bytes);
    }

    /// Takes what the guest has sent since the last call.
    pub fn take(&self) -> Vec<u8> {
        std::mem::take(&mut locked(&self.0).from_guest)
    }
}

impl SerialBackend for PipeLink {
    fn read(&mut self, buffer: &mut [u8]) -> Result<usize, HostError> {
        Ok(take_front(&mut locked(&self.0).to_guest, buffer))
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), HostError> {
        locked(&self.0).from_guest.extend(bytes);
        Ok(())
    }

    fn state(&self) -> PeerState {
        PeerState::Present
    }

    fn address(&self) -> String {
        "pipe".into()
    }

    fn close(&mut self) -> Result<(), HostError> {
        Ok(())
    }
}

/// Moves bytes from the front of `queue` into `buffer`.
pub(super) fn take_front(queue: &mut VecDeque<u8>, buffer: &mut [u8]) -> usize {
    let count = queue.len().min(buffer.len());
    for (place, byte) in buffer.iter_mut().zip(queue.drain(..count)) {
        *place = byte;
    }
    count
}

/// Nowhere: takes everything, says nothing.
#[derive(Debug)]
pub struct NullLink;

impl SerialBackend for NullLink {
    fn read(&mut self, _buffer: &mut [u8]) -> Result<usize, HostError> {
        Ok(0)
    }

    fn write(&mut self, _bytes: &[u8]) -> Result<(), HostError> {
        Ok(())
    }

    fn state(&self) -> PeerState {
        PeerState::Ended
    }

    fn address(&self) -> String {
        "null".into()
    }

    fn close(&mut self) -> Result<(), HostError> {
        Ok(())
    }
}

/// Standard output; no input.
#[derive(Debug)]
pub struct StdoutLink {
    stdout: io::Stdout,
    is_terminal: bool,
    /// Who read it has gone.
    gone: bool,
}

impl StdoutLink {
    /// The process's standard output.
    pub fn new() -> StdoutLink {
        let stdout = io::stdout();
        StdoutLink {
            is_terminal: stdout.is_terminal(),
            stdout,
            gone: false,
        }
    }
}

impl Default for StdoutLink {
    fn default() -> StdoutLink {
        StdoutLink::new()
    }
}

/// Whether writing failed since who read has gone: a pipe without a reader, a terminal that was closed.
pub(super) fn is_gone(error: &io::Error, is_terminal: bool) -> bool {
    error.kind() == io::ErrorKind::BrokenPipe
        || is_terminal && error.raw_os_error() == Some(libc::EIO)
}

impl SerialBackend for StdoutLink {
    fn read(&mut self, _buffer: &mut [u8]) -> Result<usize, HostError> {
        Ok(0)
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), HostError> {
        match self
            .stdout
            .write_all(bytes)
            .and_then(|()| self.stdout.flush())
        {
            Err(error) if is_gone(&error, self.is_terminal) => {
                self.gone = true;
                Ok(())
            }
            other => other.map_err(|source| HostError::Terminal {
                action: "write the guest's output",
                source,
            }),
        }
    }

    fn state(&self) -> PeerState {
        PeerState::Ended
    }

    fn closed(&self) -> Option<&'static str> {
        self.gone
            .then_some("nobody reads the standard output any more")
    }

    fn address(&self) -> String {
        "stdout".into()
    }

    fn close(&mut self) -> Result<(), HostError> {
        self.write(&[])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pipe_carries_bytes_both_ways_in_order() {
        let (mut link, end) = PipeLink::new();
        end.send(b"abcde");
        let mut buffer = [0; 3];
        assert_eq!(link.read(&mut buffer).expect("memory"), 3);
        assert_eq!(&buffer, b"abc");
        assert_eq!(link.read(&mut buffer).expect("memory"), 2);
        assert_eq!(link.read(&mut buffer).expect("memory"), 0);
        link.write(b"x")
            .and_then(|()| link.write(b"yz"))
            .expect("memory");
        assert_eq!(end.take(), b"xyz");
        assert_eq!(end.take(), b"");
    }

    #[test]
    fn null_says_nothing() {
        let mut link = NullLink;
        link.write(b"x").expect("null takes all");
        assert_eq!(link.read(&mut [0; 4]).expect("null"), 0);
        assert_eq!(link.state(), PeerState::Ended);
    }
}
