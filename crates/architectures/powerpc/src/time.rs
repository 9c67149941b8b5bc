//! Time base and decrementer (manual: "Time base", "Decrementer register"). Nothing counts: both are read off the core's cycle.

use serde::{Deserialize, Serialize};

/// A decrementer passes zero again after this many ticks.
const DECREMENTER_PERIOD_TICKS: u64 = 1 << 32;

/// What it takes to read time base and decrementer at any cycle. Ticks are those since cycle 0 in which counting was enabled.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Saved")]
pub(super) struct Time {
    /// This many ticks...
    ticks: u32,
    /// ...in this many cycles.
    cycles: u32,
    /// The time base is the ticks plus this.
    base: u64,
    /// Ticks that did not count because counting was disabled.
    missed_ticks: u64,
    /// The ticks at which counting was disabled, while it is.
    held_ticks: Option<u64>,
    /// The ticks at which the decrementer passes zero next.
    zero_ticks: u64,
    /// The first cycle at which it has passed zero; follows from all others.
    due_cycle: u64,
}

/// As it was saved: see [`Time`].
#[derive(Deserialize)]
struct Saved {
    ticks: u32,
    cycles: u32,
    base: u64,
    missed_ticks: u64,
    held_ticks: Option<u64>,
    zero_ticks: u64,
    due_cycle: u64,
}

impl TryFrom<Saved> for Time {
    type Error = &'static str;

    fn try_from(saved: Saved) -> Result<Time, &'static str> {
        if saved.ticks == 0 || saved.cycles == 0 {
            return Err("the time base has a frequency of 0");
        }
        let mut time = Time {
            ticks: saved.ticks,
            cycles: saved.cycles,
            base: saved.base,
            missed_ticks: saved.missed_ticks,
            held_ticks: saved.held_ticks,
            zero_ticks: saved.zero_ticks,
            due_cycle: 0,
        };
        time.find_due_cycle();
        match time.due_cycle == saved.due_cycle {
            true => Ok(time),
            false => Err("the decrementer is due at another cycle than its value says"),
        }
    }
}

impl Time {
    /// Four cycles a tick, time base 0, decrementer ffffffff.
    pub(super) fn new() -> Time {
        let mut time = Time {
            ticks: 1,
            cycles: 4,
            base: 0,
            missed_ticks: 0,
            held_ticks: None,
            zero_ticks: DECREMENTER_PERIOD_TICKS,
            due_cycle: 0,
        };
        time.find_due_cycle();
        time
    }

    /// Ticks and cycles of the same time; before anything ran.
    pub(super) fn set_ratio(&mut self, ticks: u32, cycles: u32) {
        let divisor = greatest_common_divisor(ticks, cycles);
        (self.ticks, self.cycles) = (ticks / divisor, cycles / divisor);
        self.find_due_cycle();
    }

    fn elapsed_ticks(&self, cycle: u64) -> u64 {
        let (ticks, cycles) = (u64::from(self.ticks), u64::from(self.cycles));
        match cycle.checked_mul(ticks) {
            Some(product) => product / cycles,
            None => (u128::from(cycle) * u128::from(ticks) / u128::from(cycles)) as u64,
        }
    }

    fn ticks_at(&self, cycle: u64) -> u64 {
        self.held_ticks
            .unwrap_or_else(|| self.elapsed_ticks(cycle).wrapping_sub(self.missed_ticks))
    }

    fn find_due_cycle(&mut self) {
        let wanted = u128::from(self.zero_ticks) + u128::from(self.missed_ticks);
        let cycle = (wanted * u128::from(self.cycles)).div_ceil(u128::from(self.ticks));
        self.due_cycle = match self.held_ticks {
            None => u64::try_from(cycle).unwrap_or(u64::MAX),
            Some(_) => u64::MAX,
        };
    }

    /// The time base.
    pub(super) fn base_at(&self, cycle: u64) -> u64 {
        self.ticks_at(cycle).wrapping_add(self.base)
    }

    pub(super) fn set_base(&mut self, value: u64, cycle: u64) {
        self.base = value.wrapping_sub(self.ticks_at(cycle));
    }

    /// The decrementer.
    pub(super) fn decrementer_at(&self, cycle: u64) -> u32 {
        self.zero_ticks
            .wrapping_sub(self.ticks_at(cycle))
            .wrapping_sub(1) as u32
    }

    pub(super) fn set_decrementer(&mut self, value: u32, cycle: u64) {
        let left = u64::from(value) + 1;
        self.zero_ticks = self.ticks_at(cycle).wrapping_add(left);
        self.find_due_cycle();
    }

    /// The first cycle at which the decrementer has passed zero.
    #[inline(always)]
    pub(super) fn due_cycle(&self) -> u64 {
        self.due_cycle
    }

    /// The decrementer has passed zero: it will again.
    pub(super) fn passed_zero(&mut self) {
        self.zero_ticks = self.zero_ticks.saturating_add(DECREMENTER_PERIOD_TICKS);
        self.find_due_cycle();
    }

    /// Lets both count, or holds them.
    pub(super) fn enable(&mut self, enabled: bool, cycle: u64) {
        let ticks = self.ticks_at(cycle);
        self.held_ticks = (!enabled).then_some(ticks);
        self.missed_ticks = self.elapsed_ticks(cycle).wrapping_sub(ticks);
        self.find_due_cycle();
    }
}

fn greatest_common_divisor(a: u32, b: u32) -> u32 {
    if b == 0 {
        a.max(1)
    } else {
        greatest_common_divisor(b, a % b)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_decrementer_is_due_at_the_first_cycle_of_its_tick() {
        let mut time = Time::new();
        // 100 MHz of 1350 MHz.
        time.set_ratio(100_000_000, 1_350_000_000);
        time.set_base(u64::MAX, 27);
        assert_eq!(time.base_at(40), u64::MAX);
        assert_eq!(time.base_at(41), 0);
        time.set_decrementer(0, 27);
        assert_eq!((time.decrementer_at(40), time.due_cycle()), (0, 41));
        assert_eq!(time.decrementer_at(41), u32::MAX);
        time.passed_zero();
        let again = (DECREMENTER_PERIOD_TICKS + 3) * 27 / 2 + 1;
        assert_eq!(time.due_cycle(), again);
        assert_eq!(time.decrementer_at(again - 1), 0);
    }

    #[test]
    fn a_saved_time_must_make_sense() {
        let bytes = postcard::to_allocvec(&Time::new()).expect("plain data");
        assert_eq!(postcard::from_bytes(&bytes), Ok(Time::new()));
        for place in [0, 1] {
            let mut wrong = bytes.clone();
            wrong[place] = 0;
            assert!(postcard::from_bytes::<Time>(&wrong).is_err());
        }
        let mut other = bytes.clone();
        other[0] = 2;
        assert!(postcard::from_bytes::<Time>(&other).is_err());
    }

    #[test]
    fn what_is_held_goes_on_where_it_was() {
        let mut time = Time::new();
        time.set_base(0, 0);
        time.set_decrementer(9, 0);
        time.enable(false, 19);
        assert_eq!((time.base_at(1000), time.decrementer_at(1000)), (4, 5));
        assert_eq!(time.due_cycle(), u64::MAX);
        time.enable(true, 1001);
        assert_eq!((time.base_at(1003), time.decrementer_at(1003)), (4, 5));
        assert_eq!((time.base_at(1004), time.decrementer_at(1004)), (5, 4));
        assert_eq!(time.due_cycle(), 1024);
    }
}
