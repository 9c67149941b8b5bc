//! The way a core takes: a fingerprint of all instructions and addresses accessed, to find where two runs part.
//!
//! A run with it is interpreted: it costs what the interpreter does, whose speed `benches/speed.py` measures.

use socscope_core::{Observer, Transfer};
use socscope_machine::MachineObserver;
use socscope_memory::{Direction, RegionIndex, Width};

/// Odd and irregular: spreads every bit over the whole fingerprint.
const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;

/// Instructions and exception entries counted and summed up in a fingerprint. Ends the run when `goal` of them are counted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Path {
    /// Instructions executed and exceptions taken.
    pub count: u64,
    /// Equal for equal ways; different for different ones but for one chance in 2^64.
    pub fingerprint: u64,
    /// How many are counted before the run ends; the run goes on while the count is lower.
    pub goal: u64,
    /// Whether cycles are part of the way.
    pub timed: bool,
}

impl Path {
    fn add(&mut self, value: u64) {
        self.fingerprint = (self.fingerprint ^ value)
            .wrapping_add(1)
            .wrapping_mul(SPREAD)
            .rotate_left(29);
    }
}

impl Observer for Path {
    fn instruction(&mut self, pc: u32, _width: Width, _region: RegionIndex) {
        self.count += 1;
        self.add(u64::from(pc));
    }

    fn cycles(&mut self, cycles: u64) {
        if self.timed {
            self.add(cycles);
        }
    }

    fn data(
        &mut self,
        _pc: u32,
        address: u32,
        _width: Width,
        direction: Direction,
        _region: RegionIndex,
    ) {
        self.add(u64::from(address) << 1 | u64::from(direction == Direction::Write));
    }

    fn transfer(&mut self, _from: u32, to: u32, kind: Transfer, _stack_pointer: u32) {
        if matches!(kind, Transfer::ExceptionEntry(_)) {
            self.add(u64::from(to) << 32);
        }
    }

    fn stop(&self) -> bool {
        self.count >= self.goal
    }
}

impl MachineObserver for Path {
    socscope_machine::executes_as_any!();

    fn stopped(&mut self, cycles: u64) {
        self.cycles(cycles);
    }

    fn reset(&mut self, pc: u32) {
        self.add(u64::from(pc) << 32 | 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn way(steps: &[(u32, u64)], timed: bool) -> u64 {
        let mut path = Path {
            timed,
            ..Path::default()
        };
        for &(pc, cycles) in steps {
            path.instruction(pc, Width::Word, RegionIndex(0));
            path.cycles(cycles);
        }
        path.fingerprint
    }

    #[test]
    fn order_and_time_make_a_difference() {
        assert_eq!(way(&[(0, 1), (4, 2)], true), way(&[(0, 1), (4, 2)], true));
        assert_ne!(way(&[(0, 1), (4, 1)], true), way(&[(4, 1), (0, 1)], true));
        assert_ne!(way(&[(0, 1), (4, 2)], true), way(&[(0, 2), (4, 1)], true));
        assert_eq!(way(&[(0, 1), (4, 2)], false), way(&[(0, 2), (4, 1)], false));
        assert_ne!(way(&[(0, 0)], false), way(&[(0, 0), (0, 0)], false));
    }

    #[test]
    fn it_ends_the_run_at_its_goal() {
        let mut path = Path {
            goal: 1,
            ..Path::default()
        };
        assert!(!path.stop());
        path.instruction(0, Width::Word, RegionIndex(0));
        assert!(path.stop());
    }
}
