//! The TCP side of the GDB server: clients one after another, on this host unless the user says otherwise.

use crate::interrupt::Guards;
use crate::listener::Listener;
use crate::{HostError, Interrupt, Session};
use socscope_debug::{
    Channel, ChannelError, Debugger, Ended, Opening, Received, Rest, Surroundings, converse,
};
use socscope_machine::Machine;
use socscope_time::Instant;
use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

/// How long a wait lasts until the rest of the world is looked at.
const WAIT: Duration = Duration::from_millis(20);
/// A client that takes nothing in for so long is gone.
const WRITE_TIMEOUT: Duration = Duration::from_secs(10);
const READ_BYTES: usize = 4096;
/// Connections that have not shown yet whether they are debuggers; the oldest goes for one more.
const UNKNOWN_MAX: usize = 16;
/// What is shown of the words of a stranger.
const SHOWN_BYTES: usize = 40;

/// What a client did, for people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GdbEvent {
    /// A client came.
    Connected(String),
    /// Somebody came who is no debugger, and was sent away; who and why.
    Refused(String),
    /// It lets the guest go on.
    Detached,
    /// It is gone; the guest stands.
    Closed,
    /// It said what cannot be answered, and was sent away.
    Broken(String),
}

/// Why serving ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GdbEnd {
    /// A client killed the guest.
    Killed,
    /// The run's own end.
    Finished,
    /// The guest, running without a debugger, can go on no more; why.
    Stuck(String),
    /// The guest, running without a debugger, sleeps for ever.
    Asleep,
    /// Ctrl-C on our side, or a signal that ends the command.
    Interrupted,
}

/// A port on which debuggers connect.
#[derive(Debug)]
pub struct GdbServer {
    listener: Listener,
}

impl GdbServer {
    /// Listens on the loopback interface, or on `host` when that is given; port 0 takes any free one.
    ///
    /// # Errors
    /// Ports in use, addresses that this host does not have.
    pub fn bind(host: Option<&str>, port: u16) -> Result<GdbServer, HostError> {
        let listener = Listener::bind("gdb", host.unwrap_or_default(), port)?;
        Ok(GdbServer { listener })
    }

    /// Address and real port.
    pub fn local_address(&self) -> SocketAddr {
        self.listener.local()
    }

    /// Serves clients, one at a time, until one kills the guest, the run ends, or the user ends it. The guest stands until the first client lets it go.
    /// Who connects and does not speak as a debugger changes nothing.
    ///
    /// # Errors
    /// What the programs at the serial ports report; the machines are between two instructions then.
    pub fn serve(
        &self,
        debugger: &mut Debugger<'_>,
        sessions: &mut [Session],
        events: &mut dyn FnMut(GdbEvent),
    ) -> Result<GdbEnd, HostError> {
        let interrupt = Interrupt::new();
        let _guards = Guards::of([&interrupt].into_iter().chain(interrupts(sessions)));
        for session in sessions.iter_mut() {
            session.wait_ready()?;
        }
        let mut around = Around {
            sessions,
            interrupt,
            error: None,
        };
        let mut free = false;
        let mut unknown = Unknown::default();
        loop {
            if around.interrupt.is_raised() {
                return Ok(GdbEnd::Interrupted);
            }
            let Some(mut client) = unknown.next_debugger(&self.listener, events)? else {
                if free {
                    if let Some(end) = around.run_freely(debugger)? {
                        return Ok(end);
                    }
                } else {
                    std::thread::sleep(WAIT);
                }
                continue;
            };
            events(GdbEvent::Connected(client.address.clone()));
            let Ok(ended) = converse(&mut client, debugger, &mut around) else {
                return Err(around.take_error());
            };
            free = ended == Ended::Detached;
            match ended {
                Ended::Detached => events(GdbEvent::Detached),
                Ended::Closed => events(GdbEvent::Closed),
                Ended::Broken(reason) => events(GdbEvent::Broken(reason)),
                Ended::Killed => return Ok(GdbEnd::Killed),
                Ended::Finished => return Ok(GdbEnd::Finished),
                Ended::Interrupted => return Ok(GdbEnd::Interrupted),
            }
        }
    }
}

/// Connections that have not shown yet who they are.
#[derive(Default)]
struct Unknown(Vec<Client>);

impl Unknown {
    /// The first one that speaks as a debugger. Others are sent away as soon as they have said something else.
    fn next_debugger(
        &mut self,
        listener: &Listener,
        events: &mut dyn FnMut(GdbEvent),
    ) -> Result<Option<Client>, HostError> {
        while let Some((stream, address)) = listener.accept()? {
            // A client that is gone before it was set up is none.
            if stream.set_write_timeout(Some(WRITE_TIMEOUT)).is_ok() {
                self.0.push(Client {
                    stream,
                    address: address.to_string(),
                    ahead: vec![],
                });
            }
            if self.0.len() > UNKNOWN_MAX {
                self.0.remove(0);
            }
        }
        let mut number = 0;
        while let Some(client) = self.0.get_mut(number) {
            let open = client.listen();
            match Opening::of(&client.ahead) {
                Opening::Debugger => return Ok(Some(self.0.remove(number))),
                Opening::Stranger => {
                    let client = self.0.remove(number);
                    let said = &client.ahead[..client.ahead.len().min(SHOWN_BYTES)];
                    events(GdbEvent::Refused(format!(
                        "{} is no debugger: it said '{}'",
                        client.address,
                        said.escape_ascii()
                    )));
                }
                Opening::Open if open => number += 1,
                Opening::Open => drop(self.0.remove(number)),
            }
        }
        Ok(None)
    }
}

