//! A machine and the programs at the other ends of its serial lines.
//!
//! Both sides meet at fixed points of simulated time. There the guest's bytes go out, the peers are given as long as they need, and what they
//! answered goes in: to the guest they are infinitely fast, and a run repeats to the bit.

use crate::interrupt::Guards;
use crate::last_word::{LastWord, LastWordWatch};
use crate::serial::{SerialBackend, Settlement};
use crate::{HostError, Interrupt, Link, Pacer, PeerReport, memory_exceeded};
use socscope_machine::{LockStep, Machine, MachineObserver, Stop, Until};
use socscope_time::Instant;
use std::time::{Duration, Instant as WallInstant};

/// Simulated time between two meetings with the peers: less than two characters at 115200 baud.
const MEETING_PS: u64 = 100_000_000;
/// The same when nobody is attached and nothing is awaited.
const LONELY_PS: u64 = 10_000_000_000;
const PROGRESS_INTERVAL: Duration = Duration::from_millis(50);

/// When a session's run ends.
#[derive(Clone, Debug)]
pub struct SessionEnd {
    /// What the machine sees by itself.
    pub until: Until,
    /// After these bytes have appeared on this port, seen at the next meeting; without any bytes: after any output on it.
    pub output: Option<(String, Vec<u8>)>,
    /// After the guest has said that it gives up, and what it says after that.
    pub last_word: Option<LastWord>,
}

/// Why a session's run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SessionStop {
    /// The machine's reason.
    Machine(Stop),
    /// The awaited output came.
    Output,
    /// The guest has given up; its line.
    GaveUp(String),
    /// A peer ended the session; which one.
    Closed(String),
    /// The progress function, or an interrupt, asked for it.
    Asked,
    /// The process takes as much memory of the host as it may; the text says so.
    Memory(String),
}

/// What the progress function wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// To go on.
    GoOn,
    /// To stop at the next meeting.
    Stop,
}

/// Who goes along with a run. A function of cycle and time is one that only watches its progress.
pub trait Companion {
    /// Called several times a second with the core's cycle and time.
    fn progress(&mut self, cycle: u64, time: Instant) -> Progress;
    /// Where a machine without peers pauses at the latest.
    fn pause_after(&self, _now: Instant) -> Instant {
        Instant::FOREVER
    }
    /// Called at every meeting, after the peers, and at every pause.
    fn met(&mut self, _machines: &mut [Machine]) {}
}

impl<F: FnMut(u64, Instant) -> Progress> Companion for F {
    fn progress(&mut self, cycle: u64, time: Instant) -> Progress {
        self(cycle, time)
    }
}

/// A peer on its port.
struct Attached {
    port: String,
    backend: Box<dyn SerialBackend>,
    ready: bool,
}

/// The peers of one machine.
#[derive(Default)]
pub struct Session {
    attached: Vec<Attached>,
    interrupt: Interrupt,
    pacer: Option<Pacer>,
}

impl Session {
    /// Attaches a peer such as `tcp::5001` to a port; gives its real address. A peer that was there before is closed.
    ///
    /// # Errors
    /// Text that describes no peer, ports in use, files that cannot be opened.
    pub fn attach(&mut self, port: &str, peer: &str) -> Result<String, HostError> {
        let link = Link::parse(&format!("{port}={peer}"))?;
        let backend = link.endpoint.open(&self.interrupt)?;
        let address = backend.address();
        self.attached.retain(|attached| attached.port != port);
        self.attached.push(Attached {
            port: port.into(),
            backend,
            ready: false,
        });
        Ok(address)
    }

    /// What is known about the peers, by port.
    pub fn reports(&self) -> impl Iterator<Item = (&str, PeerReport)> {
        self.attached
            .iter()
            .map(|attached| (attached.port.as_str(), attached.backend.report()))
    }

    /// Ends all links; the first error is reported.
    pub fn close(&mut self) -> Result<(), HostError> {
        let results: Vec<_> = self
            .attached
            .drain(..)
            .map(|mut attached| attached.backend.close())
            .collect();
        results.into_iter().collect()
    }

