//! How often code was reached.

/// Reached so often, code is translated.
const THRESHOLD: u32 = 40;
const COUNT: usize = 1 << 13;
const FROZEN: u32 = u32::MAX;

/// Counters by address; different addresses may share one.
pub(crate) struct Heat {
    counts: Box<[(u32, u32); COUNT]>,
    threshold: u32,
}

impl Heat {
    pub fn new() -> Heat {
        Heat {
            counts: Box::new([(0, 0); COUNT]),
            threshold: THRESHOLD,
        }
    }

    pub fn set_threshold(&mut self, times: u32) {
        self.threshold = times.clamp(1, FROZEN - 1);
    }

    fn counter(&mut self, address: u32) -> &mut u32 {
        let (of, count) = &mut self.counts[(address >> 1) as usize % COUNT];
        if *of != address {
            *of = address;
            *count = 0;
        }
        count
    }

    /// Counts an arrival; whether the code there is hot now.
    pub fn warm(&mut self, address: u32) -> bool {
        let threshold = self.threshold;
        let count = self.counter(address);
        if *count == FROZEN {
            return false;
        }
        *count += 1;
        *count >= threshold
    }

    /// The code was overwritten: it has to become hot again.
    pub fn cool(&mut self, address: u32) {
        *self.counter(address) = 0;
    }

    /// The code cannot be translated.
    pub fn freeze(&mut self, address: u32) {
        *self.counter(address) = FROZEN;
    }
}
