//! Interrupts: how often, and how long from the line to the first instruction of the handler.

use std::collections::BTreeMap;

/// One source.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct InterruptStatistics {
    /// Times that its vector was read.
    pub count: u64,
    /// Times that the source was gone when the vector was read.
    pub spurious: u64,
    /// Latencies that were measured: the handler's first instruction was seen.
    pub measured: u64,
    /// Shortest latency in cycles.
    pub latency_cycles_min: u64,
    /// Sum of the latencies in cycles.
    pub latency_cycles_total: u64,
    /// Longest latency in cycles.
    pub latency_cycles_max: u64,
}

/// A handler whose first instruction is still to come.
#[derive(Clone, Copy, Debug)]
struct Expected {
    key: (u16, u32),
    raised_cycle: u64,
}

/// All sources of all controllers.
#[derive(Clone, Debug, Default)]
pub(crate) struct InterruptLog {
    raised: BTreeMap<(u16, u32), u64>,
    statistics: BTreeMap<(u16, u32), InterruptStatistics>,
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

    /// A source became pending.
    pub fn raised(&mut self, controller: u16, source: u32, cycle: u64) {
        self.raised.entry((controller, source)).or_insert(cycle);
    }

    /// The core read the vector of a source.
    pub fn vectored(
        &mut self,
        controller: u16,
        source: u32,
        vector: u32,
        spurious: bool,
        counting: bool,
    ) {
        let raised = self.raised.remove(&(controller, source));
        if counting {
            let statistics = self.statistics.entry((controller, source)).or_default();
            statistics.count += u64::from(!spurious);
            statistics.spurious += u64::from(spurious);
        }
        self.expected = None;
        self.handler = NO_HANDLER;
        if let (Some(raised_cycle), true) = (raised, counting && !spurious) {
            self.expected = Some(Expected {
                key: (controller, source),
                raised_cycle,
            });
            self.handler = vector & !1;
        }
    }

    /// The expected handler's first instruction is about to execute.
    pub fn handler_begins(&mut self, cycle: u64) {
        self.handler = NO_HANDLER;
        let Some(expected) = self.expected.take() else {
            return;
        };
        let latency = cycle.saturating_sub(expected.raised_cycle);
        let statistics = self.statistics.entry(expected.key).or_default();
        statistics.latency_cycles_min = if statistics.measured == 0 {
            latency
        } else {
            statistics.latency_cycles_min.min(latency)
        };
        statistics.latency_cycles_max = statistics.latency_cycles_max.max(latency);
        statistics.latency_cycles_total += latency;
        statistics.measured += 1;
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
    fn the_latency_runs_from_the_line_to_the_handler() {
        let mut log = InterruptLog::new();
        log.raised(0, 3, 100);
        log.raised(0, 3, 110);
        log.vectored(0, 3, 0x400, false, true);
        assert_eq!(log.handler, 0x400);
        log.handler_begins(130);
        log.raised(0, 3, 200);
        log.vectored(0, 3, 0x400, false, true);
        log.handler_begins(220);
        let (_, _, statistics) = log.statistics().next().unwrap();
        assert_eq!((statistics.count, statistics.measured), (2, 2));
        assert_eq!(
            (statistics.latency_cycles_min, statistics.latency_cycles_max),
            (20, 30)
        );
        assert_eq!(statistics.latency_cycles_total, 50);
        assert_eq!(log.handler, NO_HANDLER);
    }
}
