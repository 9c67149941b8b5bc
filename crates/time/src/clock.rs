//! Instants and clock domains.

use serde::{Deserialize, Serialize};

const PICOSECONDS_PER_SECOND: u64 = 1_000_000_000_000;

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
#[serde(try_from = "Frequency", into = "Frequency")]
pub struct Clock {
    hz: u64,
    /// So many cycles take so many picoseconds: the smallest such numbers, with which most sums fit into 64 bits.
    cycles: u64,
    picoseconds: u64,
}

/// What is saved of a clock.
#[derive(Serialize, Deserialize)]
struct Frequency {
    hz: u64,
}

impl From<Clock> for Frequency {
    fn from(clock: Clock) -> Frequency {
        Frequency { hz: clock.hz }
    }
}

impl TryFrom<Frequency> for Clock {
    type Error = String;

    fn try_from(Frequency { hz }: Frequency) -> Result<Clock, String> {
        Clock::new(hz).ok_or_else(|| format!("{hz} Hz is no frequency of a clock"))
    }
}

fn greatest_common_divisor(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

impl Clock {
    /// A clock of `hz` cycles a second; `None` unless `0 < hz <= 10^12`.
    pub fn new(hz: u64) -> Option<Clock> {
        if hz == 0 || hz > PICOSECONDS_PER_SECOND {
            return None;
        }
        let divisor = greatest_common_divisor(hz, PICOSECONDS_PER_SECOND);
        Some(Clock {
            hz,
            cycles: hz / divisor,
            picoseconds: PICOSECONDS_PER_SECOND / divisor,
        })
    }

    /// Frequency in hertz.
    pub fn hz(self) -> u64 {
        self.hz
    }

    /// The instant at which cycle `cycle` begins.
    pub fn instant_of(self, cycle: u64) -> Instant {
        if let Some(scaled) = cycle.checked_mul(self.picoseconds) {
            return Instant(scaled.div_ceil(self.cycles));
        }
        let scaled = u128::from(cycle) * u128::from(self.picoseconds);
        let picoseconds = scaled.div_ceil(u128::from(self.cycles));
        Instant(u64::try_from(picoseconds).unwrap_or(u64::MAX))
    }

    /// Number of the cycle that is running at `instant`.
    pub fn cycles_at(self, instant: Instant) -> u64 {
        match instant.0.checked_mul(self.cycles) {
            Some(scaled) => scaled / self.picoseconds,
            None => {
                let scaled = u128::from(instant.0) * u128::from(self.cycles);
                (scaled / u128::from(self.picoseconds)) as u64
            }
        }
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
