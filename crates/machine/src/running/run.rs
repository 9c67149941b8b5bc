//! The run loop: each core up to the next event, then the events.

use crate::machine::Machine;
use crate::running::execute::Execution;
use crate::running::observer::MachineObserver;
use crate::running::processor::Processor;
use crate::system::bus::Attention;
use crate::system::failure::Failure;
use socscope_time::Instant;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

/// How often the core is looked at, whether it is stuck.
const LOOK_INTERVAL_CYCLES: u64 = 1_000_000;
/// How many events may pass in one step of a core that sleeps.
const STEP_EVENTS_MAX: u32 = 1_000_000;

/// Cores that an address is for; without an entry it is for all.
pub type CoresAt = BTreeMap<u32, BTreeSet<u16>>;

/// When a run ends.
#[derive(Clone, Debug)]
pub struct Until {
    /// At this time at the latest.
    pub time: Instant,
    /// Before an instruction at one of these addresses is executed; the one at which the run begins does not count.
    pub addresses: BTreeSet<u32>,
    /// The cores that such an address is for, where it is not for all.
    pub cores: CoresAt,
    /// The same for an instruction that was linked for one of these addresses, wherever it lies now.
    pub linked: BTreeSet<u32>,
    /// The cores that such an address is for, where it is not for all.
    pub linked_cores: CoresAt,
    /// After a magic instruction with this number.
    pub mark: Option<u8>,
}

impl Until {
    /// Only the time.
    pub fn time(time: Instant) -> Until {
        Until {
            time,
            addresses: BTreeSet::new(),
            cores: CoresAt::new(),
            linked: BTreeSet::new(),
            linked_cores: CoresAt::new(),
            mark: None,
        }
    }
}

/// Why a run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The time is reached.
    Time,
    /// The next instruction is at one of the addresses.
    Address(u32),
    /// The magic instruction was executed.
    Mark(u8),
    /// The guest can never leave the place where it is.
    Stuck(String),
    /// The program has stopped: an endless loop of one instruction at this address, which no interrupt can end.
    Loop(u32),
    /// All cores are stopped, no event is pending and no interrupt can come.
    Asleep,
    /// A device has asked for a reset, and only a boot loader could start the machine again.
    Reset,
    /// The observer asked for it.
    Observer,
    /// A device model has failed.
    Failed(Failure),
}

impl Machine {
    /// Runs until one of the conditions holds. Between two calls nothing is lost: two runs are one longer run.
    pub fn run<O: MachineObserver>(&mut self, until: &Until, observer: &mut O) -> Stop {
        self.begin(observer);
        let stops = self.stops(until, observer);
        let limit = self.limit_cycle(until.time);
        let mut moved = false;
        let mut look_cycle = self.cycle;
        loop {
            let stop = self.settle(until.mark, observer);
            self.bus.run_limit_cycle = self.turn_limit(limit.min(next_look(self.cycle)));
            self.bus.refresh_deadline();
            if let Some(failure) = &self.bus.failure {
                return Stop::Failed(failure.clone());
            }
            if let Some(stop) = stop {
                return stop;
            }
            if moved && self.stands_at(until) && !self.interrupt_is_next() {
                return Stop::Address(self.pc());
            }
            if observer.stop() {
                return Stop::Observer;
            }
            if self.cycle >= limit {
                return Stop::Time;
            }
            moved = true;
            self.let_reach(observer);
            if self.step_before_told(observer) {
                continue;
            }
            if !self.awake(self.turn()) {
                if let Some(stop) = self.sleep(limit, observer) {
                    return stop;
                }
                continue;
            }
            // The cycles at which the core is looked at depend on nothing but the run's beginning: not on probes.
            let looked = self.cycle >= look_cycle;
            if looked {
                look_cycle = next_look(self.cycle);
            }
            if let Some(stop) = self.stuck(looked) {
                return stop;
            }
            observer.execute(self, Execution::Run(&stops));
        }
    }

