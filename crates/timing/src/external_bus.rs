//! Idle cycles between accesses to different memories of the external bus.

use serde::{Deserialize, Serialize};
use socscope_memory::{AccessCost, Direction};

/// What the external data bus remembers of the last accesses (AT91X40 data sheet, EBI: wait states).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExternalBus {
    /// Memory that was accessed in the cycle before; 0 for none.
    previous: u8,
    previous_was_write: bool,
    /// Memory that was last read and may still drive the bus; 0 for none.
    driver: u8,
    /// Cycles until its drivers are off.
    float_left: u64,
}

impl ExternalBus {
    /// Idle cycles before an access.
    pub fn wait(&self, cost: &AccessCost, direction: Direction) -> u64 {
        let other_driver = self.driver != cost.external || direction == Direction::Write;
        let float = if other_driver { self.float_left } else { 0 };
        let early_read = cost.early_read && self.previous_was_write && direction == Direction::Read;
        // The chip-select wait state is added only where nothing else already separates the two accesses.
        let select = self.previous != 0 && self.previous != cost.external;
        match float + u64::from(early_read) {
            0 => u64::from(select),
            wait => wait,
        }
    }

    /// An access to the external bus has ended.
    pub fn accessed(&mut self, cost: &AccessCost, direction: Direction) {
        self.previous = cost.external;
        self.previous_was_write = direction == Direction::Write;
        self.driver = cost.external;
        self.float_left = match direction {
            Direction::Read => u64::from(cost.float_cycles),
            Direction::Write => 0,
        };
    }

    /// The external bus was idle: an internal cycle, or an access to the chip itself.
    pub fn idle(&mut self, cycles: u64) {
        self.previous = 0;
        self.previous_was_write = false;
        self.float_left = self.float_left.saturating_sub(cycles);
    }

    /// Whether the bus was used so recently that the next access may have to wait.
    #[inline]
    pub fn is_quiet(&self) -> bool {
        self.previous == 0 && self.float_left == 0
    }
}
