//! A TCP server as the other end of a line: one client at a time, raw or telnet.

use std::collections::VecDeque;
use std::io::{self, ErrorKind};
use std::net::{SocketAddr, TcpListener};
use std::thread;
use std::time::Duration;

use super::connection::{AHEAD_BYTES, Connection};
use super::pipe::take_front;
use super::telnet::Telnet;
use super::{PeerReport, PeerState, SerialBackend, Settlement, TcpOptions};
use crate::{HostError, Interrupt};

/// How long to wait for a client that has not settled within the bound: the record is spoiled, the run goes on.
const LATE_BOUND: Duration = Duration::from_micros(300);

/// A TCP server. Unless it is `live`, bytes and clients are taken in by [`settle`](SerialBackend::settle) alone, so that
/// the moments at which the guest hears of them are those that the machine chooses.
#[derive(Debug)]
pub struct TcpServer {
    listener: TcpListener,
    local: SocketAddr,
    options: TcpOptions,
    interrupt: Interrupt,
    client: Option<Connection>,
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
        let host = if options.host.is_empty() {
            "127.0.0.1"
        } else {
            &options.host
        };
        let wanted = if host.contains(':') {
            format!("[{host}]")
        } else {
            host.to_owned()
        };
        let failed = |source| HostError::Socket {
            address: format!("tcp:{wanted}:{}", options.port),
            action: "listen",
            source,
        };
        let listener = TcpListener::bind((host, options.port)).map_err(failed)?;
        listener.set_nonblocking(true).map_err(failed)?;
        let local = listener.local_addr().map_err(failed)?;
        let mut report = PeerReport::repeatable(format!("tcp:{wanted}:{}", options.port));
        if options.live {
            report.spoil("the link is live: bytes arrive as the wall clock has it");
        }
        Ok(TcpServer {
            listener,
            local,
            options: options.clone(),
            interrupt: interrupt.clone(),
            client: None,
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
        self.local
    }

    /// Takes a waiting client; a second one is turned away while the first is there.
    fn accept(&mut self) -> Result<(), HostError> {
        loop {
            let (stream, _) = match self.listener.accept() {
                Ok(client) => client,
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(()),
                Err(error)
                    if matches!(
                        error.kind(),
                        ErrorKind::ConnectionAborted | ErrorKind::Interrupted
                    ) =>
                {
                    continue;
                }
                Err(source) => return Err(self.failed("accept a client", source)),
            };
            if self
                .client
                .as_ref()
                .is_some_and(|client| !client.broken && !client.ended)
            {
                continue;
            }
            let mut client = Connection::new(stream)
                .map_err(|source| self.failed("set up the client", source))?;
            if self.options.telnet {
                let (telnet, offers) = Telnet::new();
                self.telnet = telnet;
                client.send(&offers);
            }
            self.client = Some(client);
            self.report.connections += 1;
            self.quiet = false;
            if self.started {
                self.report
                    .spoil("a client connected while the run was under way: use wait");
            }
        }
    }

    fn failed(&self, action: &'static str, source: io::Error) -> HostError {
        HostError::Socket {
            address: self.address(),
            action,
            source,
        }
    }

    /// Moves raw bytes from the client to what the guest will read.
    fn take_in(&mut self, bytes: &[u8]) {
        let before = self.inbox.len();
        if self.options.telnet {
            let mut answer = Vec::new();
            self.telnet.decode(bytes, &mut self.inbox, &mut answer);
            if let (Some(client), false) = (&mut self.client, answer.is_empty()) {
                client.send(&answer);
            }
        } else {
            self.inbox.extend(bytes);
        }
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
            let settlement = client.settle(&mut bytes, bound, &self.interrupt);
            // Answers to telnet requests make the client go on.
            let answered = self.options.telnet && !bytes.is_empty();
            self.take_in(&std::mem::take(&mut bytes));
            if !answered || settlement != Settlement::Settled {
                return settlement;
            }
        }
        if self.client.is_some() {
            Settlement::Settled
        } else {
            Settlement::Absent
        }
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
                self.take_in(&bytes);
            }
        }
        Ok(take_front(&mut self.inbox, buffer))
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), HostError> {
        if self.options.live {
            self.accept()?;
        }
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

    fn settle(&mut self) -> Result<Settlement, HostError> {
        if self.options.live {
            return Ok(Settlement::Live);
        }
        self.accept()?;
        self.started = true;
        let settlement = self.settle_client();
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
        format!("tcp:{}", self.local)
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
