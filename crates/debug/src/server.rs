//! One conversation with a debugger.

use crate::channel::{Channel, ChannelError, Line, PACKET_BYTES, Received};
use crate::debugger::{DebugError, Debugger};
use crate::frames::{AHEAD_BYTES_MAX, Frame, Frames};
use crate::motion::{Goal, Halt};
use crate::stops::BreakKind;
use gdbstub::common::{Signal, Tid};
use gdbstub::stub::state_machine::GdbStubStateMachine;
use gdbstub::stub::{DisconnectReason, GdbStub, GdbStubError, MultiThreadStopReason};
use gdbstub::target::ext::base::reverse_exec::ReplayLogPosition;
use socscope_machine::Machine;
use socscope_time::Instant;
use std::collections::VecDeque;

/// What lives around machines that are debugged.
pub trait Surroundings {
    /// When the machines meet the programs at their ports next.
    fn next_meeting(&self, now: Instant) -> Instant;
    /// They meet. The text says why the conversation cannot go on.
    fn meet(&mut self, machines: &mut [Machine]) -> Result<(), String>;
    /// Whether the user wants an end on our side.
    fn interrupted(&mut self, machine: &Machine) -> bool;
    /// Whether nobody outside can ever wake a machine.
    fn alone(&self) -> bool;
}

/// How a conversation ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ended {
    /// The debugger lets the guest go on.
    Detached,
    /// The connection is gone; the guest stands.
    Closed,
    /// The debugger has ended the guest.
    Killed,
    /// The run came to its end.
    Finished,
    /// The user wants an end on our side.
    Interrupted,
    /// The debugger said what cannot be answered; the guest stands.
    Broken(String),
}

/// Why the guest cannot go on without a debugger.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rest {
    /// The run came to its end.
    Finished,
    /// It can never leave the place where it is; why.
    Stuck(String),
    /// Nothing will ever wake it.
    Asleep,
}

impl Debugger<'_> {
    /// Lets the guest go on without a debugger, at most to `meeting`.
    pub fn run_freely(&mut self, meeting: Instant) -> Option<Rest> {
        self.goal = Goal::Continue;
        match self.advance(meeting, &mut || false) {
            Ok(Some((_, Halt::End))) => Some(Rest::Finished),
            Ok(Some((_, Halt::Stuck(reason)))) => Some(Rest::Stuck(reason)),
            Ok(Some((_, Halt::Asleep))) => Some(Rest::Asleep),
            Ok(_) => None,
            Err(error) => Some(Rest::Stuck(error.to_string())),
        }
    }

    /// Whether the run has no end of its own.
    pub fn endless(&self) -> bool {
        self.end == Instant::FOREVER
    }
}

type Stub<'s, 'd, 'c> = GdbStubStateMachine<'s, Debugger<'d>, Line<'c>>;

/// Talks with one debugger until it goes.
///
/// # Errors
/// What the surroundings report: the machines are between two instructions then.
pub fn converse(
    channel: &mut dyn Channel,
    debugger: &mut Debugger<'_>,
    surroundings: &mut dyn Surroundings,
) -> Result<Ended, String> {
    debugger.forget_client();
    let mut buffer = vec![0; PACKET_BYTES];
    let stub = GdbStub::builder(Line::new(channel))
        .with_packet_buffer(&mut buffer)
        .build();
    let Ok(stub) = stub else {
        return Ok(Ended::Broken("no buffer for packets".into()));
    };
    let mut conversation = Conversation {
        debugger,
        surroundings,
        frames: Frames::default(),
        arrived: VecDeque::new(),
        no_acknowledgements: false,
    };
    let mut state = match stub.run_state_machine(conversation.debugger) {
        Ok(state) => state,
        Err(error) => return Ok(ended_by(error)),
    };
    loop {
        state = match conversation.go_on(state)? {
            Next::State(Ok(state)) => state,
            Next::State(Err(error)) => return Ok(ended_by(error)),
            Next::End(Ended::Closed | Ended::Detached) if conversation.debugger.killed => {
                return Ok(Ended::Killed);
            }
            Next::End(ended) => return Ok(ended),
        };
    }
}

fn ended_by(error: GdbStubError<DebugError, ChannelError>) -> Ended {
    if error.is_connection_error() {
        Ended::Closed
    } else {
        Ended::Broken(error.to_string())
    }
}

struct Conversation<'a, 'd> {
    debugger: &'a mut Debugger<'d>,
    surroundings: &'a mut dyn Surroundings,
    frames: Frames,
    arrived: VecDeque<Frame>,
    no_acknowledgements: bool,
}

enum Next<'s, 'd, 'c> {
    State(Result<Stub<'s, 'd, 'c>, GdbStubError<DebugError, ChannelError>>),
    End(Ended),
}

