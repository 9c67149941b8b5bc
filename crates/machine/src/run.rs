//! The run loop: the core up to the next event, then the events.

use crate::bus::Attention;
use crate::failure::Failure;
use crate::machine::Machine;
use crate::observer::MachineObserver;
use crate::timing::Timing;
use socscope_isa::CycleModel;
use socscope_time::Instant;
use std::collections::BTreeSet;

/// How often the core is looked at, whether it is stuck.
const LOOK_INTERVAL_CYCLES: u64 = 1_000_000;
/// How many events may pass in one step of a core that sleeps.
const STEP_EVENTS_MAX: u32 = 1_000_000;

/// When a run ends.
#[derive(Clone, Debug)]
pub struct Until {
    /// At this time at the latest.
    pub time: Instant,
    /// Before an instruction at one of these addresses is executed; the one at which the run begins does not count.
    pub addresses: BTreeSet<u32>,
    /// After a magic instruction with this number.
    pub mark: Option<u8>,
}

impl Until {
    /// Only the time.
    pub fn time(time: Instant) -> Until {
        Until {
            time,
            addresses: BTreeSet::new(),
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
    /// The core is stopped, no event is pending and no interrupt can come.
    Asleep,
    /// The observer asked for it.
    Observer,
    /// A device model has failed.
    Failed(Failure),
}

impl Machine {
    /// Runs until one of the conditions holds. Between two calls nothing is lost: two runs are one longer run.
    pub fn run<O: MachineObserver>(&mut self, until: &Until, observer: &mut O) -> Stop {
        self.bus.tracing = observer.wants_traces();
        observer.mapped(self.regions());
        let limit = self.limit_cycle(until.time);
        let mut moved = false;
        let mut look_cycle = self.cycle;
        loop {
            self.bus.run_limit_cycle = limit.min(next_look(self.cycle));
            let stop = self.settle(until.mark, observer);
            if let Some(failure) = &self.bus.failure {
                return Stop::Failed(failure.clone());
            }
            if let Some(stop) = stop {
                return stop;
            }
            let pc = self.pc();
            if moved && until.addresses.contains(&pc) && !self.interrupt_is_next() {
                return Stop::Address(pc);
            }
            if observer.stop() {
                return Stop::Observer;
            }
            if self.cycle >= limit {
                return Stop::Time;
            }
            moved = true;
            if self.step_before_told(observer) {
                continue;
            }
            if self.bus.core_stopped {
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
            if self.run_translated(&until.addresses, observer) {
                continue;
            }
            if until.addresses.is_empty() {
                self.run_core(observer);
            } else {
                self.run_core_to(&until.addresses, observer);
            }
        }
    }

    /// Executes one instruction, or takes one exception; time passes by itself while the core is stopped. A core that sleeps through
    /// very many events stays asleep.
    pub fn step<O: MachineObserver>(&mut self, observer: &mut O) {
        self.bus.tracing = observer.wants_traces();
        observer.mapped(self.regions());
        self.bus.run_limit_cycle = u64::MAX;
        for _ in 0..STEP_EVENTS_MAX {
            self.settle(None, observer);
            if self.bus.failure.is_some() || self.step_before_told(observer) {
                break;
            }
            if !self.bus.core_stopped {
                self.step_core(observer);
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
            self.flush_traces(observer);
            // Marks come first: what events do at the same cycle is behind the mark, like the cycles that it costs.
            while let Some(&Attention::Magic { number, cycle }) = self.bus.attention.front() {
                self.bus.attention.pop_front();
                observer.mark(number, cycle, self.cycle);
                self.marks.push((number, cycle));
                if mark == Some(number) {
                    stop = Some(Stop::Mark(number));
                }
            }
            self.bus.run_due_events(self.now());
            self.flush_traces(observer);
            if self.bus.attention.contains(&Attention::Reset) {
                self.reset_from_within();
                observer.reset(self.pc());
                continue;
            }
            let cycles = std::mem::take(&mut self.bus.stall_cycles);
            if cycles == 0 {
                self.inputs.settled = true;
                self.bus.refresh_deadline();
                return stop;
            }
            self.cycle += cycles;
            observer.bus_held(cycles);
        }
    }

    /// When a device waits for the next instruction: executes it, then tells the device.
    fn step_before_told<O: MachineObserver>(&mut self, observer: &mut O) -> bool {
        let Some(&Attention::AfterNextInstruction { device, payload }) = self.bus.attention.front()
        else {
            return false;
        };
        self.bus.attention.pop_front();
        self.step_core(observer);
        let now = self.now();
        self.bus
            .call(device, now, |model, context| model.event(payload, context));
        true
    }

    /// Whether the core takes an interrupt instead of the next instruction.
    fn interrupt_is_next(&self) -> bool {
        let status = self.core.status();
        let wiring = &self.bus.wiring;
        (wiring.fiq && !status.fiq_disabled) || (wiring.irq && !status.irq_disabled)
    }

    /// Whether the core's clock is off and nothing inside the machine will ever switch it on.
    pub fn asleep(&self) -> bool {
        self.bus.core_stopped && self.bus.events.is_empty() && !self.bus.irq_or_fiq()
    }

    fn limit_cycle(&self, time: Instant) -> u64 {
        if time == Instant::FOREVER {
            u64::MAX
        } else {
            self.bus.core_clock.first_cycle_from(time)
        }
    }

    /// Lets the stopped core's time pass, to the next event or to the limit.
    fn sleep<O: MachineObserver>(&mut self, limit: u64, observer: &mut O) -> Option<Stop> {
        if self.bus.irq_or_fiq() {
            self.bus.core_stopped = false;
            self.bus.refresh_deadline();
            return None;
        }
        let next = self.limit_cycle(self.bus.events.next_time()).min(limit);
        if next == u64::MAX {
            return Some(Stop::Asleep);
        }
        let cycles = next.saturating_sub(self.cycle);
        self.cycle += cycles;
        observer.stopped(cycles);
        None
    }

    fn flush_traces<O: MachineObserver>(&mut self, observer: &mut O) {
        for (device, time, event) in self.bus.traces.drain(..) {
            observer.trace(device, time, self.bus.core_clock.cycles_at(time), event);
        }
        self.bus.traces_urgent = false;
        self.bus.refresh_deadline();
    }

    fn run_core<O: MachineObserver>(&mut self, observer: &mut O) {
        match &mut self.timing {
            Timing::Arm7Tdmi(model) => run_with(
                &mut self.core,
                &mut self.bus,
                model,
                observer,
                &mut self.cycle,
            ),
            Timing::FixedCpi(model) => run_with(
                &mut self.core,
                &mut self.bus,
                model,
                observer,
                &mut self.cycle,
            ),
        }
    }

    fn step_core<O: MachineObserver>(&mut self, observer: &mut O) {
        let cycles = match &mut self.timing {
            Timing::Arm7Tdmi(model) => {
                step_with(&mut self.core, &mut self.bus, model, observer, self.cycle)
            }
            Timing::FixedCpi(model) => {
                step_with(&mut self.core, &mut self.bus, model, observer, self.cycle)
            }
        };
        self.cycle += cycles;
    }

    fn run_core_to<O: MachineObserver>(&mut self, addresses: &BTreeSet<u32>, observer: &mut O) {
        while self.cycle < socscope_memory::Bus::deadline(&self.bus) {
            self.step_core(observer);
            if addresses.contains(&self.pc()) || observer.stop() {
                return;
            }
        }
    }
}

/// The cycle at which a run looks at the core again.
fn next_look(cycle: u64) -> u64 {
    (cycle / LOOK_INTERVAL_CYCLES + 1) * LOOK_INTERVAL_CYCLES
}

fn run_with<M: CycleModel, O: MachineObserver>(
    core: &mut socscope_isa::arm::Core,
    bus: &mut crate::bus::SystemBus,
    model: &mut M,
    observer: &mut O,
    cycle: &mut u64,
) {
    socscope_interpreter::run(core, bus, model, observer, cycle);
}

fn step_with<M: CycleModel, O: MachineObserver>(
    core: &mut socscope_isa::arm::Core,
    bus: &mut crate::bus::SystemBus,
    model: &mut M,
    observer: &mut O,
    cycle: u64,
) -> u64 {
    socscope_interpreter::step(core, bus, model, observer, cycle).cycles
}