    /// Learns what an observer wants, and tells it where it is.
    fn begin<O: MachineObserver>(&mut self, observer: &mut O) {
        self.bus.tracing = observer.wants_traces();
        self.bus.tracing_registers = observer.wants_registers();
        self.tell_map(observer);
        observer.turn(self.bus.turn);
    }

    fn tell_map<O: MachineObserver>(&mut self, observer: &mut O) {
        self.bus.told_map = self.bus.space.map_epoch();
        observer.mapped(self.regions(), &self.moved());
    }

    /// Lets an observer look at the core before an instruction at one of its addresses; it may ask for a stop there, to look at memory as well.
    fn let_reach<O: MachineObserver>(&self, observer: &mut O) {
        let here = self.pc();
        if observer
            .addresses()
            .is_some_and(|them| them.contains(&here))
        {
            let processor = self.current();
            observer.reaches(self.bus.turn, processor.cycle, &processor.state);
            self.let_look(observer);
        }
    }

    /// Executes one instruction, or takes one exception; time passes by itself while the core is stopped. A core that sleeps through
    /// very many events stays asleep.
    pub fn step<O: MachineObserver>(&mut self, observer: &mut O) {
        self.begin(observer);
        self.bus.run_limit_cycle = u64::MAX;
        for _ in 0..STEP_EVENTS_MAX {
            if self.settle(None, observer).is_some() {
                return;
            }
            if self.bus.failure.is_some() {
                break;
            }
            self.let_reach(observer);
            if self.step_before_told(observer) {
                break;
            }
            if self.awake(self.turn()) {
                observer.execute(self, Execution::OneStep);
                break;
            }
            if self.sleep(u64::MAX, observer).is_some() {
                break;
            }
        }
        self.settle(None, observer);
    }

    /// Does all that happens between two instructions: marks, events, resets, and the cycles that DMA takes.
    fn settle<O: MachineObserver>(&mut self, mark: Option<u8>, observer: &mut O) -> Option<Stop> {
        let mut stop = None;
        if self.bus.failure.is_some() {
            return stop;
        }
        loop {
            if self.bus.told_map != self.bus.space.map_epoch() {
                self.tell_map(observer);
            }
            self.flush_traces(observer);
            self.let_look(observer);
            self.catch_up();
            self.tell_idle(observer);
            let end = self.current().cycle;
            // Marks come first: what events do at the same cycle is behind the mark, like the cycles that it costs.
            while let Some(&Attention::Magic(passed)) = self.bus.attention.front() {
                self.bus.attention.pop_front();
                observer.mark(passed, end);
                self.marks.push(passed);
                if mark == Some(passed.number) {
                    stop = Some(Stop::Mark(passed.number));
                }
            }
            self.bus.run_due_events(self.now());
            self.reach_cores();
            self.flush_traces(observer);
            if self.bus.attention.contains(&Attention::Reset) {
                if self.is_loaded() {
                    return Some(Stop::Reset);
                }
                self.reset_from_within();
                self.tell_map(observer);
                observer.reset(self.pc());
                continue;
            }
            let cycles = std::mem::take(&mut self.bus.stall_cycles);
            if cycles == 0 {
                self.inputs.settled = true;
                self.take_turns(observer);
                self.tell_idle(observer);
                self.bus.refresh_deadline();
                return stop;
            }
            self.hold_bus(cycles);
        }
    }

    /// Lets an observer that asks for a stop look first at the core that has run.
    fn let_look<O: MachineObserver>(&self, observer: &mut O) {
        if observer.stop() {
            self.let_look_at(self.current(), observer);
        }
    }

    fn let_look_at<O: MachineObserver>(&self, processor: &Processor, observer: &mut O) {
        observer.look(processor.cycle, &*processor.state, &self.bus.space);
    }

    /// Lets an observer that has just come look at all cores.
    pub fn introduce<O: MachineObserver>(&self, observer: &mut O) {
        for (core, processor) in self.processors.iter().enumerate() {
            observer.turn(core as u16);
            self.let_look_at(processor, observer);
        }
        observer.turn(self.bus.turn);
    }