impl<'d> Conversation<'_, 'd> {
    fn go_on<'s, 'c>(&mut self, state: Stub<'s, 'd, 'c>) -> Result<Next<'s, 'd, 'c>, String> {
        Ok(match state {
            GdbStubStateMachine::Idle(_) => self.listen(state),
            GdbStubStateMachine::Running(_) => return self.run(state),
            GdbStubStateMachine::CtrlCInterrupt(stub) => Next::State(
                stub.interrupt_handled(self.debugger, None::<MultiThreadStopReason<u32>>),
            ),
            GdbStubStateMachine::Disconnected(stub) => Next::End(match stub.get_reason() {
                DisconnectReason::Disconnect => Ended::Detached,
                DisconnectReason::Kill => Ended::Killed,
                DisconnectReason::TargetExited(_) | DisconnectReason::TargetTerminated(_) => {
                    Ended::Finished
                }
            }),
        })
    }

    /// Waits for a packet and answers it; the machines stand.
    fn listen<'s, 'c>(&mut self, state: Stub<'s, 'd, 'c>) -> Next<'s, 'd, 'c> {
        let GdbStubStateMachine::Idle(mut stub) = state else {
            return Next::State(Ok(state));
        };
        if self.surroundings.interrupted(&self.debugger.machines[0]) {
            return Next::End(Ended::Interrupted);
        }
        let line = stub.borrow_conn();
        if self.arrived.is_empty()
            && let Some(ended) = self.receive(line.channel)
        {
            return Next::End(ended);
        }
        if let Some(ended) = self.stranger() {
            return Next::End(ended);
        }
        let answered = match self.arrived.pop_front() {
            Some(Frame::Packet(body)) => match self.debugger.own_answer(&body) {
                Some(answer) => {
                    let acknowledged = if self.no_acknowledgements {
                        Ok(())
                    } else {
                        line.channel.send(b"+")
                    };
                    acknowledged.and_then(|()| line.send_packet(&answer))
                }
                None => {
                    line.lists_features = body.starts_with(b"qSupported");
                    self.no_acknowledgements |= body == b"QStartNoAckMode";
                    return self.hand_over(GdbStubStateMachine::Idle(stub), &body);
                }
            },
            Some(Frame::Broken) => line.channel.send(b"-"),
            // The machines stand already.
            Some(Frame::Interrupt | Frame::Foreign) | None => Ok(()),
        };
        match answered {
            Ok(()) => Next::State(Ok(GdbStubStateMachine::Idle(stub))),
            Err(_) => Next::End(Ended::Closed),
        }
    }

    /// Gives gdbstub a packet.
    fn hand_over<'s, 'c>(&mut self, mut state: Stub<'s, 'd, 'c>, body: &[u8]) -> Next<'s, 'd, 'c> {
        for byte in crate::channel::packet(body) {
            state = match state {
                GdbStubStateMachine::Idle(stub) => match stub.incoming_data(self.debugger, byte) {
                    Ok(state) => state,
                    error => return Next::State(error),
                },
                other => other,
            };
        }
        Next::State(Ok(state))
    }

    /// Waits a little while for bytes and takes in all that are there, so that they are judged as a whole before one of them has an effect.
    /// Gives the end of the conversation, if that is it.
    fn receive(&mut self, channel: &mut dyn Channel) -> Option<Ended> {
        let mut taken = 0;
        while taken <= AHEAD_BYTES_MAX {
            match channel.receive(taken == 0) {
                Ok(Received::Bytes(bytes)) => {
                    taken += bytes.len();
                    let frames = bytes.into_iter().filter_map(|byte| self.frames.push(byte));
                    self.arrived.extend(frames);
                }
                Ok(Received::Nothing) => return None,
                // Who goes after a packet still has it carried out.
                Ok(Received::Closed) | Err(_) if taken > 0 => return None,
                Ok(Received::Closed) | Err(_) => return Some(Ended::Closed),
            }
        }
        self.arrived.push_back(Frame::Foreign);
        None
    }

    /// The end of a conversation with who does not speak in packets. What stands between them has the same effect as a page's request
    /// that holds packets: none.
    fn stranger(&self) -> Option<Ended> {
        let foreign = self.arrived.contains(&Frame::Foreign);
        foreign.then(|| {
            Ended::Broken(
                "it sent what is no packet of GDB's protocol: the connection was closed".into(),
            )
        })
    }

    /// Lets the machines move for a while.
    fn run<'s, 'c>(&mut self, state: Stub<'s, 'd, 'c>) -> Result<Next<'s, 'd, 'c>, String> {
        let GdbStubStateMachine::Running(mut stub) = state else {
            return Ok(Next::State(Ok(state)));
        };
        let line = stub.borrow_conn();
        if let Err(ended) = listen_for_interrupt(line.channel, &mut self.frames, &mut self.arrived)
        {
            return Ok(Next::End(ended));
        }
        if let Some(ended) = self.stranger() {
            return Ok(Next::End(ended));
        }
        let stop = self
            .arrived
            .drain(..)
            .any(|frame| frame == Frame::Interrupt);
        let ours = self.surroundings.interrupted(&self.debugger.machines[0]);
        let halt = if stop || ours {
            self.debugger.goal = Goal::Stay;
            Some((self.debugger.focus, Halt::Interrupted))
        } else {
            let now = self.debugger.machines[0].now();
            let meeting = self.surroundings.next_meeting(now);
            let (channel, frames, arrived) =
                (&mut *line.channel, &mut self.frames, &mut self.arrived);
            let mut stop =
                || listen_for_interrupt(channel, frames, arrived).is_err() || !arrived.is_empty();
            match self.debugger.advance(meeting, &mut stop) {
                Ok(halt) => halt,
                Err(error) => {
                    let _ = line.show(&format!("{error}\n"));
                    Some((self.debugger.focus, Halt::Interrupted))
                }
            }
        };
        if !self.debugger.in_past() {
            self.surroundings.meet(self.debugger.machines)?;
        }
        let asleep = self.surroundings.alone()
            && self.debugger.end == Instant::FOREVER
            && self.debugger.machines.iter().all(Machine::asleep);
        let halt = halt.or(asleep.then_some((0, Halt::Asleep)));
        let Some((machine, halt)) = halt else {
            return Ok(Next::State(Ok(GdbStubStateMachine::Running(stub))));
        };
        self.debugger.goal = Goal::Stay;
        let own = match halt {
            Halt::Stepped(tid) => tid,
            Halt::Break(_, core) => self.debugger.core_thread(machine, core),
            Halt::Stuck(_) => {
                let core = self.debugger.machines[machine].stuck_core();
                self.debugger.core_thread(machine, core)
            }
            _ => self.debugger.stopped_core(machine),
        };
        let (tid, heard) = self.debugger.told_of(own, &halt);
        let elsewhere = (own != tid)
            .then(|| self.elsewhere(own, heard, &halt))
            .flatten();
        if let Some(text) = elsewhere.or_else(|| explanation(&halt))
            && line.show(&text).is_err()
        {
            return Ok(Next::End(Ended::Closed));
        }
        let halt = match halt {
            Halt::Break(..) | Halt::Watch(..) if !heard => Halt::Interrupted,
            halt => halt,
        };
        Ok(Next::State(
            stub.report_stop(self.debugger, reason(tid, &halt)),
        ))
    }

    /// What a user is told of a stop that GDB takes for another thread's.
    fn elsewhere(&mut self, own: Tid, heard: bool, halt: &Halt) -> Option<String> {
        let what = match halt {
            Halt::Break(..) => "is at a breakpoint",
            Halt::Watch(..) => "has made an access that is watched",
            _ => return None,
        };
        let entries = self.debugger.threads();
        let (_, entry) = entries.into_iter().find(|(tid, _)| *tid == own)?;
        let name = entry.name;
        Some(match heard {
            true => format!("{name} {what}.\n"),
            false => format!(
                "{name} {what}. GDB has let another process go on alone, and hears of it as an interrupt: \
                 'set schedule-multiple on' lets it hear of all.\n"
            ),
        })
    }
}

/// Notes what matters while the machines move: an interrupt, and what no debugger says. GDB sends nothing else while it waits.
fn listen_for_interrupt(
    channel: &mut dyn Channel,
    frames: &mut Frames,
    arrived: &mut VecDeque<Frame>,
) -> Result<(), Ended> {
    match channel.receive(false) {
        Ok(Received::Bytes(bytes)) => {
            let found = bytes.into_iter().filter_map(|byte| frames.push(byte));
            arrived.extend(found.filter(|it| matches!(it, Frame::Interrupt | Frame::Foreign)));
            Ok(())
        }
        Ok(Received::Nothing) => Ok(()),
        Ok(Received::Closed) | Err(_) => Err(Ended::Closed),
    }
}

/// What the user is told besides GDB's own words.
fn explanation(halt: &Halt) -> Option<String> {
    match halt {
        Halt::Stuck(why) => Some(format!("The guest is stuck: {why}\n")),
        Halt::Asleep => {
            Some("The core sleeps, and nothing is pending that could wake it.\n".into())
        }
        Halt::End => Some("The run has come to its end.\n".into()),
        _ => None,
    }
}

fn reason(tid: Tid, halt: &Halt) -> MultiThreadStopReason<u32> {
    let signal = |signal| MultiThreadStopReason::SignalWithThread { tid, signal };
    match *halt {
        Halt::Stepped(_) => signal(Signal::SIGTRAP),
        Halt::Break(BreakKind::Software, _) => MultiThreadStopReason::SwBreak(tid),
        Halt::Break(BreakKind::Hardware, _) => MultiThreadStopReason::HwBreak(tid),
        Halt::Watch(kind, addr, _) => MultiThreadStopReason::Watch { tid, kind, addr },
        Halt::Begin => MultiThreadStopReason::ReplayLog {
            tid: Some(tid),
            pos: ReplayLogPosition::Begin,
        },
        Halt::Stuck(_) => signal(Signal::SIGSEGV),
        Halt::Asleep | Halt::Interrupted => signal(Signal::SIGINT),
        Halt::End => MultiThreadStopReason::Exited(0),
    }
}
