//! Addresses that are worth an access.

use crate::board::{
    AIC, EBI, EXTERNAL_BYTES, PIO, RAM, RAM_DATA, ROM, SRAM_DATA, TIMER, USART0, USART1,
};
use crate::random::Random;

/// Where a load or store goes: mostly into data, sometimes where it hurts.
pub fn address(random: &mut Random, portable: bool) -> u32 {
    if portable {
        return data(random) & !3;
    }
    let address = match random.below(100) {
        0..68 => data(random),
        // The same memory at another address of its page.
        68..74 => data_in_ram(random) + EXTERNAL_BYTES * random.below(15),
        74..80 => ROM + random.below(2 * EXTERNAL_BYTES),
        80..82 => RAM + random.below(0x4000),
        82 => random.below(0x4000),
        83..92 => register(random),
        92..95 => random.word(),
        // Where memories and pages begin and end.
        _ => {
            let edges = [
                SRAM_DATA.end,
                0x8000,
                ROM,
                RAM,
                RAM + EXTERNAL_BYTES,
                RAM + 0x10_0000,
                0,
                0x8000_0000,
            ];
            edges[random.below(8) as usize].wrapping_sub(random.below(16))
        }
    };
    if random.once_in(6) {
        address
    } else {
        address & !3
    }
}

/// Where a pointer starts that is moved by every turn of a loop.
pub fn start_of_walk(random: &mut Random) -> u32 {
    let range = if random.once_in(3) {
        SRAM_DATA
    } else {
        RAM_DATA
    };
    let address = range.start + random.below((range.end - range.start) / 2);
    if random.once_in(8) {
        address
    } else {
        address & !3
    }
}

fn data(random: &mut Random) -> u32 {
    if random.once_in(3) {
        SRAM_DATA.start + 0x400 + random.below(0x1800)
    } else {
        data_in_ram(random)
    }
}

fn data_in_ram(random: &mut Random) -> u32 {
    RAM_DATA.start + 0x400 + random.below(0x6000)
}

/// A register of a device whose reading or writing does not end the program.
fn register(random: &mut Random) -> u32 {
    match random.below(6) {
        0 => TIMER + 0x40 * random.below(2) + 4 * random.below(12),
        1 => USART1 + 4 * (4 + random.below(4)),
        2 => USART0 + 4 * random.below(16),
        3 => PIO + 4 * random.below(32),
        4 => AIC + 0x108 + 4 * random.below(4),
        _ => TIMER + 0x10 + 0x40 * random.below(3),
    }
}

/// A store into a device that has a visible effect: interrupts, DMA, pins, and wait states where `costs` may change.
pub fn device_store(random: &mut Random, costs: bool) -> (u32, u32) {
    let wait_states = 1 << 5 | random.below(8) << 2;
    let timing = (if random.once_in(4) { 0 } else { wait_states }) | random.below(8) << 9;
    let width = 1 + random.below(2);
    let first = if costs { 0 } else { 5 };
    match first + random.below(14 - first) {
        0 | 1 => (EBI, 0x0100_2000 | timing | width),
        2 | 3 => (EBI + 4, 0x0200_2000 | timing | width),
        4 => (EBI + 0x24, random.below(2) << 4),
        // Set by software: the fast interrupt, and source 1.
        5 | 6 => (AIC + 0x12c, 1 + random.below(3)),
        7 => (
            TIMER + 0x1c + 0x40 * random.below(2),
            20 + random.below(3000),
        ),
        8 => (TIMER + 0x40 * random.below(2), 5),
        9 => (USART1 + 8, 1 << random.below(10)),
        10 => (USART1 + 0x1c, random.below(256)),
        11 | 12 => (AIC + 0x12c, 1),
        _ => (PIO + 0x30 + 4 * random.below(2), random.word()),
    }
}
