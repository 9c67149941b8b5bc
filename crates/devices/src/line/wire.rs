//! What is known of the level of RXD: the characters on it that still matter.

use serde::{Deserialize, Serialize};
use socscope_device::Waveform;
use socscope_time::Instant;

/// Waveforms in the order of their start. Where two overlap the later one holds; where none is, the line is high.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Wire {
    waveforms: Vec<Waveform>,
}

impl Wire {
    /// Adds what begins on the line, and forgets what ended at `needed_from` or before.
    pub fn add(&mut self, waveform: Waveform, needed_from: Instant) {
        let ended = self
            .waveforms
            .iter()
            .take_while(|known| known.end() <= needed_from);
        self.waveforms.drain(..ended.count());
        let place = self
            .waveforms
            .partition_point(|known| known.start <= waveform.start);
        self.waveforms.insert(place, waveform);
    }

    /// Nothing is on the line any more.
    pub fn clear(&mut self) {
        self.waveforms.clear();
    }

    /// Level at an instant.
    pub fn level_at(&self, instant: Instant) -> bool {
        let after = self
            .waveforms
            .partition_point(|known| known.start <= instant);
        after == 0 || self.waveforms[after - 1].level_at(instant)
    }

    /// The beginning of the first stretch of `level`, from `from` on, that is `least_ps` long or longer. Stretches of the
    /// other level that are shorter than `blind_ps` do not interrupt it. Behind all that is known the line is high.
    pub fn first(
        &self,
        level: bool,
        from: Instant,
        least_ps: u64,
        blind_ps: u64,
    ) -> Option<Instant> {
        let mut stretch: Option<(Instant, Instant)> = None;
        for (start, end, found) in self.stretches(from) {
            if found != level {
                continue;
            }
            let begin = match stretch {
                Some((begin, until)) if start.ps_since(until) < blind_ps => begin,
                _ => start,
            };
            if end.ps_since(begin) >= least_ps {
                return Some(begin);
            }
            stretch = Some((begin, end));
        }
        None
    }

    /// Stretches of one level from `from` on: beginning, end and level. The last one is high and has no end.
    fn stretches(&self, from: Instant) -> impl Iterator<Item = (Instant, Instant, bool)> + '_ {
        let mut at = from;
        let mut done = false;
        std::iter::from_fn(move || {
            if done {
                return None;
            }
            let start = at;
            let level = self.level_at(start);
            while let Some(change) = self.next_step(at) {
                at = change;
                if self.level_at(change) != level {
                    return Some((start, change, level));
                }
            }
            done = true;
            Some((start, Instant::FOREVER, level))
        })
    }

    /// The next instant after `instant` at which the level may change.
    fn next_step(&self, instant: Instant) -> Option<Instant> {
        let after = self
            .waveforms
            .partition_point(|known| known.start <= instant);
        let next_start = self.waveforms.get(after).map(|next| next.start);
        let current = after.checked_sub(1).map(|index| self.waveforms[index]);
        let inside = current
            .filter(|waveform| instant < waveform.end())
            .map(|waveform| {
                let bit_ps = waveform.bit_time_ps.max(1);
                let bit = instant.ps_since(waveform.start) / bit_ps;
                waveform.start.after_ps((bit + 1) * bit_ps)
            });
        match (inside, next_start) {
            (Some(step), Some(start)) => Some(step.min(start)),
            (step, start) => step.or(start),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn waveform(start: u64, levels: u32, bits: u8) -> Waveform {
        Waveform {
            start: Instant(start),
            bit_time_ps: 100,
            levels,
            bits,
        }
    }

    fn wire(waveforms: &[Waveform]) -> Wire {
        let mut wire = Wire::default();
        for &waveform in waveforms {
            wire.add(waveform, Instant::ZERO);
        }
        wire
    }

    #[test]
    fn finds_the_first_stretch_that_is_long_enough() {
        let wire = wire(&[waveform(1000, 0b1_0011_1010, 9)]);
        let first = |level, from, least| wire.first(level, Instant(from), least, 0);
        assert_eq!(first(false, 0, 1), Some(Instant(1000)));
        assert_eq!(first(false, 0, 101), Some(Instant(1600)));
        assert_eq!(first(false, 1050, 60), Some(Instant(1200)));
        assert_eq!(first(false, 0, 201), None);
        assert_eq!(first(true, 1000, 150), Some(Instant(1300)));
        assert_eq!(
            first(true, 1000, 1_000),
            Some(Instant(1800)),
            "idle for ever"
        );
    }

    #[test]
    fn low_stretches_of_two_waveforms_join_over_a_blind_gap() {
        let wire = wire(&[waveform(1000, 0, 4), waveform(1403, 0, 4)]);
        assert_eq!(wire.first(false, Instant(0), 700, 5), Some(Instant(1000)));
        assert_eq!(wire.first(false, Instant(0), 700, 2), None);
        assert_eq!(wire.first(true, Instant(1000), 50, 0), Some(Instant(1803)));
    }

    #[test]
    fn the_later_waveform_holds_and_old_ones_are_forgotten() {
        let mut wire = wire(&[waveform(1000, 0, 20), waveform(1500, 0b1, 1)]);
        assert!(!wire.level_at(Instant(1499)));
        assert!(wire.level_at(Instant(1500)) && wire.level_at(Instant(2900)));
        wire.add(waveform(9000, 0, 1), Instant(3000));
        assert_eq!(wire.waveforms.len(), 1);
        assert!(wire.level_at(Instant(8999)) && !wire.level_at(Instant(9000)));
        wire.clear();
        assert!(wire.level_at(Instant(9000)));
    }
}
