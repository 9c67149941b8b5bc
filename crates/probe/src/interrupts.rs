//! Interrupts: how often, and how long until they are served.
//!
//! A part of the profile. It is told of interrupts only and costs nothing between them; what the profile costs where there are many is
//! the row `kernel` of `benches/probes.py`.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Latencies of one kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Latency {
    /// How many were measured.
    pub measured: u64,
    /// Shortest in cycles.
    pub cycles_min: u64,
    /// Sum in cycles.
    pub cycles_total: u64,
    /// Longest in cycles.
    pub cycles_max: u64,
}

impl Latency {
    fn add(&mut self, cycles: u64) {
        self.cycles_min = if self.measured == 0 {
            cycles
        } else {
            self.cycles_min.min(cycles)
        };
        self.cycles_max = self.cycles_max.max(cycles);
        self.cycles_total += cycles;
        self.measured += 1;
    }
}

/// One source.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct InterruptStatistics {
    /// Times that its vector was read.
    pub count: u64,
    /// Times that the source was gone when the vector was read.
    pub spurious: u64,
    /// From the line to the first instruction at the core's exception vector; zero when the exception was under way already.
    pub entry: Latency,
    /// From the line to the first instruction at the address that the controller gave, where software jumps to it.
    pub handler: Latency,
}

/// A handler whose first instruction is still to come.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
struct Expected {
    key: (u16, u32),
    raised_cycle: u64,
}

/// All sources of all controllers.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct InterruptLog {
    raised: BTreeMap<(u16, u32), u64>,
    statistics: BTreeMap<(u16, u32), InterruptStatistics>,
    /// When the core's last interrupt exception was entered.
    entered_cycle: u64,
    expected: Option<Expected>,
    /// Address of the expected handler; an odd number, which no instruction has, when there is none.
    pub handler: u32,
}

const NO_HANDLER: u32 = 1;

impl InterruptLog {
    pub fn new() -> InterruptLog {
        InterruptLog {
            handler: NO_HANDLER,
            ..InterruptLog::default()
        }
    }

    /// A source became pending; one that was pending before has been withdrawn unserved.
    pub fn raised(&mut self, controller: u16, source: u32, cycle: u64) {
        self.raised.insert((controller, source), cycle);
    }

    /// The core took an interrupt; the first instruction at the vector starts at `cycle`.
    pub fn entered(&mut self, cycle: u64) {
        self.entered_cycle = cycle;
    }

    /// The core read the vector of a source; `handler` is the address that it stands for, where it is one.
    pub fn vectored(
        &mut self,
        controller: u16,
        source: u32,
        handler: Option<u32>,
        spurious: bool,
        counting: bool,
    ) {
        let key = (controller, source);
        let raised = self.raised.remove(&key);
        self.expected = None;
        self.handler = NO_HANDLER;
        if !counting {
            return;
        }
        let statistics = self.statistics.entry(key).or_default();
        statistics.count += u64::from(!spurious);
        statistics.spurious += u64::from(spurious);
        if let (Some(raised_cycle), false) = (raised, spurious) {
            statistics
                .entry
                .add(self.entered_cycle.saturating_sub(raised_cycle));
            if let Some(handler) = handler {
                self.expected = Some(Expected { key, raised_cycle });
                self.handler = handler & !1;
            }
        }
    }

    /// Address of the expected handler.
    pub fn expected_handler(&self) -> Option<u32> {
        (self.handler != NO_HANDLER).then_some(self.handler)
    }

    /// The expected handler's first instruction is about to execute.
    pub fn handler_begins(&mut self, cycle: u64) {
        self.handler = NO_HANDLER;
        let Some(expected) = self.expected.take() else {
            return;
        };
        let latency = cycle.saturating_sub(expected.raised_cycle);
        self.statistics
            .entry(expected.key)
            .or_default()
            .handler
            .add(latency);
    }

    /// Every controller of which something is known.
    pub fn controllers(&self) -> impl Iterator<Item = u16> {
        let expected = self.expected.iter().map(|expected| expected.key);
        let keys = self.raised.keys().chain(self.statistics.keys()).copied();
        keys.chain(expected).map(|(controller, _)| controller)
    }

    /// Controller, source, statistics.
    pub fn statistics(&self) -> impl Iterator<Item = (u16, u32, &InterruptStatistics)> {
        self.statistics
            .iter()
            .map(|(&(controller, source), statistics)| (controller, source, statistics))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn latencies_run_from_the_line_to_the_exception_and_to_the_handler() {
        let mut log = InterruptLog::new();
        log.raised(0, 3, 40);
        log.raised(0, 3, 100);
        log.entered(112);
        log.vectored(0, 3, Some(0x400), false, true);
        assert_eq!(log.handler, 0x400);
        log.handler_begins(130);
        log.raised(0, 3, 200);
        log.entered(208);
        log.vectored(0, 3, Some(0x400), false, true);
        log.handler_begins(220);
        let (_, _, statistics) = log.statistics().next().unwrap();
        assert_eq!(statistics.count, 2);
        let entry = Latency {
            measured: 2,
            cycles_min: 8,
            cycles_total: 20,
            cycles_max: 12,
        };
        let handler = Latency {
            measured: 2,
            cycles_min: 20,
            cycles_total: 50,
            cycles_max: 30,
        };
        assert_eq!((statistics.entry, statistics.handler), (entry, handler));
        assert_eq!(log.handler, NO_HANDLER);
    }

    #[test]
    fn a_source_that_comes_while_another_is_served_waited_no_time_for_the_exception() {
        let mut log = InterruptLog::new();
        log.entered(50);
        log.raised(0, 4, 60);
        log.vectored(0, 4, Some(0x400), false, true);
        assert_eq!(log.statistics().next().unwrap().2.entry.cycles_max, 0);
    }
}
