//! All inputs of a machine so far, with their moments.

use crate::inputs::input::Input;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Entries that are shared between copies of a log.
const CHUNK: usize = 256;

/// A place between two instructions of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Moment {
    /// The cycle that all cores have reached.
    pub cycle: u64,
    /// Which of several instructions that end at this cycle, or behind it, has been executed: what a core of less than one cycle an
    /// instruction owes, and how far those cores are ahead that had their turns first.
    pub part: u64,
    /// Whether the events of the cycle have passed: not so at power-on and right behind another input.
    pub settled: bool,
}

/// An input and when it was applied.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Recorded {
    /// When.
    pub moment: Moment,
    /// What.
    pub input: Input,
}

/// The inputs in the order of their application. A copy shares what it holds with the original.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(from = "Flat", into = "Flat")]
pub struct InputLog {
    full: Vec<Arc<Vec<Arc<Recorded>>>>,
    tail: Vec<Arc<Recorded>>,
    /// Whether the machine has let events pass since the last input.
    pub(crate) settled: bool,
}

/// A log as it is saved.
#[derive(Serialize, Deserialize)]
struct Flat {
    inputs: Vec<Recorded>,
    settled: bool,
}

impl From<InputLog> for Flat {
    fn from(log: InputLog) -> Flat {
        Flat {
            inputs: log.iter().cloned().collect(),
            settled: log.settled,
        }
    }
}

impl From<Flat> for InputLog {
    fn from(Flat { inputs, settled }: Flat) -> InputLog {
        let mut log = InputLog::default();
        log.extend(inputs);
        log.settled = settled;
        log
    }
}

impl InputLog {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.full.len() * CHUNK + self.tail.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The input of this number, from 0.
    pub fn get(&self, number: usize) -> Option<&Recorded> {
        match self.full.get(number / CHUNK) {
            Some(chunk) => chunk.get(number % CHUNK),
            None => self.tail.get(number - self.full.len() * CHUNK),
        }
        .map(Arc::as_ref)
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = &Recorded> {
        let full = self.full.iter().flat_map(|chunk| chunk.iter());
        full.chain(&self.tail).map(Arc::as_ref)
    }

    /// Adds one. Bytes that follow others for the same port at the same moment become one input with them.
    pub(crate) fn push(&mut self, moment: Moment, input: Input) {
        if matches!(&input, Input::Serial { bytes, .. } if bytes.is_empty()) {
            return;
        }
        self.settled = false;
        if let Input::Serial { port, bytes } = &input
            && let Some(last) = self.tail.last_mut()
            && !moment.settled
            && (last.moment.cycle, last.moment.part) == (moment.cycle, moment.part)
            && matches!(&last.input, Input::Serial { port: same, .. } if port == same)
            && let Input::Serial { bytes: first, .. } = &mut Arc::make_mut(last).input
        {
            first.extend(bytes);
            return;
        }
        if self.tail.len() == CHUNK {
            self.full.push(Arc::new(std::mem::take(&mut self.tail)));
        }
        self.tail.push(Arc::new(Recorded { moment, input }));
    }
}

impl Extend<Recorded> for InputLog {
    /// Adds inputs as they were noted before.
    fn extend<I: IntoIterator<Item = Recorded>>(&mut self, inputs: I) {
        for Recorded { moment, input } in inputs {
            self.push(moment, input);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn serial(bytes: &[u8]) -> Input {
        Input::Serial {
            port: "usart".into(),
            bytes: bytes.into(),
        }
    }

    fn at(cycle: u64, settled: bool) -> Moment {
        Moment {
            cycle,
            part: 0,
            settled,
        }
    }

    #[test]
    fn bytes_of_one_moment_are_one_input() {
        let mut log = InputLog::default();
        log.push(at(5, true), serial(b"a"));
        log.push(at(5, false), serial(b"b"));
        log.push(at(5, true), serial(b"c"));
        log.push(at(6, true), serial(b""));
        log.push(at(6, true), serial(b"d"));
        let inputs: Vec<_> = log.iter().map(|one| one.input.clone()).collect();
        assert_eq!(inputs, [serial(b"ab"), serial(b"c"), serial(b"d")]);
    }

    #[test]
    fn a_long_log_keeps_its_order_and_its_copies() {
        let mut log = InputLog::default();
        for cycle in 0..1000 {
            log.push(at(cycle, true), Input::Reset);
        }
        let copy = log.clone();
        log.push(at(1000, true), Input::Reset);
        assert_eq!((copy.len(), log.len()), (1000, 1001));
        assert!(
            (0..1001).all(|number| log.get(number).unwrap().moment.cycle == number as u64),
            "numbers find their inputs"
        );
        assert!(log.get(1001).is_none());
        let cycles: Vec<u64> = copy.iter().map(|one| one.moment.cycle).collect();
        assert_eq!(cycles, (0..1000).collect::<Vec<u64>>());
    }
}
