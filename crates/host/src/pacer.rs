//! Pacing for people: virtual time never runs ahead of the wall clock.

use std::thread;
use std::time::{Duration, Instant};

use crate::Interrupt;

/// Longest single sleep, so that an interrupt is seen soon.
const SLICE: Duration = Duration::from_millis(20);

/// Holds virtual time back to a multiple of the wall clock's speed.
#[derive(Debug)]
pub struct Pacer {
    speed: f64,
    anchor: Option<(Instant, u64)>,
    largest_lag: Duration,
}

impl Pacer {
    /// A pacer for `speed` virtual seconds a second; 1.0 is real time. `None` unless `speed` is a positive number.
    pub fn new(speed: f64) -> Option<Pacer> {
        (speed.is_finite() && speed > 0.0).then_some(Pacer {
            speed,
            anchor: None,
            largest_lag: Duration::from_millis(200),
        })
    }

    /// How far `virtual_ps` is ahead of the wall clock. The first call sets the common zero. A simulation that fell
    /// more than 200 ms behind does not catch up: it goes on at normal speed from here.
    pub fn ahead(&mut self, virtual_ps: u64) -> Duration {
        self.ahead_at(virtual_ps, Instant::now())
    }

    fn ahead_at(&mut self, virtual_ps: u64, now: Instant) -> Duration {
        let (start, start_ps) = *self.anchor.get_or_insert((now, virtual_ps));
        let passed_ps = virtual_ps.saturating_sub(start_ps);
        let due = start + Duration::from_secs_f64(passed_ps as f64 / 1e12 / self.speed);
        if now.saturating_duration_since(due) > self.largest_lag {
            self.anchor = Some((now, virtual_ps));
        }
        due.saturating_duration_since(now)
    }

    /// Sleeps until the wall clock has reached `virtual_ps`, or the interrupt is raised.
    pub fn pace(&mut self, virtual_ps: u64, interrupt: &Interrupt) {
        loop {
            let ahead = self.ahead(virtual_ps);
            if ahead.is_zero() || interrupt.is_raised() {
                return;
            }
            thread::sleep(ahead.min(SLICE));
        }
    }

    /// Forgets the common zero, after a pause.
    pub fn restart(&mut self) {
        self.anchor = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000_000;

    #[test]
    fn virtual_time_waits_for_the_wall_clock() {
        let mut pacer = Pacer::new(2.0).expect("a positive speed");
        let start = Instant::now();
        assert_eq!(pacer.ahead_at(5 * MS, start), Duration::ZERO);
        assert_eq!(pacer.ahead_at(105 * MS, start), Duration::from_millis(50));
        assert_eq!(
            pacer.ahead_at(105 * MS, start + Duration::from_millis(60)),
            Duration::ZERO
        );
        assert_eq!(
            pacer.ahead_at(125 * MS, start + Duration::from_millis(50)),
            Duration::from_millis(10)
        );
    }

    #[test]
    fn a_long_lag_is_forgiven() {
        let mut pacer = Pacer::new(1.0).expect("a positive speed");
        let start = Instant::now();
        pacer.ahead_at(0, start);
        let late = start + Duration::from_secs(5);
        assert_eq!(pacer.ahead_at(10 * MS, late), Duration::ZERO);
        assert_eq!(pacer.ahead_at(30 * MS, late), Duration::from_millis(20));
    }

    #[test]
    fn pace_sleeps_and_ends_at_an_interrupt() {
        let mut pacer = Pacer::new(1.0).expect("a positive speed");
        let interrupt = Interrupt::new();
        let start = Instant::now();
        pacer.pace(0, &interrupt);
        pacer.pace(30 * MS, &interrupt);
        assert!(start.elapsed() >= Duration::from_millis(30));
        interrupt.raise();
        pacer.pace(1_000_000 * MS, &interrupt);
        assert!(start.elapsed() < Duration::from_secs(60));
    }

    #[test]
    fn speeds_are_positive_numbers() {
        assert!(
            [0.0, -1.0, f64::NAN, f64::INFINITY]
                .into_iter()
                .all(|speed| Pacer::new(speed).is_none())
        );
    }
}
