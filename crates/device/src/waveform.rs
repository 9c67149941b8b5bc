//! Serial lines: what travels on the wire is levels over time, so that wrong speeds and formats fail as they do in life.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use socscope_time::Instant;
use std::ops::RangeInclusive;

/// Parity of a character.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Parity {
    /// No parity bit.
    None,
    /// Number of ones, parity bit included, is even.
    Even,
    /// Number of ones, parity bit included, is odd.
    Odd,
    /// Always one.
    Mark,
    /// Always zero.
    Space,
}

/// How a line is set up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LineFormat {
    /// Length of one bit in picoseconds.
    pub bit_time_ps: u64,
    /// Data bits, 5 to 9.
    #[serde(deserialize_with = "data_bits")]
    pub data_bits: u8,
    /// Parity bit.
    pub parity: Parity,
    /// Stop bits in halves: 2, 3 or 4.
    #[serde(deserialize_with = "stop_half_bits")]
    pub stop_half_bits: u8,
}

/// Reads the data bits of a line's format, and refuses impossible ones.
pub fn data_bits<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u8, D::Error> {
    within(deserializer, 5..=9)
}

/// Reads the stop bits of a line's format, and refuses impossible ones.
pub fn stop_half_bits<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u8, D::Error> {
    within(deserializer, 2..=4)
}

fn within<'de, D>(deserializer: D, possible: RangeInclusive<u8>) -> Result<u8, D::Error>
where
    D: Deserializer<'de>,
{
    let bits = u8::deserialize(deserializer)?;
    match possible.contains(&bits) {
        true => Ok(bits),
        false => Err(D::Error::custom("a line of an impossible format")),
    }
}

/// One character (or break) on a wire, start bit first; the line is high before and after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Waveform {
    /// Beginning of the start bit.
    pub start: Instant,
    /// Length of one bit in picoseconds.
    pub bit_time_ps: u64,
    /// Levels, least significant bit first, start bit included.
    pub levels: u32,
    /// Number of levels that the sender drives, up to 32.
    pub bits: u8,
}

impl Waveform {
    /// The character `data` in `format`, started at `start`. Half a stop bit counts as line idle.
    pub fn character(start: Instant, format: LineFormat, data: u16) -> Waveform {
        let data_bits = u32::from(format.data_bits);
        let data = u32::from(data) & ((1 << data_bits) - 1);
        let ones_are_odd = data.count_ones() % 2 == 1;
        let parity = match format.parity {
            Parity::None => None,
            Parity::Even => Some(ones_are_odd),
            Parity::Odd => Some(!ones_are_odd),
            Parity::Mark => Some(true),
            Parity::Space => Some(false),
        };
        let mut levels = data << 1;
        let mut bits = 1 + data_bits;
        if let Some(bit) = parity {
            levels |= u32::from(bit) << bits;
            bits += 1;
        }
        let stop_bits = u32::from(format.stop_half_bits / 2);
        levels |= ((1 << stop_bits) - 1) << bits;
        Waveform {
            start,
            bit_time_ps: format.bit_time_ps,
            levels,
            bits: (bits + stop_bits) as u8,
        }
    }

    /// Level of the line at `instant`.
    pub fn level_at(&self, instant: Instant) -> bool {
        let bit = instant.ps_since(self.start) / self.bit_time_ps.max(1);
        let bits = u64::from(self.bits.min(32));
        instant < self.start || bit >= bits || (self.levels >> bit) & 1 == 1
    }

    /// When the sender's last bit ends.
    pub fn end(&self) -> Instant {
        let length_ps = self.bit_time_ps.saturating_mul(u64::from(self.bits));
        self.start.after_ps(length_ps)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_character_is_start_data_parity_stop() {
        let format = LineFormat {
            bit_time_ps: 100,
            data_bits: 8,
            parity: Parity::Even,
            stop_half_bits: 2,
        };
        let waveform = Waveform::character(Instant(1_000), format, 0x07);
        assert_eq!((waveform.levels, waveform.bits), (0b110_0000_1110, 11));
        assert!(waveform.level_at(Instant(999)));
        assert!(!waveform.level_at(Instant(1_050)));
        assert!(waveform.level_at(Instant(1_150)));
        assert_eq!(waveform.end(), Instant(2_100));
    }

    #[test]
    fn slow_and_long_waveforms_have_an_end() {
        let waveform = Waveform {
            start: Instant(1_000),
            bit_time_ps: 8_000_000_000_000_000_000,
            levels: 0,
            bits: 40,
        };
        assert_eq!(waveform.end(), Instant::FOREVER);
        let quick = Waveform {
            bit_time_ps: 1,
            ..waveform
        };
        assert!(quick.level_at(Instant(1_033)), "only 32 levels exist");
    }
}
