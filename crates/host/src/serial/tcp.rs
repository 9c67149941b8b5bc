//! A TCP server as the other end of a line: one client at a time, raw or telnet.

use std::collections::VecDeque;
use std::net::SocketAddr;
use std::thread;
use std::time::Duration;

use super::connection::{AHEAD_BYTES, Connection};
use super::greeting::{Greeting, IsHttp};
use super::pipe::take_front;
use super::telnet::Telnet;
use super::{PeerReport, PeerState, SerialBackend, Settlement, TcpOptions};
use crate::listener::{Listener, bracketed};
use crate::{HostError, Interrupt};

/// How long to wait for a client that has not settled within the bound: the record is spoiled, the run goes on.
const LATE_BOUND: Duration = Duration::from_micros(300);

/// A TCP server. Unless it is `live`, bytes and clients are taken in by [`settle`](SerialBackend::settle) alone, so that
/// the moments at which the guest hears of them are those that the machine chooses.
#[derive(Debug)]
pub struct TcpServer {
    listener: Listener,
    options: TcpOptions,
    interrupt: Interrupt,
    client: Option<Connection>,
    /// The client is one of the report.
    counted: bool,
    greeting: Greeting,
    telnet: Telnet,
    inbox: VecDeque<u8>,
    report: PeerReport,
    /// The last settlement was complete and nothing was written since: bytes that come now were not called for.
    quiet: bool,
    /// The last settlement ran out of time.
    late: bool,
    started: bool,
}

impl TcpServer {
    /// Listens as `options` say; other hosts can connect only when a host is written.
    pub fn bind(options: &TcpOptions, interrupt: &Interrupt) -> Result<TcpServer, HostError> {
        let listener = Listener::bind("tcp", &options.host, options.port)?;
        let wanted = match options.host.as_str() {
            "" => "127.0.0.1".to_owned(),
            host => bracketed(host),
        };
        let mut report = PeerReport::repeatable(format!("tcp:{wanted}:{}", options.port));
        if options.live {
            report.spoil("the link is live: bytes arrive as the wall clock has it");
        }
        Ok(TcpServer {
            listener,
            options: options.clone(),
            interrupt: interrupt.clone(),
            client: None,
            counted: false,
            greeting: Greeting::default(),
            telnet: Telnet::default(),
            inbox: VecDeque::new(),
            report,
            quiet: false,
            late: false,
            started: false,
        })
    }

    /// Address and real port.
    pub fn local_address(&self) -> SocketAddr {
        self.listener.local()
    }

    /// Takes a waiting client; a second one is turned away while the first is there.
    fn accept(&mut self) -> Result<(), HostError> {
        while let Some((stream, _)) = self.listener.accept()? {
            if self
                .client
                .as_ref()
                .is_some_and(|client| !client.broken && !client.ended)
            {
                continue;
            }
            // A client that is gone before it was set up is none.
            let Ok(mut client) = Connection::new(stream) else {
                continue;
            };
            if self.options.telnet {
                let (telnet, offers) = Telnet::new();
                self.telnet = telnet;
                client.send(&offers);
            }
            self.client = Some(client);
            self.counted = false;
            self.greeting = Greeting::default();
            self.quiet = false;
            self.late = false;
        }
        Ok(())
    }

    /// The present client is one of the serial line: it has not begun as a browser does.
    fn count_client(&mut self) {
        if self.client.is_none() || std::mem::replace(&mut self.counted, true) {
            return;
        }
        self.report.connections += 1;
        if self.started {
            self.report
                .spoil("a client connected while the run was under way: use wait");
        }
    }

    /// Moves raw bytes from the client to what the guest will read, and sends away who speaks HTTP.
    fn take_in(&mut self, bytes: &[u8]) {
        let before = self.inbox.len();
        let mut data = Vec::new();
        if self.options.telnet {
            let mut answer = Vec::new();
            self.telnet.decode(bytes, &mut data, &mut answer);
            if let (Some(client), false) = (&mut self.client, answer.is_empty()) {
                client.send(&answer);
            }
        } else {
            data.extend(bytes);
        }
        match self.greeting.take(&data, &mut self.inbox) {
            Ok(()) => self.report.received_bytes += (self.inbox.len() - before) as u64,
            Err(IsHttp) => {
                self.report.refused += 1;
                self.client = None;
            }
        }
    }

    /// What was held back goes to the guest: the client has no more to say now.
    fn release(&mut self) {
        let before = self.inbox.len();
        self.greeting.release(&mut self.inbox);
        self.report.received_bytes += (self.inbox.len() - before) as u64;
    }

