//! The terminal as the other end: raw mode, so that every key goes to the guest. Ctrl-A x leaves, Ctrl-A a sends Ctrl-A,
//! Ctrl-A h lists the keys.

use std::collections::VecDeque;
use std::io::{self, IsTerminal, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::termios::{OptionalActions, OutputModes, Termios, tcgetattr, tcsetattr};
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};

use super::pipe::{is_gone, take_front};
use super::{PeerReport, PeerState, SerialBackend, Settlement};
use crate::interrupt::{Disposition, disposition};
use crate::{HostError, Interrupt};

const ESCAPE: u8 = 0x01;
const HELP: &[u8] = b"\r\nCtrl-A x  leave\r\nCtrl-A a  send Ctrl-A\r\nCtrl-A h  this list\r\n";

/// Settings to go back to, kept for the signal handler, which may not lock.
static SAVED: OnceLock<Termios> = OnceLock::new();
static RAW: AtomicBool = AtomicBool::new(false);

/// What the keys mean.
#[derive(Debug, Default)]
struct Keys {
    after_escape: bool,
    left: bool,
}

impl Keys {
    /// Appends what the guest hears of `typed`; `true` when help was asked for.
    fn take(&mut self, typed: &[u8], heard: &mut VecDeque<u8>) -> bool {
        let mut help = false;
        for &key in typed {
            if std::mem::take(&mut self.after_escape) {
                match key {
                    b'x' | b'X' => {
                        self.left = true;
                        break;
                    }
                    b'a' | ESCAPE => heard.push_back(ESCAPE),
                    b'h' | b'?' => help = true,
                    _ => {}
                }
            } else if key == ESCAPE {
                self.after_escape = true;
            } else {
                heard.push_back(key);
            }
        }
        help
    }
}

/// The terminal. Standard input that is no terminal is read as it is, without escape key.
#[derive(Debug)]
pub struct Terminal {
    keys: Keys,
    inbox: VecDeque<u8>,
    ended: bool,
    raw: bool,
    interrupt: Interrupt,
}

fn failed(action: &'static str) -> impl Fn(io::Error) -> HostError {
    move |source| HostError::Terminal { action, source }
}

impl Terminal {
    /// Puts the terminal into raw mode until the link is closed or dropped.
    pub fn open(interrupt: &Interrupt) -> Result<Terminal, HostError> {
        let raw = io::stdin().is_terminal();
        if raw {
            enter_raw_mode(rustix::stdio::stdin()).map_err(failed("set up raw mode"))?;
        }
        Ok(Terminal {
            keys: Keys::default(),
            inbox: VecDeque::new(),
            ended: false,
            raw,
            interrupt: interrupt.clone(),
        })
    }

    fn receive(&mut self) -> io::Result<()> {
        let stdin = rustix::stdio::stdin();
        let mut buffer = [0; 4096];
        while !self.ended && readable(stdin)? {
            let count = match rustix::io::read(stdin, &mut buffer) {
                Err(rustix::io::Errno::INTR) => continue,
                // The terminal itself was closed.
                Err(rustix::io::Errno::IO) => 0,
                other => other?,
            };
            self.ended = count == 0;
            if !self.raw {
                self.inbox.extend(&buffer[..count]);
            } else if self.keys.take(&buffer[..count], &mut self.inbox) {
                put(HELP)?;
            }
            if self.keys.left {
                self.ended = true;
                self.interrupt.raise();
            }
        }
        Ok(())
    }
}

