//! Several machines in lock step on the same time, their serial ports wired to each other.

use crate::inputs::input::Input;
use crate::machine::Machine;
use crate::platform::error::PlatformError;
use crate::running::observer::MachineObserver;
use crate::running::run::{Stop, Until};
use crate::system::port::Peer;
use serde::{Deserialize, Serialize};
use socscope_device::Waveform;

/// Time that every machine runs before the wires are carried over: less than one bit at 115200 baud, and far less than a
/// character, whose arrival is reckoned from its own start; so the quantum does not show in any result.
pub const QUANTUM_PS: u64 = 5_000_000;

/// A wire between two ports: machine and port of both ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Wire {
    ends: [(usize, u16); 2],
}

/// Machines that share one time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LockStep {
    wires: Vec<Wire>,
    /// Simulated time that every machine runs before the wires are carried over.
    pub quantum_ps: u64,
}

impl Default for LockStep {
    fn default() -> LockStep {
        LockStep {
            wires: vec![],
            quantum_ps: QUANTUM_PS,
        }
    }
}

impl LockStep {
    /// Connects two ports, named as in their platforms. Both leave the host.
    ///
    /// # Errors
    /// Names that no port has, and ports that have a wire already; nothing is connected then.
    pub fn connect(
        &mut self,
        machines: &mut [&mut Machine],
        first: (usize, &str),
        second: (usize, &str),
    ) -> Result<(), PlatformError> {
        let mut ends = [(0, 0); 2];
        for (end, (machine, port)) in ends.iter_mut().zip([first, second]) {
            *end = (machine, machines[machine].port(port)?);
        }
        let wired = |end| self.wires.iter().any(|wire| wire.ends.contains(end));
        let taken = ends.iter().find(|end| wired(end));
        if let Some(&(machine, port)) = taken.or((ends[0] == ends[1]).then_some(&ends[0])) {
            return Err(PlatformError::PortWired {
                platform: machines[machine].platform.clone(),
                port: machines[machine].bus.ports[port as usize].name.clone(),
            });
        }
        for (machine, port) in ends {
            machines[machine].wire(port);
        }
        self.wires.push(Wire { ends });
        Ok(())
    }

    /// The wires: machine and port of both ends.
    pub fn wires(&self) -> impl Iterator<Item = [(usize, u16); 2]> {
        self.wires.iter().map(|wire| wire.ends)
    }

    /// Whether all wires end at ports of these machines.
    pub fn fits(&self, machines: &[Machine]) -> bool {
        let mut ends = self.wires.iter().flat_map(|wire| wire.ends);
        ends.all(|(machine, port)| {
            let ports = machines.get(machine).map(|machine| machine.bus.ports.len());
            ports.is_some_and(|count| usize::from(port) < count)
        })
    }

    /// Runs all machines to `until.time`, or until machine `index` meets another condition of `until` or one of them can go on no more;
    /// the others are then at most a quantum away.
    pub fn run<O: MachineObserver>(
        &self,
        machines: &mut [&mut Machine],
        observers: &mut [O],
        index: usize,
        until: &Until,
    ) -> Option<Stop> {
        let stops = self.run_where(machines, observers, |at| at == index, until);
        stops.into_iter().next().map(|(_, stop)| stop)
    }

    /// The same with the conditions for every machine. Gives those that stopped, and why.
    pub fn run_all<O: MachineObserver>(
        &self,
        machines: &mut [&mut Machine],
        observers: &mut [O],
        until: &Until,
    ) -> Vec<(usize, Stop)> {
        self.run_where(machines, observers, |_| true, until)
    }

    fn run_where<O: MachineObserver>(
        &self,
        machines: &mut [&mut Machine],
        observers: &mut [O],
        conditions: impl Fn(usize) -> bool,
        until: &Until,
    ) -> Vec<(usize, Stop)> {
        let mut now = machines
            .iter()
            .map(|machine| machine.now())
            .min()
            .unwrap_or(until.time);
        while now < until.time {
            now = now.after_ps(self.quantum_ps.max(1)).min(until.time);
            let mut stops = vec![];
            for (at, (machine, observer)) in
                machines.iter_mut().zip(observers.iter_mut()).enumerate()
            {
                let until = if conditions(at) {
                    Until {
                        time: now,
                        ..until.clone()
                    }
                } else {
                    Until::time(now)
                };
                let stop = machine.run(&until, observer);
                if stop != Stop::Time {
                    stops.push((at, stop));
                }
            }
            self.carry_over(machines);
            if !stops.is_empty() {
                return stops;
            }
        }
        vec![]
    }

    fn carry_over(&self, machines: &mut [&mut Machine]) {
        for wire in &self.wires {
            for (from, to) in [(wire.ends[0], wire.ends[1]), (wire.ends[1], wire.ends[0])] {
                let Peer::Machine { outgoing } =
                    &mut machines[from.0].bus.ports[from.1 as usize].peer
                else {
                    continue;
                };
                for waveform in std::mem::take(outgoing) {
                    machines[to.0].take_waveform(to.1, waveform);
                }
            }
        }
    }
    /// Drops what waits on the wires and has been carried over before: machines that were put back in time each by themselves have sent again
    /// what others have received already.
    pub fn forget_delivered(&self, machines: &mut [Machine]) {
        for wire in &self.wires {
            for (from, to) in [(wire.ends[0], wire.ends[1]), (wire.ends[1], wire.ends[0])] {
                let last = machines[to.0].last_waveform(to.1);
                let outgoing = &mut machines[from.0].bus.ports[from.1 as usize].peer;
                if let (Peer::Machine { outgoing }, Some(last)) = (outgoing, last) {
                    outgoing.retain(|waveform| waveform.start > last.start);
                }
            }
        }
    }
}

impl Machine {
    /// The last character that came to a port from another machine.
    fn last_waveform(&self, index: u16) -> Option<Waveform> {
        let name = &self.bus.ports[index as usize].name;
        let numbers = (0..self.inputs.len()).rev();
        let mut inputs = numbers.filter_map(|number| self.inputs.get(number));
        inputs.find_map(|recorded| match &recorded.input {
            Input::Waveform { port, waveform } if port == name => Some(*waveform),
            _ => None,
        })
    }
}
