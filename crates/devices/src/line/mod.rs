//! Asynchronous serial lines as the ports of several vendors see them: formats, what is on the wire, a transmitter with a FIFO, and a receiver that
//! samples the wire.

mod format;
mod receiver;
mod timeout;
mod transmitter;
mod wire;

pub(crate) use format::{Format, Ninth};
pub(crate) use receiver::{Arrived, LineReceiver};
pub(crate) use timeout::Timeout;
pub(crate) use transmitter::Transmitter;

use socscope_device::Waveform;
use socscope_time::Instant;

/// Payloads of the events that are scheduled here; a port uses others for its own.
pub(crate) mod event {
    /// Of a [`super::Transmitter`], as is BREAK.
    pub const SHIFTED: u64 = 0;
    pub const STOP_BIT: u64 = 1;
    pub const TIMEOUT: u64 = 2;
    pub const END_OF_BREAK: u64 = 3;
    pub const BREAK: u64 = 4;
}

/// Characters in each FIFO.
pub(crate) const FIFO: usize = 16;

/// A break is told to last for longer than until the next event, which tells it anew: so no gap shows at the other end.
const LOW_BITS: u8 = 32;
/// Bits between those events.
pub(crate) const RENEWAL_BITS: u64 = 16;

/// A break begins, or goes on.
pub(crate) fn low(start: Instant, format: Format) -> Waveform {
    Waveform {
        start,
        bit_time_ps: format.line().bit_time_ps,
        levels: 0,
        bits: LOW_BITS,
    }
}

/// Ends whatever is on the line.
pub(crate) fn high(start: Instant) -> Waveform {
    Waveform {
        start,
        bit_time_ps: 1,
        levels: 1,
        bits: 1,
    }
}
