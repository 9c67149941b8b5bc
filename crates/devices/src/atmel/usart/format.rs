//! How characters look on the line, from the mode register and the baud rate generator.

use super::registers::mode;
use crate::line::{Format, Ninth};
use socscope_device::Parity;
use socscope_time::Clock;

/// How the pins are connected (CHMODE).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Channel {
    Normal,
    /// RXD goes to the receiver and to TXD; the transmitter is cut off.
    AutomaticEcho,
    /// The transmitter feeds the receiver; the pins are cut off.
    LocalLoopback,
    /// RXD goes to TXD; receiver and transmitter are cut off.
    RemoteLoopback,
}

impl Channel {
    pub fn of(mode: u32) -> Channel {
        match (mode >> mode::CHMODE_SHIFT) & 3 {
            0 => Channel::Normal,
            1 => Channel::AutomaticEcho,
            2 => Channel::LocalLoopback,
            _ => Channel::RemoteLoopback,
        }
    }
}

/// The format in force; `None` while the baud rate generator stands still. `sck` is the clock at the pin SCK.
pub(super) fn format_of(mode: u32, divisor: u32, mck: Clock, sck: Option<Clock>) -> Option<Format> {
    let synchronous = mode & mode::SYNC != 0;
    let divisor = u64::from(divisor);
    let oversampling = if synchronous { 1 } else { 16 };
    let (clock, cycles_per_bit) = match (mode >> mode::USCLKS_SHIFT) & 3 {
        0 => (mck, oversampling * divisor),
        1 => (mck, oversampling * divisor * 8),
        // SCK clocks the bits directly, without the divisor (doc1354, "Baud Rate Generator").
        _ if synchronous => (sck?, 1),
        _ => (sck?, oversampling * divisor),
    };
    let data_bits = match mode & mode::MODE9 {
        0 => 5 + ((mode >> mode::CHRL_SHIFT) & 3) as u8,
        _ => 9,
    };
    let ninth = match (mode >> mode::PAR_SHIFT) & 7 {
        0 => Ninth::Parity(Parity::Even),
        1 => Ninth::Parity(Parity::Odd),
        2 => Ninth::Parity(Parity::Space),
        3 => Ninth::Parity(Parity::Mark),
        4 | 5 => Ninth::Parity(Parity::None),
        _ => Ninth::Address,
    };
    let stop_half_bits = match (mode >> mode::NBSTOP_SHIFT) & 3 {
        0 => 2,
        1 if !synchronous => 3,
        _ => 4,
    };
    (cycles_per_bit > 0)
        .then(|| Format::new(clock, cycles_per_bit, data_bits, ninth, stop_half_bits))
}

/// Whether the mode register asks for something that the data sheet reserves.
pub(super) fn is_reserved(mode: u32) -> bool {
    let stop = (mode >> mode::NBSTOP_SHIFT) & 3;
    stop == 3 || (stop == 1 && mode & mode::SYNC != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mck() -> Clock {
        Clock::new(40_000_000).unwrap()
    }

    #[test]
    fn the_divisor_sets_the_bit_time() {
        let bit_ps = |mode, divisor, sck: Option<u64>| {
            let format = format_of(mode, divisor, mck(), sck.and_then(Clock::new));
            format.map(|format| format.line().bit_time_ps)
        };
        let (mck8, sck, sync) = (1 << 4, 2 << 4, mode::SYNC);
        assert_eq!(bit_ps(0, 22, None), Some(16 * 22 * 25_000));
        assert_eq!(bit_ps(0, 0xffff, None), Some(16 * 0xffff * 25_000));
        assert_eq!(bit_ps(mck8, 3, None), Some(8 * 16 * 3 * 25_000));
        assert_eq!(bit_ps(sync, 4, None), Some(4 * 25_000));
        assert_eq!(bit_ps(sync | mck8, 4, None), Some(8 * 4 * 25_000));
        assert_eq!(bit_ps(sck, 2, Some(1_843_200)), Some(17_361_111));
        assert_eq!(bit_ps(sck | sync, 0, Some(1_000_000)), Some(1_000_000));
        assert_eq!(bit_ps(0, 0, None), None, "divisor 0 stops the generator");
        assert_eq!(bit_ps(sck, 1, None), None, "nothing at the pin");
    }

    #[test]
    fn all_character_formats() {
        let of = |mode| format_of(mode, 1, mck(), None).unwrap();
        for chrl in 0..4 {
            assert_eq!(of(chrl << mode::CHRL_SHIFT).data_bits, 5 + chrl as u8);
        }
        assert_eq!(of(mode::MODE9 | 2 << mode::CHRL_SHIFT).data_bits, 9);
        let parities = [
            Parity::Even,
            Parity::Odd,
            Parity::Space,
            Parity::Mark,
            Parity::None,
            Parity::None,
        ];
        for (par, parity) in parities.into_iter().enumerate() {
            let format = of((par as u32) << mode::PAR_SHIFT);
            assert_eq!(format.ninth, Ninth::Parity(parity));
            assert_eq!(format.bits_before_stop(), if par < 4 { 7 } else { 6 });
        }
        for par in [6, 7] {
            assert_eq!(of(par << mode::PAR_SHIFT).ninth, Ninth::Address);
        }
        for (stop, half_bits) in [(0, 2), (1, 3), (2, 4), (3, 4)] {
            let format = of(stop << mode::NBSTOP_SHIFT);
            assert_eq!(format.half_bits(), 14 + half_bits);
            assert_eq!(format.line().stop_half_bits, half_bits as u8);
        }
        assert_eq!(
            of(mode::SYNC | 1 << mode::NBSTOP_SHIFT)
                .line()
                .stop_half_bits,
            4
        );
        assert!(is_reserved(3 << mode::NBSTOP_SHIFT));
        assert!(is_reserved(mode::SYNC | 1 << mode::NBSTOP_SHIFT));
        assert!(!is_reserved(1 << mode::NBSTOP_SHIFT));
    }
}