fn readable(fd: BorrowedFd<'_>) -> io::Result<bool> {
    let mut wanted = [PollFd::new(&fd, PollFlags::IN)];
    match poll(
        &mut wanted,
        Some(&Timespec {
            tv_sec: 0,
            tv_nsec: 0,
        }),
    ) {
        Ok(count) => Ok(count > 0),
        Err(rustix::io::Errno::INTR) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

fn put(bytes: &[u8]) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(bytes)?;
    out.flush()
}

fn enter_raw_mode(terminal: BorrowedFd<'_>) -> io::Result<()> {
    let found = tcgetattr(terminal)?;
    let mut raw = found.clone();
    if SAVED.set(found).is_ok() {
        for signal in [SIGTERM, SIGHUP, SIGINT, SIGQUIT] {
            restore_on(signal)?;
        }
    }
    raw.make_raw();
    // Messages of ours still go to the same screen: keep the return at line ends.
    raw.output_modes |= OutputModes::OPOST | OutputModes::ONLCR;
    RAW.store(true, Ordering::Release);
    tcsetattr(terminal, OptionalActions::Drain, &raw)?;
    Ok(())
}

/// Sets the terminal right before `signal` does what it did without us: ends the program, runs the program's own handler, or nothing.
#[allow(unsafe_code)]
fn restore_on(signal: i32) -> io::Result<()> {
    let without_us = disposition(signal);
    if without_us == Disposition::Ignored {
        return Ok(());
    }
    // SIGINT is left to its other handlers (Python's, a run's flag).
    let ends = without_us == Disposition::Default && signal != SIGINT;
    let handler = move || {
        restore(rustix::stdio::stdin());
        if ends {
            let _ = signal_hook::low_level::emulate_default_handler(signal);
        }
    };
    // SAFETY: the handler calls only tcsetattr and what emulate_default_handler calls, which are async-signal-safe
    // (man 7 signal-safety); it reads an atomic and a set OnceLock, allocates nothing and takes no lock.
    unsafe { signal_hook::low_level::register(signal, handler) }?;
    Ok(())
}

/// Goes back to the settings found.
fn restore(terminal: BorrowedFd<'_>) {
    let was_raw = RAW.swap(false, Ordering::AcqRel);
    if let (true, Some(saved)) = (was_raw, SAVED.get()) {
        let _ = tcsetattr(terminal, OptionalActions::Now, saved);
    }
}

impl SerialBackend for Terminal {
    fn read(&mut self, buffer: &mut [u8]) -> Result<usize, HostError> {
        if self.inbox.is_empty() {
            self.receive().map_err(failed("read the keyboard"))?;
        }
        Ok(take_front(&mut self.inbox, buffer))
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), HostError> {
        match put(bytes) {
            Err(error) if is_gone(&error, true) => {
                self.ended = true;
                Ok(())
            }
            other => other.map_err(failed("write the guest's output")),
        }
    }

    fn closed(&self) -> Option<&'static str> {
        self.ended.then_some("the terminal was closed")
    }

    fn settle(&mut self) -> Result<Settlement, HostError> {
        Ok(if self.raw && !self.ended {
            Settlement::Live
        } else {
            Settlement::Settled
        })
    }

    fn state(&self) -> PeerState {
        if self.ended {
            PeerState::Ended
        } else {
            PeerState::Present
        }
    }

    fn address(&self) -> String {
        "terminal".into()
    }

    fn report(&self) -> PeerReport {
        let mut report = PeerReport::repeatable(self.address());
        report.spoil(if self.raw {
            "a person types"
        } else {
            "standard input is read as it comes: use file:in=PATH"
        });
        report
    }

    fn close(&mut self) -> Result<(), HostError> {
        if std::mem::take(&mut self.raw) {
            restore(rustix::stdio::stdin().as_fd());
        }
        Ok(())
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let _ = self.close();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_escape_key_leaves_sends_itself_and_helps() {
        let (mut keys, mut heard) = (Keys::default(), VecDeque::new());
        assert!(!keys.take(b"ab\x01", &mut heard));
        assert!(!keys.take(b"ac\x01\x01\x01zd\x03", &mut heard));
        assert_eq!(heard, b"ab\x01c\x01d\x03".to_vec());
        assert!(keys.take(b"\x01h", &mut heard));
        assert!(!keys.left);
        heard.clear();
        keys.take(b"q\x01xr", &mut heard);
        assert!(keys.left);
        assert_eq!(heard, b"q".to_vec());
    }
}
