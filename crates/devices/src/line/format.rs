//! How characters look on the line.

use serde::{Deserialize, Serialize};
use socscope_device::{LineFormat, Parity};
use socscope_time::{Clock, Instant};

const PICOSECONDS_PER_SECOND: u128 = 1_000_000_000_000;

/// What the bit after the data bits is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Ninth {
    Parity(Parity),
    /// One marks an address (multi-drop mode).
    Address,
}

/// The line as one half of the port has it set up when a character begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Format {
    clock: Clock,
    cycles_per_bit: u64,
    #[serde(deserialize_with = "socscope_device::waveform::data_bits")]
    pub data_bits: u8,
    pub ninth: Ninth,
    #[serde(deserialize_with = "socscope_device::waveform::stop_half_bits")]
    stop_half_bits: u8,
}

impl Format {
    /// A format whose bits last `cycles_per_bit`, which is not 0.
    pub fn new(
        clock: Clock,
        cycles_per_bit: u64,
        data_bits: u8,
        ninth: Ninth,
        stop_half_bits: u8,
    ) -> Format {
        Format {
            clock,
            cycles_per_bit,
            data_bits,
            ninth,
            stop_half_bits,
        }
    }

    /// Start, data and parity bits.
    pub fn bits_before_stop(&self) -> u8 {
        1 + self.data_bits + u8::from(self.ninth != Ninth::Parity(Parity::None))
    }

    /// Length of a character in half bits.
    pub fn half_bits(&self) -> u64 {
        2 * u64::from(self.bits_before_stop()) + u64::from(self.stop_half_bits)
    }

    /// Length of a character in whole bits.
    pub fn bits(&self) -> u64 {
        self.half_bits().div_ceil(2)
    }

    /// Picoseconds of `sixteenths` of a bit.
    pub fn sixteenths_ps(&self, sixteenths: u64) -> u64 {
        let cycles = u128::from(sixteenths) * u128::from(self.cycles_per_bit);
        let picoseconds = cycles * PICOSECONDS_PER_SECOND / (16 * u128::from(self.clock.hz()));
        u64::try_from(picoseconds).unwrap_or(u64::MAX)
    }

    /// The next edge of the clock.
    pub fn edge_from(&self, instant: Instant) -> Instant {
        self.clock.instant_of(self.clock.first_cycle_from(instant))
    }

    /// The clock edge `half_bits` after `edge`.
    pub fn after(&self, edge: Instant, half_bits: u64) -> Instant {
        let cycle = self.clock.first_cycle_from(edge);
        self.clock
            .instant_of(cycle + half_bits * self.cycles_per_bit / 2)
    }

    /// For the line: a data byte where bits are addressed.
    pub fn line(&self) -> LineFormat {
        self.line_with(match self.ninth {
            Ninth::Parity(parity) => parity,
            Ninth::Address => Parity::Space,
        })
    }

    /// For the line, with a certain bit after the data.
    pub fn line_with(&self, parity: Parity) -> LineFormat {
        let bit = u128::from(self.cycles_per_bit) * PICOSECONDS_PER_SECOND;
        let hz = u128::from(self.clock.hz());
        LineFormat {
            bit_time_ps: u64::try_from((bit + hz / 2) / hz).unwrap_or(u64::MAX),
            data_bits: self.data_bits,
            parity,
            stop_half_bits: self.stop_half_bits,
        }
    }
}
