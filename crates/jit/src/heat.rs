//! How often code was reached.

use std::collections::BTreeMap;

/// Reached so often, code is translated: about when interpreting it has taken as long as translating it will.
const THRESHOLD: u32 = 600;
/// Addresses that are counted at most; then all counting begins anew.
const ADDRESSES_MAX: usize = 1 << 16;
const FROZEN: u32 = u32::MAX;
/// How often the threshold of code that is overwritten again and again doubles at most.
const DOUBLINGS_MAX: u32 = 12;

#[derive(Clone, Copy, Default)]
struct Counter {
    count: u32,
    /// How often the code was overwritten after it had been translated.
    cooled: u32,
}

/// Counters by address. Each address has its own: two hot ones that shared a counter would keep each other cold for ever.
pub(crate) struct Heat {
    counters: BTreeMap<u32, Counter>,
    threshold: u32,
}

impl Heat {
    pub fn new() -> Heat {
        Heat {
            counters: BTreeMap::new(),
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
        if self.counters.len() >= ADDRESSES_MAX {
            self.counters.clear();
        }
        self.counters.entry(address).or_default()
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

    /// Another machine begins: what it does not reach by itself is forgotten in time.
    pub fn fade(&mut self) {
        for counter in self.counters.values_mut() {
            if counter.count != FROZEN {
                counter.count /= 2;
            }
        }
    }

    /// What could not be translated may be by now.
    pub fn thaw(&mut self) {
        let frozen = self.counters.values_mut();
        for counter in frozen.filter(|counter| counter.count == FROZEN) {
            counter.count = 0;
        }
    }

    /// The code cannot be translated.
    pub fn freeze(&mut self, address: u32) {
        self.counter(address).count = FROZEN;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hot_addresses_do_not_keep_each_other_cold() {
        let mut heat = Heat::new();
        heat.set_threshold(3);
        let addresses = || (0..64).map(|page| 0xc000_0000 + page * 0x1000);
        for _ in 0..2 {
            assert!(addresses().all(|address| !heat.warm(address)));
        }
        assert!(addresses().all(|address| heat.warm(address)));
    }

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