/// A connected debugger.
struct Client {
    stream: TcpStream,
    address: String,
    /// What it has said before it was known as one.
    ahead: Vec<u8>,
}

impl Client {
    /// Takes in what is there. False when no more will come.
    fn listen(&mut self) -> bool {
        let mut buffer = [0; READ_BYTES];
        while Opening::of(&self.ahead) != Opening::Stranger {
            match self.stream.read(&mut buffer) {
                Ok(0) => return false,
                Ok(size) => self.ahead.extend(&buffer[..size]),
                Err(error) if error.kind() == ErrorKind::WouldBlock => return true,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(_) => return false,
            }
        }
        true
    }
}

impl Channel for Client {
    fn receive(&mut self, wait: bool) -> Result<Received, ChannelError> {
        if !self.ahead.is_empty() {
            return Ok(Received::Bytes(std::mem::take(&mut self.ahead)));
        }
        let broken = |error: std::io::Error| ChannelError(error.to_string());
        if wait {
            self.stream.set_nonblocking(false).map_err(broken)?;
            self.stream.set_read_timeout(Some(WAIT)).map_err(broken)?;
        } else {
            self.stream.set_nonblocking(true).map_err(broken)?;
        }
        let mut buffer = [0; READ_BYTES];
        match self.stream.read(&mut buffer) {
            Ok(0) => Ok(Received::Closed),
            Ok(size) => Ok(Received::Bytes(buffer[..size].to_vec())),
            Err(error)
                if matches!(
                    error.kind(),
                    ErrorKind::WouldBlock | ErrorKind::TimedOut | ErrorKind::Interrupted
                ) =>
            {
                Ok(Received::Nothing)
            }
            Err(error) => Err(broken(error)),
        }
    }

    fn send(&mut self, bytes: &[u8]) -> Result<(), ChannelError> {
        let broken = |error: std::io::Error| ChannelError(error.to_string());
        self.stream.set_nonblocking(false).map_err(broken)?;
        self.stream.write_all(bytes).map_err(broken)
    }
}

/// The flags that end waits of sessions.
fn interrupts(sessions: &[Session]) -> impl Iterator<Item = &Interrupt> {
    sessions.iter().map(Session::interrupt)
}

/// The programs at the serial ports, and the user's Ctrl-C.
struct Around<'a> {
    sessions: &'a mut [Session],
    interrupt: Interrupt,
    error: Option<HostError>,
}

impl Around<'_> {
    fn take_error(&mut self) -> HostError {
        self.error.take().unwrap_or(HostError::Interrupted {
            place: "gdb".into(),
            what: "a debugger",
        })
    }

    fn run_freely(&mut self, debugger: &mut Debugger<'_>) -> Result<Option<GdbEnd>, HostError> {
        let now = debugger.machines()[0].now();
        let rest = debugger.run_freely(self.next_meeting(now));
        if self.meet(debugger.machines()).is_err() {
            return Err(self.take_error());
        }
        Ok(match rest {
            Some(Rest::Finished) => Some(GdbEnd::Finished),
            Some(Rest::Stuck(reason)) => Some(GdbEnd::Stuck(reason)),
            Some(Rest::Asleep) => Some(GdbEnd::Asleep),
            None => {
                let asleep = self.alone() && debugger.machines().iter().all(Machine::asleep);
                (asleep && debugger.endless()).then_some(GdbEnd::Asleep)
            }
        })
    }
}

impl Surroundings for Around<'_> {
    fn next_meeting(&self, now: Instant) -> Instant {
        crate::session::meeting_after(now, self.alone())
    }

    fn meet(&mut self, machines: &mut [Machine]) -> Result<(), String> {
        for (session, machine) in self.sessions.iter_mut().zip(machines) {
            match session.meet(machine) {
                // A terminal that is closed ends the session, as it ends a run.
                Ok(closed) => {
                    if closed.is_some() {
                        self.interrupt.raise();
                    }
                }
                Err(error) => {
                    let text = error.to_string();
                    self.error = Some(error);
                    return Err(text);
                }
            }
        }
        Ok(())
    }

    fn interrupted(&mut self, _: &Machine) -> bool {
        self.interrupt.is_raised()
    }

    fn alone(&self) -> bool {
        self.sessions.iter().all(Session::is_lonely)
    }
}
