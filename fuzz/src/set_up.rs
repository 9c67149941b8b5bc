//! How devices are set up at the start of a program.

use crate::board::{AIC, PIO, RAM_DATA, TIMER, USART0, USART1};
use crate::random::Random;

const SOURCES: [u32; 9] = [0, 1, 2, 3, 4, 5, 6, 8, 16];
/// Waveform mode, reset by RC.
const PERIODIC: u32 = 0xc000;

/// Addresses and values, in order.
pub fn stores(random: &mut Random) -> Vec<(u32, u32)> {
    let mut stores = vec![];
    for source in SOURCES {
        let edge = if matches!(source, 0 | 1 | 16) {
            0x60
        } else {
            0
        };
        stores.push((AIC + 4 * source, edge | random.below(8)));
    }
    // Two timers that interrupt at odd moments, and one that gives up what takes too long.
    let periods = [
        60 + random.below(2000),
        200 + random.below(8000),
        12_000 + random.below(20_000),
    ];
    for (channel, period) in periods.into_iter().enumerate() {
        let base = TIMER + 0x40 * channel as u32;
        stores.extend([
            (base + 0x04, PERIODIC),
            (base + 0x1c, period),
            (base + 0x24, 0x10),
            (base, 5),
        ]);
    }
    // One serial port hears itself, the other has the host at the other end; both are fast.
    for (port, mode) in [(USART0, 0x88c0), (USART1, 0x8c0)] {
        stores.extend([
            (port + 0x04, mode),
            (port + 0x20, 1 + random.below(3)),
            (port, 0x50),
        ]);
    }
    let buffer = RAM_DATA.start + random.below(0x4000);
    stores.extend([
        (USART1 + 0x30, buffer),
        (USART1 + 0x34, random.below(4000)),
        (USART1 + 0x38, RAM_DATA.start + random.below(0x4000)),
        (USART1 + 0x3c, random.below(4000)),
        (PIO, random.word()),
        (PIO + 0x10, random.word()),
    ]);
    let mut enabled = 0x41;
    for source in SOURCES {
        enabled |= u32::from(!random.once_in(3)) << source;
    }
    stores.push((AIC + 0x120, enabled));
    stores
}