    /// Runs the machine with its peers.
    ///
    /// # Errors
    /// What peers report; the machine is between two instructions then.
    pub fn run<O: MachineObserver>(
        &mut self,
        machine: &mut Machine,
        end: &SessionEnd,
        observer: &mut O,
        companion: &mut dyn Companion,
    ) -> Result<SessionStop, HostError> {
        let mut ending = Ending::new(machine, end)?;
        let interrupt = self.interrupt.clone();
        let _guard = interrupt.on_signals();
        self.wait_ready()?;
        let lonely = self.attached.is_empty() && end.output.is_none();
        loop {
            let mut meeting = meeting_after(machine.now(), lonely);
            if lonely {
                meeting = meeting.min(companion.pause_after(machine.now()));
            }
            let until = Until {
                time: meeting.min(end.until.time),
                ..end.until.clone()
            };
            let stop = machine.run(&until, observer);
            let closed = self.meet(machine)?;
            companion.met(std::slice::from_mut(machine));
            let alone = self.attached.is_empty() && end.until.time == Instant::FOREVER;
            let stop = if alone && machine.asleep() {
                Stop::Asleep
            } else {
                stop
            };
            if let Some(stop) =
                ending.reached(machine, Some(stop), closed, &self.interrupt, companion)?
            {
                return Ok(stop);
            }
        }
    }

    pub(crate) fn wait_ready(&mut self) -> Result<(), HostError> {
        for attached in self.attached.iter_mut().filter(|attached| !attached.ready) {
            attached.backend.wait_ready()?;
            attached.ready = true;
        }
        Ok(())
    }

    /// The flag that ends its waits.
    pub(crate) fn interrupt(&self) -> &Interrupt {
        &self.interrupt
    }

    /// Whether nobody is attached.
    pub(crate) fn is_lonely(&self) -> bool {
        self.attached.is_empty()
    }

    /// Exchanges bytes with all peers. Gives the reason when one of them ends the session.
    pub(crate) fn meet(&mut self, machine: &mut Machine) -> Result<Option<String>, HostError> {
        let mut live = false;
        let mut closed = None;
        for attached in &mut self.attached {
            let output = machine
                .take_serial_output(&attached.port)
                .unwrap_or_default();
            if !output.is_empty() {
                attached.backend.write(&output)?;
            }
            // Also when nothing was said: clients come, and some speak up by themselves.
            match attached.backend.settle()? {
                Settlement::Settled | Settlement::Absent | Settlement::Interrupted => {}
                Settlement::Elsewhere(_)
                | Settlement::Unobservable(_)
                | Settlement::TimedOut(_)
                | Settlement::Live => {
                    live = true;
                }
            }
            let mut buffer = [0; 4096];
            loop {
                let length = attached.backend.read(&mut buffer)?;
                if length == 0 {
                    break;
                }
                // The port exists: it was checked when the peer was attached.
                let _ = machine.serial_input(&attached.port, &buffer[..length]);
            }
            closed = closed.or(attached.backend.closed().map(String::from));
        }
        self.pace(machine, live);
        Ok(closed)
    }

    /// Peers that live in wall time see the guest in wall time.
    fn pace(&mut self, machine: &Machine, live: bool) {
        if !live {
            self.pacer = None;
            return;
        }
        if self.pacer.is_none() {
            self.pacer = Pacer::new(1.0);
        }
        if let Some(pacer) = &mut self.pacer {
            pacer.pace(machine.now().0, &self.interrupt);
        }
    }
}

/// The conditions that end a run, as far as they have come.
struct Ending<'a> {
    end: &'a SessionEnd,
    cursor: usize,
    seen: Vec<u8>,
    last_word: Option<LastWordWatch<'a>>,
    last_progress: WallInstant,
}

impl<'a> Ending<'a> {
    fn new(machine: &Machine, end: &'a SessionEnd) -> Result<Self, HostError> {
        let mut cursor = 0;
        if let Some((port, _)) = &end.output {
            machine
                .sent_since(port, &mut cursor)
                .map_err(|error| HostError::LinkText {
                    text: port.clone(),
                    rule: error.to_string(),
                    remedy: "name a port".into(),
                })?;
        }
        let last_word = end.last_word.as_ref();
        Ok(Ending {
            end,
            cursor,
            seen: vec![],
            last_word: last_word
                .map(|wanted| LastWordWatch::new(machine, wanted))
                .transpose()?,
            last_progress: WallInstant::now(),
        })
    }

