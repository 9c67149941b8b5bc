//! How often code was reached.

use crate::entries::place;

/// Reached so often, code is translated: about when interpreting it has taken as long as translating it will.
const THRESHOLD: u32 = 600;
const COUNT: usize = 1 << 13;
const FROZEN: u32 = u32::MAX;
/// How often the threshold of code that is overwritten again and again doubles at most.
const DOUBLINGS_MAX: u32 = 12;

#[derive(Clone, Copy)]
struct Counter {
    address: u32,
    count: u32,
    /// How often the code was overwritten after it had been translated.
    cooled: u32,
}

/// Counters by address; different addresses may share one.
pub(crate) struct Heat {
    counters: Box<[Counter; COUNT]>,
    threshold: u32,
}

impl Heat {
    pub fn new() -> Heat {
        Heat {
            counters: Box::new([Counter::of(0); COUNT]),
            threshold: THRESHOLD,
        }
    }

    pub fn set_threshold(&mut self, times: u32) {
        self.threshold = times.clamp(1, FROZEN - 1);
    }

    /// Whether code is translated at once, wherever it begins.
    pub fn is_impatient(&self) -> bool {
        self.threshold == 1
    }

    fn counter(&mut self, address: u32) -> &mut Counter {
        let counter = &mut self.counters[place(address, COUNT)];
        if counter.address != address {
            *counter = Counter::of(address);
        }
        counter
    }

    /// Counts an arrival; whether the code there is hot now.
    pub fn warm(&mut self, address: u32) -> bool {
        let threshold = u64::from(self.threshold);
        let counter = self.counter(address);
        if counter.count == FROZEN {
            return false;
        }
        counter.count += 1;
        u64::from(counter.count) >= threshold << counter.cooled
    }

    /// The code was overwritten: it has to become hot again, and hotter each time.
    pub fn cool(&mut self, address: u32) {
        let counter = self.counter(address);
        counter.count = 0;
        counter.cooled = (counter.cooled + 1).min(DOUBLINGS_MAX);
    }

    /// The code cannot be translated.
    pub fn freeze(&mut self, address: u32) {
        self.counter(address).count = FROZEN;
    }
}

impl Counter {
    const fn of(address: u32) -> Counter {
        Counter {
            address,
            count: 0,
            cooled: 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_that_is_overwritten_has_to_become_hotter_each_time() {
        let mut heat = Heat::new();
        heat.set_threshold(3);
        let mut arrivals = || {
            let until_hot = (1..).find(|_| heat.warm(0x100));
            heat.cool(0x100);
            until_hot
        };
        assert_eq!(
            [arrivals(), arrivals(), arrivals()],
            [Some(3), Some(6), Some(12)]
        );
    }
}