    fn settle_client(&mut self) -> Settlement {
        let mut bytes = Vec::new();
        if let (Some(client), true) = (&mut self.client, self.quiet) {
            let ended = client.ended;
            client.receive(&mut bytes);
            if bytes.is_empty() && client.ended == ended && !client.broken {
                return Settlement::Settled;
            }
            self.report
                .spoil("the client spoke up by itself, after a time-out of its own or by a user");
        }
        let bound = if self.late {
            LATE_BOUND
        } else {
            self.options.settle_bound
        };
        while let Some(client) = &mut self.client
            && self.inbox.len() < AHEAD_BYTES
        {
            let greeting = &self.greeting;
            let refused = |bytes: &[u8]| greeting.refuses(bytes);
            let settlement = client.settle(&mut bytes, &refused, bound, &self.interrupt);
            // Answers to telnet requests make the client go on.
            let answered = self.options.telnet && !bytes.is_empty();
            self.take_in(&std::mem::take(&mut bytes));
            if self.client.is_some() && (!answered || settlement != Settlement::Settled) {
                self.release();
                return settlement;
            }
        }
        if self.client.is_some() {
            Settlement::Settled
        } else {
            Settlement::Absent
        }
    }

    /// Waits for a client as long as none is there that is asked for.
    fn wait_for_client(&mut self) -> Result<(), HostError> {
        self.accept()?;
        while self.options.wait && self.client.is_none() {
            if self.interrupt.is_raised() {
                return Err(HostError::Interrupted {
                    place: self.address(),
                    what: "a client",
                });
            }
            thread::sleep(Duration::from_millis(5));
            self.accept()?;
        }
        Ok(())
    }
}

impl SerialBackend for TcpServer {
    fn read(&mut self, buffer: &mut [u8]) -> Result<usize, HostError> {
        if self.options.live && self.inbox.len() < buffer.len() {
            self.accept()?;
            if let Some(client) = &mut self.client {
                let mut bytes = Vec::new();
                client.flush();
                client.receive(&mut bytes);
                if bytes.is_empty() {
                    self.release();
                } else {
                    self.take_in(&bytes);
                }
            }
            self.count_client();
        }
        Ok(take_front(&mut self.inbox, buffer))
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), HostError> {
        if self.options.live {
            self.accept()?;
        }
        self.count_client();
        self.started = true;
        let dropped = match &mut self.client {
            Some(client) if !client.broken => {
                self.quiet = false;
                if self.options.telnet {
                    let mut encoded = Vec::with_capacity(bytes.len());
                    self.telnet.encode(bytes, &mut encoded);
                    client.send(&encoded)
                } else {
                    client.send(bytes)
                }
            }
            _ => bytes.len(),
        };
        self.report.sent_bytes += bytes.len() as u64;
        self.report.dropped_bytes += dropped as u64;
        Ok(())
    }

    fn wait_ready(&mut self) -> Result<(), HostError> {
        self.wait_for_client()
    }

    fn settle(&mut self) -> Result<Settlement, HostError> {
        if self.options.live {
            return Ok(Settlement::Live);
        }
        self.accept()?;
        let mut settlement = self.settle_client();
        // The one that the run waited for was none: the run has not begun yet.
        while self.options.wait
            && self.report.connections == 0
            && self.client.is_none()
            && self.report.refused > 0
        {
            match self.wait_for_client() {
                Ok(()) => settlement = self.settle_client(),
                Err(HostError::Interrupted { .. }) => return Ok(Settlement::Interrupted),
                Err(error) => return Err(error),
            }
        }
        self.count_client();
        self.started = true;
        self.quiet = settlement == Settlement::Settled && self.inbox.len() < AHEAD_BYTES;
        self.late = matches!(settlement, Settlement::TimedOut(_));
        match &settlement {
            Settlement::Elsewhere(what) => self
                .report
                .spoil(format!("the client waited for something else: {what}")),
            Settlement::Unobservable(why) => self
                .report
                .spoil(format!("the client cannot be observed: {why}")),
            Settlement::TimedOut(what) => {
                let bound = self.options.settle_bound.as_secs_f64();
                self.report.spoil(format!(
                    "the client was at work for more than {bound} s: {what}"
                ));
            }
            Settlement::Absent => self.client = None,
            _ => {}
        }
        Ok(settlement)
    }

    fn state(&self) -> PeerState {
        match &self.client {
            Some(client) if !client.broken && !client.ended => PeerState::Present,
            _ => PeerState::Absent,
        }
    }

    fn address(&self) -> String {
        format!("tcp:{}", self.local_address())
    }

    fn report(&self) -> PeerReport {
        self.report.clone()
    }

    fn close(&mut self) -> Result<(), HostError> {
        if let Some(client) = &mut self.client {
            client.finish();
        }
        self.client = None;
        Ok(())
    }
}
