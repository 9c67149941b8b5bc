//! One client of a TCP server: queues, byte counts, and the wait until the client waits for us.

use std::collections::VecDeque;
use std::io::{self, ErrorKind, Read, Write};
use std::net::TcpStream;
use std::thread;
use std::time::{Duration, Instant};

use super::Settlement;
use crate::Interrupt;
use crate::settle::{Doing, Group, Pair, SocketQuery, SocketView};

/// A client that is this far ahead of the guest counts as settled: nothing that it says now comes too late.
pub(super) const AHEAD_BYTES: usize = 1 << 20;
/// Bytes that wait for a client that does not read; more are dropped.
const OUTBOX_BYTES: usize = 16 << 20;
/// How long a client that cannot be observed is left alone.
const HIDDEN_RECHECK: Duration = Duration::from_secs(1);
/// How long a client has to be idle elsewhere to count as busy with something outside.
const ELSEWHERE_GRACE: Duration = Duration::from_millis(100);

/// One client.
#[derive(Debug)]
pub(super) struct Connection {
    stream: TcpStream,
    pair: Pair,
    query: io::Result<SocketQuery>,
    group: Option<Group>,
    outbox: VecDeque<u8>,
    written: u64,
    read: u64,
    /// The client will not send any more.
    pub(super) ended: bool,
    /// The connection is gone.
    pub(super) broken: bool,
    /// What was last found when the client was busy elsewhere.
    elsewhere: Option<String>,
    /// Why the client cannot be observed, and when that was last tried.
    hidden: Option<(String, Instant)>,
}

impl Connection {
    /// A client of a stream that does not block.
    pub(super) fn new(stream: TcpStream) -> io::Result<Connection> {
        let pair = Pair::new(stream.peer_addr()?, stream.local_addr()?);
        Ok(Connection {
            stream,
            pair,
            query: SocketQuery::open(),
            group: None,
            outbox: VecDeque::new(),
            written: 0,
            read: 0,
            ended: false,
            broken: false,
            elsewhere: None,
            hidden: None,
        })
    }

    /// Sends `bytes` as far as the kernel takes them, keeps the rest, and says how many were dropped.
    pub(super) fn send(&mut self, bytes: &[u8]) -> usize {
        let room = OUTBOX_BYTES - self.outbox.len().min(OUTBOX_BYTES);
        let kept = bytes.len().min(room);
        self.outbox.extend(&bytes[..kept]);
        self.flush();
        bytes.len() - kept
    }

