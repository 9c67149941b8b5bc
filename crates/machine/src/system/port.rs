//! The other end of a device's link port: a queue to the host, or the wire to another machine.

use crate::inputs::chronicle::Chronicle;
use serde::{Deserialize, Serialize};
use socscope_device::{LineFormat, Parity, Waveform};
use socscope_time::Instant;
use std::collections::VecDeque;

/// Random flips of levels on a wire, seeded (SplitMix64: Steele, Lea and Flood, 2014).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct BitErrors {
    /// A level is flipped when a random 64-bit number is below this.
    threshold: u64,
    state: u64,
    /// Levels flipped so far.
    pub flipped: u64,
}

impl BitErrors {
    /// Flips each bit with probability `rate`, 0 to 1.
    pub fn new(rate: f64, seed: u64) -> BitErrors {
        BitErrors {
            threshold: (rate.clamp(0.0, 1.0) * u64::MAX as f64) as u64,
            state: seed,
            flipped: 0,
        }
    }

    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn disturb(&mut self, mut waveform: Waveform) -> Waveform {
        for bit in 0..waveform.bits.min(32) {
            if self.next() < self.threshold {
                waveform.levels ^= 1 << bit;
                self.flipped += 1;
            }
        }
        waveform
    }
}

/// Who is at the other end.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) enum Peer {
    /// The host: bytes in both directions.
    #[default]
    Host,
    /// Another machine: waveforms that wait to be carried over.
    Machine { outgoing: Vec<Waveform> },
}

/// Characters of a port that are kept, the first and the last: several minutes of a busy line.
const CHARACTERS_KEPT: usize = 1 << 22;
/// Bytes that wait for the host at most: nobody takes them where no peer is attached.
const WAITING_MAX: usize = 1 << 20;

/// The characters of a port: end, whether the guest sent it, value.
pub(crate) type CharacterLog = Chronicle<(Instant, bool, u8), CHARACTERS_KEPT>;

/// One link port of one device.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Port {
    pub device: u16,
    pub index: u32,
    pub name: String,
    pub peer: Peer,
    pub errors: Option<BitErrors>,
    /// Bytes from the host that are still to be sent to the guest.
    pub input: VecDeque<u8>,
    /// Whether an event is pending that sends the next one.
    pub sending: bool,
    /// The line to the guest is busy until then.
    pub busy_until: Instant,
    /// Bytes from the guest with the time at which they were complete; the host's to take, so no state.
    #[serde(skip)]
    pub output: VecDeque<(Instant, u8)>,
    /// Every character: its end, whether the guest sent it, its value. A record, not state.
    #[serde(skip)]
    pub log: CharacterLog,
}

impl Port {
    pub fn new(device: u16, index: u32, name: String) -> Port {
        Port {
            device,
            index,
            name,
            peer: Peer::Host,
            errors: None,
            input: VecDeque::new(),
            sending: false,
            busy_until: Instant::ZERO,
            output: VecDeque::new(),
            log: CharacterLog::default(),
        }
    }

    /// Takes a waveform from the guest, whose line is in `format`.
    pub fn take_from_guest(&mut self, waveform: Waveform, format: Option<LineFormat>) {
        let waveform = self.disturbed(waveform);
        let byte = decode(waveform, format);
        self.log
            .extend(byte.map(|byte| (waveform.end(), true, byte)));
        match &mut self.peer {
            Peer::Machine { outgoing } => outgoing.push(waveform),
            Peer::Host => {
                if self.output.len() == WAITING_MAX {
                    self.output.pop_front();
                }
                self.output.extend(byte.map(|byte| (waveform.end(), byte)));
            }
        }
    }

    /// Notes a character from another machine.
    pub fn note_arrival(&mut self, waveform: Waveform, format: Option<LineFormat>) {
        self.log
            .extend(decode(waveform, format).map(|byte| (waveform.end(), false, byte)));
    }

    /// The next character for the guest.
    pub fn next_for_guest(&mut self, now: Instant, format: LineFormat) -> Option<Waveform> {
        let byte = self.input.pop_front()?;
        let waveform = self.disturbed(Waveform::character(now, format, u16::from(byte)));
        let half_stop_bit_ps = u64::from(format.stop_half_bits % 2) * format.bit_time_ps / 2;
        self.busy_until = waveform.end().after_ps(half_stop_bit_ps);
        self.log.push((waveform.end(), false, byte));
        Some(waveform)
    }

    /// Flips each bit with probability `rate` from now on; zero switches it off.
    pub fn disturb(&mut self, rate: f64, seed: u64) {
        self.errors = (rate > 0.0).then(|| BitErrors::new(rate, seed));
    }

    fn disturbed(&mut self, waveform: Waveform) -> Waveform {
        self.errors
            .as_mut()
            .map_or(waveform, |errors| errors.disturb(waveform))
    }
}

/// What a host's UART in the guest's own format makes of a character: nothing of a start bit that was lost or of a break.
fn decode(waveform: Waveform, format: Option<LineFormat>) -> Option<u8> {
    let data_bits = format.map_or(8, |format| u32::from(format.data_bits));
    let parity_bits = u32::from(format.is_some_and(|format| format.parity != Parity::None));
    let is_break = waveform.levels & ((1 << (2 + data_bits + parity_bits)) - 1) == 0;
    let start_bit_lost = waveform.levels & 1 == 1;
    (!is_break && !start_bit_lost).then_some((waveform.levels >> 1 & ((1 << data_bits) - 1)) as u8)
}

#[cfg(test)]
mod tests {
    use super::*;

    const FORMAT: LineFormat = LineFormat {
        bit_time_ps: 1_000,
        data_bits: 8,
        parity: Parity::None,
        stop_half_bits: 2,
    };

    #[test]
    fn bytes_pass_and_breaks_do_not() {
        let character = Waveform::character(Instant::ZERO, FORMAT, 0x00);
        assert_eq!(decode(character, Some(FORMAT)), Some(0));
        let line_break = Waveform {
            levels: 0,
            bits: 12,
            ..character
        };
        assert_eq!(decode(line_break, Some(FORMAT)), None);
    }

    #[test]
    fn nine_data_bits_give_the_low_eight() {
        for parity in [Parity::None, Parity::Even] {
            let format = LineFormat {
                data_bits: 9,
                parity,
                ..FORMAT
            };
            for (character, byte) in [(0x1a5, 0xa5), (0x0a5, 0xa5), (0x100, 0), (0x000, 0)] {
                let waveform = Waveform::character(Instant::ZERO, format, character);
                assert_eq!(decode(waveform, Some(format)), Some(byte), "{character:#x}");
            }
            let line_break = Waveform {
                levels: 0,
                bits: 14,
                ..Waveform::character(Instant::ZERO, format, 0)
            };
            assert_eq!(decode(line_break, Some(format)), None);
        }
    }

    #[test]
    fn errors_are_seeded_and_about_as_frequent_as_asked() {
        let flips = |seed| {
            let mut errors = BitErrors::new(0.01, seed);
            for _ in 0..10_000 {
                errors.disturb(Waveform::character(Instant::ZERO, FORMAT, 0x55));
            }
            errors.flipped
        };
        assert_eq!(flips(1), flips(1));
        assert_ne!(flips(1), flips(2));
        assert!((800..1_200).contains(&flips(3)), "{}", flips(3));
    }
}