    /// When a device waits for the next instruction: executes it, then tells the device.
    fn step_before_told<O: MachineObserver>(&mut self, observer: &mut O) -> bool {
        let Some(&Attention::AfterNextInstruction { device, payload }) = self.bus.attention.front()
        else {
            return false;
        };
        self.bus.attention.pop_front();
        observer.execute(self, Execution::OneStep);
        let now = self.now();
        self.bus
            .call(device, now, |model, context| model.event(payload, context));
        true
    }

    /// Whether the clocks of all cores are off and nothing inside the machine will ever switch one on.
    pub fn asleep(&self) -> bool {
        let wakes = |core| self.wakes(core) || self.wakes_at(core) < u64::MAX;
        !self.any_awake() && self.bus.events.is_empty() && !(0..self.processors.len()).any(wakes)
    }

    pub(crate) fn limit_cycle(&self, time: Instant) -> u64 {
        if time == Instant::FOREVER {
            u64::MAX
        } else {
            self.bus.core_clock.first_cycle_from(time)
        }
    }

    /// Lets the time of stopped cores pass, to the next event or to the limit.
    fn sleep<O: MachineObserver>(&mut self, limit: u64, observer: &mut O) -> Option<Stop> {
        if let Some(stop) = self.given_up() {
            return Some(stop);
        }
        if self.wake() {
            self.bus.refresh_deadline();
            return None;
        }
        let wakes = (0..self.processors.len()).map(|core| self.wake_time(core));
        let limit = match limit {
            u64::MAX => Instant::FOREVER,
            cycle => self.bus.core_clock.instant_of(cycle),
        };
        let next = self.bus.events.next_time().min(limit);
        let next = next.min(wakes.min().unwrap_or(Instant::FOREVER));
        if next == Instant::FOREVER {
            return Some(Stop::Asleep);
        }
        let before = self.cycle;
        self.let_pass(next);
        self.catch_up();
        self.tell_idle(observer);
        observer.stopped(self.cycle - before);
        None
    }

    fn flush_traces<O: MachineObserver>(&mut self, observer: &mut O) {
        for (device, time, event) in self.bus.traces.drain(..) {
            observer.trace(device, time, self.bus.core_clock.cycles_at(time), event);
        }
        self.bus.traces_urgent = false;
        self.bus.refresh_deadline();
    }

    /// Addresses before whose instructions the run loop looks.
    fn stops<'a, O: MachineObserver>(
        &self,
        until: &'a Until,
        observer: &O,
    ) -> Cow<'a, BTreeSet<u32>> {
        if until.linked.is_empty() && observer.addresses().is_none() {
            return Cow::Borrowed(&until.addresses);
        }
        let mut stops = until.addresses.clone();
        stops.extend(observer.addresses().into_iter().flatten());
        for &address in &until.linked {
            stops.extend(self.places_of(address));
        }
        Cow::Owned(stops)
    }

    /// Whether the next instruction is one before which a run is to end.
    pub fn stands_at(&self, until: &Until) -> bool {
        let pc = self.pc();
        let turn = self.bus.turn;
        if until.addresses.contains(&pc) && is_for(&until.cores, pc, turn) {
            return true;
        }
        if until.linked.is_empty() {
            return false;
        }
        let linked = self.nominal_address(pc);
        until.linked.contains(&linked) && is_for(&until.linked_cores, linked, turn)
    }
}

/// Whether an address is for a core.
pub fn is_for(cores: &CoresAt, address: u32, core: u16) -> bool {
    cores.get(&address).is_none_or(|them| them.contains(&core))
}

/// The cycle at which a run looks at the core again.
fn next_look(cycle: u64) -> u64 {
    (cycle / LOOK_INTERVAL_CYCLES + 1) * LOOK_INTERVAL_CYCLES
}