    pub(super) fn flush(&mut self) {
        while !self.outbox.is_empty() && !self.broken {
            match self.stream.write(self.outbox.as_slices().0) {
                Ok(count) => {
                    self.outbox.drain(..count);
                    self.written += count as u64;
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => return,
                Err(_) => self.broken = true,
            }
        }
    }

    /// Takes in what has arrived, up to a bound on what waits for the guest.
    pub(super) fn receive(&mut self, inbox: &mut Vec<u8>) {
        let mut buffer = [0; 16_384];
        let before = self.read;
        while inbox.len() < AHEAD_BYTES && !self.ended && !self.broken {
            match self.stream.read(&mut buffer) {
                Ok(0) => self.ended = true,
                Ok(count) => {
                    self.read += count as u64;
                    inbox.extend(&buffer[..count]);
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                Err(_) => self.broken = true,
            }
        }
        // The client's next small piece waits for our acknowledgement (Nagle): give it at once.
        if self.read != before {
            let _ = rustix::net::sockopt::set_tcp_quickack(&self.stream, true);
        }
    }

    /// Waits until the client waits for us, or has said enough; all that it said is then in `inbox`.
    pub(super) fn settle(
        &mut self,
        inbox: &mut Vec<u8>,
        is_enough: &dyn Fn(&[u8]) -> bool,
        bound: Duration,
        interrupt: &Interrupt,
    ) -> Settlement {
        self.flush();
        self.receive(inbox);
        if let Some((why, since)) = &self.hidden
            && since.elapsed() < HIDDEN_RECHECK
            && !self.ended
            && !self.broken
        {
            return Settlement::Unobservable(why.clone());
        }
        let settlement = self.wait(inbox, is_enough, bound, interrupt);
        self.hidden = match &settlement {
            Settlement::Unobservable(why) => Some((why.clone(), Instant::now())),
            _ => None,
        };
        settlement
    }

    fn wait(
        &mut self,
        inbox: &mut Vec<u8>,
        is_enough: &dyn Fn(&[u8]) -> bool,
        bound: Duration,
        interrupt: &Interrupt,
    ) -> Settlement {
        let start = Instant::now();
        let mut rounds = 0_u32;
        let mut calm_since: Option<Instant> = None;
        loop {
            self.flush();
            self.receive(inbox);
            if self.broken || (self.ended && self.outbox.is_empty() && !self.has_peer()) {
                return Settlement::Absent;
            }
            if inbox.len() >= AHEAD_BYTES || is_enough(inbox) {
                return Settlement::Settled;
            }
            if interrupt.is_raised() {
                return Settlement::Interrupted;
            }
            let (doing, same) = match self.observe(inbox) {
                Ok(seen) => seen,
                Err(settlement) => return settlement,
            };
            let now = Instant::now();
            // Calm begins with a look at threads that all wait: one that runs has no new context switch to show.
            let waits = matches!(doing, Doing::Hears { .. } | Doing::Elsewhere(_));
            if waits && same {
                calm_since.get_or_insert(now);
            } else {
                calm_since = waits.then_some(now);
            }
            let calm = calm_since.unwrap_or(now);
            let work = match doing {
                Doing::Hears { sure, grace } => {
                    if sure || (same && now - calm >= grace) {
                        self.elsewhere = None;
                        return Settlement::Settled;
                    }
                    "was at work a moment ago".to_owned()
                }
                Doing::Elsewhere(what) => {
                    let known = same && self.elsewhere.as_ref() == Some(&what);
                    if known || (same && now - calm >= ELSEWHERE_GRACE) {
                        self.elsewhere = Some(what.clone());
                        return Settlement::Elsewhere(what);
                    }
                    what
                }
                Doing::Works(what) => what,
                Doing::Hidden if self.hidden.is_some() || now - start >= ELSEWHERE_GRACE => {
                    let reason = "its program is not visible in /proc: same user and same namespace are needed";
                    return Settlement::Unobservable(reason.into());
                }
                Doing::Hidden => "is not visible yet".into(),
            };
            if now - start >= bound {
                return Settlement::TimedOut(work);
            }
            rounds += 1;
            pause(rounds);
        }
    }

    /// One observation. The order makes it exact: the socket has been read empty, then the threads wait, then nothing
    /// more has been sent than has arrived here.
    fn observe(&mut self, inbox: &mut Vec<u8>) -> Result<(Doing, bool), Settlement> {
        // The kernel reads the unread bytes of one answer before its arrived ones: they are taken from two answers.
        let Some(arrived) = self.view()? else {
            return self.without_peer(inbox);
        };
        let Some(before) = self.view()? else {
            return self.without_peer(inbox);
        };
        if before.inode == 0 {
            return Ok((Doing::Works("closes its connection".into()), false));
        }
        if self
            .group
            .as_ref()
            .is_none_or(|group| !group.is_of(before.inode))
        {
            self.group = Some(Group::new(before.inode));
        }
        let Some(group) = &mut self.group else {
            return Ok((Doing::Hidden, false));
        };
        let (doing, same) = group.look(before.sent);
        self.receive(inbox);
        let Some(after) = self.view()? else {
            return Ok((Doing::Works("closes its connection".into()), false));
        };
        let said_all =
            after.unsent == 0 && after.sent <= self.read && after.received == arrived.received;
        let heard_all =
            self.outbox.is_empty() && arrived.received >= self.written && before.unread == 0;
        Ok(match doing {
            Doing::Hears { .. } | Doing::Elsewhere(_) if !said_all => {
                (Doing::Works("is sending".into()), same)
            }
            Doing::Hears { .. } if !heard_all => (Doing::Works("has not read all".into()), same),
            doing => (doing, same),
        })
    }

    fn view(&mut self) -> Result<Option<SocketView>, Settlement> {
        let looked = match &mut self.query {
            Ok(query) => query.look(self.pair),
            Err(error) => Err(io::Error::new(error.kind(), error.to_string())),
        };
        looked.map_err(|error| {
            Settlement::Unobservable(format!(
                "the kernel does not show sockets (sock_diag): {error}"
            ))
        })
    }

    /// The peer's socket is not here: it is closed, or on another host.
    fn without_peer(&mut self, inbox: &mut Vec<u8>) -> Result<(Doing, bool), Settlement> {
        self.receive(inbox);
        if self.ended || self.broken {
            return Err(Settlement::Absent);
        }
        Err(Settlement::Unobservable(
            "it runs on another host or in another network namespace".into(),
        ))
    }

    /// Sends what is left, for a short while, before the connection is closed.
    pub(super) fn finish(&mut self) {
        let start = Instant::now();
        while !self.outbox.is_empty() && !self.broken && start.elapsed() < ELSEWHERE_GRACE {
            self.flush();
            thread::sleep(Duration::from_millis(1));
        }
    }

    /// Whether a program still holds the other end.
    fn has_peer(&mut self) -> bool {
        matches!(self.view(), Ok(Some(view)) if view.inode != 0)
    }
}

/// Short waits first: most clients answer within microseconds.
fn pause(rounds: u32) {
    match rounds {
        0..20 => thread::yield_now(),
        20..200 => thread::sleep(Duration::from_micros(50)),
        _ => thread::sleep(Duration::from_millis(1)),
    }
}
