//! Instants and clock domains.

use serde::{Deserialize, Serialize};

const PICOSECONDS_PER_SECOND: u128 = 1_000_000_000_000;

/// A point in virtual time: picoseconds since power-on (ends after 213 days, which no run reaches).
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub struct Instant(pub u64);

impl Instant {
    /// Power-on.
    pub const ZERO: Instant = Instant(0);
    /// Later than every event.
    pub const FOREVER: Instant = Instant(u64::MAX);

    /// The instant `picoseconds` later, saturating at [`Instant::FOREVER`].
    pub fn after_ps(self, picoseconds: u64) -> Instant {
        Instant(self.0.saturating_add(picoseconds))
    }

    /// Picoseconds since `earlier`; zero when `earlier` is later.
    pub fn ps_since(self, earlier: Instant) -> u64 {
        self.0.saturating_sub(earlier.0)
    }
}

/// A clock domain of a fixed frequency.
///
/// Cycle `n` begins at `ceil(n * 10^12 / hz)` picoseconds, so that `cycles_at(instant_of(n)) == n` for every
/// frequency below 10^12 Hz and comparisons of cycles and of instants never disagree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Clock {
    hz: u64,
}

impl Clock {
    /// A clock of `hz` cycles a second; `None` unless `0 < hz <= 10^12`.
    pub fn new(hz: u64) -> Option<Clock> {
        (hz > 0 && u128::from(hz) <= PICOSECONDS_PER_SECOND).then_some(Clock { hz })
    }

    /// Frequency in hertz.
    pub fn hz(self) -> u64 {
        self.hz
    }

    /// The instant at which cycle `cycle` begins.
    pub fn instant_of(self, cycle: u64) -> Instant {
        let scaled = u128::from(cycle) * PICOSECONDS_PER_SECOND;
        let picoseconds = scaled.div_ceil(u128::from(self.hz));
        Instant(u64::try_from(picoseconds).unwrap_or(u64::MAX))
    }

    /// Number of the cycle that is running at `instant`.
    pub fn cycles_at(self, instant: Instant) -> u64 {
        (u128::from(instant.0) * u128::from(self.hz) / PICOSECONDS_PER_SECOND) as u64
    }

    /// The first cycle that begins at `instant` or later.
    pub fn first_cycle_from(self, instant: Instant) -> u64 {
        let cycle = self.cycles_at(instant);
        if self.instant_of(cycle) >= instant {
            cycle
        } else {
            cycle + 1
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cycles_and_instants_agree_for_awkward_frequencies() {
        for hz in [32_768, 33_333_333, 40_000_000, 66_000_000, 1_350_000_000] {
            let clock = Clock::new(hz).unwrap();
            for cycle in (0..2_000).chain(1_000_000_007..1_000_000_100) {
                let instant = clock.instant_of(cycle);
                assert_eq!(clock.cycles_at(instant), cycle, "{hz} Hz, cycle {cycle}");
                assert_eq!(clock.first_cycle_from(instant), cycle);
                assert_eq!(clock.first_cycle_from(instant.after_ps(1)), cycle + 1);
            }
        }
    }

    #[test]
    fn a_clock_has_a_sensible_frequency() {
        assert!(Clock::new(0).is_none());
        assert!(Clock::new(1_000_000_000_001).is_none());
    }
}
