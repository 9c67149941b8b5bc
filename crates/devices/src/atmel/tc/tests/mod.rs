//! The timers, rule by rule. One cycle of the bench's clock is one cycle of the master clock.

mod capture;
mod chaining;
mod counting;
mod events;
mod waveform;

use crate::bench::Bench;

const CCR: u32 = 0x00;
const CMR: u32 = 0x04;
const CV: u32 = 0x10;
const RA: u32 = 0x14;
const RB: u32 = 0x18;
const RC: u32 = 0x1c;
const SR: u32 = 0x20;
const IER: u32 = 0x24;
const IDR: u32 = 0x28;
const IMR: u32 = 0x2c;
const BCR: u32 = 0xc0;
const BMR: u32 = 0xc4;

/// CLKEN and SWTRG.
const START: u32 = 0b101;
const WAVE: u32 = 1 << 15;
const CPCTRG: u32 = 1 << 14;

const COVFS: u32 = 1 << 0;
const LOVRS: u32 = 1 << 1;
const CPAS: u32 = 1 << 2;
const CPBS: u32 = 1 << 3;
const CPCS: u32 = 1 << 4;
const LDRAS: u32 = 1 << 5;
const LDRBS: u32 = 1 << 6;
const ETRGS: u32 = 1 << 7;
const CLKSTA: u32 = 1 << 16;
const MTIOA: u32 = 1 << 17;
const MTIOB: u32 = 1 << 18;

const TCLK0: u32 = 0;
const TIOA0: u32 = 3;
const TIOB0: u32 = 6;

/// Channel 0 with this mode, started at cycle 0.
fn started(mode: u32) -> Bench {
    let mut bench = Bench::new("atmel,at91x40-tc");
    bench.write(CMR, mode);
    bench.write(CCR, START);
    bench
}

/// A pulse on an input.
fn pulse(bench: &mut Bench, line: u32) {
    bench.input(line, true);
    bench.input(line, false);
}