    fn reached(
        &mut self,
        machine: &Machine,
        stop: Option<Stop>,
        closed: Option<String>,
        interrupt: &Interrupt,
        companion: &mut dyn Companion,
    ) -> Result<Option<SessionStop>, HostError> {
        if let Some((port, wanted)) = &self.end.output {
            self.seen.extend(
                machine
                    .sent_since(port, &mut self.cursor)
                    .unwrap_or_default(),
            );
            let came = if wanted.is_empty() {
                !self.seen.is_empty()
            } else {
                self.seen.windows(wanted.len()).any(|seen| seen == wanted)
            };
            if came {
                return Ok(Some(SessionStop::Output));
            }
            let keep = self.seen.len().saturating_sub(wanted.len());
            self.seen.drain(..keep);
        }
        if let Some(watch) = &mut self.last_word {
            let found = matches!(stop, Some(Stop::Address(_) | Stop::Mark(_)));
            let goes_on =
                matches!(stop, Some(Stop::Time) | None) && machine.now() < self.end.until.time;
            if let Some(line) = watch.read(machine, !goes_on)?.filter(|_| !found) {
                return Ok(Some(SessionStop::GaveUp(line)));
            }
        }
        match stop {
            Some(Stop::Time) | None if machine.now() < self.end.until.time => {}
            None => return Ok(Some(SessionStop::Machine(Stop::Time))),
            Some(stop) => return Ok(Some(SessionStop::Machine(stop))),
        }
        if let Some(reason) = closed {
            return Ok(Some(SessionStop::Closed(reason)));
        }
        if interrupt.is_raised() {
            // The flag is used up; Python's own handler raises KeyboardInterrupt.
            companion.progress(machine.cycle(), machine.now());
            interrupt.clear();
            return Ok(Some(SessionStop::Asked));
        }
        if self.last_progress.elapsed() >= PROGRESS_INTERVAL {
            self.last_progress = WallInstant::now();
            if let Some(reason) = memory_exceeded() {
                return Ok(Some(SessionStop::Memory(reason)));
            }
            if companion.progress(machine.cycle(), machine.now()) == Progress::Stop {
                return Ok(Some(SessionStop::Asked));
            }
        }
        Ok(None)
    }
}

/// The next meeting of a machine that nothing is awaited from.
pub(crate) fn meeting_after(now: Instant, lonely: bool) -> Instant {
    next_meeting(now, if lonely { LONELY_PS } else { MEETING_PS })
}

fn next_meeting(now: Instant, interval_ps: u64) -> Instant {
    Instant((now.0 / interval_ps + 1).saturating_mul(interval_ps))
}

/// Runs machines in lock step, each with its peers, until machine `index` meets `end`.
///
/// # Errors
/// What peers report; the machines are between two instructions then.
pub fn run_together<O: MachineObserver>(
    lock_step: &LockStep,
    machines: &mut [Machine],
    sessions: &mut [Session],
    observers: &mut [O],
    index: usize,
    end: &SessionEnd,
    companion: &mut dyn Companion,
) -> Result<SessionStop, HostError> {
    let mut ending = Ending::new(&machines[index], end)?;
    let interrupt = sessions[index].interrupt.clone();
    let _guards = Guards::of(sessions.iter().map(Session::interrupt));
    for session in sessions.iter_mut() {
        session.wait_ready()?;
    }
    loop {
        let meeting = next_meeting(machines[index].now(), MEETING_PS);
        let until = Until {
            time: meeting.min(end.until.time),
            ..end.until.clone()
        };
        let mut all: Vec<&mut Machine> = machines.iter_mut().collect();
        let stop = lock_step.run(&mut all, observers, index, &until);
        let mut closed = None;
        for (session, machine) in sessions.iter_mut().zip(machines.iter_mut()) {
            closed = closed.or(session.meet(machine)?);
        }
        companion.met(machines);
        let alone = sessions.iter().all(|session| session.attached.is_empty());
        let asleep = alone && machines.iter().all(Machine::asleep);
        let stop = if asleep && end.until.time == Instant::FOREVER {
            Some(Stop::Asleep)
        } else {
            stop
        };
        if let Some(stop) = ending.reached(&machines[index], stop, closed, &interrupt, companion)? {
            return Ok(stop);
        }
    }
}
